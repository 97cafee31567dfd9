#include "core/cluster/traffic.h"

#include <algorithm>

namespace phalanx {

CrossingTraffic::CrossingTraffic(const Topology& topology, const Shape& shape)
    : traffic_(shape.traffic),
      segment_(shape.segment.size),
      whole_at_(shape.segment.size > 1 ? topology.FindLevel(shape.segment.required_level)
                                       : LevelId::None()) {}

int64_t CrossingTraffic::Over(LevelId level, int32_t inside, int32_t members) const {
  if (inside <= 0 || inside >= members) return 0;
  const int64_t outside = members - inside;
  // One ring, or one line, of consecutive ranks enters and leaves once.
  int64_t sum = int64_t{traffic_.dp} + traffic_.pp;
  const int64_t to_all = int64_t{traffic_.ep} + traffic_.all_to_all;
  sum += (to_all * inside * outside + members - 2) / (members - 1);
  return sum + int64_t{traffic_.tp} * Cut(level, inside, members);
}

int32_t CrossingTraffic::Cut(LevelId level, int32_t inside, int32_t members) const {
  const int32_t least = std::min(inside, members - inside);
  if (!whole_at_.valid() || level > whole_at_) return least;
  const int32_t rest = inside % segment_;
  return std::min({rest, segment_ - rest, least});
}

bool SameTalk(const Shape& a, const Shape& b) {
  return a.traffic == b.traffic && a.segment == b.segment;
}

}  // namespace phalanx
