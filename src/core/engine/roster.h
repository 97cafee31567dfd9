// The members of one gang, in rank order, with everything about them that the gang is judged by
// kept up to date per change, so that no command costs more than O(log members).
//
// A member's *standing* is derived from its pod and its place in the pipeline:
//
//   gated ─► ready ─► planned ─► reserved ─► prepared ─► bound ─► succeeded, failed
//              ▲         │           │           │         │
//              └──── returning ◄─────┴───────────┘         └────► deleting, lost
//
// Standing counts live members only by what they are now: a pod with a deletion timestamp is
// deleting (returning while it still leaves the pipeline), whatever it was before; a bound pod
// whose node is not there is lost for as long as it is not.
#ifndef PHALANX_CORE_ENGINE_ROSTER_H_
#define PHALANX_CORE_ENGINE_ROSTER_H_

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "phalanx/ids.h"
#include "phalanx/objects.h"
#include "phalanx/time.h"

namespace phalanx {

enum class Standing {
  kGated,
  kReady,
  kPlanned,
  kReserved,
  kPrepared,
  kReturning,
  kBound,
  kDeleting,
  kLost,
  kSucceeded,
  kFailed,
};
inline constexpr size_t kStandings = 11;

// Where an unbound member is in the scheduler's pipeline.
enum class Stage { kIdle, kPlanned, kReserved, kPrepared, kReturning };

// Rank order: those with an index first, group by group; then shorter names first ("w-9" before
// "w-10").
struct MemberKey {
  int32_t group = 0;
  int32_t index = 0;
  size_t name_length = 0;
  std::string name;
  std::string uid;

  friend auto operator<=>(const MemberKey&, const MemberKey&) = default;
};
MemberKey KeyOf(const PodObject& pod);
// The rank that the pod's controller has fixed; nullopt: ranks follow the order of the keys.
std::optional<int32_t> FixedRank(const PodObject& pod);

// What all members of a gang must agree on.
struct Terms {
  int32_t size = 0;
  int32_t min = 0;
  int32_t priority = 0;
  std::string required_level;
  std::string preferred_level;
  std::optional<ObjectKey> object = {};  // Membership::terms_object
  bool sized_by_object = false;
  std::string exclusive_level = {};
  Group group = {};
  std::string queue = {};  // that they name

  friend auto operator<=>(const Terms&, const Terms&) = default;
};

struct Member {
  MemberKey key;
  PodId pod;
  PodObject object;  // without what the shape says
  ShapeId shape;
  Stage stage = Stage::kIdle;
  uint64_t plan = 0;  // it is in this plan, returns from it, or was bound under it
  NodeId node;        // planned or bound
  int32_t rank = -1;
  int32_t started_under = 0;  // Admit::gang_size of the plan that it was bound under; 0: not known
  bool evicting = false;      // an eviction was sent and not refused
  bool node_gone = false;     // bound to a node that is not there
  bool told = false;          // that it waits
  Time seen;                  // since when it is a member, as far as this process knows

  // Kept by Roster::Refresh.
  Standing standing = Standing::kReady;

  bool InPipeline() const {
    return stage == Stage::kPlanned || stage == Stage::kReserved || stage == Stage::kPrepared;
  }
};

struct MemberOrder {
  bool operator()(const Member* a, const Member* b) const { return a->key < b->key; }
};
using MemberSet = std::set<const Member*, MemberOrder>;

class Roster {
 public:
  // REQUIRES: the pod is not in the roster. The address stays valid until Remove().
  Member& Add(PodId pod, PodObject object, ShapeId shape);
  void Remove(Member& member);
  // Puts the newest object in place.
  void Replace(Member& member, PodObject object, ShapeId shape);
  // REQUIRED after every change of stage, or of what the object says.
  void Refresh(Member& member);

  std::map<MemberKey, Member>& members() { return members_; }
  const std::map<MemberKey, Member>& members() const { return members_; }
  int32_t Count(Standing standing) const { return counts_[static_cast<size_t>(standing)]; }
  int32_t InPipeline() const;
  // Gated, ready, in the pipeline, returning or bound, and without a deletion timestamp.
  int32_t Live() const { return live_; }
  // Members that count towards the minimum: live ones without a gate, and succeeded ones.
  int32_t Counted() const;
  // Bound and succeeded ones.
  int32_t Placed() const { return Count(Standing::kBound) + Count(Standing::kSucceeded); }

  // How many members of each shape take room: planned, bound or leaving.
  const std::map<ShapeId, int32_t>& taking() const { return taking_; }

  // The terms of live members, and who holds each; more than one entry is a disagreement.
  const std::map<Terms, MemberSet>& terms() const { return terms_; }
  const MemberSet& gated() const { return gated_; }
  // Unbound live members with a problem.
  const MemberSet& with_problems() const { return problems_; }
  // What all live members say about being in one domain; nullptr: not all the same.
  const Together* AllTogether() const;
  // A claim or volume that more than one unbound member waits for; nullptr if there is none.
  const std::string* SharedLateObject() const;
  // The largest size that a bound or succeeded member was started under; 0: not known.
  int32_t StartedUnder() const { return started_.empty() ? 0 : *started_.rbegin(); }
  // Creation of the oldest live member.
  std::optional<Time> Oldest() const;

 private:
  struct Indexed {
    Standing standing = Standing::kReady;
    bool live = false;
    bool problem = false;
    ShapeId taking;  // none: it takes no room
    Terms terms;
    Together together;
    int32_t started_under = 0;
    Time created;
    std::vector<std::string> late;
  };
  static Indexed IndexOf(const Member& member);
  void Insert(const Member& member, const Indexed& entry);
  void Erase(const Member& member, const Indexed& entry);
  void CountTaking(ShapeId shape, int32_t by);
  void CountLate(const std::vector<std::string>& objects, int32_t by);

  std::map<MemberKey, Member> members_;
  std::map<const Member*, Indexed> indexed_;  // looked up only
  std::array<int32_t, kStandings> counts_{};
  int32_t live_ = 0;
  std::map<ShapeId, int32_t> taking_;
  std::map<Terms, MemberSet> terms_;
  std::map<Together, int32_t> together_;  // live members by what they say, also if it is nothing
  MemberSet gated_;
  MemberSet problems_;
  std::multiset<int32_t> started_;
  std::multiset<Time> created_;
  std::map<std::string, int32_t> late_;
  std::set<std::string> shared_late_;
};

// What `member` stands at by its pod and stage.
Standing StandingOf(const Member& member);
Terms TermsOf(const Member& member);
// Whether something is booked for it in the ledger.
bool TakesRoom(const Member& member);

}  // namespace phalanx

#endif  // PHALANX_CORE_ENGINE_ROSTER_H_
