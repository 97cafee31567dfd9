// Epochs that grow, also across restarts and when the wall clock was set back: the last one is kept
// in a file.
//
// An epoch is near the seconds since 1970, so that plan numbers (epoch << kPlanBits) stay below
// 2^53 and survive readers that take JSON numbers for doubles.
//
// Threads: one caller at a time.
#ifndef PHALANX_RUNTIME_EPOCH_STORE_H_
#define PHALANX_RUNTIME_EPOCH_STORE_H_

#include <cstdint>
#include <string>

namespace phalanx::runtime {

class EpochStore {
 public:
  // Reads the last epoch from `path`; an empty path keeps nothing.
  explicit EpochStore(std::string path);

  // max(last + 1, wall_seconds), kept before it is returned.
  uint64_t Next(int64_t wall_seconds);
  // What went wrong when the file was read or written last; empty if nothing did. Epochs then still
  // grow as long as the wall clock does.
  const std::string& error() const { return error_; }

 private:
  void Load();
  void Save();

  std::string path_;
  uint64_t last_ = 0;
  std::string error_;
};

}  // namespace phalanx::runtime

#endif  // PHALANX_RUNTIME_EPOCH_STORE_H_
