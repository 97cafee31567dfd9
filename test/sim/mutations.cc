#include "sim/mutations.h"

#include <algorithm>
#include <map>
#include <utility>

namespace phalanx::sim {
namespace {

// ---- barriers

class SkipFirstBarrier : public Tamper {
 public:
  void Decided(Outcome& outcome, std::vector<Command>&) override {
    std::vector<Directive> early;
    for (const Directive& directive : outcome.directives) {
      if (const auto* admit = std::get_if<Admit>(&directive.body)) {
        early.push_back({0, Release{admit->gang, admit->plan, ReleaseStage::kPrepare}});
      }
    }
    outcome.directives.insert(outcome.directives.end(), early.begin(), early.end());
  }
};

class SkipSecondBarrier : public Tamper {
 public:
  void Decided(Outcome& outcome, std::vector<Command>&) override {
    std::vector<Directive> early;
    for (const Directive& directive : outcome.directives) {
      const auto* release = std::get_if<Release>(&directive.body);
      if (!release || release->stage != ReleaseStage::kPrepare) continue;
      early.push_back({0, Release{release->gang, release->plan, ReleaseStage::kBind}});
    }
    outcome.directives.insert(outcome.directives.end(), early.begin(), early.end());
  }
};

// ---- room

// An eviction counts as done when it is decided, and not when the pod is gone.
class FreeRoomAtEviction : public Tamper {
 public:
  void Decided(Outcome& outcome, std::vector<Command>& more) override {
    Changes gone;
    for (const Directive& directive : outcome.directives) {
      if (const auto* evict = std::get_if<Evict>(&directive.body)) {
        gone.removed_pods.push_back(evict->pod_uid);
      }
    }
    if (!gone.removed_pods.empty()) more.push_back({{}, std::move(gone)});
  }
};

// Members of a rejected plan count as back before the scheduler has forgotten them.
class FreeRoomAtReject : public Tamper {
 public:
  void Decided(Outcome& outcome, std::vector<Command>& more) override {
    for (const Directive& directive : outcome.directives) {
      if (const auto* admit = std::get_if<Admit>(&directive.body)) {
        members_[admit->plan] = admit->members;
      }
      const auto* reject = std::get_if<Reject>(&directive.body);
      if (!reject) continue;
      for (const AdmitMember& member : members_[reject->plan]) {
        more.push_back(
            {{},
             MemberFact{member.pod_uid, reject->plan, member.node, MemberState::kReturned, 0, ""}});
      }
    }
  }

 private:
  std::map<uint64_t, std::vector<AdmitMember>> members_;
};

// Leaves out what `drops` says.
class KeepFromEngine : public Tamper {
 public:
  explicit KeepFromEngine(std::function<bool(const Command&)> drops) : drops_(std::move(drops)) {}
  std::vector<Command> Told(const Command& command) override {
    if (drops_(command)) return {};
    return {command};
  }

 private:
  std::function<bool(const Command&)> drops_;
};

std::unique_ptr<Tamper> DropFacts(MemberState state) {
  return std::make_unique<KeepFromEngine>([state](const Command& command) {
    const auto* fact = std::get_if<MemberFact>(&command.body);
    return fact && fact->state == state;
  });
}

// Changes what the engine is told of objects.
class EditChanges : public Tamper {
 public:
  explicit EditChanges(std::function<void(Changes&)> edit) : edit_(std::move(edit)) {}
  std::vector<Command> Told(const Command& command) override {
    Command told = command;
    if (auto* changes = std::get_if<Changes>(&told.body)) edit_(*changes);
    return {told};
  }

 private:
  std::function<void(Changes&)> edit_;
};

std::unique_ptr<Tamper> Edit(std::function<void(Changes&)> edit) {
  return std::make_unique<EditChanges>(std::move(edit));
}

void UseAnyNode(Changes& changes) {
  for (NodeObject& node : changes.nodes) {
    node.unschedulable = false;
    node.ready = true;
  }
}
void LeaveOutForeigners(Changes& changes) {
  std::erase_if(changes.pods, [](const PodObject& pod) { return !pod.ours; });
}
void LeaveOutRemovals(Changes& changes) { changes.removed_pods.clear(); }
// Every 50th pod that is new.
void LeaveOutSome(Changes& changes) {
  std::erase_if(changes.pods, [](const PodObject& pod) { return pod.uid.ends_with("50"); });
}

// Nodes look twice as large as they are, and the scheduler's own plugins agree.
class DoubleRoom : public Tamper {
 public:
  std::vector<Command> Told(const Command& command) override {
    Command told = command;
    auto* changes = std::get_if<Changes>(&told.body);
    for (NodeObject& node : changes ? changes->nodes : none_) {
      node.allocatable["nvidia.com/gpu"] *= 2;
    }
    return {told};
  }
  bool NoFilters() const override { return true; }

