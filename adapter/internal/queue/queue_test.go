package queue

import (
	"context"
	"errors"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	upstream "k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/queuesort"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
	st "k8s.io/kubernetes/pkg/scheduler/testing"

	"phalanx.dev/adapter/internal/admit"
	pb "phalanx.dev/adapter/internal/gen/phalanx/v1alpha1"
	"phalanx.dev/adapter/internal/held"
)

type reports struct {
	facts     []*pb.MemberFact
	conflicts []*pb.Conflict
}

func (r *reports) Fact(f *pb.MemberFact)   { r.facts = append(r.facts, f) }
func (r *reports) Conflict(c *pb.Conflict) { r.conflicts = append(r.conflicts, c) }

type bench struct {
	*Queue
	real  *upstream.PriorityQueue
	table *admit.Table
	class *held.Classifier
	ctx   context.Context
}

func newBench(t *testing.T) *bench {
	metrics.Register()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	b := &bench{table: admit.NewTable(), ctx: ctx,
		class: held.NewClassifier(held.Rules{LabelKeys: []string{"phalanx.dev/gang"}}),
		real:  upstream.NewTestQueue(ctx, (&queuesort.PrioritySort{}).Less)}
	b.Queue = New(b.real, b.table, b.class)
	return b
}

func (b *bench) active() []string {
	var names []string
	for _, pod := range b.real.PodsInActiveQ() {
		names = append(names, pod.Name)
	}
	return names
}

func (b *bench) expect(t *testing.T, when string, want ...string) {
	t.Helper()
	got := b.active()
	if len(got) != len(want) || len(want) == 1 && got[0] != want[0] {
		t.Errorf("%s: the real queue has %v, want %v", when, got, want)
	}
}

func (b *bench) admit(uid types.UID, plan uint64) {
	for _, uid := range b.table.Admit([]admit.Assignment{{UID: uid, Plan: plan, Node: "n1"}}) {
		b.Promote(b.ctx, uid)
	}
}

func gangPod(name string) *v1.Pod {
	return st.MakePod().Name(name).UID(name).Namespace("ns").Label("phalanx.dev/gang", "g").Obj()
}

func loosePod(name string) *v1.Pod { return st.MakePod().Name(name).UID(name).Namespace("ns").Obj() }

func TestHeldPodsStayOutsideUntilAdmitted(t *testing.T) {
	b := newBench(t)
	b.Add(b.ctx, gangPod("g1"))
	b.expect(t, "after Add of a held pod")
	updated := gangPod("g1")
	updated.ResourceVersion = "2"
	b.Update(b.ctx, gangPod("g1"), updated)
	b.expect(t, "after Update of a held pod")
	b.admit("g1", 7)
	b.expect(t, "after Admit", "g1")
	if got := b.real.PodsInActiveQ()[0].ResourceVersion; got != "2" {
		t.Errorf("version %q entered, want the updated one", got)
	}
	b.admit("g1", 7)
	b.expect(t, "after the same Admit once more", "g1")
}

func TestLoosePodsPass(t *testing.T) {
	b := newBench(t)
	b.Add(b.ctx, loosePod("l1"))
	b.expect(t, "after Add of a loose pod", "l1")
	b.Delete(klog.Background(), loosePod("l1"))
	b.expect(t, "after its Delete")
}

func TestAdmitBeforeAdd(t *testing.T) {
	b := newBench(t)
	b.admit("g1", 7)
	b.expect(t, "after Admit of a pod that the scheduler has not seen")
	b.Add(b.ctx, gangPod("g1"))
	b.expect(t, "after Add", "g1")
}

func TestDeletedPodIsNotLetIn(t *testing.T) {
	b := newBench(t)
	b.Add(b.ctx, gangPod("g1"))
	b.Delete(klog.Background(), gangPod("g1"))
	b.admit("g1", 7)
	b.expect(t, "after Delete and Admit")
}

func TestRecallTakesOut(t *testing.T) {
	b := newBench(t)
	b.Add(b.ctx, gangPod("g1"))
	b.admit("g1", 7)
	b.Recall(klog.Background(), "g1")
	b.expect(t, "Recall of a pod that is still admitted", "g1")
	b.table.Withdraw(7, nil, "test")
	b.Recall(klog.Background(), "g1")
	b.expect(t, "Recall after its plan was withdrawn")
	updated := gangPod("g1")
	updated.ResourceVersion = "2"
	b.Update(b.ctx, gangPod("g1"), updated)
	b.expect(t, "an update of a recalled pod")
}

// The window in which the cache has forgotten the pod and the failure handler has not run yet.
func TestUpdateOfALeavingPodIsHeld(t *testing.T) {
	b := newBench(t)
	b.Add(b.ctx, gangPod("g1"))
	b.admit("g1", 7)
	b.pop(t)
	b.table.BeginCycle("g1")
	_ = b.table.Reserve("g1", 7, "n1")
	b.real.Done("g1") // as before PreBind
	b.table.Leaving("g1")
	updated := gangPod("g1")
	updated.ResourceVersion = "2"
	b.Update(b.ctx, gangPod("g1"), updated)
	b.expect(t, "after an update of a leaving pod")
}

