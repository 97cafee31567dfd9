// Every world of racks of hosts up to symmetry, and how many there must be.
//
// Hosts of a rack are interchangeable, and so are racks: a rack is a multiset of free devices, a
// world a multiset of racks. Of each class one world is listed, its numbers ascending:
//
//     [0 3 4] [2 2]    one rack of three hosts, one of two
#ifndef PHALANX_TEST_ORACLE_EVERY_WORLD_H_
#define PHALANX_TEST_ORACLE_EVERY_WORLD_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace phalanx::oracle {

using Rack = std::vector<int32_t>;  // free devices by host
using Racks = std::vector<Rack>;

struct WorldBounds {
  size_t racks = 3;
  size_t hosts = 3;     // of each rack
  int32_t devices = 4;  // of each host; 0 .. devices of them are free
};

// Worlds of one rack first, then of two, and so on.
std::vector<Racks> EveryWorld(const WorldBounds& bounds);

// Their number by Burnside's lemma: racks x hosts cells, each of them absent or with 0 .. devices
// free, and all permutations of them that keep racks together. The number of classes is the mean
// over the permutations of the fillings that one leaves as they are, which is kinds^cycles; less
// one for the world without any host.
int64_t CountWorlds(const WorldBounds& bounds);

}  // namespace phalanx::oracle

#endif  // PHALANX_TEST_ORACLE_EVERY_WORLD_H_
