// What is known where a PHALANX_CHECK breaks, and who tells it.
//
// The core knows neither the log nor which command it is about to apply. Whoever drives it (the
// runtime's thread, the simulator) says where it is; whoever owns the process says how to tell.
//
// Threads: CheckPosition is of the thread that made it. SetCheckReporter() before threads start.
#ifndef PHALANX_CORE_BASE_CHECK_CONTEXT_H_
#define PHALANX_CORE_BASE_CHECK_CONTEXT_H_

#include <functional>
#include <string>

namespace phalanx {

struct CheckFailure {
  std::string where;  // "file.cc:12"
  std::string condition;
  std::string message;
  std::string position;  // empty if nobody said
};

// Called on the thread whose check broke, before the process aborts. nullptr: one line on standard
// error, as without any.
void SetCheckReporter(void (*report)(const CheckFailure&));

// While it lives, checks that break on this thread tell `position`; the innermost one speaks.
class CheckPosition {
 public:
  explicit CheckPosition(std::function<std::string()> position);
  ~CheckPosition();
  CheckPosition(const CheckPosition&) = delete;
  CheckPosition& operator=(const CheckPosition&) = delete;

  // What the innermost one of this thread says; empty without one.
  static std::string Current();

 private:
  std::function<std::string()> position_;
  CheckPosition* outer_;
};

}  // namespace phalanx

#endif  // PHALANX_CORE_BASE_CHECK_CONTEXT_H_
