#include "service/flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <sstream>
#include <vector>

#include "service/config_file.h"

namespace phalanx::service {
namespace {

constexpr int kUsageError = 2;

struct Given {
  const Setting* setting;
  std::vector<std::string> texts;
  CLI::Option* option = nullptr;
};

void AddFlags(CLI::App& app, std::vector<Given>& given) {
  for (const Setting& setting : AllSettings()) given.push_back({&setting, {}, nullptr});
  for (Given& flag : given) {
    flag.option = app.add_option(flag.setting->flag, flag.texts,
                                 fmt::format("{} [{}]", flag.setting->help, flag.setting->key));
    if (flag.setting->shape == SettingShape::kScalar) {
      flag.option->expected(1)->type_name("TEXT");
    } else {
      flag.option->delimiter(',')->expected(1, 1000)->type_name("TEXT,...");
    }
    flag.option->take_all();
  }
}

// What is wrong with the flags; empty if nothing is.
std::string ApplyFlags(const std::vector<Given>& given, Settings& settings) {
  for (const Given& flag : given) {
    if (flag.option->count() == 0) continue;
    bool repeated = flag.setting->shape == SettingShape::kScalar && flag.texts.size() != 1;
    std::optional<std::string> expected =
        repeated ? "it once" : flag.setting->set(settings, flag.texts);
    if (!expected) continue;
    return fmt::format("{} is '{}', expected {}", flag.setting->flag, fmt::join(flag.texts, ","),
                       *expected);
  }
  return "";
}

std::string ApplyAll(const std::string& config, const std::vector<Given>& given,
                     Settings& settings) {
  if (!config.empty()) {
    absl::Status status = ReadConfigFile(config, settings);
    if (!status.ok()) return std::string(status.message());
  }
  std::string wrong = ApplyFlags(given, settings);
  if (!wrong.empty()) return wrong;
  absl::Status status = CheckSettings(settings);
  return status.ok() ? "" : std::string(status.message());
}

}  // namespace

const char* Version() { return PHALANX_VERSION; }

CommandLine ParseCommandLine(int argc, const char* const* argv) {
  CommandLine out;
  CLI::App app("phalanxd: the brain of Phalanx. Decides which gangs of pods start, and where.",
               "phalanxd");
  std::string config;
  bool check = false;
  app.set_version_flag("--version", fmt::format("phalanxd {}", Version()));
  app.add_option("--config", config, "YAML file with the keys in [brackets]; flags win over it");
  app.add_flag("--check-config", check, "check flags and config file, and end");
  std::vector<Given> given;
  AddFlags(app, given);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream help, wrong;
    int status = app.exit(error, help, wrong);
    out.exit_status = status == 0 ? 0 : kUsageError;
    out.out = help.str();
    if (!wrong.str().empty()) out.error = "phalanxd: " + wrong.str();
    return out;
  }
  std::string wrong = ApplyAll(config, given, out.settings);
  if (!wrong.empty()) {
    out.exit_status = kUsageError;
    out.error = fmt::format("phalanxd: {}\n", wrong);
  } else if (check) {
    out.exit_status = 0;
    out.out = "config: OK\n";
  }
  return out;
}

}  // namespace phalanx::service
