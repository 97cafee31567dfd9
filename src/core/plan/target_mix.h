// Which shapes wait and typically come: what fragmentation is measured against.
//
// A shape counts as often as members of it came lately, fading with a half-life, and as members of
// it wait now. The mix is made of the shapes that count most, until they make up 95 % of all, 64 at
// most. Its weights are members per device: a fragment weighs what members it could have held, so
// that what is left over is measured by who could use it, be it a part or eight whole devices.
//
// Sizes of gangs count by the devices that gangs of that size asked for; a member speaks for its
// gang as if all of it were alike. The eight that count most are in the mix, but for those of one
// device.
//
// A mix holds for a while, since a new one voids what is kept of the old one (fragmentation.h): it
// is due again when an eighth as much has come besides, and at each multiple of a quarter of the
// half-life.
#ifndef PHALANX_CORE_PLAN_TARGET_MIX_H_
#define PHALANX_CORE_PLAN_TARGET_MIX_H_

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "core/cluster/cluster.h"
#include "core/place/fragmentation.h"
#include "phalanx/ids.h"
#include "phalanx/time.h"

namespace phalanx {

class TargetMix {
 public:
  static constexpr Duration kHalfLife = Duration::Minutes(6 * 60);

  // Members of a shape in gangs of so many.
  struct Kind {
    ShapeId shape;
    int32_t gang = 1;

    friend auto operator<=>(const Kind&, const Kind&) = default;
  };
  using Counts = std::map<Kind, int64_t>;

  // A member came. REQUIRES (of all): `now` does not go back.
  void Came(const Kind& kind, Time now);
  // Whether another mix may be better than the one that was made last.
  bool Due(Time now) const;
  // `waiting`: members. `is_device` tells by a resource's name whether it is an accelerator.
  // Determined by what came, when, and what waits, in whatever order.
  using IsDevice = std::function<bool(const std::string&)>;
  // What came lately and what waits.
  Counts With(const Counts& waiting) const;
  // A mix of such counts.
  static Mix MixOf(const Cluster& cluster, const Counts& counts, const IsDevice& is_device);
  // The same of With(waiting) now.
  Mix Make(const Cluster& cluster, const Counts& waiting, const IsDevice& is_device, Time now);

  // How often what came lately counts, × kOne.
  static constexpr int64_t kOne = 256;
  const Counts& lately() const { return lately_; }
  int64_t made_of() const { return made_of_; }

 private:
  void Fade(Time now);

  Counts lately_;
  int64_t total_ = 0;     // of lately_
  int64_t faded_ = 0;     // half-lives since time 0, up to which lately_ is faded
  int64_t made_of_ = -1;  // total_ when the last mix was made; -1: none was
  int64_t made_in_ = 0;   // quarter of a half-life
};

}  // namespace phalanx

#endif  // PHALANX_CORE_PLAN_TARGET_MIX_H_
