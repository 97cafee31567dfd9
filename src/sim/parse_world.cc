// Statements that make nodes: node, and the short forms nvl72, hgx and rack that expand to nodes
// with the labels that such machines carry in real clusters.
#include <fmt/format.h>

#include "sim/parse_line.h"

namespace phalanx::sim {
namespace {

constexpr char kProductLabel[] = "nvidia.com/gpu.product";
constexpr char kCliqueLabel[] = "nvidia.com/gpu.clique";
constexpr char kLeafLabel[] = "fabric.topograph.run/tier-0";
constexpr char kSpineLabel[] = "fabric.topograph.run/tier-1";
constexpr char kRackLabel[] = "node.coreweave.cloud/rack";
constexpr char kZoneLabel[] = "topology.kubernetes.io/zone";
constexpr char kHostnameLabel[] = "kubernetes.io/hostname";

struct NodeLine {
  NodeObject node;
  Duration at;
  int32_t hosts = 0;  // of short forms
  int32_t hosts_per_leaf = 0;
};

using NodeAttribute = Attribute<NodeLine>;

NodeAttribute LabelShortForm(const char* name, const char* key) {
  return {name, "a name", [key](const Word& word, NodeLine& line) {
            line.node.labels[key] = word.value;
            return !word.value.empty();
          }};
}

std::vector<NodeAttribute> NodeAttributes() {
  std::vector<NodeAttribute> table = {
      {"at", kTimeExpected, [](const Word& w, NodeLine& n) { return ReadTimeInto(w, n.at); }},
      {"label:", "the value of the label",
       [](const Word& w, NodeLine& n) { return ReadLabelInto(w, n.node.labels); }},
      {"taint", "KEY=VALUE:NoSchedule (or :PreferNoSchedule, :NoExecute)",
       [](const Word& w, NodeLine& n) {
         std::optional<Taint> taint = ReadTaint(w.value);
         if (taint) n.node.taints.push_back(*taint);
         return taint.has_value();
       }},
      {"cordoned", "", [](const Word&, NodeLine& n) { return n.node.unschedulable = true; }},
      {"notready", "", [](const Word&, NodeLine& n) { return !(n.node.ready = false); }},
      LabelShortForm("zone", kZoneLabel),
      LabelShortForm("spine", kSpineLabel),
      LabelShortForm("leaf", kLeafLabel),
      LabelShortForm("rack", kRackLabel),
      LabelShortForm("clique", kCliqueLabel),
      LabelShortForm("product", kProductLabel),
  };
  AddResourceAttributes<NodeLine>(table,
                                  [](NodeLine& n) -> QuantityMap& { return n.node.allocatable; });
  return table;
}

std::vector<NodeAttribute> ShortFormAttributes() {
  std::vector<NodeAttribute> table = NodeAttributes();
  table.push_back({"hosts", "a whole number from 1 to 100000", [](const Word& w, NodeLine& n) {
                     return ReadNumberInto(w, n.hosts, 1, 100'000);
                   }});
  table.push_back(
      {"hosts-per-leaf", "a whole number from 1 to 100000",
       [](const Word& w, NodeLine& n) { return ReadNumberInto(w, n.hosts_per_leaf, 1, 100'000); }});
  return table;
}

// So much of everything else that only the accelerators of a scenario are scarce.
NodeLine PlentifulNode() {
  NodeLine line;
  line.node.allocatable = {{"cpu", 256'000}, {"memory", int64_t{2} << 40}, {"pods", 110}};
  return line;
}

bool AddNodeAction(Line& line, const NodeLine& spec, const std::string& name) {
  if (!line.draft().nodes.insert(name).second) {
    return line.Fail(name, "a node name that is not taken (use 'set node' to change a node)");
  }
  NodeObject node = spec.node;
  node.name = name;
  node.labels.emplace(kHostnameLabel, name);
  if (node.allocatable.contains("nvidia.com/gpu")) {
    node.labels.emplace("nvidia.com/gpu.present", "true");
  }
  line.AddAction(spec.at, AddNode{std::move(node)});
  return true;
}

// Reads the name and attributes of a short form; false after an error.
bool ReadShortForm(Line& line, NodeLine& spec, std::string& prefix) {
  const std::string* name = line.Bare(1, "the name of the group of hosts");
  if (!name) return false;
  prefix = *name;
  return ReadAttributes(line, 2, ShortFormAttributes(), spec);
}

std::string HostName(const std::string& prefix, int32_t index) {
  return fmt::format("{}-h{:02}", prefix, index);
}

}  // namespace

void ParseNode(Line& line) {
  std::optional<std::vector<std::string>> names = line.Names(1, "a node name", false);
  NodeLine spec = PlentifulNode();
  if (!names || !ReadAttributes(line, 2, NodeAttributes(), spec)) return;
  for (const std::string& name : *names) {
    if (!AddNodeAction(line, spec, name)) return;
  }
}

// One GB200 rack: 18 hosts of 4 GPUs in one NVLink domain.
void ParseNvl72(Line& line) {
  NodeLine spec = PlentifulNode();
  spec.hosts = 18;
  spec.node.allocatable["nvidia.com/gpu"] = 4;
  spec.node.labels[kProductLabel] = "NVIDIA-GB200";
  std::string rack;
  if (!ReadShortForm(line, spec, rack)) return;
  spec.node.labels.emplace(kCliqueLabel, rack + ".1");
  for (int32_t i = 1; i <= spec.hosts; ++i) {
    if (!AddNodeAction(line, spec, HostName(rack, i))) return;
  }
}

// Hosts of 8 GPUs under leaf and spine switches.
void ParseHgx(Line& line) {
  NodeLine spec = PlentifulNode();
  spec.hosts = 16;
  spec.hosts_per_leaf = 8;
  spec.node.allocatable["nvidia.com/gpu"] = 8;
  spec.node.labels[kProductLabel] = "NVIDIA-H100-80GB-HBM3";
  std::string pod;
  if (!ReadShortForm(line, spec, pod)) return;
  spec.node.labels.emplace(kSpineLabel, pod + "-spine-1");
  for (int32_t i = 1; i <= spec.hosts; ++i) {
    NodeLine host = spec;
    host.node.labels.emplace(kLeafLabel,
                             fmt::format("{}-leaf-{}", pod, (i - 1) / spec.hosts_per_leaf + 1));
    if (!AddNodeAction(line, host, HostName(pod, i))) return;
  }
}

// Ordinary hosts in one rack.
void ParseRack(Line& line) {
  NodeLine spec = PlentifulNode();
  std::string rack;
  if (!ReadShortForm(line, spec, rack)) return;
  if (spec.hosts == 0) {
    line.Fail(line.text(), "hosts=N, the number of hosts in the rack");
    return;
  }
  spec.node.labels.emplace(kRackLabel, rack);
  for (int32_t i = 1; i <= spec.hosts; ++i) {
    if (!AddNodeAction(line, spec, HostName(rack, i))) return;
  }
}

}  // namespace phalanx::sim
