// One promise that must hold in every run, whatever the scenario expects. Each has a file and a
// name.
//
// A check hears of every command with its outcome, of every write to the API server, and looks at
// the world after each instant and at the end. It compares what the brain says with what it was
// told (Booked) and with the API server, and shares no code with the engine.
#ifndef PHALANX_SIM_CHECK_CHECK_H_
#define PHALANX_SIM_CHECK_CHECK_H_

#include <string>
#include <utility>
#include <vector>

#include "phalanx/command.h"
#include "phalanx/outcome.h"
#include "sim/api_server.h"
#include "sim/check/booked.h"
#include "sim/world.h"

namespace phalanx::sim {

struct Violation {
  Duration at;
  int64_t step = 0;    // commands that the brain had applied
  std::string check;   // name of the promise
  std::string entity;  // the gang, pod or node that it is about; may be empty
  std::string text;
};

class Check : public ApiObserver {
 public:
  Check(const char* name, World& world, const Booked& booked)
      : world_(world), booked_(booked), name_(name) {}

  void NodeChanged(const std::string& /*name*/, const NodeObject* /*node*/) override {}
  void PodChanged(const std::string& /*uid*/, const ApiPod* /*pod*/) override {}

  // `booked` knows of the command, and of the outcome not yet. What the command was when the brain
  // was told of it, and what came of it.
  virtual void AfterCommand(const Command& /*command*/, const Outcome& /*outcome*/) {}
  // What costs O(state): after every nth command.
  virtual void Sample() {}
  virtual void SampleNodes(const std::vector<NodeView>& /*nodes*/) {}
  // After all that is due at an instant.
  virtual void AfterInstant() {}
  virtual void AtEnd() {}

  const std::string& name() const { return name_; }
  std::vector<Violation> TakeViolations() { return std::exchange(violations_, {}); }

 protected:
  void Fail(std::string entity, std::string text) {
    violations_.push_back({world_.queue().elapsed(), world_.brain().commands(), name_,
                           std::move(entity), std::move(text)});
  }

  World& world_;
  const Booked& booked_;

 private:
  std::string name_;
  std::vector<Violation> violations_;
};

inline std::string KeyText(const GangKey& key) { return key.ns + "/" + key.name; }

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_CHECK_CHECK_H_
