#include "sim/place/drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

namespace phalanx::sim {
namespace {

constexpr size_t kMostRows = 40;
// More hosts are written as runs: "x*12 1*4".
constexpr size_t kMostHosts = 24;
constexpr char kKey[] =
    "digit = members on the host (+: more than 9), . = free, - = some room, x = no room\n";

// One line: a domain, with its own hosts or without.
struct Row {
  std::string label;
  uint32_t first_host = 0;
  uint32_t hosts = 0;        // 0: a heading
  uint32_t subtree_end = 0;  // of a heading: the row after its last one
  bool drawn = false;
};

// By host: what a host looks like without the gang.
std::string StateOfHosts(const PlaceQuestion& question) {
  const Cluster& cluster = *question.cluster;
  const std::set<ShapeId> shapes(question.shapes.begin(), question.shapes.end());
  std::string state(cluster.topology().hosts().size(), 'x');
  for (size_t i = 0; i < state.size(); ++i) {
    const NodeId node = cluster.topology().hosts()[i].node;
    bool full_room = true;
    bool some_room = false;
    for (const ShapeId shape : shapes) {
      const int64_t now = cluster.Slots(node, shape);
      some_room |= now > 0;
      full_room &= now == cluster.SlotsWhenEmpty(node, shape);
    }
    if (some_room) state[i] = full_room ? '.' : '-';
  }
  return state;
}

std::string WithMembers(std::string state, const Placement& placement) {
  std::vector<int32_t> members(state.size(), 0);
  for (const SlotsOnHost& slot : placement.slots) members[slot.host.index()] += slot.count;
  for (size_t i = 0; i < state.size(); ++i) {
    if (members[i] > 0) state[i] = members[i] > 9 ? '+' : static_cast<char>('0' + members[i]);
  }
  return state;
}

std::string StripOf(const std::string& hosts) {
  if (hosts.size() <= kMostHosts) return hosts;
  std::string runs;
  for (size_t from = 0, to = 0; from < hosts.size(); from = to) {
    to = std::min(hosts.find_first_not_of(hosts[from], from), hosts.size());
    runs += fmt::format("{}{}*{}", runs.empty() ? "" : " ", hosts[from], to - from);
  }
  return runs;
}

class Rows {
 public:
  explicit Rows(const Topology& topology) : topology_(topology) { Add(topology.root(), 0, ""); }

  std::vector<Row>& rows() { return rows_; }

 private:
  std::string Title(DomainId id) const {
    const Topology::Domain& domain = topology_.domain(id);
    return fmt::format("{} {}", topology_.levels()[domain.level.index()].name, domain.name);
  }

  uint32_t OwnHosts(DomainId id) const {
    uint32_t own = topology_.domain(id).host_count;
    for (const DomainId child : topology_.domain(id).children) {
      own -= topology_.domain(child).host_count;
    }
    return own;
  }

  // `above`: titles of domains that have this one as their only child.
  void Add(DomainId id, size_t depth, const std::string& above) {
    const Topology::Domain& domain = topology_.domain(id);
    const bool root = id == topology_.root();
    const uint32_t own = OwnHosts(id);
    const std::string title = root ? "" : above + Title(id);
    if (!root && own == 0 && domain.children.size() == 1) {
      return Add(domain.children.front(), depth, title + ", ");
    }
    const std::string label = std::string(2 * depth, ' ') + title;
    const uint32_t first_own = domain.first_host.value() + domain.host_count - own;
    if (domain.children.empty() && !root) {
      rows_.push_back({label, first_own, own});
      return;
    }
    const size_t heading = rows_.size();
    if (!root) rows_.push_back({label});
    for (const DomainId child : domain.children) Add(child, depth + (root ? 0 : 1), "");
    if (own > 0)
      rows_.push_back(
          {std::string(root ? 0 : 2 * depth + 2, ' ') + "in no finer domain", first_own, own});
    if (!root) rows_[heading].subtree_end = static_cast<uint32_t>(rows_.size());
  }

  const Topology& topology_;
  std::vector<Row> rows_;
};

bool HasMembers(const Row& row, const std::string& state, const std::string& column) {
  return state.compare(row.first_host, row.hosts, column, row.first_host, row.hosts) != 0;
}

// All rows of a small cluster; of a large one those with members, rule by rule, and the headings of
// all that are drawn.
void Choose(std::vector<Row>& rows, const std::string& state,
            const std::vector<std::string>& columns) {
  for (Row& row : rows) row.drawn = rows.size() <= kMostRows;
  size_t drawn = 0;
  for (const std::string& column : columns) {
    for (Row& row : rows) {
      if (row.drawn || drawn == kMostRows || !HasMembers(row, state, column)) continue;
      row.drawn = true;
      ++drawn;
    }
  }
  for (size_t i = rows.size(); i-- > 0;) {
    for (size_t below = i + 1; below < rows[i].subtree_end; ++below) {
      rows[i].drawn |= rows[below].drawn;
    }
  }
}

std::string Rest(const std::vector<Row>& rows, const std::string& state,
                 const std::vector<std::string>& columns) {
  int64_t domains = 0, with_members = 0, free = 0, some = 0, none = 0;
  for (const Row& row : rows) {
    if (row.drawn || row.hosts == 0) continue;
    ++domains;
    with_members += std::any_of(columns.begin(), columns.end(), [&](const std::string& column) {
      return HasMembers(row, state, column);
    });
    const auto first = state.begin() + row.first_host;
    free += std::count(first, first + row.hosts, '.');
    some += std::count(first, first + row.hosts, '-');
    none += std::count(first, first + row.hosts, 'x');
  }
  if (domains == 0) return "";
  return fmt::format(
      "and {} more domains, {} with members; without the gang {} hosts free, {} with some room, {} "
      "without\n",
      domains, with_members, free, some, none);
}

std::string Line(const std::vector<std::string>& cells, const std::vector<size_t>& widths) {
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i) line += fmt::format("{:<{}}  ", cells[i], widths[i]);
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

}  // namespace

std::string Draw(const PlaceQuestion& question, const PlaceAnswer& answer) {
  const std::string state = StateOfHosts(question);
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> lines(1, {""});
  for (const RuleAnswer& rule : answer.rules) {
    if (!rule.placement) continue;
    columns.push_back(WithMembers(state, *rule.placement));
    lines.front().push_back(rule.rule);
  }
  if (columns.empty()) {
    columns.push_back(state);
    lines.front().push_back("hosts");
  }
  Rows tree(question.cluster->topology());
  Choose(tree.rows(), state, columns);
  for (const Row& row : tree.rows()) {
    if (!row.drawn) continue;
    std::vector<std::string>& cells = lines.emplace_back(1, row.label);
    for (const std::string& column : columns) {
      cells.push_back(StripOf(column.substr(row.first_host, row.hosts)));
    }
  }
  std::vector<size_t> widths(columns.size() + 1, 0);
  for (const auto& cells : lines) {
    for (size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], cells[i].size());
  }
  std::string out;
  for (const auto& cells : lines) out += Line(cells, widths);
  return out + Rest(tree.rows(), state, columns) + kKey;
}

}  // namespace phalanx::sim
