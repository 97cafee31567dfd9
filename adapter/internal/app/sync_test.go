package app

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clienttesting "k8s.io/client-go/testing"
	st "k8s.io/kubernetes/pkg/scheduler/testing"
	"k8s.io/utils/ptr"

	pb "phalanx.dev/adapter/internal/gen/phalanx/v1alpha1"
	"phalanx.dev/adapter/internal/lease"
)

func (w *world) knows(what string, epoch uint64, is func(map[string]*pb.Pod) bool) {
	w.t.Helper()
	w.eventually(what, func() bool { return is(w.brain.pods(epoch)) })
}

func (w *world) update(pod *v1.Pod) {
	w.t.Helper()
	if _, err := w.client.CoreV1().Pods(pod.Namespace).Update(w.ctx, pod, metav1.UpdateOptions{}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) remove(name string) {
	w.t.Helper()
	if err := w.client.CoreV1().Pods("ns").Delete(w.ctx, name, metav1.DeleteOptions{}); err != nil {
		w.t.Fatal(err)
	}
}

func TestSnapshotHasOursAndWhatHoldsResources(t *testing.T) {
	w := newWorld(t, gpuNode("n1"), plainNode("n2"),
		member("g1").Obj(),
		loose("foreign-bound").SchedulerName("default-scheduler").Node("n1").Obj(),
		loose("foreign-waiting").SchedulerName("default-scheduler").Obj())
	pods := w.brain.pods(1)
	if len(pods) != 2 || pods["g1"] == nil || pods["foreign-bound"] == nil {
		t.Errorf("the snapshot has %v, want g1 and foreign-bound", pods)
	}
	first := w.brain.messages()[0]
	hello := first.GetHello()
	if hello == nil || len(hello.SchedulerNames) != 1 || hello.SchedulerNames[0] != "phalanx" || first.Epoch != 0 {
		t.Errorf("the first message is %v, want Hello of epoch 0 for phalanx", first)
	}
	nodes := 0
	for _, r := range w.brain.messages() {
		nodes += len(r.GetChanges().GetNodes())
	}
	if nodes != 2 {
		t.Errorf("%d nodes in the snapshot, want 2", nodes)
	}
}

func TestSnapshotHasObjectsOfTheKindsThatTheBrainWants(t *testing.T) {
	group := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "PodGroup",
		"metadata": map[string]any{"namespace": "ns", "name": "g", "uid": "u1"}, "spec": map[string]any{"minMember": int64(3)}}}
	w := newWorld(t, gpuNode("n1"), group)
	for _, r := range w.brain.messages() { // up to SyncDone
		for _, object := range r.GetChanges().GetObjects() {
			if object.Key.Uid == "u1" && strings.Contains(string(object.Json), `"minMember":3`) {
				return
			}
		}
	}
	t.Errorf("the snapshot has no PodGroup: %v", w.brain.messages())
}

// 700 nodes with long labels do not fit the 64 KiB that this brain takes.
func TestFramesKeepToTheLimit(t *testing.T) {
	w := newWorld(t)
	for i := range 700 {
		node := gpuNode(fmt.Sprintf("node-%d", i))
		node.Labels = map[string]string{"phalanx.dev/text": fmt.Sprintf("%0200d", i)}
		w.outbox.Node(node)
	}
	count := func() (nodes, frames, largest int) {
		for _, r := range w.brain.messages() {
			if n := len(r.GetChanges().GetNodes()); n > 0 {
				nodes, frames, largest = nodes+n, frames+1, max(largest, proto.Size(r))
			}
		}
		return nodes, frames, largest
	}
	w.eventually("all nodes arrive", func() bool { n, _, _ := count(); return n == 700 })
	if _, frames, largest := count(); largest > 1<<16 || frames < 3 {
		t.Errorf("%d frames, the largest %d bytes; want several of at most 65536", frames, largest)
	}
}

