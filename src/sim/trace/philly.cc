#include <absl/strings/numbers.h>
#include <absl/strings/str_split.h>
#include <absl/time/civil_time.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "sim/trace/text_file.h"
#include "sim/trace/trace.h"

namespace phalanx::sim {
namespace {

constexpr char kHeader[] = "timestamp,duration,num_gpus,gpu_time,cluster";
constexpr size_t kFields = 5;
constexpr size_t kMostErrors = 20;
constexpr int64_t kMostSeconds = int64_t{100} * 365 * 86'400;
constexpr int64_t kMostGpus = 1 << 20;

// "2017-10-09 07:01:55". Local time of a zone that the trace does not name: the hour that the
// clocks of its autumn went back is not undone.
std::optional<int64_t> SecondsOf(std::string text) {
  if (text.size() != 19 || text[10] != ' ') return std::nullopt;
  text[10] = 'T';
  absl::CivilSecond civil;
  if (!absl::ParseCivilTime(text, &civil)) return std::nullopt;
  return civil - absl::CivilSecond(1970, 1, 1);
}

// A whole number from 1 to `most`; "66.0" is one.
std::optional<int64_t> WholeOf(const std::string& text, int64_t most) {
  double number = 0;
  if (!absl::SimpleAtod(text, &number) || !(number >= 1 && number <= static_cast<double>(most))) {
    return std::nullopt;
  }
  if (number != std::floor(number)) return std::nullopt;
  return static_cast<int64_t>(number);
}

class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path), file_(path) {}

  Trace Read() {
    std::string line;
    if (file_.Next(line) && line != kHeader) Fail(line, kHeader);
    while (trace_.errors.size() < kMostErrors && file_.Next(line)) {
      if (!line.empty()) ReadJob(line);
    }
    if (!file_.error().empty()) {
      trace_.errors.push_back(fmt::format("{}:{}: can not be read further: {}", path_,
                                          file_.line() + 1, file_.error()));
    } else if (file_.line() == 0) {
      Fail("", kHeader);
    }
    if (!trace_.errors.empty()) trace_.jobs.clear();
    std::stable_sort(trace_.jobs.begin(), trace_.jobs.end(),
                     [](const TraceJob& a, const TraceJob& b) { return a.submit_s < b.submit_s; });
    return std::move(trace_);
  }

 private:
  void Fail(const std::string& value, const std::string& expected) {
    trace_.errors.push_back(
        fmt::format("{}:{}: '{}', expected {}", path_, file_.line(), value, expected));
  }

  template <class T>
  bool Take(const std::optional<int64_t>& read, T& into, const std::string& value,
            const std::string& expected) {
    if (!read) {
      Fail(value, expected);
      return false;
    }
    into = static_cast<T>(*read);
    return true;
  }

  void ReadJob(const std::string& line) {
    const std::vector<std::string> fields = absl::StrSplit(line, ',');
    if (fields.size() != kFields) return Fail(line, fmt::format("{} fields: {}", kFields, kHeader));
    TraceJob job;
    job.line = file_.line();
    job.queue = fields[4];
    const bool good =
        Take(SecondsOf(fields[0]), job.submit_s, fields[0], "timestamp YYYY-MM-DD HH:MM:SS") &&
        Take(WholeOf(fields[1], kMostSeconds), job.run_s, fields[1],
             "duration in whole seconds from 1 on") &&
        Take(WholeOf(fields[2], kMostGpus), job.gpus, fields[2], "num_gpus from 1 on");
    if (good) trace_.jobs.push_back(std::move(job));
  }

  const std::string& path_;
  TextFile file_;
  Trace trace_;
};

}  // namespace

Trace ReadPhilly(const std::string& path) { return Reader(path).Read(); }

}  // namespace phalanx::sim
