package app

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
	st "k8s.io/kubernetes/pkg/scheduler/testing"
	"k8s.io/utils/ptr"

	pb "phalanx.dev/adapter/internal/gen/phalanx/v1alpha1"
)

// The contract: conversations between this adapter, on a fake API server, and a real phalanxd.
//
// scripts/record.sh records them (PHALANX_RECORD=1, PHALANXD=program) to test/contract/recordings.
// Without it this test plays the brain's part of each to the adapter, which has to say and ask again
// what was recorded; test/contract/replay_test.cc plays the adapter's part to the brain.
//
// Epochs of recordings begin at recordedEpoch, later than any clock, so that a brain that is told to
// go on from there gives the same epochs and plans again.
const recordedEpoch = 4_000_000_000

const recordings = "../../../test/contract/recordings"

// story is what happens in the cluster; the brain and the adapter do the rest.
type story struct {
	name    string
	objects func() []runtime.Object
	play    func(*world, *tapeServer)
}

var stories = []story{
	{"start", twoFreeNodes, playStart},
	{"wait", oneFreeNode, playWait},
	{"conflict", noisyNeighbour, playConflict},
	{"bind-refused", twoFreeNodesAndJob, playBindRefused},
	{"reconnect", twoFreeNodes, playReconnect},
	{"apart", threeNamedNodes, playApart},
}

func TestContract(t *testing.T) {
	for _, s := range stories {
		t.Run(s.name, func(t *testing.T) {
			path := filepath.Join(recordings, s.name+".jsonl")
			if os.Getenv("PHALANX_RECORD") != "" {
				record(t, s, path)
				return
			}
			server := newTapeServer(t, readTape(t, path), "")
			w := newWorldWith(t, around{socket: server.socket, client: newAPIServer(t).client()}, s.objects()...)
			s.play(w, server)
			server.await("everything that was recorded", server.complete)
			server.verify()
		})
	}
}

func record(t *testing.T, s story, path string) {
	t.Helper()
	server := newTapeServer(t, nil, startBrain(t))
	w := newWorldWith(t, around{socket: server.socket, client: newAPIServer(t).client()}, s.objects()...)
	s.play(w, server)
	server.rest()
	if err := os.WriteFile(path, []byte(server.dump()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// rest waits until nobody has said anything for a while.
func (c *tape) rest() {
	for last := -1; ; time.Sleep(700 * time.Millisecond) {
		c.mu.Lock()
		now := len(c.steps)
		c.mu.Unlock()
		if now == last {
			return
		}
		last = now
	}
}

// startBrain runs phalanxd and returns its socket.
func startBrain(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "phx")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket := filepath.Join(dir, "phalanxd.sock")
	epoch := []byte(strconv.Itoa(recordedEpoch-1) + "\n")
	if err := os.WriteFile(socket+".epoch", epoch, 0o600); err != nil {
		t.Fatal(err)
	}
	program := os.Getenv("PHALANXD")
	brain := exec.Command(program, "--socket-path", socket, "--http-address", "")
	brain.Stderr = os.Stderr
	if err := brain.Start(); err != nil {
		t.Fatalf("PHALANXD is %q: %v", program, err)
	}
	t.Cleanup(func() {
		_ = brain.Process.Signal(os.Interrupt)
		_ = brain.Wait()
	})
	return socket
}

// ---- the clusters

func twoFreeNodes() []runtime.Object { return []runtime.Object{gpuNode("n1"), gpuNode("n2")} }

// The brain asks for the Job before it evicts a member.
func twoFreeNodesAndJob() []runtime.Object {
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "g", UID: "job-g"},
		Spec: batchv1.JobSpec{BackoffLimit: ptr.To[int32](6)}}
	return append(twoFreeNodes(), job)
}

// One more than there are members, so that a spread constraint is "at most".
func threeNamedNodes() (nodes []runtime.Object) {
	for _, name := range []string{"n1", "n2", "n3"} {
		node := gpuNode(name)
		node.Labels = map[string]string{v1.LabelHostname: name}
		nodes = append(nodes, node)
	}
	return nodes
}

