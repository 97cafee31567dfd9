// Placement by declared traffic against brute force: what is compared for each world.
#ifndef PHALANX_TEST_ORACLE_LINK_CAMPAIGN_H_
#define PHALANX_TEST_ORACLE_LINK_CAMPAIGN_H_

#include <cstdint>

namespace phalanx::oracle {

struct LinkTally {
  int64_t worlds = 0;
  int64_t fits = 0;
  int64_t exact = 0;     // of the fits: proven through all terms
  int64_t over = 0;      // of these: above a limit that is not hard
  int64_t moved = 0;     // of these: elsewhere than without links
  int64_t refused = 0;   // rightly
  int64_t by_limit = 0;  // of these: since a hard limit would be exceeded
  int64_t never = 0;     // of these: in an empty world as well
  int64_t missed = 0;    // refused, not proven, but there is a placement

  void Print(const char* what) const;
};

// One role: fit or refusal, touched domains, what is over the limits, members of each host. Two
// roles, and members that join: the same where the answer says that all is proven; no hard limit is
// ever exceeded.
LinkTally CampaignOfLinks(uint64_t seed, int worlds, int roles);

}  // namespace phalanx::oracle

#endif  // PHALANX_TEST_ORACLE_LINK_CAMPAIGN_H_
