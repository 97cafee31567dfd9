// Makes prometheus-cpp's metric families with few words.
#ifndef PHALANX_SERVICE_FAMILIES_H_
#define PHALANX_SERVICE_FAMILIES_H_

#include <prometheus/metric_family.h>

#include <string>
#include <utility>
#include <vector>

#include "runtime/histogram.h"

namespace phalanx::service {

using Labels = std::vector<std::pair<std::string, std::string>>;

class Family {
 public:
  static Family Gauge(std::string name, std::string help);
  // `name` ends in _total.
  static Family Counter(std::string name, std::string help);
  // One histogram without labels, of samples that are `per_second` to the second.
  static Family Seconds(std::string name, std::string help,
                        const runtime::Histogram::Snapshot& snapshot, double per_second);

  Family& Add(double value, const Labels& labels = {});
  prometheus::MetricFamily Take() { return std::move(family_); }

 private:
  Family(std::string name, std::string help, prometheus::MetricType type);
  prometheus::MetricFamily family_;
};

}  // namespace phalanx::service

#endif  // PHALANX_SERVICE_FAMILIES_H_