func TestLabelGainedAndLost(t *testing.T) {
	b := newBench(t)
	b.Add(b.ctx, loosePod("p"))
	b.Update(b.ctx, loosePod("p"), gangPod("p"))
	b.expect(t, "after the pod got the label")
	b.Update(b.ctx, gangPod("p"), loosePod("p"))
	b.expect(t, "after it lost the label", "p")
}

func TestReclassify(t *testing.T) {
	b := newBench(t)
	b.Add(b.ctx, gangPod("g"))
	b.Add(b.ctx, loosePod("l"))
	b.class.Set(held.Rules{AnnotationKeys: []string{"*"}})
	annotated := st.MakePod().Name("l").UID("l").Namespace("ns").Annotation("a", "b").Obj()
	b.Reclassify(b.ctx, []*v1.Pod{gangPod("g"), annotated})
	b.expect(t, "after the rules changed sides", "g")
}

func (b *bench) pop(t *testing.T) *framework.QueuedPodInfo {
	t.Helper()
	entity, err := b.real.Pop(klog.Background())
	if err != nil {
		t.Fatal(err)
	}
	return entity.(*framework.QueuedPodInfo)
}

func fitError(node string, status *fwk.Status) *fwk.Status {
	fit := &framework.FitError{NumAllNodes: 1, Diagnosis: framework.Diagnosis{NodeToStatus: framework.NewDefaultNodeToStatus()}}
	fit.Diagnosis.NodeToStatus.Set(node, status)
	return fwk.NewStatus(fwk.Unschedulable).WithError(fit)
}

func TestFailureOfAnAdmittedPodIsAConflict(t *testing.T) {
	refusal := fwk.NewStatus(fwk.Unschedulable, "Insufficient nvidia.com/gpu").WithPlugin("NodeResourcesFit")
	for _, c := range []struct {
		name, plugin string
		status       *fwk.Status
	}{
		{"a filter", "NodeResourcesFit", fitError("n1", refusal)},
		{"an error of PreBind", "VolumeBinding", fwk.AsStatus(errors.New(`running PreBind plugin "VolumeBinding": timed out`))},
	} {
		b, r := newBench(t), &reports{}
		b.Add(b.ctx, gangPod("g1"))
		b.admit("g1", 7)
		info := b.pop(t)
		b.table.BeginCycle("g1")
		handler := b.FailureHandler(nil, r)
		handler(b.ctx, nil, info, c.status, nil, time.Now())
		if len(r.conflicts) != 1 || r.conflicts[0].Plugin != c.plugin || r.conflicts[0].Plan != 7 || r.conflicts[0].NodeName != "n1" {
			t.Errorf("%s: conflicts %v, want one of %s", c.name, r.conflicts, c.plugin)
		}
		if len(r.facts) != 1 || r.facts[0].State != pb.MemberFact_STATE_RETURNED || r.facts[0].Plan != 7 {
			t.Errorf("%s: facts %v, want RETURNED of plan 7", c.name, r.facts)
		}
		b.expect(t, c.name+": after the failure")
		if n := len(b.real.InFlightPods()); n != 0 {
			t.Errorf("%s: %d pods are in flight for ever", c.name, n)
		}
		b.admit("g1", 8)
		b.expect(t, c.name+": after the next plan", "g1")
	}
}

func TestWithdrawnMemberReportsReturnedOnly(t *testing.T) {
	b, r := newBench(t), &reports{}
	b.Add(b.ctx, gangPod("g1"))
	b.admit("g1", 7)
	info := b.pop(t)
	b.table.BeginCycle("g1")
	_ = b.table.Reserve("g1", 7, "n1")
	b.table.Withdraw(7, nil, "a sibling failed")
	b.table.Leaving("g1")
	b.FailureHandler(nil, r)(b.ctx, nil, info, fwk.NewStatus(fwk.Unschedulable, "x"), nil, time.Now())
	if len(r.conflicts) != 0 || len(r.facts) != 1 {
		t.Errorf("conflicts %v, facts %v; want RETURNED alone", r.conflicts, r.facts)
	}
}

func TestLooseFailureGoesToTheScheduler(t *testing.T) {
	b, r, called := newBench(t), &reports{}, false
	original := func(context.Context, framework.Framework, *framework.QueuedPodInfo, *fwk.Status, *fwk.NominatingInfo, time.Time) {
		called = true
	}
	b.Add(b.ctx, loosePod("l1"))
	b.FailureHandler(original, r)(b.ctx, nil, b.pop(t), fwk.NewStatus(fwk.Unschedulable), nil, time.Now())
	if !called || len(r.facts) != 0 {
		t.Errorf("called %v, facts %v; want upstream's handler alone", called, r.facts)
	}
}

func TestHeldPodNeverGoesBackAsUnschedulable(t *testing.T) {
	b := newBench(t)
	b.Add(b.ctx, gangPod("g1"))
	b.admit("g1", 7)
	info := b.pop(t)
	b.table.Withdraw(7, nil, "test")
	if err := b.AddUnschedulablePodIfNotPresent(klog.Background(), info, 1); err != nil {
		t.Fatal(err)
	}
	if n := len(b.real.UnschedulablePods()); n != 0 {
		t.Errorf("%d unschedulable pods, want none", n)
	}
	b.admit("g1", 8)
	b.expect(t, "after the next plan", "g1")
}
