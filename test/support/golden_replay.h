// Rows of test/data/philly-2017/golden.csv, and how a replay differs from one.
#ifndef PHALANX_TEST_SUPPORT_GOLDEN_REPLAY_H_
#define PHALANX_TEST_SUPPORT_GOLDEN_REPLAY_H_

#include <fmt/format.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "sim/trace/summary.h"

namespace phalanx::testing {

struct GoldenRow {
  sim::ReplaySettings settings;
  std::string name;                // "80 fifo", "80 fifo no locality"
  std::vector<std::string> cells;  // as printed; empty: not compared
};

inline std::vector<std::string> SplitCells(const std::string& line) {
  std::vector<std::string> cells;
  std::stringstream in(line + ",");
  for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
  return cells;
}

inline std::vector<GoldenRow> ReadGoldenRows(const std::string& path) {
  std::vector<GoldenRow> rows;
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::vector<std::string> cells = SplitCells(line);
    GoldenRow row;
    row.settings.nodes = std::stoi(cells.at(0));
    row.settings.policy = sim::ReplayPolicyOf(cells.at(1)).value();
    row.settings.locality = cells.at(2) == "1";
    row.name = cells[0] + " " + cells[1] + (row.settings.locality ? "" : " no locality");
    row.cells.assign(cells.begin() + 3, cells.end());
    rows.push_back(std::move(row));
  }
  return rows;
}

// Each cell to as many digits as the golden one has. "CELL: got, golden X" for those that differ.
inline std::vector<std::string> DifferencesFrom(const GoldenRow& row, const sim::ReplaySummary& s) {
  const std::vector<std::pair<std::string, double>> got = {
      {"mean wait", s.mean_wait_s},
      {"p50", static_cast<double>(s.p50_wait_s)},
      {"p90", static_cast<double>(s.p90_wait_s)},
      {"p99", static_cast<double>(s.p99_wait_s)},
      {"mean BSLD", s.mean_bounded_slowdown},
      {"1 GPU", s.mean_wait_1_gpu_s},
      {"8 GPU", s.mean_wait_8_gpu_s},
      {"> 8 GPU", s.mean_wait_wide_s},
      {"max queue", static_cast<double>(s.max_queue)}};
  std::vector<std::string> differences;
  for (size_t i = 0; i < got.size(); ++i) {
    const std::string& golden = row.cells.at(i);
    if (golden.empty()) continue;
    const size_t point = golden.find('.');
    const size_t digits = point == std::string::npos ? 0 : golden.size() - point - 1;
    const std::string text = fmt::format("{:.{}f}", got[i].second, digits);
    if (text != golden) {
      differences.push_back(fmt::format("{}: {}, golden {}", got[i].first, text, golden));
    }
  }
  return differences;
}

}  // namespace phalanx::testing

#endif  // PHALANX_TEST_SUPPORT_GOLDEN_REPLAY_H_
