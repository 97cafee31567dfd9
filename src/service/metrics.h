// The phalanx_* metrics, made from what the engine, the runtime and the service count whenever
// somebody scrapes.
//
// Names follow <app>_<noun>_<unit>[_total] in base units. No label carries the name of a pod, gang
// or node; plugin and resource names are bounded in number.
#ifndef PHALANX_SERVICE_METRICS_H_
#define PHALANX_SERVICE_METRICS_H_

#include <prometheus/metric_family.h>

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "phalanx/view.h"
#include "runtime/brain.h"
#include "service/counters.h"
#include "service/settings.h"

namespace phalanx::service {

class Metrics {
 public:
  // `brain` and `counters` outlive it.
  Metrics(runtime::Brain& brain, const ServiceCounters& counters, const Settings& settings);

  // Text format 0.0.4. Waits for the engine thread for at most the query deadline; past it the
  // engine's last known numbers are shown. Any thread.
  std::string Expose();

 private:
  using Families = std::vector<prometheus::MetricFamily>;
  void AddEngine(const StatsView& stats, Families& out);
  static void AddShown(const StatsView& stats, Families& out);
  void AddLedger(const StatsView& stats, Families& out) const;
  void AddRuntime(Families& out) const;
  void AddMailbox(Families& out) const;
  void AddService(Families& out) const;
  // `name`, or "other" when it is not a plugin's name or too many were seen already.
  std::string BoundedPlugin(const std::string& name);

  runtime::Brain& brain_;
  const ServiceCounters& counters_;
  const Settings& settings_;
  std::mutex mutex_;  // of plugins_
  std::set<std::string> plugins_;
};

}  // namespace phalanx::service

#endif  // PHALANX_SERVICE_METRICS_H_
