package app

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"

	pb "phalanx.dev/adapter/internal/gen/phalanx/v1alpha1"
)

// start admits g1 and g2 under the plan, and waits until the brain knows both.
func (w *world) start(plan uint64, n1, n2 string) {
	w.t.Helper()
	w.eventually("the brain knows both members", func() bool {
		pods := w.brain.pods(w.brain.epochs.Load())
		return pods["g1"] != nil && pods["g2"] != nil
	})
	w.brain.admit(plan, map[string]string{"g1": n1, "g2": n2})
}

// prepare opens the gang barrier and waits until both are at the second one.
func (w *world) prepare(plan uint64) {
	w.t.Helper()
	w.brain.release(plan, pb.Release_STAGE_PREPARE)
	for _, uid := range []string{"g1", "g2"} {
		w.brain.awaitFact(uid, plan, pb.MemberFact_STATE_PREPARED)
	}
}

func (w *world) returned(plan uint64) {
	w.t.Helper()
	for _, uid := range []string{"g1", "g2"} {
		w.brain.awaitFact(uid, plan, pb.MemberFact_STATE_RETURNED)
	}
}

func TestGangBindsThroughBothBarriers(t *testing.T) {
	w := newWorld(t, gpuNode("n1"), gpuNode("n2"), gpuNode("n3"))
	w.create(member("g1").Obj(), member("g2").Obj())
	w.start(7, "n2", "n3")
	w.prepare(7)
	if name := w.get("g1").Spec.NodeName; name != "" {
		t.Fatalf("g1 is bound to %q before Release{BIND}", name)
	}
	w.brain.release(7, pb.Release_STAGE_BIND)
	w.bound("g1", "n2")
	w.bound("g2", "n3")
	for _, uid := range []string{"g1", "g2"} {
		w.brain.awaitFact(uid, 7, pb.MemberFact_STATE_BOUND)
		written := w.get(uid).Annotations
		if written["phalanx.dev/gang"] != "g" || written["phalanx.dev/gang-size"] != "2" || written["phalanx.dev/plan"] != "7" ||
			written["phalanx.dev/rank"] == "" || written["phalanx.dev/domain"] != "rack/r1" {
			t.Errorf("%s carries %v", uid, written)
		}
	}
	w.eventually("the admitted set is empty", func() bool { return len(w.shared.Table.Facts()) == 0 })
}

// Release{PREPARE} and {BIND} come before any pod has reached a barrier.
func TestReleasesBeforeThePods(t *testing.T) {
	w := newWorld(t, gpuNode("n1"), gpuNode("n2"))
	w.create(member("g1").Obj(), member("g2").Obj())
	w.start(7, "n1", "n2")
	w.brain.release(7, pb.Release_STAGE_PREPARE)
	w.brain.release(7, pb.Release_STAGE_BIND)
	w.bound("g1", "n1")
	w.bound("g2", "n2")
}

func TestRejectAtTheFirstBarrier(t *testing.T) {
	w := newWorld(t, gpuNode("n1"), gpuNode("n2"))
	w.create(member("g1").Obj(), member("g2").Obj())
	w.start(7, "n1", "n2")
	w.eventually("both wait in Permit", func() bool { return w.shared.Table.Unfinished(false) == 2 })
	w.brain.reject(7)
	w.returned(7)
	w.start(8, "n2", "n1")
	w.prepare(8)
	w.brain.release(8, pb.Release_STAGE_BIND)
	w.bound("g1", "n2")
	w.bound("g2", "n1")
}

// Reject after Allow is lost in the framework: PreBind has to see it.
func TestRejectAtTheSecondBarrier(t *testing.T) {
	w := newWorld(t, gpuNode("n1"), gpuNode("n2"))
	w.create(member("g1").Obj(), member("g2").Obj())
	w.start(7, "n1", "n2")
	w.prepare(7)
	w.brain.reject(7)
	w.returned(7)
	w.brain.release(7, pb.Release_STAGE_BIND) // late, and of no plan
	if name := w.get("g1").Spec.NodeName; name != "" {
		t.Errorf("g1 is bound to %q under a withdrawn plan", name)
	}
}

