// An engine with a small adapter and API server around it: what the real adapter would do with each
// directive, in the simplest order, at once. Every command is followed by CheckInvariants().
//
//     Rig rig;
//     rig.SetNodes(MakeRacks(2, 4, 4));
//     rig.Start();                       // Connect, snapshot, SyncDone, leadership
//     rig.AddPods(MakeGang({.size = 3, .gpus = 4}));
//     rig.Run();                         // plans and carries out until nothing is left to do
//     EXPECT_EQ(rig.View("train").phase, GangPhase::kRunning);
//
// With `manual` directives are only logged, and the test sends facts itself.
#ifndef PHALANX_TEST_SUPPORT_RIG_H_
#define PHALANX_TEST_SUPPORT_RIG_H_

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "phalanx/engine.h"
#include "support/world.h"

namespace phalanx::test {

class Rig {
 public:
  using Body = decltype(Command::body);

  explicit Rig(EngineConfig config = {}) : engine(std::move(config)) {}

  // --- the world; SetNodes and SetPods only before Start()
  void SetNodes(std::vector<NodeObject> nodes);
  void SetPods(std::vector<PodObject> pods);
  void AddPods(std::vector<PodObject> pods);
  void UpdateNode(NodeObject node);
  void RemoveNode(const std::string& name);
  void UpdatePod(PodObject pod);
  // deletionTimestamp; the pod stays until RemovePod().
  void DeletePod(const std::string& uid);
  void RemovePod(const std::string& uid);
  void EndPod(const std::string& uid, PodPhase phase);
  // New or changed.
  void SetObject(ApiObject object);
  void RemoveObject(const ObjectKey& key);

  // --- the conversation
  // A new epoch with the present world as its snapshot. Pods in the pipeline are forgotten, as by a
  // new adapter process.
  void Start();
  // Sends one command, checks invariants, carries out directives unless `manual`.
  void Send(Body body);
  void Fact(const std::string& uid, MemberState state, int32_t code = 0,
            const std::string& message = "");
  // Plans until nothing is due.
  void Plan();
  // Plans and carries out until nothing is left to do at this time.
  void Run();
  // Moves time in steps of deadlines, ticking and running at each.
  void Advance(Duration by);

  // --- what can be looked at
  GangView View(const std::string& name) const;
  PodAnswer Answer(const std::string& uid) const;
  const PodObject& Pod(const std::string& uid) const { return pods.at(uid); }
  template <class T>
  std::vector<T> Sent() const {
    std::vector<T> out;
    for (const Directive& directive : log) {
      if (const T* body = std::get_if<T>(&directive.body)) out.push_back(*body);
    }
    return out;
  }
  int BoundIn(const std::string& gang) const;

  Engine engine;
  Time now{1'000'000};
  uint64_t epoch = 0;
  bool manual = false;
  std::map<std::string, NodeObject> nodes;  // by name
  std::map<std::string, PodObject> pods;    // by UID
  std::map<ObjectKey, ApiObject> objects;
  std::vector<Directive> log;
  std::vector<Outcome> outcomes;
  std::vector<uint64_t> digests;  // after each command, when `keep_digests`
  bool keep_digests = false;

  // --- how the world misbehaves
  std::map<std::string, std::string> refuse_bind;  // UID -> message
  std::map<std::string, std::string> refuse_node;  // node -> plugin that refuses it
  std::map<std::string, std::string> refuse_pod;   // UID -> plugin that refuses the pod
  std::set<std::string> never_reserves;            // UIDs
  std::set<std::string> never_prepares;            // UIDs
  std::set<std::string> never_returns;             // UIDs
  std::set<std::string> stuck_binds;               // UIDs whose Binding stays under way
  bool refuse_evictions = false;
  std::map<std::string, JobObject> jobs;  // by name; others survive six failures
  std::set<std::string> jobs_gone;        // by name
  bool jobs_answer = true;                // also when `manual`

  // --- Gang objects, by "NS/NAME" of the object
  struct Object {
    GangObject object;
    std::optional<GangReport> status;
  };
  std::map<std::string, Object> gang_objects;
  std::map<ObjectKey, TopologyReport> topology_status;
  int writes = 0;             // of objects and their status that were tried
  bool serves_gangs = true;   // false: their kind is not installed
  int32_t refuse_writes = 0;  // the code with which writes are refused; 0: they are not
  bool hold_writes = false;   // their results do not come

 private:
  struct InPipeline {
    uint64_t plan = 0;
    std::string node;
    int32_t gang_size = 0;
    bool dry_run = false;
    int32_t rank = -1;
    std::string domain;
  };
  void CarryOut(const Directive& directive);
  void OnAdmit(const Admit& admit);
  void OnRelease(const Release& release);
  void OnReject(const Reject& reject);
  void OnEvict(uint64_t sequence, const Evict& evict);
  void OnReadJob(uint64_t sequence, const ReadJob& read);
  void RefuseBind(const std::string& uid, const std::string& message);
  void Bind(const std::string& uid, const InPipeline& item);
  void OnWrite(const Directive& directive);
  DirectiveResult Write(const Directive& directive);
  MemberFact FactOf(const std::string& uid, MemberState state) const;

  std::map<std::string, InPipeline> pipeline_;  // by UID
  std::map<std::string, PodAnswer> answers_;
  std::deque<Body> inbox_;
};

}  // namespace phalanx::test

#endif  // PHALANX_TEST_SUPPORT_RIG_H_
