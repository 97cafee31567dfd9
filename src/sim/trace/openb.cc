#include "sim/trace/openb.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_split.h>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "sim/trace/text_file.h"

namespace phalanx::sim {
namespace {

constexpr char kNodeHeader[] = "sn,cpu_milli,memory_mib,gpu,model";
constexpr char kPodHeader[] = "name,cpu_milli,memory_mib,num_gpu,gpu_milli";
constexpr size_t kMostErrors = 20;
constexpr int64_t kMostGpus = 8;
constexpr int64_t kMostQuantity = int64_t{1} << 40;

// One table: its header, then lines of the same number of fields with a name first that no line
// above has.
class Table {
 public:
  using Line = std::vector<std::string>;

  Table(const std::string& path, std::string_view header)
      : path_(path), file_(path), header_(header) {}

  // `read` is called for each good line. What is wrong is in errors().
  void Read(const std::function<void(const Line&)>& read) {
    std::string line;
    const bool any = file_.Next(line);
    const bool known = line == header_ || line.starts_with(std::string(header_) + ",");
    if (!known && file_.error().empty()) return Fail(any ? line : "", std::string(header_));
    fields_ = static_cast<size_t>(std::count(line.begin(), line.end(), ',')) + 1;
    while (errors_.size() < kMostErrors && file_.Next(line)) {
      if (!line.empty()) ReadLine(line, read);
    }
    if (file_.error().empty()) return;
    errors_.push_back(
        fmt::format("{}:{}: can not be read further: {}", path_, file_.line() + 1, file_.error()));
  }

  void Fail(const std::string& value, const std::string& expected) {
    errors_.push_back(
        fmt::format("{}:{}: '{}', expected {}", path_, file_.line(), value, expected));
  }

  // A whole number from `least` to `most`; else an error, and `least`.
  int64_t Number(const Line& line, size_t field, int64_t least, int64_t most) {
    int64_t value = 0;
    if (absl::SimpleAtoi(line[field], &value) && value >= least && value <= most) return value;
    Fail(line[field], fmt::format("{}: a whole number from {} to {}", Names()[field], least, most));
    return least;
  }

  std::vector<std::string>& errors() { return errors_; }

 private:
  Line Names() const { return absl::StrSplit(std::string(header_), ','); }

  void ReadLine(const std::string& line, const std::function<void(const Line&)>& read) {
    const Line fields = absl::StrSplit(line, ',');
    if (fields.size() != fields_) return Fail(line, fmt::format("{} fields", fields_));
    if (fields[0].empty() || !seen_.insert(fields[0]).second) {
      return Fail(fields[0], "a name that no line above has");
    }
    read(fields);
  }

  const std::string& path_;
  TextFile file_;
  const std::string_view header_;
  size_t fields_ = 0;
  std::set<std::string> seen_;
  std::vector<std::string> errors_;
};

std::vector<std::string> ModelsOf(const std::string& spec) {
  if (spec.empty()) return {};
  std::vector<std::string> models = absl::StrSplit(spec, '|');
  std::sort(models.begin(), models.end());
  models.erase(std::unique(models.begin(), models.end()), models.end());
  return models;
}

}  // namespace

OpenbNodes ReadOpenbNodes(const std::string& path) {
  OpenbNodes out;
  Table table(path, kNodeHeader);
  table.Read([&](const Table::Line& line) {
    OpenbNode node;
    node.name = line[0];
    node.cpu_milli = table.Number(line, 1, 0, kMostQuantity);
    node.memory_mib = table.Number(line, 2, 0, kMostQuantity);
    node.gpus = static_cast<int32_t>(table.Number(line, 3, 0, kMostGpus));
    node.model = line[4];
    out.nodes.push_back(std::move(node));
  });
  out.errors = std::move(table.errors());
  if (!out.errors.empty()) out.nodes.clear();
  std::sort(out.nodes.begin(), out.nodes.end(),
            [](const OpenbNode& a, const OpenbNode& b) { return a.name < b.name; });
  return out;
}

OpenbPods ReadOpenbPods(const std::string& path) {
  std::vector<std::pair<std::string, OpenbRequest>> named;
  Table table(path, kPodHeader);
  table.Read([&](const Table::Line& line) {
    OpenbRequest pod;
    pod.cpu_milli = table.Number(line, 1, 0, kMostQuantity);
    pod.memory_mib = table.Number(line, 2, 0, kMostQuantity);
    const size_t wrong = table.errors().size();
    pod.gpus = static_cast<int32_t>(table.Number(line, 3, 0, kMostGpus));
    // A part of a GPU is asked for alone, and without a GPU there is none.
    const bool none = pod.gpus == 0 && table.errors().size() == wrong;
    const int64_t least = none ? 0 : pod.gpus <= 1 ? 1 : 1000;
    pod.gpu_milli = static_cast<int32_t>(table.Number(line, 4, least, none ? 0 : 1000));
    if (line.size() > 5) pod.models = ModelsOf(line[5]);
    named.emplace_back(line[0], std::move(pod));
  });
  OpenbPods out;
  out.errors = std::move(table.errors());
  if (!out.errors.empty()) return out;
  std::sort(named.begin(), named.end());
  for (auto& [name, pod] : named) out.pods.push_back(std::move(pod));
  return out;
}

}  // namespace phalanx::sim
