// Answers of the search to random worlds against brute force, and what was covered.
#ifndef PHALANX_TEST_ORACLE_CAMPAIGN_H_
#define PHALANX_TEST_ORACLE_CAMPAIGN_H_

#include <cstdint>
#include <string>

#include "oracle/random_worlds.h"
#include "oracle/small_world.h"

namespace phalanx::oracle {

struct Tally {
  int64_t worlds = 0;
  int64_t fits = 0;
  int64_t exact = 0;    // of the fits: proven through all terms
  int64_t wide = 0;     // of the others: touch more than they must
  int64_t refused = 0;  // rightly
  int64_t missed = 0;   // refused, not proven, but there is a placement

  void Add(const Tally& other);
  void Print(const std::string& what) const;
};

// Each checks one world and stops at a difference, which is a fatal failure of the running test.

// One role, with or without segments: fit or refusal, touched domains, members of each host, and
// what the judge says.
void CheckOneRole(const SmallWorld& world, Tally& tally);
// Several roles: a proven refusal has no placement; a placement touches at least what it must, and
// where all is proven exactly that, with the same members on each host.
// `max_cells`: the budget of the search; 0: its own.
void CheckRoles(const SmallWorld& world, int64_t max_cells, Tally& tally);

// `worlds` worlds with two roles: half of them with two trees over the same hosts, a quarter with
// segments, a tenth without a budget for an exact search.
Tally CampaignOfTwoRoles(uint64_t seed, int worlds);
// `worlds` worlds where one or two roles are spread over the domains of a level: of one role all is
// exact, of two what is told to be.
Tally CampaignOfSpread(uint64_t seed, int worlds);
// `worlds` worlds with one role: half of them with two trees, half with segments.
Tally CampaignOfOneRole(uint64_t seed, int worlds);

}  // namespace phalanx::oracle

#endif  // PHALANX_TEST_ORACLE_CAMPAIGN_H_
