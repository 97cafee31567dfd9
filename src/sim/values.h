// Reads the fields of fields.h from a world.
#ifndef PHALANX_SIM_VALUES_H_
#define PHALANX_SIM_VALUES_H_

#include <string>
#include <variant>
#include <vector>

#include "sim/checker.h"
#include "sim/scenario.h"
#include "sim/world.h"

namespace phalanx::sim {

using Value = std::variant<int64_t, std::string, std::vector<std::string>>;

// `name`: of the gang, pod or node; "" for cluster and stats. Numbers, times (ms) and flags are
// integers. Asks for the view of a gang once, and only if a field needs it.
class Reader {
 public:
  Reader(World& world, const Checker& checker, Subject subject, std::string name);

  Value Read(const std::string& field);
  // One line that shows the subject as it is, for messages.
  std::string Summary();

 private:
  const GangView* View();
  Value OfGang(const std::string& field);
  Value OfGangView(const GangView& gang, const std::string& field);
  // What the API server has of the gang's object; nullopt if the field is about something else.
  std::optional<Value> OfObject(const std::string& field);
  Value OfReason(const Reason& reason, const std::string& field);
  Value OfPod(const std::string& field);
  Value OfNode(const std::string& field);
  Value OfCluster(const std::string& field);
  Value OfStats(const std::string& field);

  World& world_;
  const Checker& checker_;
  Subject subject_;
  std::string name_;
  bool asked_ = false;
  std::optional<GangView> view_;
};

// Whether the value fulfils the condition.
bool Holds(const Condition& condition, const Value& value);
// "3", "Queued", "[n1 n2]", or a time.
std::string ValueText(const Value& value, bool time);

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_VALUES_H_
