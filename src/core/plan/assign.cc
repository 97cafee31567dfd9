#include "core/plan/assign.h"

#include <deque>
#include <map>

namespace phalanx {

std::vector<HostId> AssignHosts(std::span<const ShapeId> shapes, const Placement& placement) {
  struct Slots {
    HostId host;
    int32_t left;
  };
  std::map<ShapeId, std::deque<Slots>> free;
  for (const SlotsOnHost& slot : placement.slots) {
    if (slot.count > 0) free[slot.shape].push_back({slot.host, slot.count});
  }
  std::vector<HostId> hosts;
  hosts.reserve(shapes.size());
  for (ShapeId shape : shapes) {
    std::deque<Slots>& left = free[shape];
    if (left.empty()) return {};
    hosts.push_back(left.front().host);
    if (--left.front().left == 0) left.pop_front();
  }
  return hosts;
}

std::vector<int32_t> AssignRanks(std::span<const std::optional<int32_t>> indexes,
                                 std::set<int32_t> taken, int32_t size) {
  std::vector<int32_t> ranks(indexes.size(), -1);
  for (size_t i = 0; i < indexes.size(); ++i) {
    const int32_t index = indexes[i].value_or(-1);
    if (index >= 0 && index < size && taken.insert(index).second) ranks[i] = index;
  }
  int32_t next = 0;
  for (int32_t& rank : ranks) {
    if (rank >= 0) continue;
    while (taken.count(next) > 0) ++next;
    rank = next++;
  }
  return ranks;
}

}  // namespace phalanx