func TestDeletedMemberLeavesPreBind(t *testing.T) {
	w := newWorld(t, gpuNode("n1"), gpuNode("n2"))
	w.create(member("g1").Obj(), member("g2").Obj())
	w.start(7, "n1", "n2")
	w.prepare(7)
	// A Job's pod carries a finalizer: only deletionTimestamp shows.
	dying := w.get("g1").DeepCopy()
	dying.DeletionTimestamp = &metav1.Time{Time: time.Now()}
	dying.Finalizers = []string{"batch.kubernetes.io/job-tracking"}
	dying.ResourceVersion = "99"
	if err := w.client.Tracker().Update(v1.SchemeGroupVersion.WithResource("pods"), dying, "ns"); err != nil {
		t.Fatal(err)
	}
	w.brain.awaitFact("g1", 7, pb.MemberFact_STATE_RETURNED)
	w.eventually("the brain hears of the deletion", func() bool { return w.brain.pods(1)["g1"].GetDeleting() })
}

func TestRefusedBindingIsReported(t *testing.T) {
	w := newWorld(t, gpuNode("n1"), gpuNode("n2"))
	w.client.PrependReactor("create", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
		create := action.(clienttesting.CreateAction)
		if binding, ok := create.GetObject().(*v1.Binding); ok && binding.Name == "g2" {
			return true, nil, apierrors.NewInvalid(v1.SchemeGroupVersion.WithKind("Binding").GroupKind(), "g2", nil)
		}
		return false, nil, nil
	})
	w.create(member("g1").Obj(), member("g2").Obj())
	w.start(7, "n1", "n2")
	w.prepare(7)
	w.brain.release(7, pb.Release_STAGE_BIND)
	if f := w.brain.awaitFact("g2", 7, pb.MemberFact_STATE_BIND_REFUSED); f.Code != 422 || f.Message == "" {
		t.Errorf("refusal %v, want code 422 with the message", f)
	}
	w.brain.awaitFact("g2", 7, pb.MemberFact_STATE_RETURNED)
	w.bound("g1", "n1")
}

// With dry_run in Admit a Binding that would be refused is known while nothing is bound.
func TestRefusedDryRunIsReportedBeforeAnythingIsBound(t *testing.T) {
	w := newWorld(t, gpuNode("n1"), gpuNode("n2"))
	var refuse atomic.Int64
	refuse.Store(1)
	// The fake client does not show options: the first Binding of a pod under a plan is the dry run.
	var tried sync.Map
	w.client.PrependReactor("create", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
		binding, ok := action.(clienttesting.CreateAction).GetObject().(*v1.Binding)
		if !ok {
			return false, nil, nil
		}
		if _, again := tried.LoadOrStore(binding.Name+"/"+binding.Annotations["phalanx.dev/plan"], true); again {
			return false, nil, nil
		}
		if binding.Name == "g2" && refuse.Load() == 1 {
			return true, nil, apierrors.NewInvalid(v1.SchemeGroupVersion.WithKind("Binding").GroupKind(), "g2", nil)
		}
		return true, binding, nil
	})
	w.create(member("g1").Obj(), member("g2").Obj())
	w.brain.dryRun.Store(true)
	w.start(7, "n1", "n2")
	w.brain.release(7, pb.Release_STAGE_PREPARE)
	w.brain.awaitFact("g1", 7, pb.MemberFact_STATE_PREPARED)
	if f := w.brain.awaitFact("g2", 7, pb.MemberFact_STATE_BIND_REFUSED); f.Code != 422 || f.Message == "" {
		t.Errorf("refusal %v, want code 422 with the message", f)
	}
	w.brain.reject(7)
	w.returned(7)
	w.brain.noConflict()
	if name := w.get("g1").Spec.NodeName; name != "" {
		t.Errorf("g1 is bound to %q by a dry run", name)
	}
	refuse.Store(0)
	w.start(8, "n1", "n2")
	w.prepare(8)
	w.brain.release(8, pb.Release_STAGE_BIND)
	w.bound("g1", "n1")
	w.bound("g2", "n2")
}

