#include "sim/adapter.h"

#include <fmt/format.h>

#include <algorithm>

namespace phalanx::sim {
namespace {

// How long members wait in a barrier for a brain that is away.
constexpr Duration kBrainGrace = Duration::Seconds(5);
// Requests of a process that ended are over before its successor reads the cluster.
constexpr Duration kLeastDown = Duration::Seconds(1);

}  // namespace

Adapter::Adapter(EventQueue& queue, ApiServer& api, Controllers& controllers, Brain& brain,
                 Recorder& recorder, Settings& settings, Faults& faults, Jitter& jitter)
    : queue_(queue),
      api_(api),
      controllers_(controllers),
      brain_(brain),
      mirror_(queue, api, brain, settings, jitter),
      pipeline_(queue, api, brain, recorder, settings, faults, jitter) {
  brain_.OnDirective([this](const Directive& directive) { Carry(directive); });
}

void Adapter::Connect() {
  if (!connected()) return;
  pipeline_.DropUnreleased();
  ++epoch_;
  brain_.Send(phalanx::Connect{epoch_, fmt::format("sim-{}", epoch_)});
  mirror_.SendSnapshot();
  for (const MemberFact& fact : pipeline_.ReleasedMembers()) brain_.Send(fact);
  brain_.Send(Leadership{true});
  brain_.Send(SyncDone{});
}

void Adapter::Restart(Duration down) {
  if (down_) return;
  down_ = true;
  pipeline_.Stop();
  mirror_.Stop();
  brain_.Send(Disconnect{});
  queue_.After(std::max(down, kLeastDown), [this] {
    down_ = false;
    pipeline_.Start();
    Connect();
  });
}

void Adapter::RestartBrain(Duration down) {
  if (brain_.down()) return;
  brain_.Stop();
  mirror_.Stop();
  queue_.After(kBrainGrace, [this] {
    if (brain_.down()) pipeline_.DropUnreleased();
  });
  queue_.After(down, [this] {
    brain_.Start();
    Connect();
  });
}

void Adapter::Carry(const Directive& directive) {
  if (!connected()) return;
  if (const auto* admit = std::get_if<Admit>(&directive.body)) {
    // One of an earlier epoch that was still under way.
    if (admit->plan >> kPlanBits == epoch_) pipeline_.Carry(*admit);
  } else if (const auto* release = std::get_if<Release>(&directive.body)) {
    pipeline_.Carry(*release);
  } else if (const auto* reject = std::get_if<Reject>(&directive.body)) {
    pipeline_.Carry(*reject);
  } else if (const auto* evict = std::get_if<Evict>(&directive.body)) {
    CarryEvict(directive.sequence, *evict);
  } else if (const auto* read = std::get_if<ReadJob>(&directive.body)) {
    CarryReadJob(directive.sequence, *read);
  } else {
    CarryWrite(directive);
  }
}

void Adapter::CarryWrite(const Directive& directive) {
  DirectiveResult result{directive.sequence, true, 200, "", false};
  if (const auto* make = std::get_if<MakeGang>(&directive.body)) {
    result = api_.MakeGang(make->object);
  } else if (const auto* show = std::get_if<ShowGang>(&directive.body)) {
    result = api_.ShowGang(show->report);
  } else if (const auto* drop = std::get_if<DropGang>(&directive.body)) {
    result = api_.DropGang(drop->object.gang);
  } else if (const auto* waits = std::get_if<PodWaits>(&directive.body)) {
    api_.SetWaits(waits->pod_uid);
  }
  result.sequence = directive.sequence;
  Report(std::move(result));
}

void Adapter::Report(DirectiveResult result) {
  queue_.After({}, [this, result = std::move(result)] {
    if (connected()) brain_.Send(result);
  });
}

void Adapter::CarryEvict(uint64_t sequence, const Evict& evict) {
  bool there = api_.FindPod(evict.pod_uid) != nullptr;
  if (there) controllers_.DeletePod(evict.pod_uid);
  Report({sequence, there, there ? 201 : 404, there ? "" : "the pod is gone", false});
}

// Jobs of this world make every pod again.
void Adapter::CarryReadJob(uint64_t sequence, const ReadJob& read) {
  Report({sequence, true, 200, "", false, JobObject{.uid = read.uid, .ignores_disruption = true}});
}

}  // namespace phalanx::sim
