#include "sim/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <vector>

namespace phalanx::sim {
namespace {

// Faults happen within this time; the rest of the run is quiet.
constexpr int64_t kTroubleMs = 60'000;

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  std::string Make(uint64_t seed) {
    Line(
        "why: whatever happened, when it is over every gang that fits runs to "
        "its end (seed {})",
        seed);
    if (Chance(50)) Line("jitter seed={} max={}ms", seed + 1, Draw(1, 40));
    Line("config backoff-first=1s backoff-last=20s keep-done=1d");
    Line("latency watch={}ms bind={}ms prepare={}ms", Draw(0, 20), Draw(1, 400), Draw(1, 100));
    Line("binding order={} in-flight={}", Chance(50) ? "rank" : "reversed", Draw(1, 8));
    MakeNodes();
    MakeGangs();
    MakeTrouble();
    Line("expect gang * ended");
    return text_;
  }

 private:
  template <class... Args>
  void Line(fmt::format_string<Args...> format, Args&&... args) {
    text_ += fmt::format(format, std::forward<Args>(args)...) + "\n";
  }
  // From low to high, both included.
  int64_t Draw(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random_() % static_cast<uint64_t>(high - low + 1));
  }
  bool Chance(int64_t percent) { return Draw(1, 100) <= percent; }
  int64_t When() { return Draw(0, kTroubleMs); }

  void MakeNodes() {
    int64_t racks = Draw(1, 3);
    per_rack_ = Draw(1, 3);
    gpus_ = Draw(1, 4);
    for (int64_t r = 1; r <= racks; ++r) {
      for (int64_t h = 1; h <= per_rack_; ++h) {
        nodes_.push_back(fmt::format("r{}h{}", r, h));
        Line("node r{}h{} rack=r{} gpu={}", r, h, r, gpus_);
      }
    }
  }

  // A gang of equal members that fits the empty cluster, in one rack where it
  // asks for one.
  void MakeGangs() {
    int64_t count = Draw(1, 8);
    for (int64_t g = 0; g < count; ++g) {
      int64_t gpu = Draw(1, gpus_);
      bool required = Chance(30);
      int64_t hosts = required ? per_rack_ : static_cast<int64_t>(nodes_.size());
      int64_t members = Draw(1, hosts * (gpus_ / gpu));
      std::string more = required ? " required=rack" : Chance(30) ? " preferred=rack" : "";
      if (Chance(20)) more += fmt::format(" priority={}", Draw(-2, 2));
      if (Chance(20)) more += fmt::format(" min={}", Draw(1, members));
      if (Chance(20)) more += fmt::format(" every={}ms", Draw(1, 3000));
      Line("gang g{} members={} gpu={} at={}ms runs={}ms{}", g, members, gpu, When(),
           Draw(1000, 60'000), more);
      members_.push_back(members);
    }
  }

  std::string SomePod() {
    int64_t gang = Draw(0, static_cast<int64_t>(members_.size()) - 1);
    return fmt::format("g{}-{}", gang, Draw(0, members_[static_cast<size_t>(gang)] - 1));
  }
  size_t SomeNode() {
    return static_cast<size_t>(Draw(0, static_cast<int64_t>(nodes_.size()) - 1));
  }

  void MakeTrouble() {
    int64_t count = Draw(0, 8);
    for (int64_t i = 0; i < count; ++i) MakeOneTrouble(i);
  }

  void MakeOneTrouble(int64_t number) {
    int64_t at = When();
    int64_t until = Draw(at, kTroubleMs);
    const std::string& node = nodes_[SomeNode()];
    switch (Draw(0, 9)) {
      case 0:
        return Line("delete pod {} at={}ms", SomePod(), at);
      case 1:
        return Line("fail pod {} at={}ms", SomePod(), at);
      case 2:
        Line("cordon {} at={}ms", node, at);
        return Line("uncordon {} at={}ms", node, until);
      case 3:
        Line("notready {} at={}ms", node, at);
        return Line("ready {} at={}ms", node, until);
      case 4:
        return MakeConflict(at, until);
      case 5:
        return Line("refuse-bind pod={} code=403 times={} at={}ms until={}ms", SomePod(),
                    Draw(1, 2), at, until + 1);
      case 6:
        return Line("restart adapter at={}ms down={}ms", at, Draw(1000, 8000));
      case 7:
        return Line("restart brain at={}ms down={}ms", at, Draw(0, 8000));
      case 8:
        return ReplaceNode(at, until);
      default:
        return Line("foreign f{} node={} gpu=1 at={}ms runs={}ms", number, node, at,
                    until - at + 1);
    }
  }

  // The node goes, and another one comes under its name.
  void ReplaceNode(int64_t at, int64_t until) {
    const std::string& node = nodes_[SomeNode()];
    Line("delete node {} at={}ms", node, at);
    Line("node {} rack={} gpu={} at={}ms", node, node.substr(0, node.find('h')), gpus_, until + 1);
  }

  void MakeConflict(int64_t at, int64_t until) {
    static const char* const kStages[] = {"filter", "reserve", "prebind"};
    Line("refuse plugin=Trouble stage={} pod={} times={} at={}ms until={}ms", kStages[Draw(0, 2)],
         SomePod(), Draw(1, 3), at, until + 1);
  }

  std::mt19937_64 random_;
  std::string text_;
  int64_t per_rack_ = 0;
  int64_t gpus_ = 0;
  std::vector<std::string> nodes_;
  std::vector<int64_t> members_;
};

}  // namespace

std::string RandomScenario(uint64_t seed) { return Generator(seed).Make(seed); }

}  // namespace phalanx::sim
