#include "core/engine/group.h"

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "core/engine/neighbours.h"
#include "core/engine/settle.h"
#include "core/place/refusal.h"
#include "core/place/vertices.h"

namespace phalanx {
namespace {

std::string LevelOf(const Group& group) {
  return group.required_level.empty() ? group.preferred_level : group.required_level;
}

struct Domain {
  std::vector<HostRange> hosts;
  std::string path;
};

std::vector<Domain> DomainsOf(const Topology& topology, LevelId level) {
  std::vector<Domain> out;
  if (const Crossing* crossing = topology.CrossingOf(level)) {
    for (const Crossing::Domain& domain : crossing->domains) {
      out.push_back({domain.hosts, domain.path});
    }
  } else if (level == topology.host_level()) {
    for (uint32_t i = 0; i < topology.hosts().size(); ++i) {
      out.push_back({{{HostId(i), 1}}, Vertex{DomainId::None(), HostId(i)}.Path(topology)});
    }
  } else {
    for (const DomainId id : topology.DomainsAt(level)) {
      const Topology::Domain& domain = topology.domain(id);
      out.push_back({{{domain.first_host, domain.host_count}}, topology.Path(id)});
    }
  }
  return out;
}

// The domain of the level in which a member of the gang takes room; empty: none does.
std::vector<HostRange> DomainTaken(const State& state, const Gang& gang, LevelId level) {
  const Topology& topology = state.cluster.topology();
  for (const auto& [key, member] : gang.roster.members()) {
    const std::optional<Booking> booking = state.cluster.ledger().Find(member.pod);
    const HostId host = booking ? topology.HostOf(booking->node) : HostId::None();
    if (!host.valid()) continue;
    std::vector<HostRange> hosts = DomainAround(topology, host, level);
    if (!hosts.empty()) return hosts;
  }
  return {};
}

// Gangs that are placed one after the other in one domain; what they hold is given back at the end.
class Trial {
 public:
  Trial(State& state, const std::vector<HostRange>& within) : state_(state), within_(within) {}
  ~Trial() {
    for (const PodId pod : held_) state_.cluster.ledger().Release(pod);
  }
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  bool Add(Gang& gang, PlacementRequest request) {
    request.within = within_;
    const PlacementAnswer answer = Place(state_.cluster, request);
    work_ += answer.work_units;
    const Placement* placement = answer.placement();
    if (placement == nullptr) {
      refusal_ = *answer.refusal();
      return false;
    }
    touched_.resize(placement->touched.size(), 0);
    for (size_t i = 0; i < touched_.size(); ++i) touched_[i] += placement->touched[i];
    for (const SlotsOnHost& slots : placement->slots) Hold(gang, slots);
    return true;
  }

  const std::vector<int32_t>& touched() const { return touched_; }
  int64_t members() const { return std::ssize(held_); }
  const Reason& refusal() const { return refusal_; }
  int64_t work() const { return work_; }

 private:
  // Which member of a shape it is does not matter.
  void Hold(const Gang& gang, const SlotsOnHost& slots) {
    const NodeId node = state_.cluster.topology().host(slots.host).node;
    int32_t left = slots.count;
    for (const auto& [key, member] : gang.roster.members()) {
      if (left == 0) return;
      if (member.shape != slots.shape || member.standing != Standing::kReady) continue;
      if (state_.cluster.ledger().Find(member.pod)) continue;
      const Pod& pod = state_.pods.Get(member.pod);
      state_.cluster.ledger().Book(member.pod, node, BookingKind::kHeld, pod.request,
                                   state_.TalkOf(pod));
      held_.push_back(member.pod);
      --left;
    }
  }

  State& state_;
  const std::vector<HostRange>& within_;
  std::vector<PodId> held_;
  std::vector<int32_t> touched_;
  Reason refusal_;
  int64_t work_ = 0;
};

// Of a limit on links nobody knows how many would keep it.
int64_t MembersThatFit(const Reason& refusal) {
  return refusal.code == ReasonCode::kUplink ? 0 : std::max<int64_t>(refusal.have, 0);
}

int64_t MembersOf(const PlacementRequest& request) {
  int64_t members = 0;
  for (const RoleRequest& role : request.roles) members += role.count;
  return members;
}

class DomainChoice {
 public:
  DomainChoice(State& state, Gang& gang, LevelId level, const RequestMaker& request_of)
      : state_(state), gang_(gang), level_(level), request_of_(request_of) {
    gangs_.push_back(&gang);
    for (const GangId id : PeersOf(state, gang)) {
      Gang& peer = state.gangs.Get(id);
      const bool waits = peer.roster.Count(Standing::kBound) == 0 && IsPlannable(state, peer);
      if (waits) gangs_.push_back(&peer);
    }
    for (Gang* member : gangs_) all_ += MembersOf(request_of(state, *member));
    std::sort(gangs_.begin(), gangs_.end(), [](const Gang* a, const Gang* b) {
      return std::tuple(-a->terms.size, a->key) < std::tuple(-b->terms.size, b->key);
    });
  }

