// Package plugin is the scheduler plugin Phalanx: it asks the brain at each extension point and
// carries out what a plan says. It decides nothing.
//
// Its place in a profile matters: first of the Filter, PostFilter and Reserve plugins, last of the
// PreBind plugins, the only Bind plugin.
package plugin

import (
	"context"
	"errors"
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"phalanx.dev/adapter/internal/admit"
	"phalanx.dev/adapter/internal/brain"
	"phalanx.dev/adapter/internal/config"
	pb "phalanx.dev/adapter/internal/gen/phalanx/v1alpha1"
	"phalanx.dev/adapter/internal/held"
	"phalanx.dev/adapter/internal/lease"
	"phalanx.dev/adapter/internal/metrics"
	"phalanx.dev/adapter/internal/queue"
)

// Shared is what all profiles of the process have in common: one brain, one admitted set.
type Shared struct {
	Args   *config.PhalanxArgs
	Brain  *brain.Client
	Table  *admit.Table
	Class  *held.Classifier
	Lease  *lease.Lease
	Report queue.Reporter
	Gate   *BindGate
	Rule   *ScoreRule
}

// Plugin is one profile's instance.
type Plugin struct {
	*Shared
	handle     fwk.Handle
	nodes      corelisters.NodeLister
	unanswered flowcontrol.PassiveRateLimiter // of its log lines: a few, then one each 5 s
}

// New makes the instance of a profile.
func New(shared *Shared, handle fwk.Handle) *Plugin {
	return &Plugin{Shared: shared, handle: handle, unanswered: flowcontrol.NewTokenBucketPassiveRateLimiter(0.2, 3),
		nodes: handle.SharedInformerFactory().Core().V1().Nodes().Lister()}
}

// Name implements fwk.Plugin.
func (p *Plugin) Name() string { return config.PluginName }

// EventsToRegister names none: held pods never wait in the scheduler's queue. Without this method
// every event would wake them.
func (p *Plugin) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	return nil, nil
}

// SignPod keeps members out of batches: placing one changes where the next may go. Loose pods are
// alike to us, whatever they are.
func (p *Plugin) SignPod(_ context.Context, pod *v1.Pod) ([]fwk.SignFragment, *fwk.Status) {
	if p.Class.Held(pod) {
		return nil, fwk.NewStatus(fwk.Unschedulable, "a member is placed by its plan")
	}
	return []fwk.SignFragment{{Key: "phalanx.dev/loose", Value: true}}, nil
}

const planKey fwk.StateKey = "phalanx.dev/plan"

// cycle is what the plan says under which a scheduling cycle began.
type cycle struct {
	admit.Assignment
	bound string // where Bind found the pod in the end
}

// Clone implements fwk.StateData.
func (c *cycle) Clone() fwk.StateData { return c }

// member returns nil for a loose pod. What a pod is was settled by PreFilter: the rules may have
// changed since, and a pod that has become held then fails.
func (p *Plugin) member(state fwk.CycleState, pod *v1.Pod) (*cycle, error) {
	data, err := state.Read(planKey)
	switch {
	case err == nil:
		return data.(*cycle), nil
	case p.Class.Held(pod):
		return nil, errors.New("held since its cycle began")
	}
	return nil, nil
}

func refuse(format string, args ...any) *fwk.Status {
	return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, fmt.Sprintf(format, args...))
}

// PreFilter narrows a member to its planned node. Admit has told it already; only a pod without a
// current plan is asked about.
func (p *Plugin) PreFilter(ctx context.Context, state fwk.CycleState, pod *v1.Pod, _ []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	if !p.Class.Held(pod) {
		return nil, fwk.NewStatus(fwk.Skip)
	}
	a, ok := p.Table.BeginCycle(pod.UID)
	if !ok {
		return nil, refuse("held: %s", p.whyHeld(ctx, pod.UID))
	}
	if why := p.nodeChanged(a); why != "" {
		p.ours(a, pb.Conflict_STAGE_FILTER, why, false)
		return nil, refuse("%s", why)
	}
	state.Write(planKey, &cycle{Assignment: a})
	return &fwk.PreFilterResult{NodeNames: sets.New(a.Node)}, nil
}

// PreFilterExtensions implements fwk.PreFilterPlugin: the plan does not depend on other pods.
func (p *Plugin) PreFilterExtensions() fwk.PreFilterExtensions { return nil }

func (p *Plugin) whyHeld(ctx context.Context, uid types.UID) string {
	answer, err := p.Brain.Filter(ctx, string(uid))
	switch {
	case err != nil:
		return err.Error()
	case answer.Verdict == pb.FilterResponse_VERDICT_NODE:
		return fmt.Sprintf("plan %d has not arrived yet", answer.Plan)
	case answer.Reason != "":
		return answer.Reason
	}
	return "the brain has not admitted it"
}

// nodeChanged compares the planned node with the one that exists: the API server would bind even to
// a node that does not.
func (p *Plugin) nodeChanged(a admit.Assignment) string {
	node, err := p.nodes.Get(a.Node)
	switch {
	case err != nil:
		return fmt.Sprintf("node %q of plan %d is gone", a.Node, a.Plan)
	case a.NodeUID != "" && node.UID != a.NodeUID:
		return fmt.Sprintf("node %q of plan %d was created again: UID %q, planned %q", a.Node, a.Plan, node.UID, a.NodeUID)
	}
	return ""
}

