// The command line of phalanxd.
#ifndef PHALANX_SERVICE_FLAGS_H_
#define PHALANX_SERVICE_FLAGS_H_

#include <optional>
#include <string>

#include "service/settings.h"

namespace phalanx::service {

struct CommandLine {
  Settings settings;  // defaults, then the config file, then flags
  // Set when there is nothing to run: --help, --version, --check-config or an error.
  std::optional<int> exit_status;
  std::string out;    // for standard output
  std::string error;  // for standard error
};

CommandLine ParseCommandLine(int argc, const char* const* argv);

// The version of this build, "0.1.0".
const char* Version();

}  // namespace phalanx::service

#endif  // PHALANX_SERVICE_FLAGS_H_
