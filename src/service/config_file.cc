#include "service/config_file.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <sstream>
#include <vector>

#include "wire/text.h"

namespace phalanx::service {
namespace {

std::string KnownKeys() {
  std::string out;
  for (const Setting& setting : AllSettings()) {
    out += (out.empty() ? "" : ", ") + std::string(setting.key);
  }
  return out;
}

const Setting* FindSetting(const std::string& key) {
  for (const Setting& setting : AllSettings()) {
    if (key == setting.key) return &setting;
  }
  return nullptr;
}

// The value as written, for messages.
std::string Written(const YAML::Node& node) {
  if (node.IsScalar()) return wire::Clip(node.Scalar());
  std::ostringstream out;
  out << YAML::Flow << node;
  return wire::Clip(out.str());
}

// The texts of a value of this shape; nullopt if it has another one.
std::optional<std::vector<std::string>> TextsOf(const YAML::Node& value, SettingShape shape) {
  std::vector<std::string> out;
  if (shape == SettingShape::kScalar) {
    if (value.IsNull()) return std::vector<std::string>{""};
    if (!value.IsScalar()) return std::nullopt;
    return std::vector<std::string>{value.Scalar()};
  }
  if (shape == SettingShape::kList) {
    if (!value.IsSequence()) return std::nullopt;
    for (const auto& item : value) {
      if (!item.IsScalar()) return std::nullopt;
      out.push_back(item.Scalar());
    }
    return out;
  }
  if (!value.IsMap()) return std::nullopt;
  for (const auto& item : value) {
    if (!item.first.IsScalar() || !item.second.IsScalar()) return std::nullopt;
    out.push_back(item.first.Scalar() + "=" + item.second.Scalar());
  }
  return out;
}

const char* ShapeName(SettingShape shape) {
  switch (shape) {
    case SettingShape::kScalar:
      return "one value";
    case SettingShape::kList:
      return "a list";
    case SettingShape::kMap:
      return "a mapping";
  }
  return "";
}

absl::Status Refuse(const std::string& name, const YAML::Node& at, const std::string& what) {
  return absl::InvalidArgumentError(fmt::format("{}:{}: {}", name, at.Mark().line + 1, what));
}

absl::Status ReadEntry(const YAML::Node& key, const YAML::Node& value, const std::string& name,
                       std::set<std::string>& seen, Settings& settings) {
  std::string text = key.IsScalar() ? key.Scalar() : Written(key);
  const Setting* setting = FindSetting(text);
  if (!setting) {
    return Refuse(name, key,
                  fmt::format("unknown key '{}' with value '{}', expected one of {}",
                              wire::Clip(text), Written(value), KnownKeys()));
  }
  if (!seen.insert(text).second) {
    return Refuse(
        name, key,
        fmt::format("{} is '{}' and was set above, expected it once", text, Written(value)));
  }
  auto texts = TextsOf(value, setting->shape);
  std::optional<std::string> expected =
      texts ? setting->set(settings, *texts) : ShapeName(setting->shape);
  if (!expected) return absl::OkStatus();
  return Refuse(name, key, fmt::format("{} is '{}', expected {}", text, Written(value), *expected));
}

}  // namespace

absl::Status ReadConfig(const std::string& yaml, const std::string& name, Settings& settings) {
  try {
    YAML::Node root = YAML::Load(yaml);
    if (root.IsNull()) return absl::OkStatus();
    if (!root.IsMap()) {
      return Refuse(name, root, fmt::format("the file is '{}', expected a mapping", Written(root)));
    }
    std::set<std::string> seen;
    for (const auto& entry : root) {
      absl::Status status = ReadEntry(entry.first, entry.second, name, seen, settings);
      if (!status.ok()) return status;
    }
  } catch (const YAML::Exception& error) {
    return absl::InvalidArgumentError(
        fmt::format("{}:{}: {}", name, error.mark.line + 1, error.msg));
  }
  return absl::OkStatus();
}

absl::Status ReadConfigFile(const std::string& path, Settings& settings) {
  // A folder opens like a file, and reads like an empty one.
  if (std::filesystem::is_directory(path)) {
    return absl::InvalidArgumentError(
        fmt::format("config file is '{}', expected a file and not a folder", path));
  }
  errno = 0;
  std::ifstream file(path);
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (!file.is_open() || file.bad()) {
    return absl::NotFoundError(
        fmt::format("config file '{}' can not be read: {}", path, std::strerror(errno)));
  }
  return ReadConfig(text, path, settings);
}

}  // namespace phalanx::service
