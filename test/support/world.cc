#include "support/world.h"

#include <utility>

namespace phalanx::test {

NodeObject MakeNode(const std::string& name, int64_t gpus, LabelMap labels) {
  NodeObject node;
  node.name = name;
  node.uid = "uid-" + name;
  node.labels = std::move(labels);
  node.labels["kubernetes.io/hostname"] = name;
  node.allocatable = {{kGpu, gpus}, {"cpu", 64'000}, {"memory", int64_t{256} << 30}, {"pods", 110}};
  return node;
}

std::vector<NodeObject> MakeRacks(int racks, int hosts_per_rack, int64_t gpus) {
  std::vector<NodeObject> out;
  for (int r = 0; r < racks; ++r) {
    const std::string rack = "rack-" + std::to_string(r);
    for (int h = 0; h < hosts_per_rack; ++h) {
      out.push_back(MakeNode(rack + "-host-" + std::to_string(h), gpus,
                             {{"nvidia.com/gpu.clique", rack + ".0"}}));
    }
  }
  return out;
}

GangKey KeyOf(const GangSpec& spec) { return {spec.ns, "label", spec.name}; }

PodObject MakeMember(const GangSpec& spec, int i) {
  PodObject pod;
  pod.name = spec.name + "-" + std::to_string(i);
  pod.ns = spec.ns;
  pod.uid = spec.ns + "/" + pod.name;
  pod.ours = true;
  pod.priority = spec.priority;
  pod.created = Time{spec.created_s * 1000};
  pod.requests = {{kGpu, spec.gpus}, {"cpu", 1000}, {"pods", 1}};
  pod.owner = {"batch/v1", "Job", spec.name, "uid-job-" + spec.name};
  Membership says;
  says.gang = KeyOf(spec);
  says.size = spec.size;
  says.min = spec.min == 0 ? spec.size : spec.min;
  says.required_level = spec.required_level;
  says.traffic = spec.traffic;
  says.preferred_level = spec.preferred_level;
  pod.membership = std::move(says);
  return pod;
}

std::vector<PodObject> MakeGang(const GangSpec& spec) {
  std::vector<PodObject> out;
  for (int i = 0; i < spec.size; ++i) out.push_back(MakeMember(spec, i));
  return out;
}

PodObject MakeForeign(const std::string& name, const std::string& node, int64_t gpus) {
  PodObject pod;
  pod.name = name;
  pod.ns = "other";
  pod.uid = "other/" + name;
  pod.node = node;
  pod.phase = PodPhase::kRunning;
  pod.requests = {{kGpu, gpus}, {"pods", 1}};
  return pod;
}

}  // namespace phalanx::test
