#include "sim/world.h"

#include <variant>

#include "sim/parse_line.h"
#include "sim/pod_object.h"
#include "wire/dialects/shared_resources.h"

namespace phalanx::sim {
namespace {

// Any instant will do; it shows that nothing depends on the time of day.
constexpr Time kStart{1'800'000'000'000};

}  // namespace

World::World(const Scenario& scenario, std::ostream* lines, bool answers, Tamper* tamper)
    : scenario_(scenario),
      queue_(kStart),
      recorder_(lines, answers),
      jitter_(scenario.jitter_seed, scenario.jitter_max),
      api_(queue_),
      brain_(queue_, scenario.engine, recorder_, tamper),
      link_(queue_, brain_, settings_, scenario.jitter_seed),
      controllers_(queue_, api_, settings_, faults_),
      adapter_(queue_, api_, controllers_, brain_, link_, recorder_, settings_, faults_, jitter_) {
  // The world of the first instant is there before the adapter connects.
  bool connected = false;
  for (const Action& action : scenario_.actions) {
    if (action.at.ms > 0 && !connected) {
      queue_.At(kStart, [this] { adapter_.Connect(); });
      connected = true;
    }
    queue_.At(kStart + action.at,
              [this, &action] { std::visit([this](const auto& what) { Do(what); }, action.what); });
  }
  if (!connected) queue_.At(kStart, [this] { adapter_.Connect(); });
}

GangKey World::KeyOf(const std::string& group) const {
  std::vector<const ApiPod*> pods = api_.PodsOfGroup(group);
  for (auto it = pods.rbegin(); it != pods.rend(); ++it) {
    std::optional<Membership> membership =
        ToPodObject(**it, scenario_.engine.accelerators).membership;
    if (membership) return membership->gang;
  }
  size_t slash = group.find('/');
  return {group.substr(0, slash), "label", group.substr(slash + 1)};
}

std::optional<GangView> World::ViewOf(const std::string& group) {
  return brain_.engine().Gang(KeyOf(group));
}

void World::Do(const AddNode& action) { api_.AddNode(action.node); }
void World::Do(const ChangeNode& action) { api_.ChangeNode(action); }
void World::Do(const RemoveNode& action) { api_.RemoveNode(action.name); }
// What the pod takes of what nodes share is part of what it takes; whether its text can be read is
// for the brain to say.
void World::Do(const CreatePod& action) {
  PodSpec spec = action.spec;
  std::vector<Problem> told_by_the_brain;
  wire::ReadSharedRequests(spec.annotations, spec.requests, told_by_the_brain);
  api_.CreatePod(spec);
}

void World::Do(const DeletePods& action) {
  for (const std::string& uid : api_.Matching(action.pods)) {
    if (action.with_owner) {
      controllers_.DeleteWithOwner(uid);
    } else {
      controllers_.DeletePod(uid);
    }
  }
  if (!action.with_owner) return;
  for (const std::string& group : action.pods.groups) api_.DropOwned(JobUid(group));
}

void World::Do(const DeleteObjects& action) {
  for (const std::string& group : action.groups) api_.DropGang(KeyOf(group));
}

void World::Do(const ServeGangs& action) { api_.ServeGangs(action.served); }

void World::Do(const RemoveGate& action) {
  for (const std::string& uid : api_.Matching(action.pods)) api_.RemoveGates(uid, action.gate);
}

void World::Do(const EndPods& action) {
  PodPhase phase = action.failed ? PodPhase::kFailed : PodPhase::kSucceeded;
  for (const std::string& uid : api_.Matching(action.pods)) {
    if (!api_.FindPod(uid)->spec.node.empty()) api_.SetPhase(uid, phase, action.reason);
  }
}

void World::Do(const ChangePods& action) {
  for (const std::string& uid : api_.Matching(action.pods)) api_.ChangePod(uid, action);
}

void World::Do(const SetObject& action) { api_.SetObject(action.key, action.json); }
void World::Do(const RemoveObject& action) { api_.RemoveObject(action.key); }

void World::Do(const AddFault& action) { faults_.Add(action.rule); }
void World::Do(const SetLatency& action) { settings_.Of(action.which) = action.value; }
void World::Do(const SetBindOrder& action) { settings_.order = action.order; }
void World::Do(const SetBindsInFlight& action) { settings_.binds_in_flight = action.limit; }

void World::Do(const Restart& action) { adapter_.Restart(action); }
void World::Do(const SetMessages& action) { settings_.messages = action.messages; }
void World::Do(const CutStream&) { adapter_.CutStream(); }
void World::Do(const SetLeading& action) { adapter_.SetLeading(action.leads); }

void World::Do(const JumpClock& action) {
  brain_.JumpClock(action.by);
  api_.JumpClock(action.by);
}

}  // namespace phalanx::sim
