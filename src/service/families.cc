#include "service/families.h"

#include <limits>

namespace phalanx::service {

using prometheus::ClientMetric;
using prometheus::MetricType;

Family::Family(std::string name, std::string help, MetricType type) {
  family_.name = std::move(name);
  family_.help = std::move(help);
  family_.type = type;
}

Family Family::Gauge(std::string name, std::string help) {
  return Family(std::move(name), std::move(help), MetricType::Gauge);
}

Family Family::Counter(std::string name, std::string help) {
  return Family(std::move(name), std::move(help), MetricType::Counter);
}

Family Family::Seconds(std::string name, std::string help,
                       const runtime::Histogram::Snapshot& snapshot, double per_second) {
  Family family(std::move(name), std::move(help), MetricType::Histogram);
  ClientMetric metric;
  uint64_t below = 0;
  for (size_t i = 0; i < snapshot.counts.size(); ++i) {
    below += snapshot.counts[i];
    double bound = i < snapshot.bounds.size() ? snapshot.bounds[i] / per_second
                                              : std::numeric_limits<double>::infinity();
    metric.histogram.bucket.push_back({below, bound});
  }
  metric.histogram.sample_count = below;
  metric.histogram.sample_sum = snapshot.sum / per_second;
  family.family_.metric.push_back(std::move(metric));
  return family;
}

Family& Family::Add(double value, const Labels& labels) {
  ClientMetric metric;
  for (const auto& [name, text] : labels) metric.label.push_back({name, text});
  if (family_.type == MetricType::Counter) {
    metric.counter.value = value;
  } else {
    metric.gauge.value = value;
  }
  family_.metric.push_back(std::move(metric));
  return *this;
}

}  // namespace phalanx::service
