#include "sim/adapter.h"

#include <fmt/format.h>

#include <algorithm>

namespace phalanx::sim {
namespace {

// How long members wait in a barrier for a brain that is away.
constexpr Duration kBrainGrace = Duration::Seconds(5);
// Requests of a process that ended are over before its successor reads the cluster.
constexpr Duration kLeastDown = Duration::Seconds(1);
// Until a stream that broke is opened again.
constexpr Duration kReconnect{20};

}  // namespace

Adapter::Adapter(EventQueue& queue, ApiServer& api, Controllers& controllers, Brain& brain,
                 Link& link, Recorder& recorder, Settings& settings, Faults& faults, Jitter& jitter)
    : queue_(queue),
      api_(api),
      controllers_(controllers),
      brain_(brain),
      link_(link),
      mirror_(queue, api, link, brain.config(), settings, jitter),
      pipeline_(queue, api, brain, link, recorder, settings, faults, jitter) {
  brain_.OnDirective([this](const Directive& directive) { link_.Down(directive); });
  link_.OnDirective([this](const Directive& directive) { Carry(directive); });
  link_.OnBroken([this] { CutStream(); });
}

void Adapter::Connect() {
  if (streaming_ || down_ || brain_.down()) return;
  pipeline_.DropUnreleased();
  streaming_ = true;
  link_.Open();
  ++epoch_;
  brain_.Send(phalanx::Connect{epoch_, fmt::format("sim-{}", epoch_)});
  mirror_.SendSnapshot();
  for (const MemberFact& fact : pipeline_.ReleasedMembers()) link_.UpInOrder(fact);
  link_.UpInOrder(Leadership{leads_});
  link_.UpInOrder(SyncDone{});
  link_.EndSnapshot();
}

void Adapter::EndStream() {
  if (streaming_) ++streams_;
  streaming_ = false;
  link_.Close();
  mirror_.Stop();
  brain_.Send(Disconnect{});
}

void Adapter::ConnectAfter(Duration pause) {
  queue_.After(pause, [this] { Connect(); });
}

void Adapter::CutStream() {
  if (!streaming_) return;
  EndStream();
  ConnectAfter(kReconnect);
}

void Adapter::SetLeading(bool leads) {
  if (leads == leads_) return;
  leads_ = leads;
  pipeline_.SetLeading(leads);
  if (streaming_) link_.UpInOrder(Leadership{leads});
}

void Adapter::Restart(const sim::Restart& restart) {
  switch (restart.process) {
    case Process::kAdapter:
      return RestartAdapter(restart.down);
    case Process::kBrain:
      return RestartBrain(restart.down);
    case Process::kBoth:
      return ChangeLeader(std::max(restart.down, kLeastDown), {});
    case Process::kLeader:
      return ChangeLeader(restart.down, restart.slow);
  }
}

void Adapter::RestartAdapter(Duration down) {
  if (down_) return;
  down_ = true;
  pipeline_.Stop({});
  EndStream();
  queue_.After(std::max(down, kLeastDown), [this] {
    down_ = false;
    pipeline_.Start();
    Connect();
  });
}

void Adapter::RestartBrain(Duration down) {
  if (brain_.down()) return;
  brain_.Stop();
  EndStream();
  queue_.After(kBrainGrace, [this, streams = streams_] {
    if (streams == streams_ && !streaming_) pipeline_.DropUnreleased();
  });
  queue_.After(down, [this] {
    brain_.Start();
    Connect();
  });
}

void Adapter::ChangeLeader(Duration down, Duration slow) {
  if (down_ || brain_.down()) return;
  down_ = true;
  pipeline_.Stop(slow);
  brain_.Stop();
  EndStream();
  queue_.After(down, [this] {
    down_ = false;
    brain_.Start();
    pipeline_.Start();
    Connect();
  });
}

// As one does that does not lead: nothing enters the queue.
void Adapter::Refuse(const Admit& admit) {
  for (const AdmitMember& member : admit.members) {
    link_.Up(MemberFact{member.pod_uid, admit.plan, member.node, MemberState::kReturned, 0, ""});
  }
}

void Adapter::Carry(const Directive& directive) {
  if (!connected()) return;
  if (const auto* admit = std::get_if<Admit>(&directive.body)) {
    if (!leads_) return Refuse(*admit);
    pipeline_.Carry(*admit);
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
  Report(result);
}

void Adapter::Report(const DirectiveResult& result) { link_.Up(result); }

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
