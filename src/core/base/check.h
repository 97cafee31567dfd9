// PHALANX_CHECK(condition, format, values...): a broken invariant ends the process.
//
// For what can only be wrong through a mistake of ours; bad input never ends here. Stays on in
// every build. The message (fmt syntax) carries the values that were wrong:
//
//     PHALANX_CHECK(k <= capacity, "{} members on a host of {} slots", k, capacity);
#ifndef PHALANX_CORE_BASE_CHECK_H_
#define PHALANX_CORE_BASE_CHECK_H_

#include <fmt/format.h>

#include <string>

namespace phalanx {

// Writes one line to stderr and aborts.
[[noreturn]] void CheckFailed(const char* file, int line, const char* condition,
                              const std::string& message);

}  // namespace phalanx

#define PHALANX_CHECK(condition, ...)                                                     \
  do {                                                                                    \
    if (!(condition)) [[unlikely]] {                                                      \
      ::phalanx::CheckFailed(__FILE__, __LINE__, #condition, ::fmt::format(__VA_ARGS__)); \
    }                                                                                     \
  } while (false)

#endif  // PHALANX_CORE_BASE_CHECK_H_
