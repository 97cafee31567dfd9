// Runs the plans of many seeds, on several threads; what comes out does not depend on their number.
#ifndef PHALANX_SIM_FAULTS_CAMPAIGN_H_
#define PHALANX_SIM_FAULTS_CAMPAIGN_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/check/check.h"
#include "sim/tamper.h"

namespace phalanx::sim {

struct CampaignOptions {
  uint64_t first = 1;
  uint64_t seeds = 100;
  int threads = 1;
  // A mistake that is made in every run; made anew for each. May be empty.
  std::function<std::unique_ptr<Tamper>()> tamper = {};
  std::string only_check = {};  // findings of others are left out; "liveness" is one
};

// The first thing that was found wrong in the run of a seed.
struct SeedFailure {
  uint64_t seed = 0;
  Violation violation;
  std::vector<std::string> last_events;  // JSON, one decision each, up to the violation
};

struct CampaignTotals {
  int64_t gangs = 0;
  int64_t members = 0;
  std::map<std::string, int64_t> faults;  // by kind
  int64_t commands = 0;
  int64_t admits = 0;
  int64_t binds = 0;
  int64_t evictions = 0;
  int64_t restarts = 0;  // of the brain
  int64_t epochs = 0;
  int64_t spent = 0;  // gangs that lost members which had succeeded: they need not run
  int64_t messages_late = 0;
  int64_t messages_twice = 0;
  int64_t messages_lost = 0;
  int64_t messages_dropped = 0;  // of streams that had ended
  Duration virtual_time;
};

struct CampaignResult {
  uint64_t seeds = 0;
  CampaignTotals totals;
  uint64_t hash = 0;                  // of all decisions of all runs, in the order of the seeds
  std::vector<SeedFailure> failures;  // by seed
};

CampaignResult RunCampaign(const CampaignOptions& options);

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_FAULTS_CAMPAIGN_H_