func TestDeltas(t *testing.T) {
	w := newWorld(t, gpuNode("n1"))
	w.create(member("g1").Label("app", "x").Obj())
	w.knows("g1", 1, func(p map[string]*pb.Pod) bool { return p["g1"] != nil })
	if labels := w.brain.pods(1)["g1"].Labels; labels["app"] != "" || labels["phalanx.dev/gang"] != "g" {
		t.Errorf("labels %v travelled, want those that were asked for", labels)
	}
	changed := w.get("g1").DeepCopy()
	changed.Annotations = map[string]string{"phalanx.dev/gang-min": "1"}
	w.update(changed)
	w.knows("the annotation", 1, func(p map[string]*pb.Pod) bool { return p["g1"].GetAnnotations()["phalanx.dev/gang-min"] == "1" })
	w.remove("g1")
	w.knows("that g1 is gone", 1, func(p map[string]*pb.Pod) bool { return p["g1"] == nil })
}

func TestChangesThatDoNotTravelAreNotSent(t *testing.T) {
	w := newWorld(t, gpuNode("n1"))
	w.create(member("g1").Obj())
	w.knows("g1", 1, func(p map[string]*pb.Pod) bool { return p["g1"] != nil })
	touched := w.get("g1").DeepCopy()
	touched.Annotations = map[string]string{"other": "x"}
	w.update(touched)
	w.create(member("g2").Obj()) // comes after it
	w.knows("g2", 1, func(p map[string]*pb.Pod) bool { return p["g2"] != nil })
	sent := 0
	for _, r := range w.brain.messages() {
		for _, pod := range r.GetChanges().GetPods() {
			if pod.Uid == "g1" {
				sent++
			}
		}
	}
	if sent != 1 {
		t.Errorf("g1 was sent %d times, want once", sent)
	}
}

// A pod that ends leaves the scheduler's informer like one that was deleted.
func TestEndedPodIsNotTakenForDeleted(t *testing.T) {
	w := newWorld(t, gpuNode("n1"))
	w.create(member("g1").Node("n1").Phase(v1.PodRunning).Obj())
	w.knows("g1", 1, func(p map[string]*pb.Pod) bool { return p["g1"] != nil })
	failed := w.get("g1").DeepCopy()
	failed.Status.Phase, failed.Status.Reason = v1.PodFailed, "UnexpectedAdmissionError"
	w.update(failed)
	w.knows("that g1 failed", 1, func(p map[string]*pb.Pod) bool {
		return p["g1"].GetPhase() == pb.Pod_PHASE_FAILED && p["g1"].GetPhaseReason() == "UnexpectedAdmissionError"
	})
	w.remove("g1")
	w.knows("that g1 is gone", 1, func(p map[string]*pb.Pod) bool { return p["g1"] == nil })
}

func TestReconnectBeginsANewEpoch(t *testing.T) {
	w := newWorld(t, gpuNode("n1"), gpuNode("n2"))
	w.create(member("g1").Obj(), member("g2").Obj())
	w.start(7, "n1", "n2")
	w.prepare(7)
	w.brain.stop()
	w.eventually("the client has no epoch", func() bool { return w.shared.Brain.Epoch() == 0 })
	w.brain.start()
	w.brain.awaitDone(2)
	if n := w.shared.Table.Unfinished(false); n != 0 {
		t.Errorf("%d members of epoch 1 are still assumed at the snapshot of epoch 2", n)
	}
	pods := w.brain.pods(2)
	if len(pods) != 2 || pods["g1"].GetNodeName() != "" {
		t.Errorf("the snapshot of epoch 2 has %v", pods)
	}
	w.start(2<<20, "n2", "n1")
	w.prepare(2 << 20)
	w.brain.release(2<<20, pb.Release_STAGE_BIND)
	w.bound("g1", "n2")
	w.bound("g2", "n1")
}

func TestBrainStaysAway(t *testing.T) {
	w := newWorld(t, gpuNode("n1"), gpuNode("n2"), plainNode("p1"))
	w.create(member("g1").Obj(), member("g2").Obj())
	w.start(7, "n1", "n2")
	w.prepare(7)
	w.brain.stop()
	w.eventually("the barriers are empty after the grace", func() bool { return w.shared.Table.Unfinished(false) == 0 })
	w.create(loose("l1").Obj(), member("g3").Obj())
	w.bound("l1", "p1")
	if name := w.get("g3").Spec.NodeName; name != "" {
		t.Errorf("g3 is bound to %q without a brain", name)
	}
}

