#include "sim/link.h"

#include "sim/tamper.h"

namespace phalanx::sim {

bool Link::Draw(int64_t percent) {
  return percent > 0 && static_cast<int64_t>(random_() % 100) < percent;
}

bool Link::Lost() {
  if (!open_) return true;
  if (!Draw(settings_.messages.lost_percent)) return false;
  ++counts_.lost;
  queue_.After({}, [this, stream = stream_] {
    if (stream == stream_) broken_();
  });
  return true;
}

bool Link::LosesCall() {
  const bool lost = Draw(settings_.messages.lost_percent);
  counts_.lost += lost ? 1 : 0;
  return lost;
}

int64_t Link::Copies() {
  if (!Draw(settings_.messages.twice_percent)) return 1;
  ++counts_.twice;
  return 2;
}

Duration Link::Delay() {
  const auto most = static_cast<uint64_t>(settings_.messages.late.ms);
  if (most == 0) return {};
  const Duration delay{static_cast<int64_t>(random_() % (most + 1))};
  counts_.late += delay.ms > 0 ? 1 : 0;
  return delay;
}

bool Link::TakesOld() {
  const Tamper* tamper = brain_.tamper();
  if (tamper && tamper->IgnoresEpochs()) return true;
  ++counts_.dropped;
  return false;
}

void Link::Down(const Directive& directive) {
  if (Lost()) return;
  for (int64_t copies = Copies(); copies > 0; --copies) {
    const Time due = std::max(last_down_, queue_.now() + Delay());
    if (due == queue_.now()) {
      carry_(directive);
      continue;
    }
    last_down_ = due;
    queue_.At(due, [this, stream = stream_, directive] {
      if (stream == stream_ || TakesOld()) carry_(directive);
    });
  }
}

}  // namespace phalanx::sim