// ours notes a finding of the adapter itself, for the failure handler to report.
func (p *Plugin) ours(a admit.Assignment, stage pb.Conflict_Stage, message string, podRefused bool) {
	p.Table.Cause(a.UID, &pb.Conflict{PodUid: string(a.UID), Plan: a.Plan, NodeName: a.Node,
		Plugin: config.PluginName, Message: message, Stage: stage, PodRefused: podRefused})
}

// Filter refuses every node but the planned one. A nominated node is tried without regard to what
// PreFilter said.
func (p *Plugin) Filter(_ context.Context, state fwk.CycleState, pod *v1.Pod, info fwk.NodeInfo) *fwk.Status {
	c, err := p.member(state, pod)
	if err != nil {
		return refuse("%v", err)
	}
	if c != nil && info.Node().Name != c.Node {
		return refuse("plan %d says node %q", c.Plan, c.Node)
	}
	return nil
}

// PostFilter nominates nothing, and clears what was nominated. It answers plain Unschedulable, so that
// the plugins after it still give back what they hold.
func (p *Plugin) PostFilter(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ fwk.NodeToStatusReader) (*fwk.PostFilterResult, *fwk.Status) {
	if !p.Class.Held(pod) {
		return nil, fwk.NewStatus(fwk.Unschedulable)
	}
	cleared := &fwk.NominatingInfo{NominatingMode: fwk.ModeOverride}
	return &fwk.PostFilterResult{NominatingInfo: cleared}, fwk.NewStatus(fwk.Unschedulable)
}

// Reserve refuses what is not the plan, here and in the brain.
func (p *Plugin) Reserve(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
	c, err := p.member(state, pod)
	if c == nil && err == nil {
		return nil
	}
	if err == nil {
		err = p.Table.Reserve(pod.UID, c.Plan, node)
	}
	if err != nil {
		return refuse("%v", err)
	}
	answer, err := p.Brain.Reserve(ctx, string(pod.UID), c.Plan, node)
	return p.judge(ctx, pod, c, pb.Conflict_STAGE_RESERVE, err, err != nil || answer.Accepted, answer.GetReason())
}

// judge turns the answer of a call about a member into a status, and notes the cause of a refusal.
// A brain that did not answer in time has refused neither the pod nor the node: the member comes back,
// and its gang is planned again a little later.
func (p *Plugin) judge(ctx context.Context, pod *v1.Pod, c *cycle, stage pb.Conflict_Stage, err error, accepted bool, reason string) *fwk.Status {
	switch {
	case err != nil && brain.ActionOf(err) != brain.Reject:
		at := metrics.Stage(stage)
		metrics.Unanswered.WithLabelValues(at).Inc()
		reason = fmt.Sprintf("no answer of the brain at %s: %v", at, err)
		if p.unanswered.TryAccept() {
			klog.FromContext(ctx).Info("No answer of the brain, the member comes back", "pod", klog.KObj(pod), "stage", at, "err", err)
		}
		p.Table.Explained(pod.UID, reason)
		return fwk.NewStatus(fwk.Unschedulable, reason)
	case err != nil:
		reason = fmt.Sprintf("the brain rejects the call: %v", err)
	case accepted:
		return nil
	}
	p.ours(c.Assignment, stage, reason, true)
	return fwk.NewStatus(fwk.Unschedulable, reason)
}

// Unreserve tells the brain, without waiting; the room counts as free only after RETURNED.
func (p *Plugin) Unreserve(ctx context.Context, _ fwk.CycleState, pod *v1.Pod, node string) {
	if a, ok := p.Table.Leaving(pod.UID); ok && p.Brain.Epoch() != 0 {
		go func() { // an error changes nothing: the fact RETURNED follows
			_ = p.Brain.Unreserve(context.WithoutCancel(ctx), string(pod.UID), a.Plan, node)
		}()
	}
}

// Permit is the gang barrier: it holds the slow and hard to undo work of other PreBind plugins back
// until every member has its room.
func (p *Plugin) Permit(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node string) (*fwk.Status, time.Duration) {
	c, err := p.member(state, pod)
	if err != nil {
		return refuse("%v", err), 0
	}
	if c == nil {
		return nil, 0
	}
	answer, err := p.Brain.Permit(ctx, string(pod.UID), c.Plan, node)
	if status := p.judge(ctx, pod, c, pb.Conflict_STAGE_PERMIT, err,
		err != nil || answer.Verdict != pb.PermitResponse_VERDICT_REJECT, answer.GetReason()); status != nil {
		return status, 0
	}
	wait, err := p.Table.Wait(pod.UID, c.Plan, p.handle, answer.Verdict == pb.PermitResponse_VERDICT_ALLOW)
	switch {
	case err != nil:
		return fwk.NewStatus(fwk.Unschedulable, err.Error()), 0
	case wait:
		return fwk.NewStatus(fwk.Wait), permitTimeout(answer.TimeoutMs)
	}
	return nil, 0
}

// permitTimeout keeps to what the framework allows; 0 in the answer means the most.
func permitTimeout(ms int64) time.Duration {
	const most = 15 * time.Minute
	if ms <= 0 || ms > most.Milliseconds() {
		return most
	}
	return time.Duration(ms) * time.Millisecond
}