// A gang whose Bindings are released is finished while the brain is away, and told to the next epoch.
func TestReleasedGangIsFinishedWithoutTheBrain(t *testing.T) {
	w := newWorld(t, gpuNode("n1"), gpuNode("n2"))
	w.create(member("g1").Obj(), member("g2").Obj())
	w.start(7, "n1", "n2")
	w.brain.release(7, pb.Release_STAGE_BIND) // opens the first barrier as well
	w.bound("g1", "n1")
	w.bound("g2", "n2")
	w.brain.stop()
	w.brain.start()
	w.brain.awaitDone(2)
	for uid, pod := range w.brain.pods(2) {
		if pod.NodeName == "" || pod.Annotations["phalanx.dev/plan"] != "7" {
			t.Errorf("%s in epoch 2: node %q, annotations %v", uid, pod.NodeName, pod.Annotations)
		}
	}
}

func TestDirectivesThatMakeNoSenseAreAnswered(t *testing.T) {
	w := newWorld(t, gpuNode("n1"))
	for name, message := range map[string]*pb.SyncResponse{
		"an empty Admit":        {Message: &pb.SyncResponse_Admit{Admit: &pb.Admit{Plan: 7}}},
		"a member without node": {Message: &pb.SyncResponse_Admit{Admit: &pb.Admit{Plan: 7, Members: []*pb.Admit_Member{{PodUid: "g1"}}}}},
		"an unknown plan":       {Message: &pb.SyncResponse_Release{Release: &pb.Release{Plan: 99, Stage: pb.Release_STAGE_BIND}}},
		"no stage":              {Message: &pb.SyncResponse_Release{Release: &pb.Release{Plan: 99}}},
		"nothing":               {},
	} {
		sequence := w.brain.send(message)
		result := w.brain.await("result of "+name, func(r *pb.SyncRequest) bool {
			return r.GetDirectiveResult().GetSequence() == sequence
		}).GetDirectiveResult()
		if result.Applied || result.Message == "" {
			t.Errorf("%s: %v, want a refusal with a message", name, result)
		}
	}
}

func TestEvictGoesThroughTheEvictionAPI(t *testing.T) {
	w := newWorld(t, gpuNode("n1"), member("g1").Node("n1").Obj())
	sequence := w.brain.send(&pb.SyncResponse{Message: &pb.SyncResponse_Evict{
		Evict: &pb.Evict{PodUid: "g1", PodNamespace: "ns", PodName: "g1", Reason: "test"}}})
	result := w.brain.await("result", func(r *pb.SyncRequest) bool {
		return r.GetDirectiveResult().GetSequence() == sequence
	}).GetDirectiveResult()
	if !result.Applied || result.Code != 201 {
		t.Errorf("result %v", result)
	}
	for _, action := range w.client.Actions() {
		if action.GetVerb() == "delete" && action.GetResource().Resource == "pods" {
			t.Errorf("the pod was deleted: %v", action)
		}
		if action.GetSubresource() == "eviction" {
			return
		}
	}
	t.Error("no eviction was asked for")
}

func TestJobIsReadForTheBrain(t *testing.T) {
	limit := int32(3)
	w := newWorld(t, &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "train", UID: "j1"},
		Spec: batchv1.JobSpec{BackoffLimit: &limit}, Status: batchv1.JobStatus{Failed: 2}})
	read := func(name string) *pb.DirectiveResult {
		sequence := w.brain.send(&pb.SyncResponse{Message: &pb.SyncResponse_ReadJob{
			ReadJob: &pb.ReadJob{Namespace: "ns", Name: name, Uid: "j1"}}})
		return w.brain.await("the result", func(r *pb.SyncRequest) bool {
			return r.GetDirectiveResult().GetSequence() == sequence
		}).GetDirectiveResult()
	}
	result, job := read("train"), &batchv1.Job{}
	if err := json.Unmarshal(result.Object, job); err != nil || !result.Applied || result.Code != 200 {
		t.Fatalf("result %v: %v", result, err)
	}
	if job.UID != "j1" || *job.Spec.BackoffLimit != 3 || job.Status.Failed != 2 {
		t.Errorf("the Job arrived as %v", job)
	}
	if gone := read("nosuch"); gone.Applied || gone.Code != 404 || len(gone.Object) > 0 {
		t.Errorf("result %v, want 404 and no object", gone)
	}
}