func oneFreeNode() []runtime.Object {
	return append(twoFreeNodes(), running(loose("occupant").Node("n2").
		Req(map[v1.ResourceName]string{"nvidia.com/gpu": "8"})))
}

// A pod of another scheduler, beside which the members do not want to be: the brain knows nothing of
// affinity between pods.
func noisyNeighbour() []runtime.Object {
	objects := []runtime.Object{running(loose("web").Node("n2").Label("noise", "loud"))}
	for _, name := range []string{"n1", "n2", "n3"} {
		node := gpuNode(name)
		node.Labels = map[string]string{v1.LabelHostname: name}
		objects = append(objects, node)
	}
	return objects
}

// Pods are made at a fixed time: the brain orders gangs by it.
var madeAt = metav1.Time{Time: time.Unix(1_767_225_600, 0)}

// running is a pod of another scheduler.
func running(pod *st.PodWrapper) *v1.Pod {
	return pod.SchedulerName("default-scheduler").CreationTimestamp(madeAt).Phase(v1.PodRunning).Obj()
}

// jobMember is a pod of a Job.
func jobMember(name string) *v1.Pod {
	pod := member(name).Obj()
	pod.Status.Phase = v1.PodPending
	pod.CreationTimestamp = madeAt
	pod.OwnerReferences = []metav1.OwnerReference{{APIVersion: "batch/v1", Kind: "Job", Name: "g", UID: "job-g",
		Controller: ptr.To(true)}}
	return pod
}

// ---- what is waited for

func fact(uid string, state pb.MemberFact_State) func(*pb.SyncRequest) bool {
	return func(r *pb.SyncRequest) bool {
		f := r.GetMemberFact()
		return f.GetPodUid() == uid && f.GetState() == state
	}
}

func bothBound(w *world, s *tapeServer) {
	for _, name := range []string{"g1", "g2"} {
		w.eventually(name+" is bound", func() bool { return w.get(name).Spec.NodeName != "" })
		s.awaitUp(name+" is bound, says the adapter", fact(name, pb.MemberFact_STATE_BOUND))
		s.awaitUp(name+" has a node, says the adapter", podWithNode(name))
	}
}

func podWithNode(uid string) func(*pb.SyncRequest) bool {
	return func(r *pb.SyncRequest) bool {
		return slices.ContainsFunc(r.GetChanges().GetPods(), func(p *pb.Pod) bool {
			return p.Uid == uid && p.NodeName != ""
		})
	}
}

func syncDone(epoch uint64) func(*pb.SyncRequest) bool {
	return func(r *pb.SyncRequest) bool { return r.Epoch == epoch && r.GetSyncDone() != nil }
}

// ---- the stories

// A gang of two starts.
func playStart(w *world, s *tapeServer) {
	s.awaitUp("the snapshot", syncDone(recordedEpoch))
	w.create(jobMember("g1"), jobMember("g2"))
	bothBound(w, s)
}

// A gang of two waits until the pod that occupies one of the nodes is gone.
func playWait(w *world, s *tapeServer) {
	s.awaitUp("the snapshot", syncDone(recordedEpoch))
	w.create(jobMember("g1"), jobMember("g2"))
	s.awaitUp("both members", func(r *pb.SyncRequest) bool {
		return slices.ContainsFunc(r.GetChanges().GetPods(), func(p *pb.Pod) bool { return p.Uid == "g2" })
	})
	s.pause()
	w.remove("occupant")
	bothBound(w, s)
}

// pause gives the brain of a recording time to say what it has to say; a replay needs none.
func (s *tapeServer) pause() {
	if s.brain != nil {
		s.rest()
	}
}

// The scheduler's plugin InterPodAffinity refuses the planned node of the second member, when the first one
// waits in the barrier already, and the gang goes elsewhere.
func playConflict(w *world, s *tapeServer) {
	s.awaitUp("the snapshot", syncDone(recordedEpoch))
	first, second := jobMember("g1"), jobMember("g2")
	for _, pod := range []*v1.Pod{first, second} {
		pod.Spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{{TopologyKey: v1.LabelHostname,
				LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"noise": "loud"}}}}}}
	}
	w.create(first, second)
	s.awaitUp("the conflict", func(r *pb.SyncRequest) bool { return r.GetConflict().GetPlugin() == "InterPodAffinity" })
	bothBound(w, s)
}