 private:
  std::vector<NodeObject> none_;
};

// ---- identity

// The engine knows pods by namespace and name.
class CountByName : public Tamper {
 public:
  std::vector<Command> Told(const Command& command) override {
    Command told = command;
    if (auto* changes = std::get_if<Changes>(&told.body)) {
      for (std::string& uid : changes->removed_pods) uid = names_[uid];
      for (PodObject& pod : changes->pods) {
        const std::string name = pod.ns + "/" + pod.name;
        names_[pod.uid] = name;
        uids_[name] = pod.uid;
        pod.uid = name;
      }
    }
    if (auto* fact = std::get_if<MemberFact>(&told.body)) fact->pod_uid = names_[fact->pod_uid];
    if (auto* conflict = std::get_if<Conflict>(&told.body)) {
      conflict->pod_uid = names_[conflict->pod_uid];
    }
    return {told};
  }
  void Decided(Outcome& outcome, std::vector<Command>&) override {
    for (Directive& directive : outcome.directives) {
      if (auto* admit = std::get_if<Admit>(&directive.body)) {
        for (AdmitMember& member : admit->members) member.pod_uid = uids_[member.pod_uid];
      }
      if (auto* evict = std::get_if<Evict>(&directive.body)) evict->pod_uid = uids_[evict->pod_uid];
      if (auto* waits = std::get_if<PodWaits>(&directive.body)) {
        waits->pod_uid = uids_[waits->pod_uid];
      }
    }
    for (PodAnswer& answer : outcome.answers) answer.pod_uid = uids_[answer.pod_uid];
  }

 private:
  std::map<std::string, std::string> names_;  // by UID
  std::map<std::string, std::string> uids_;   // by name
};

class IgnoreTheEpoch : public Tamper {
 public:
  bool IgnoresEpochs() const override { return true; }
};

// ---- decisions

class EditDecisions : public Tamper {
 public:
  explicit EditDecisions(std::function<void(Outcome&)> edit) : edit_(std::move(edit)) {}
  void Decided(Outcome& outcome, std::vector<Command>&) override { edit_(outcome); }

 private:
  std::function<void(Outcome&)> edit_;
};

std::unique_ptr<Tamper> Decide(std::function<void(Outcome&)> edit) {
  return std::make_unique<EditDecisions>(std::move(edit));
}

void AdmitAllButOne(Outcome& outcome) {
  for (Directive& directive : outcome.directives) {
    auto* admit = std::get_if<Admit>(&directive.body);
    if (admit && admit->members.size() > 1) admit->members.pop_back();
  }
}
void AdmitTwice(Outcome& outcome) {
  std::vector<Directive> again;
  for (const Directive& directive : outcome.directives) {
    const auto* admit = std::get_if<Admit>(&directive.body);
    if (!admit) continue;
    again.push_back(directive);
    std::get<Admit>(again.back().body).plan += 1000;
  }
  outcome.directives.insert(outcome.directives.end(), again.begin(), again.end());
}
void EvictNobody(Outcome& outcome) {
  std::erase_if(outcome.directives, [](const Directive& directive) {
    return std::holds_alternative<Evict>(directive.body);
  });
}
void AnswerOtherNode(Outcome& outcome) {
  for (PodAnswer& answer : outcome.answers) {
    if (answer.kind == AnswerKind::kPlanned) answer.node += "x";
  }
}

class LeadAlways : public Tamper {
 public:
  std::vector<Command> Told(const Command& command) override {
    Command told = command;
    if (auto* leadership = std::get_if<Leadership>(&told.body)) leadership->leading = true;
    return {told};
  }
};

template <class T>
std::unique_ptr<Tamper> Make() {
  return std::make_unique<T>();
}

}  // namespace

const std::vector<Mutation>& Mutations() {
  static const auto* const kAll = new std::vector<Mutation>{
      {"SkipFirstBarrier", "barriers", Make<SkipFirstBarrier>},
      {"SkipSecondBarrier", "barriers", Make<SkipSecondBarrier>},
      {"FreeRoomAtEviction", "ledger", Make<FreeRoomAtEviction>},
      {"FreeRoomAtReject", "holds", Make<FreeRoomAtReject>},
      {"ForgetHoldsAtRestart", "holds", [] { return DropFacts(MemberState::kBinding); }},
      {"ForgetReturns", "holds", [] { return DropFacts(MemberState::kReturned); }},
      {"CountByName", "ledger", Make<CountByName>},
      {"IgnoreTheEpoch", "ledger", Make<IgnoreTheEpoch>},
      {"UseAnyNode", "placement", [] { return Edit(UseAnyNode); }},
      {"LeaveOutForeigners", "placement", [] { return Edit(LeaveOutForeigners); }},
      {"LeaveOutRemovals", "ledger", [] { return Edit(LeaveOutRemovals); }},
      {"LoseAGang", "roll-call", [] { return Edit(LeaveOutSome); }},
      {"StarveAGang", "liveness", [] { return Edit(LeaveOutSome); }},
      {"DoubleRoom", "overcommit", Make<DoubleRoom>},
      {"AdmitAllButOne", "whole-start", [] { return Decide(AdmitAllButOne); }},
      {"AdmitTwice", "one-plan", [] { return Decide(AdmitTwice); }},
      {"EvictNobody", "partial-spell", [] { return Decide(EvictNobody); }},
      {"AnswerOtherNode", "contract", [] { return Decide(AnswerOtherNode); }},
      {"LeadAlways", "leadership", Make<LeadAlways>},
  };
  return *kAll;
}

}  // namespace phalanx::sim