func TestEventReachesThePod(t *testing.T) {
	w := newWorld(t, gpuNode("n1"))
	w.brain.send(&pb.SyncResponse{Message: &pb.SyncResponse_Event{Event: &pb.Event{PodUid: "g1", PodNamespace: "ns",
		PodName: "g1", Type: pb.Event_TYPE_WARNING, Reason: "GangSizeInvalid", Message: "gang-size is \"x\", expected a number"}}})
	w.eventually("the event is written", func() bool {
		// The fake API server serves no events.k8s.io, so the broadcaster writes core events.
		list, err := w.client.CoreV1().Events("ns").List(w.ctx, metav1.ListOptions{})
		if err != nil || len(list.Items) == 0 {
			return false
		}
		e := list.Items[0]
		return e.Reason == "GangSizeInvalid" && e.Type == "Warning" && e.InvolvedObject.UID == types.UID("g1")
	})
}

// A brain that hangs costs a few time-outs, not one for each pod.
func TestHangingBrainDoesNotSlowLoosePods(t *testing.T) {
	w := newWorld(t, plainNode("p1"))
	w.brain.hang.Store(true)
	before := w.brain.calls.Load()
	for i := range 40 {
		w.create(loose(fmt.Sprintf("l%d", i)).Obj())
	}
	for i := range 40 {
		w.bound(fmt.Sprintf("l%d", i), "p1")
	}
	if calls := w.brain.calls.Load() - before; calls > 10 {
		t.Errorf("%d calls hung for 40 loose pods, want few", calls)
	}
}

// noConflict: nobody has disagreed with a plan so far.
func (b *fakeBrain) noConflict() {
	b.t.Helper()
	for _, r := range b.messages() {
		if c := r.GetConflict(); c != nil {
			b.t.Errorf("conflict %v, want none", c)
		}
	}
}

// A late answer is no refusal of the pod or the node: the member comes back, says why, and is welcome
// under the next plan.
func TestLateAnswerIsNoConflict(t *testing.T) {
	for _, method := range []string{"Reserve", "Permit"} {
		t.Run(method, func(t *testing.T) {
			w := newWorld(t, gpuNode("n1"), gpuNode("n2"))
			w.create(member("g1").Obj(), member("g2").Obj())
			w.brain.late.Store(&method)
			w.start(7, "n1", "n2")
			back := w.brain.await("RETURNED with a reason", func(r *pb.SyncRequest) bool {
				return r.GetMemberFact().GetState() == pb.MemberFact_STATE_RETURNED && r.GetMemberFact().Message != ""
			}).GetMemberFact()
			if !strings.Contains(back.Message, "no answer of the brain at "+strings.ToLower(method)) {
				t.Errorf("%s came back with %q, want the call that had no answer", back.PodUid, back.Message)
			}
			w.brain.reject(7)
			w.returned(7)
			w.brain.noConflict()
			w.start(8, "n1", "n2")
			w.prepare(8)
			w.brain.release(8, pb.Release_STAGE_BIND)
			w.bound("g1", "n1")
			w.bound("g2", "n2")
		})
	}
}

func TestUnansweredReserveHoldsTheMember(t *testing.T) {
	w := newWorld(t, gpuNode("n1"), gpuNode("n2"))
	w.create(member("g1").Obj(), member("g2").Obj())
	w.eventually("the brain knows both", func() bool { return len(w.brain.pods(1)) == 2 })
	w.brain.hang.Store(true)
	w.brain.admit(7, map[string]string{"g1": "n1", "g2": "n2"})
	w.returned(7)
	w.brain.noConflict()
	w.brain.hang.Store(false)
	w.eventually("calls are made again", func() bool {
		_, err := w.shared.Brain.Filter(w.ctx, "g1")
		return err == nil
	})
}

