#include "sim/trace/lingjun.h"

#include <absl/strings/str_split.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "sim/trace/text_file.h"

namespace phalanx::sim {
namespace {

constexpr char kHeader[] = "ip,DSW,PSW,ASW";
constexpr size_t kFields = 4;
constexpr size_t kMostErrors = 20;

class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path), file_(path) {}

  LingjunTopology Read() {
    std::string line;
    if (file_.Next(line) && line != kHeader) Fail(line, kHeader);
    while (out_.errors.size() < kMostErrors && file_.Next(line)) {
      if (!line.empty()) ReadHost(line);
    }
    if (!file_.error().empty()) {
      out_.errors.push_back(fmt::format("{}:{}: can not be read further: {}", path_,
                                        file_.line() + 1, file_.error()));
    } else if (file_.line() == 0) {
      Fail("", kHeader);
    }
    if (!out_.errors.empty()) out_.hosts.clear();
    return std::move(out_);
  }

 private:
  void Fail(const std::string& value, const std::string& expected) {
    out_.errors.push_back(
        fmt::format("{}:{}: '{}', expected {}", path_, file_.line(), value, expected));
  }

  void ReadHost(const std::string& line) {
    const std::vector<std::string> fields = absl::StrSplit(line, ',');
    const auto empty = [](const std::string& field) { return field.empty(); };
    if (fields.size() != kFields || std::any_of(fields.begin(), fields.end(), empty)) {
      return Fail(line, fmt::format("{} names: {}", kFields, kHeader));
    }
    if (!seen_.insert(fields[0]).second) return Fail(fields[0], "an ip that no line above has");
    out_.hosts.push_back({fields[0], fields[1], fields[2], fields[3]});
  }

  const std::string& path_;
  TextFile file_;
  std::set<std::string> seen_;
  LingjunTopology out_;
};

}  // namespace

LingjunTopology ReadLingjun(const std::string& path) { return Reader(path).Read(); }

}  // namespace phalanx::sim
