// The config file: a YAML mapping of the keys of AllSettings().
#ifndef PHALANX_SERVICE_CONFIG_FILE_H_
#define PHALANX_SERVICE_CONFIG_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "service/settings.h"

namespace phalanx::service {

// Sets what `yaml` names. Unknown, repeated and unreadable keys are refused:
// "FILE:LINE: KEY is 'VALUE', expected ...". `name` is the file's name in messages.
absl::Status ReadConfig(const std::string& yaml, const std::string& name, Settings& settings);
absl::Status ReadConfigFile(const std::string& path, Settings& settings);

}  // namespace phalanx::service

#endif  // PHALANX_SERVICE_CONFIG_FILE_H_
