// The simulated kube-scheduler with our plugin in it: pods of admitted gangs walk through Filter,
// Reserve, Permit, PreBind and Bind, as the directives allow.
//
//   Admit ──► queue ──cycle──► reserved ──Release{Prepare}──► preparing ──► prepared
//                 │                 │                                          │ Release{Bind}
//                 └── Conflict ◄────┴───────────── Conflict ◄──────────────────▼
//                         │                                                 binding ──► bound
//                         ▼                                                    │
//                      returned ◄───────────── Reject ─────────── refused ◄────┘
//
// Promises, as in the contract: facts are about the plan of the member; every member of a rejected
// plan ends in a bound or in a returned fact; a Binding under way is not taken back; directives may
// come twice.
#ifndef PHALANX_SIM_PIPELINE_H_
#define PHALANX_SIM_PIPELINE_H_

#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "phalanx/command.h"
#include "phalanx/outcome.h"
#include "sim/api_server.h"
#include "sim/link.h"
#include "sim/settings.h"

namespace phalanx::sim {

class Pipeline : public ApiObserver {
 public:
  Pipeline(EventQueue& queue, ApiServer& api, Brain& brain, Link& link, Recorder& recorder,
           Settings& settings, Faults& faults, Jitter& jitter);

  void NodeChanged(const std::string& name, const NodeObject* node) override;
  void PodChanged(const std::string& uid, const ApiPod* pod) override;

  void Carry(const Admit& admit);
  void Carry(const Release& release);
  void Carry(const Reject& reject);

  // The process ends: everything but Bindings under way is forgotten without a fact. Those arrive
  // after `slow`.
  void Stop(Duration slow);
  void Start();
  // Without the lead no Binding begins.
  void SetLeading(bool leads) { leads_ = leads; }
  // The brain is gone: members that are not released for Bind leave without a fact.
  void DropUnreleased();
  // Members that are released for Bind and not bound; the snapshot of a new epoch names them.
  std::vector<MemberFact> ReleasedMembers() const;

  // Whether a pod of the gang or job is anywhere in the pipeline.
  bool Busy(const std::string& group) const;
  // Present members by plan, for the judge: pod UID and node.
  const auto& members() const { return members_; }
  // What went against the contract, in words; taken by the checker.
  std::vector<std::string> TakeViolations() { return std::exchange(violations_, {}); }

 private:
  enum class Step { kQueued, kReserved, kPreparing, kPrepared, kWaitsForBind, kBinding };
  struct Member {
    std::string uid;
    std::string pod;    // scenario name
    std::string group;  // scenario name
    uint64_t plan = 0;
    std::string node;
    std::string node_uid;
    int32_t rank = 0;
    int32_t gang_size = 0;
    Step step = Step::kQueued;
    bool leaving = false;
    Time give_up = {};    // a Binding that fails for a moment is tried again until then
    Duration pause = {};  // before the next try
  };
  struct Plan {
    bool prepare_open = false;
    bool bind_open = false;
    bool rejected = false;
    bool dry_run = false;
    std::map<std::string, std::string> nodes;  // UID -> node
  };

  void ScheduleCycle();
  void RunCycle();
  void RunMemberCycle(Member& member);
  void RunLooseCycle(const std::string& uid);
  void Prepare(Member& member);
  bool RefusedInDryRun(Member& member);
  void QueueBind(Member& member);
  void OrderBindQueue();
  void StartBinds();
  void StartBind(Member& member);
  void SendBinding(const Member& member);
  void FinishBind(Member& member);
  void FinishOrphan(const Member& member);
  void RetryBind(Member& member);
  void FindBound(Member& member);
  void BindRefused(Member& member, const ApiError& error);

  // The member leaves: at once for the pipeline, as a fact after the latency of a return.
  void GiveBack(Member& member, const std::string& why = "");
  void SendConflict(const Member& member, CycleStage stage, const std::string& plugin,
                    const std::string& message, bool pod_refused);
  bool RefusedByFault(const Member& member, FaultStage stage, CycleStage as);
  void SendFact(const Member& member, MemberState state, int32_t code = 0,
                const std::string& message = "");
  void CheckAnswer(const Member& member);
  Member* Find(const std::string& uid, uint64_t plan);
  QuantityMap AssumedOn(const std::string& node) const;
  void Drop(const std::string& uid);

  EventQueue& queue_;
  ApiServer& api_;
  Brain& brain_;
  Link& link_;
  Recorder& recorder_;
  Settings& settings_;
  Faults& faults_;
  Jitter& jitter_;

  uint64_t life_ = 0;
  bool stopped_ = false;
  bool leads_ = true;
  Time slow_until_;  // for requests of an earlier life
  std::map<uint64_t, Plan> plans_;
  std::map<std::string, Member> members_;                 // by UID
  std::map<std::string, std::set<std::string>> assumed_;  // node -> UIDs of reserved members
  std::map<std::string, int64_t> busy_;                   // group -> members in the pipeline
  std::deque<std::string> cycles_;                        // UIDs, loose pods among them
  bool cycle_due_ = false;
  std::deque<std::string> binds_;
  int64_t in_flight_ = 0;
  std::set<std::string> loose_waiting_;
  std::vector<std::string> violations_;
};

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_PIPELINE_H_
