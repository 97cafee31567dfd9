// How much of the free devices the shapes that wait and typically come could not use, and what a
// placement adds to it.
//
// F of a host = Σ weight × fragment over the shapes of the mix, in thousandths of a device: of a
// shape that the host has no room for, or keeps away, or that asks for no device, the fragment is
// all that is left of its devices; else what is left of those that have too little left for it
// (Weng et al., "Beware of Fragmentation", USENIX ATC 2023).
//
//     mix: 1 × {1 GPU}, 1 × {2 GPUs}     host with 1 idle GPU: F = 0 + 1000
//                                        with 2 idle GPUs:     F = 0 + 0
//
// Cost of k members on a host: first 100 - the score of F before - F after - 1/200 of what is left
// (score_steps.h), then what is left of its devices: of hosts that are as good the fullest. Both
// add up over hosts. The part of what is left makes the difference between a host that is all but
// full and an idle one before rounding does.
//
// Kept per class of hosts that have the same left (residual_class.h), until the mix changes. Equal
// to a recomputation at any time.
#ifndef PHALANX_CORE_PLACE_FRAGMENTATION_H_
#define PHALANX_CORE_PLACE_FRAGMENTATION_H_

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/cluster/cluster.h"
#include "core/place/residual_class.h"
#include "core/place/score_steps.h"
#include "phalanx/ids.h"

namespace phalanx {

// Gangs that ask for so many devices together, and how much they count.
struct GangSize {
  ResourceId device;
  int64_t devices = 0;  // > 1
  int64_t weight = 0;   // > 0

  friend bool operator==(const GangSize&, const GangSize&) = default;
};

// What waits and typically comes.
struct Mix {
  std::vector<MixShape> shapes;
  std::vector<GangSize> gangs;  // see vertex_costs.h
};

class Fragmentation {
 public:
  static constexpr size_t kMostShapes = ResidualView::kMostShapes;

  // REQUIRES: at most kMostShapes; the sum of their weights is below 2^32, of the gangs' 2^21.
  void SetMix(const Cluster& cluster, Mix mix);
  const Mix& mix() const { return mix_; }
  // Without shapes nothing is a fragment.
  bool Active() const { return !mix_.shapes.empty(); }

  // Brings what is kept up to date; before any of the following after a change of the cluster.
  // REQUIRES: Active(), and the topology of the cluster is up to date.
  void Follow(const Cluster& cluster);
  // F of a host, × the sum of the weights.
  int64_t Of(HostId host) const { return classes_[class_of_[host.index()]].fragments; }
  // Σ F, likewise; and all that is left of devices in thousandths.
  Int128 Sum() const;
  int64_t LeftMilli() const;
  int64_t Weight() const { return weight_; }
  // What members of one shape cost, by members and class of hosts, as far as it was asked.
  struct Costs {
    Demand demand;
    std::vector<std::vector<int64_t>> known;
  };
  // Valid until SetMix(), Follow(), or the costs of another shape.
  Costs& CostsOf(const Cluster& cluster, ShapeId shape);
  // What `members` cost on a host that has room for them: smaller is better, 0 or more, below 2^40.
  int64_t Cost(Costs& costs, HostId host, int32_t members) const;

  // The two parts of a cost or of a sum of costs.
  static int64_t ScorePart(int64_t cost) { return cost >> kLeftBits; }
  static int64_t LeftPart(int64_t cost) { return cost & ((int64_t{1} << kLeftBits) - 1); }

 private:
  static constexpr int kLeftBits = 32;
  static constexpr int64_t kLeftPart = 200;
  static constexpr int64_t kUnknown = -1;
  static constexpr size_t kMostCosts = 256;  // shapes that are kept

  struct Class {
    Residual residual;
    int64_t fragments = 0;
  };

  uint32_t ClassOf(const Cluster& cluster, HostId host);
  int64_t Fragments(const Residual& residual) const;
  int64_t CostOf(const Class& before, const Demand& demand, int32_t members) const;

  Mix mix_;
  std::vector<Demand> demands_;  // by shape of the mix
  int64_t weight_ = 0;
  std::optional<ScoreSteps> steps_;
  ResidualView view_;

  uint64_t generation_ = 0;         // of the topology; 0: nothing is known of the hosts
  uint64_t read_ = 0;               // in the change log
  std::vector<uint32_t> class_of_;  // by host
  std::vector<Class> classes_;
  std::map<Residual, uint32_t> class_ids_;
  std::map<ShapeId, Costs> costs_;
};

}  // namespace phalanx

#endif  // PHALANX_CORE_PLACE_FRAGMENTATION_H_