// A Binding is refused for good when the other member is bound, which is evicted.
func playBindRefused(w *world, s *tapeServer) {
	w.shared.Args.BindDeadline = metav1.Duration{Duration: patience}
	var refuse atomic.Bool
	w.client.PrependReactor("create", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
		create := action.(clienttesting.CreateAction)
		switch create.GetSubresource() {
		case "binding":
			if create.GetObject().(*v1.Binding).Name != "g2" {
				return false, nil, nil
			}
			if !refuse.Load() {
				return true, nil, apierrors.NewServiceUnavailable("try again")
			}
			return true, nil, apierrors.NewInvalid(v1.SchemeGroupVersion.WithKind("Binding").GroupKind(), "g2", nil)
		case "eviction":
			pods := v1.SchemeGroupVersion.WithResource("pods")
			return true, nil, w.client.Tracker().Delete(pods, create.GetNamespace(), "g1")
		}
		return false, nil, nil
	})
	s.awaitUp("the snapshot", syncDone(recordedEpoch))
	w.create(jobMember("g1"), jobMember("g2"))
	s.awaitUp("g1 is bound", fact("g1", pb.MemberFact_STATE_BOUND))
	s.awaitUp("g1 has a node", podWithNode("g1"))
	refuse.Store(true)
	s.awaitUp("the refusal", fact("g2", pb.MemberFact_STATE_BIND_REFUSED))
	s.awaitUp("its way back", fact("g2", pb.MemberFact_STATE_RETURNED))
	s.awaitDown("the eviction", func(r *pb.SyncResponse) bool { return r.GetEvict() != nil })
	s.awaitUp("g1 is gone", func(r *pb.SyncRequest) bool {
		return slices.Contains(r.GetChanges().GetRemovedPodUids(), "g1")
	})
}

// The brain goes away when one member is bound and the Binding of the other is under way.
func playReconnect(w *world, s *tapeServer) {
	w.shared.Args.BindDeadline = metav1.Duration{Duration: patience}
	var closed atomic.Bool
	closed.Store(true)
	w.client.PrependReactor("create", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
		create := action.(clienttesting.CreateAction)
		binding, ok := create.GetObject().(*v1.Binding)
		if ok && binding.Name == "g2" && closed.Load() {
			return true, nil, apierrors.NewServiceUnavailable("try again")
		}
		return false, nil, nil
	})
	s.awaitUp("the snapshot", syncDone(recordedEpoch))
	w.create(jobMember("g1"), jobMember("g2"))
	s.awaitUp("g1 is bound", fact("g1", pb.MemberFact_STATE_BOUND))
	s.awaitUp("g1 has a node", podWithNode("g1"))
	s.pause()
	s.cut()
	s.awaitUp("the second snapshot", syncDone(recordedEpoch+1))
	s.pause()
	closed.Store(false)
	s.awaitUp("g2 is bound", fact("g2", pb.MemberFact_STATE_BOUND))
	s.awaitUp("g2 has a node", podWithNode("g2"))
}

// Two members that keep off each other are planned for two nodes, where one has room for both, and the
// scheduler's own plugins have nothing to refuse.
func playApart(w *world, s *tapeServer) {
	s.awaitUp("the snapshot", syncDone(recordedEpoch))
	own := &metav1.LabelSelector{MatchLabels: map[string]string{"phalanx.dev/gang": "g"}}
	for _, name := range []string{"g1", "g2"} {
		pod := jobMember(name)
		pod.Spec.Containers[0].Resources.Requests["nvidia.com/gpu"] = resource.MustParse("1")
		pod.Spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{
				{TopologyKey: v1.LabelHostname, LabelSelector: own}}}}
		pod.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: v1.LabelHostname,
			WhenUnsatisfiable: v1.DoNotSchedule, LabelSelector: own}}
		w.create(pod)
	}
	bothBound(w, s)
	if w.get("g1").Spec.NodeName == w.get("g2").Spec.NodeName {
		w.t.Error("both members are on one node")
	}
}
