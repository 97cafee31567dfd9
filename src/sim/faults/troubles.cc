// What goes wrong, one function for each kind. Everything is over when the time of trouble is.
#include <algorithm>

#include "sim/faults/plan_writer.h"

namespace phalanx::sim {
namespace {

// A stretch within the time of trouble.
struct Span {
  int64_t from = 0;
  int64_t to = 0;
};
Span DrawSpan(PlanWriter& w, int64_t most) {
  const int64_t from = w.Draw(0, kTroubleMs - 1);
  return {from, std::min(kTroubleMs, from + w.Draw(1, most))};
}
int64_t DrawTime(PlanWriter& w) { return w.Draw(0, kTroubleMs); }

// ---- pods

void DeletePod(PlanWriter& w) { w.Line("delete pod {} at={}ms", w.SomePod(), DrawTime(w)); }
void FailPod(PlanWriter& w) { w.Line("fail pod {} at={}ms", w.SomePod(), DrawTime(w)); }

void CancelGang(PlanWriter& w) {
  PlannedGang& gang = w.OneOf(w.gangs);
  if (gang.cancelled) return FailPod(w);
  gang.cancelled = true;
  w.Line("delete gang {} at={}ms", gang.name, gang.complete_ms + w.Draw(0, 20'000));
}

void AddForeign(PlanWriter& w) {
  const Span span = DrawSpan(w, 30'000);
  const PlannedNode& node = w.OneOf(w.nodes);
  w.Line("foreign f{} node={} gpu={} at={}ms runs={}ms", w.plan.text.size(), node.name,
         w.Draw(1, node.gpus), span.from, span.to - span.from);
}

// ---- nodes

void Cordon(PlanWriter& w) {
  const Span span = DrawSpan(w, 30'000);
  const std::string node = w.OneOf(w.nodes).name;
  w.Line("cordon {} at={}ms", node, span.from);
  w.Line("uncordon {} at={}ms", node, span.to);
}

void Flap(PlanWriter& w) {
  const std::string node = w.OneOf(w.nodes).name;
  int64_t at = w.Draw(0, kTroubleMs / 2);
  for (int64_t times = w.Draw(1, 4); times > 0; --times) {
    w.Line("notready {} at={}ms", node, at);
    at += w.Draw(1, 3000);
    w.Line("ready {} at={}ms", node, at);
    at += w.Draw(1, 3000);
  }
}

// The node goes, and another one comes under its name.
void ReplaceNode(PlanWriter& w) {
  const Span span = DrawSpan(w, 20'000);
  const PlannedNode& node = w.OneOf(w.nodes);
  w.Line("delete node {} at={}ms", node.name, span.from);
  w.Line("node {} rack={} gpu={} at={}ms", node.name, node.rack, node.gpus, span.to);
}

void Shrink(PlanWriter& w) {
  const Span span = DrawSpan(w, 20'000);
  const PlannedNode& node = w.OneOf(w.nodes);
  w.Line("set node {} gpu={} at={}ms", node.name, w.Draw(0, node.gpus - 1), span.from);
  w.Line("set node {} gpu={} at={}ms", node.name, node.gpus, span.to);
}

// ---- the scheduler, the API server and the kubelets say no

void PluginRefuses(PlanWriter& w) {
  static const char* const kStages[] = {"filter", "reserve", "prebind"};
  const Span span = DrawSpan(w, 30'000);
  w.Line("refuse plugin=Trouble stage={} node={} times={} at={}ms until={}ms{}",
         kStages[w.Draw(0, 2)], w.OneOf(w.nodes).name, w.Draw(1, 4), span.from, span.to,
         w.Chance(20) ? " pod-refused" : "");
}

void BindRefused(PlanWriter& w) {
  static const int kCodes[] = {400, 403, 404, 422};
  const Span span = DrawSpan(w, 30'000);
  w.Line("refuse-bind node={} code={} times={} at={}ms until={}ms", w.OneOf(w.nodes).name,
         kCodes[w.Draw(0, 3)], w.Draw(1, 2), span.from, span.to);
}

void BindBusy(PlanWriter& w) {
  static const int kCodes[] = {408, 429, 500, 503};
  const Span span = DrawSpan(w, 15'000);
  w.Line("refuse-bind code={} times={} at={}ms until={}ms", kCodes[w.Draw(0, 3)], w.Draw(1, 40),
         span.from, span.to);
}

// Done or not: the answer does not say.
void BindUnanswered(PlanWriter& w) {
  const Span span = DrawSpan(w, 15'000);
  w.Line("refuse-bind code={}{} times={} at={}ms until={}ms", w.Chance(70) ? 0 : 504,
         w.Chance(70) ? " commits" : "", w.Draw(1, 20), span.from, span.to);
}

void KubeletRefuses(PlanWriter& w) {
  const Span span = DrawSpan(w, 30'000);
  w.Line("refuse-pod node={} times={} at={}ms until={}ms", w.OneOf(w.nodes).name, w.Draw(1, 4),
         span.from, span.to);
}

// ---- processes

void RestartAdapter(PlanWriter& w) {
  w.Line("restart adapter at={}ms down={}ms", DrawTime(w), w.Draw(1000, 8000));
}
void RestartBrain(PlanWriter& w) {
  w.Line("restart brain at={}ms down={}ms", DrawTime(w), w.Draw(0, 8000));
}
void RestartBoth(PlanWriter& w) {
  w.Line("restart both at={}ms down={}ms", DrawTime(w), w.Draw(1000, 8000));
}
void ChangeLeader(PlanWriter& w) {
  const int64_t down = w.Draw(50, 4000);
  w.Line("restart leader at={}ms down={}ms slow={}ms", DrawTime(w), down, down + w.Draw(0, 1000));
}
void LoseLead(PlanWriter& w) {
  const Span span = DrawSpan(w, 10'000);
  w.Line("lead lost at={}ms", span.from);
  w.Line("lead held at={}ms", span.to);
}

// ---- messages, caches, clocks

void CutStream(PlanWriter& w) { w.Line("cut at={}ms", DrawTime(w)); }
void MessagesLate(PlanWriter& w) {
  const Span span = DrawSpan(w, 20'000);
  w.Line("messages late={}ms at={}ms until={}ms", w.Draw(1, 1500), span.from, span.to);
}
void MessagesTwice(PlanWriter& w) {
  const Span span = DrawSpan(w, 20'000);
  w.Line("messages twice={} late={}ms at={}ms until={}ms", w.Draw(1, 60), w.Draw(0, 300), span.from,
         span.to);
}
void MessagesLost(PlanWriter& w) {
  const Span span = DrawSpan(w, 10'000);
  w.Line("messages lost={} late={}ms at={}ms until={}ms", w.Draw(1, 5), w.Draw(0, 100), span.from,
         span.to);
}
void StaleCache(PlanWriter& w) {
  const Span span = DrawSpan(w, 15'000);
  w.Line("latency watch={}ms at={}ms", w.Draw(500, 5000), span.from);
  w.Line("latency watch={}ms at={}ms", w.Draw(0, 20), span.to);
}
void JumpClock(PlanWriter& w) {
  w.Line("clock {}={}ms at={}ms", w.Chance(50) ? "ahead" : "back", w.Draw(1, 7'200'000),
         DrawTime(w));
}

struct Kind {
  const char* name;
  void (*add)(PlanWriter&);
};

constexpr Kind kKinds[] = {
    {"pod-deleted", DeletePod},
    {"pod-failed", FailPod},
    {"gang-cancelled", CancelGang},
    {"foreign-pod", AddForeign},
    {"node-cordoned", Cordon},
    {"node-flaps", Flap},
    {"node-replaced", ReplaceNode},
    {"node-shrinks", Shrink},
    {"plugin-refuses", PluginRefuses},
    {"bind-refused", BindRefused},
    {"bind-busy", BindBusy},
    {"bind-unanswered", BindUnanswered},
    {"kubelet-refuses", KubeletRefuses},
    {"adapter-restart", RestartAdapter},
    {"brain-restart", RestartBrain},
    {"both-restart", RestartBoth},
    {"leader-change", ChangeLeader},
    {"lead-lost", LoseLead},
    {"stream-cut", CutStream},
    {"messages-late", MessagesLate},
    {"messages-twice", MessagesTwice},
    {"messages-lost", MessagesLost},
    {"cache-stale", StaleCache},
    {"clock-jump", JumpClock},
};

}  // namespace

void AddTrouble(PlanWriter& writer) {
  const Kind& kind = kKinds[writer.Draw(0, static_cast<int64_t>(std::size(kKinds)) - 1)];
  kind.add(writer);
  ++writer.plan.faults[kind.name];
}

}  // namespace phalanx::sim
