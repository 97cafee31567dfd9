// The published answers: pod UID -> how calls about it are answered now.
//
// The engine thread writes after each command; calls read from any thread and wait for no more than
// the copying of one answer. The table speaks for one epoch: a reader of another one finds nothing.
// Answers stay when the epoch changes, since the engine publishes only those that change; it takes
// back the plans of the old epoch with its Connect.
#ifndef PHALANX_RUNTIME_ANSWER_TABLE_H_
#define PHALANX_RUNTIME_ANSWER_TABLE_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "phalanx/outcome.h"

namespace phalanx::runtime {

class AnswerTable {
 public:
  // From now on the table speaks for `epoch`; 0: for none, while its answers are brought up to
  // date.
  void SetEpoch(uint64_t epoch) { epoch_.store(epoch); }
  // An answer of kind kUnknown takes the pod out.
  void Publish(const std::vector<PodAnswer>& answers);
  std::optional<PodAnswer> Find(uint64_t epoch, const std::string& pod_uid) const;
  size_t size() const;

 private:
  static constexpr size_t kShards = 64;
  struct Shard {
    mutable std::mutex mutex;
    std::unordered_map<std::string, PodAnswer> answers;
  };
  Shard& ShardOf(const std::string& uid) {
    return shards_[std::hash<std::string>{}(uid) % kShards];
  }
  const Shard& ShardOf(const std::string& uid) const {
    return shards_[std::hash<std::string>{}(uid) % kShards];
  }

  std::atomic<uint64_t> epoch_{0};
  std::array<Shard, kShards> shards_;
};

}  // namespace phalanx::runtime

#endif  // PHALANX_RUNTIME_ANSWER_TABLE_H_