// What a member shares with its siblings is told when it is there, and again when it is decided.
func TestPodIsSentAgainWhenItsClaimsChange(t *testing.T) {
	late := storagev1.VolumeBindingWaitForFirstConsumer
	w := newWorld(t, gpuNode("n1"), &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "late"}, VolumeBindingMode: &late})
	name, claims := "gpus", w.client.ResourceV1().ResourceClaims("ns")
	pod := member("g1").PVC("data").PodResourceClaims(v1.PodResourceClaim{Name: "gpu", ResourceClaimName: &name}).Obj()
	w.create(pod)
	shared := func(what string, want ...string) {
		t.Helper()
		w.knows(what, 1, func(p map[string]*pb.Pod) bool {
			return p["g1"] != nil && slices.Equal(p["g1"].UnresolvedObjects, want)
		})
	}
	shared("no claim that is not there")
	volume := st.MakePersistentVolumeClaim().Name("data").Namespace("ns").StorageClassName(ptr.To("late")).Obj()
	if _, err := w.client.CoreV1().PersistentVolumeClaims("ns").Create(w.ctx, volume, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	shared("the volume", "pvc/data")
	claim := st.MakeResourceClaim().Name(name).Namespace("ns").Obj()
	if _, err := claims.Create(w.ctx, claim, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	shared("both", "claim/gpus", "pvc/data")
	bound := volume.DeepCopy()
	bound.Status.Phase = v1.ClaimBound
	if _, err := w.client.CoreV1().PersistentVolumeClaims("ns").UpdateStatus(w.ctx, bound, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	shared("the devices", "claim/gpus")
	allocated := claim.DeepCopy()
	allocated.Status.Allocation = &resourceapi.AllocationResult{}
	if _, err := claims.UpdateStatus(w.ctx, allocated, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	shared("none")
}

// Where the volume of a claim is reachable is told once the claim is bound.
func TestPodIsSentAgainWithTheNodesOfItsVolume(t *testing.T) {
	w := newWorld(t, gpuNode("n1"))
	w.create(member("g1").PVC("data").Obj())
	volume := st.MakePersistentVolume().Name("disk").NodeAffinityIn("host", []string{"n1"}).Obj()
	if _, err := w.client.CoreV1().PersistentVolumes().Create(w.ctx, volume, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	claim := st.MakePersistentVolumeClaim().Name("data").Namespace("ns").Obj()
	if _, err := w.client.CoreV1().PersistentVolumeClaims("ns").Create(w.ctx, claim, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	w.knows("the pod, anywhere", 1, func(p map[string]*pb.Pod) bool {
		return p["g1"] != nil && len(p["g1"].RequiredNodeTerms) == 0
	})
	claim.Spec.VolumeName = "disk"
	if _, err := w.client.CoreV1().PersistentVolumeClaims("ns").Update(w.ctx, claim, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	w.knows("the pod, on n1", 1, func(p map[string]*pb.Pod) bool {
		return p["g1"] != nil && len(p["g1"].RequiredNodeTerms) == 1 && p["g1"].RequiredNodeTerms[0].Requirements[0].Key == "host"
	})
}

func TestOldNominationsAreCleared(t *testing.T) {
	w := newWorld(t, gpuNode("n1"), member("g1").NominatedNodeName("n1").Obj(),
		loose("foreign").SchedulerName("default-scheduler").NominatedNodeName("n1").Obj())
	w.eventually("the nomination is cleared", func() bool { return w.get("g1").Status.NominatedNodeName == "" })
	if w.get("foreign").Status.NominatedNodeName != "n1" {
		t.Error("the nomination of a foreign pod was cleared")
	}
}

// The API server is away: what is known grows old, and no gang starts on it.
func TestNoAdmissionWhileTheAPIServerIsAway(t *testing.T) {
	w := newWorld(t, gpuNode("n1"), gpuNode("n2"))
	w.create(member("g1").Obj(), member("g2").Obj())
	w.knows("both members", 1, func(p map[string]*pb.Pod) bool { return len(p) == 2 })
	leads := func(want bool) {
		t.Helper()
		w.eventually(fmt.Sprintf("the brain hears that leading is %v", want), func() bool { return w.brain.leading() == want })
	}
	leads(true)
	var away atomic.Bool
	away.Store(true)
	w.client.PrependReactor("list", "nodes", func(clienttesting.Action) (bool, runtime.Object, error) {
		return away.Load(), nil, apierrors.NewServiceUnavailable("away")
	})
	w.eventually("the state is old", func() bool {
		w.clock.SetTime(w.clock.Now().Add(lease.StaleAfter + time.Second)) // a look may have been under way
		return w.shared.Lease.MayAdmit() != nil
	})
	leads(false)
	w.brain.admit(7, map[string]string{"g1": "n1", "g2": "n2"})
	w.returned(7)
	away.Store(false)
	leads(true)
	w.start(8, "n1", "n2")
	w.prepare(8)
}