// The plan names a node on which another pod sits: the in-tree plugin's refusal is the conflict.
func TestConflictNamesThePlugin(t *testing.T) {
	occupant := loose("occupant").SchedulerName("default-scheduler").Node("n2").Req(map[v1.ResourceName]string{"nvidia.com/gpu": "8"}).Obj()
	w := newWorld(t, gpuNode("n1"), gpuNode("n2"), occupant)
	w.create(member("g1").Obj(), member("g2").Obj())
	w.start(7, "n1", "n2")
	c := w.brain.await("conflict", func(r *pb.SyncRequest) bool { return r.GetConflict() != nil }).GetConflict()
	if c.PodUid != "g2" || c.Plugin != "NodeResourcesFit" || c.NodeName != "n2" || c.Stage != pb.Conflict_STAGE_FILTER || c.PodRefused {
		t.Errorf("conflict %v", c)
	}
	w.brain.awaitFact("g2", 7, pb.MemberFact_STATE_RETURNED)
	for _, action := range w.client.Actions() {
		if action.GetVerb() == "patch" {
			t.Errorf("the failure was patched into a pod: %v", action)
		}
	}
}

func TestNodeCreatedAgainIsAConflict(t *testing.T) {
	again := gpuNode("n2")
	again.UID = "another"
	w := newWorld(t, gpuNode("n1"), again)
	w.create(member("g1").Obj(), member("g2").Obj())
	w.start(7, "n1", "n2")
	c := w.brain.await("conflict", func(r *pb.SyncRequest) bool { return r.GetConflict() != nil }).GetConflict()
	if c.PodUid != "g2" || c.Plugin != "Phalanx" || c.PodRefused {
		t.Errorf("conflict %v, want one of Phalanx about the node", c)
	}
}

// A nominated node is tried without regard to PreFilter: the local Filter has to refuse it.
func TestStaleNominationDoesNotBypassThePlan(t *testing.T) {
	w := newWorld(t, gpuNode("n1"), gpuNode("n2"), gpuNode("n3"))
	w.create(member("g1").NominatedNodeName("n3").Obj(), member("g2").Obj())
	w.start(7, "n1", "n2")
	w.prepare(7)
	w.brain.release(7, pb.Release_STAGE_BIND)
	w.bound("g1", "n1")
}

func TestReserveRefusedByTheBrain(t *testing.T) {
	w := newWorld(t, gpuNode("n1"), gpuNode("n2"))
	w.brain.reserve.Store(&pb.ReserveResponse{Reason: "plan 7 is old"})
	w.create(member("g1").Obj(), member("g2").Obj())
	w.start(7, "n1", "n2")
	c := w.brain.await("conflict", func(r *pb.SyncRequest) bool { return r.GetConflict() != nil }).GetConflict()
	if c.Plugin != "Phalanx" || c.Stage != pb.Conflict_STAGE_RESERVE || c.Message != "plan 7 is old" || !c.PodRefused {
		t.Errorf("conflict %v", c)
	}
	w.returned(7)
}

func TestLoosePodKeepsOffAccelerators(t *testing.T) {
	w := newWorld(t, gpuNode("n1"), plainNode("p1"), gpuNode("n2"))
	w.create(loose("l1").Obj())
	w.bound("l1", "p1")
	if len(w.get("l1").Annotations) != 0 {
		t.Errorf("a loose pod carries %v", w.get("l1").Annotations)
	}
}

func TestTerminationFinishesReleasedGangsOnly(t *testing.T) {
	w := newWorld(t, gpuNode("n1"), gpuNode("n2"))
	w.create(member("g1").Obj(), member("g2").Obj())
	w.start(7, "n1", "n2")
	w.prepare(7)
	w.drain(w.ctx, patience)
	w.returned(7)
	w.brain.admit(8, map[string]string{"g1": "n1", "g2": "n2"})
	w.returned(8)
	if name := w.get("g1").Spec.NodeName; name != "" {
		t.Errorf("g1 is bound to %q after the stop", name)
	}
}