  GroupPlace Run() {
    for (const Domain& domain : DomainsOf(state_.cluster.topology(), level_)) Try(domain);
    if (best_) return {within_, {}, work_};
    return {{}, WhyNot(), work_};
  }

 private:
  void Try(const Domain& domain) {
    Trial trial(state_, domain.hosts);
    bool all = true;
    for (Gang* gang : gangs_) {
      all = trial.Add(*gang, request_of_(state_, *gang));
      if (!all) break;
    }
    work_ += trial.work();
    if (!all) {
      const int64_t have = trial.members() + MembersThatFit(trial.refusal());
      if (!nearest_.empty() && have <= have_) return;
      have_ = std::min(have, all_ - 1);
      nearest_ = domain.path;
    } else if (!best_ || trial.touched() < *best_) {
      best_ = trial.touched();
      within_ = domain.hosts;
    }
  }

  // In the best domain, one gang after the other.
  Reason WhyNot() const {
    const Topology& topology = state_.cluster.topology();
    Reason reason;
    reason.code = ReasonCode::kTopology;
    reason.have = have_;
    reason.need = all_;
    reason.level = LevelName(topology, level_);
    reason.domain = nearest_;
    reason.subject = gang_.terms.group.name;
    // Another order of the gangs might do.
    if (gangs_.size() > 1) reason.proven = ProvenThrough::kNothing;
    return reason;
  }

  State& state_;
  const Gang& gang_;
  const LevelId level_;
  const RequestMaker& request_of_;
  std::vector<Gang*> gangs_;  // largest first
  int64_t all_ = 0;           // their members
  std::optional<std::vector<int32_t>> best_;
  std::vector<HostRange> within_;
  std::string nearest_;  // the domain that takes most
  int64_t have_ = 0;
  int64_t work_ = 0;
};

// Gangs of the group that have not come, or are not complete.
Reason Missing(const State& state, const Gang& gang) {
  const Group& group = gang.terms.group;
  int32_t complete = 1;
  for (const GangId id : PeersOf(state, gang)) {
    const Gang& peer = state.gangs.Get(id);
    complete += peer.phase != GangPhase::kGathering;
  }
  if (complete >= group.size) return {};
  Reason reason{.code = ReasonCode::kGroupMissing, .have = complete, .need = group.size};
  reason.subject = group.name;
  return reason;
}

}  // namespace

std::vector<GangId> PeersOf(const State& state, const Gang& gang) {
  std::vector<GangId> out;
  const auto& gangs = state.gangs.by_key();
  for (auto it = gangs.lower_bound({gang.key.ns, "", ""});
       it != gangs.end() && it->first.ns == gang.key.ns; ++it) {
    const Gang& other = state.gangs.Get(it->second);
    if (it->first != gang.key && other.terms.group.name == gang.terms.group.name) {
      out.push_back(it->second);
    }
  }
  return out;
}

GroupPlace PlaceForGroup(State& state, Gang& gang, const RequestMaker& request_of) {
  const Group& group = gang.terms.group;
  const LevelId level = state.cluster.topology().FindLevel(LevelOf(group));
  if (!level.valid()) {
    if (group.required_level.empty()) return {};
    return {{}, UnknownLevel(group.required_level), 1};
  }
  if (Reason missing = Missing(state, gang); missing.code != ReasonCode::kNone) {
    return {{}, std::move(missing), 1};
  }
  for (const GangId id : PeersOf(state, gang)) {
    std::vector<HostRange> taken = DomainTaken(state, state.gangs.Get(id), level);
    if (!taken.empty()) return {std::move(taken), {}, 1};
  }
  return DomainChoice(state, gang, level, request_of).Run();
}

std::vector<HostRange> GroupHosts(const State& state, const Gang& gang) {
  const std::string& required = gang.terms.group.required_level;
  if (gang.terms.group.name.empty() || required.empty()) return {};
  const LevelId level = state.cluster.topology().FindLevel(required);
  if (!level.valid()) return {};
  return DomainTaken(state, gang, level);
}

}  // namespace phalanx
