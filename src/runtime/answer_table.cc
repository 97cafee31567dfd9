#include "runtime/answer_table.h"

namespace phalanx::runtime {

void AnswerTable::Publish(const std::vector<PodAnswer>& answers) {
  for (const PodAnswer& answer : answers) {
    Shard& shard = ShardOf(answer.pod_uid);
    std::lock_guard lock(shard.mutex);
    if (answer.kind == AnswerKind::kUnknown) {
      shard.answers.erase(answer.pod_uid);
    } else {
      shard.answers[answer.pod_uid] = answer;
    }
  }
}

std::optional<PodAnswer> AnswerTable::Find(uint64_t epoch, const std::string& pod_uid) const {
  if (epoch == 0) return std::nullopt;
  const Shard& shard = ShardOf(pod_uid);
  std::lock_guard lock(shard.mutex);
  // Under the lock: what is published for the next epoch has to wait for it.
  if (epoch_.load() != epoch) return std::nullopt;
  auto it = shard.answers.find(pod_uid);
  if (it == shard.answers.end()) return std::nullopt;
  return it->second;
}

size_t AnswerTable::size() const {
  size_t sum = 0;
  for (const Shard& shard : shards_) {
    std::lock_guard lock(shard.mutex);
    sum += shard.answers.size();
  }
  return sum;
}

}  // namespace phalanx::runtime
