// A histogram with fixed bounds that any thread may add to and any thread may read.
//
// A reader may see a sample in a bucket and not yet in the sum; each number by itself is right.
#ifndef PHALANX_RUNTIME_HISTOGRAM_H_
#define PHALANX_RUNTIME_HISTOGRAM_H_

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace phalanx::runtime {

class Histogram {
 public:
  // Upper bounds, ascending, in the unit of the samples.
  explicit Histogram(std::vector<int64_t> bounds)
      : bounds_(std::move(bounds)), counts_(new std::atomic<int64_t>[bounds_.size() + 1]) {
    for (size_t i = 0; i <= bounds_.size(); ++i) counts_[i] = 0;
  }

  void Add(int64_t value) {
    size_t bucket = std::lower_bound(bounds_.begin(), bounds_.end(), value) - bounds_.begin();
    counts_[bucket].fetch_add(1, std::memory_order_relaxed);
    sum_.fetch_add(value, std::memory_order_relaxed);
  }

  struct Snapshot {
    std::vector<int64_t> bounds;
    std::vector<int64_t> counts;  // one more than bounds: the rest
    int64_t sum = 0;
  };
  Snapshot Read() const {
    Snapshot out{bounds_, {}, sum_.load(std::memory_order_relaxed)};
    for (size_t i = 0; i <= bounds_.size(); ++i) {
      out.counts.push_back(counts_[i].load(std::memory_order_relaxed));
    }
    return out;
  }

 private:
  std::vector<int64_t> bounds_;
  std::unique_ptr<std::atomic<int64_t>[]> counts_;
  std::atomic<int64_t> sum_{0};
};

}  // namespace phalanx::runtime

#endif  // PHALANX_RUNTIME_HISTOGRAM_H_
