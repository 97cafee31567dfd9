#include "runtime/epoch_store.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <utility>

namespace phalanx::runtime {
namespace {

// Beyond it plan numbers would leave 64 bits.
constexpr uint64_t kLastEpoch = (uint64_t{1} << 43) - 1;

}  // namespace

EpochStore::EpochStore(std::string path) : path_(std::move(path)) { Load(); }

uint64_t EpochStore::Next(int64_t wall_seconds) {
  last_ = std::max(last_ + 1, static_cast<uint64_t>(std::max<int64_t>(wall_seconds, 1)));
  Save();
  return last_;
}

void EpochStore::Load() {
  if (path_.empty()) return;
  std::ifstream file(path_);
  if (!file) {
    if (errno != ENOENT) error_ = path_ + ": " + std::strerror(errno);
    return;
  }
  std::string text;
  std::getline(file, text);
  uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value > kLastEpoch) {
    error_ = path_ + ": '" + text.substr(0, 64) + "' is not an epoch; starting from the clock";
    return;
  }
  last_ = value;
}

void EpochStore::Save() {
  if (path_.empty()) return;
  std::string next = path_ + ".next";
  {
    std::ofstream file(next, std::ios::trunc);
    file << last_ << '\n';
    file.flush();
    if (!file) {
      error_ = next + ": " + std::strerror(errno);
      return;
    }
  }
  if (std::rename(next.c_str(), path_.c_str()) != 0) {
    error_ = path_ + ": " + std::strerror(errno);
    return;
  }
  error_.clear();
}

}  // namespace phalanx::runtime
