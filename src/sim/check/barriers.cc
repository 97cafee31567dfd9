#include <fmt/format.h>

#include <set>

#include "sim/check/checks.h"

namespace phalanx::sim {
namespace {

class BarriersCheck : public Check {
 public:
  BarriersCheck(World& world, const Booked& booked) : Check("barriers", world, booked) {}

  void AfterCommand(const Command& command, const Outcome& outcome) override {
    if (const auto* fact = std::get_if<MemberFact>(&command.body)) Note(*fact);
    for (const Directive& directive : outcome.directives) {
      if (const auto* admit = std::get_if<Admit>(&directive.body)) Note(*admit);
      if (const auto* release = std::get_if<Release>(&directive.body)) Look(*release);
    }
  }

  void PodChanged(const std::string&, const ApiPod* pod) override {
    if (!pod || !pod->plan || pod->spec.node.empty()) return;
    if (released_.contains(pod->plan->plan)) return;
    Fail(pod->ScenarioName(),
         fmt::format("is bound under plan {}, which was not released", pod->plan->plan));
  }

 private:
  struct Plan {
    bool late = false;  // the first barrier is left out
    std::set<std::string> unreserved;
    std::set<std::string> unprepared;
  };

  void Note(const Admit& admit) {
    Plan& plan = plans_[admit.plan];
    plan.late = admit.late_barrier;
    for (const AdmitMember& member : admit.members) {
      plan.unreserved.insert(member.pod_uid);
      plan.unprepared.insert(member.pod_uid);
    }
  }

  void Note(const MemberFact& fact) {
    auto it = plans_.find(fact.plan);
    if (it == plans_.end()) return;
    const bool prepared = fact.state == MemberState::kPrepared;
    if (prepared || fact.state == MemberState::kReserved) it->second.unreserved.erase(fact.pod_uid);
    if (prepared) it->second.unprepared.erase(fact.pod_uid);
  }

  void Look(const Release& release) {
    const bool bind = release.stage == ReleaseStage::kBind;
    const Plan& plan = plans_[release.plan];
    const std::set<std::string>& missing = bind ? plan.unprepared : plan.unreserved;
    if (!missing.empty() && (bind || !plan.late)) {
      Fail(KeyText(release.gang),
           fmt::format("plan {} is released to {} while {} of its members are not {}, pod {} among "
                       "them",
                       release.plan, bind ? "bind" : "prepare", missing.size(),
                       bind ? "prepared" : "reserved", *missing.begin()));
    }
    if (bind) released_.insert(release.plan);
  }

  std::map<uint64_t, Plan> plans_;
  std::set<uint64_t> released_;  // to bind
};

}  // namespace

std::unique_ptr<Check> NewBarriersCheck(World& world, const Booked& booked) {
  return std::make_unique<BarriersCheck>(world, booked);
}

}  // namespace phalanx::sim
