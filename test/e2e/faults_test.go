package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"phalanx.dev/lab/install"
	"phalanx.dev/lab/workload"
)

// faultStories break a start in each of its phases. A volume that is bound late holds
// a gang between its two barriers, a webhook holds it between the second one and its
// Bindings.
var faultStories = []story{
	{"deleted-while-preparing", "faults", 3 * time.Minute, deletedWhilePreparing},
	{"deleted-while-binding", "smoke faults", 90 * time.Second, deletedWhileBinding},
	{"deleted-while-running", "smoke faults", time.Minute, deletedWhileRunning},
	{"bind-refused", "faults", 3 * time.Minute, bindRefused},
	{"job-would-fail", "faults", 2 * time.Minute, jobWouldFail},
	{"killed-while-preparing", "faults", 3 * time.Minute, killedWhilePreparing},
	{"killed-while-binding", "faults", 3 * time.Minute, killedWhileBinding},
	{"killed-for-good", "faults", 3 * time.Minute, killedForGood},
}

const smallLeaf = "hgx-leaf-01" // of 8 hosts with 8 GPUs

func (e *env) lateVolumes() *workload.LateVolumes {
	e.t.Helper()
	volumes, err := e.NewLateVolumes(e.ctx, e.namespaces[0])
	e.must(err)
	e.after = append(e.after, volumes.Remove)
	return volumes
}

// shown is what the brain shows of a gang.
type shown struct {
	Phase    string `json:"phase"`
	Bound    int    `json:"bound"`
	Attempts int    `json:"attempts"`
	Reason   struct {
		Message string `json:"message"`
	} `json:"reason"`
	Members []struct {
		Pod   string `json:"pod"`
		State string `json:"state"`
	} `json:"members"`
}

func (e *env) show(ctx context.Context, g workload.Gang) (gang shown, err error) {
	page, err := install.Fetch(ctx, e.phalanx.BrainURL+"/api/v1/gangs/"+g.Namespace+"/label/"+g.Name, "")
	if err == nil {
		err = json.Unmarshal(page, &gang)
	}
	return gang, err
}

// members waits until n members are in a state.
func (e *env) members(g workload.Gang, state string, n int) {
	e.t.Helper()
	e.eventually(fmt.Sprintf("%d members of %s to be %s", n, g.Name, state), func(ctx context.Context) error {
		gang, err := e.show(ctx, g)
		if err != nil {
			return err
		}
		states := map[string]int{}
		for _, member := range gang.Members {
			states[member.State]++
		}
		if states[state] != n {
			return fmt.Errorf("they are %v", states)
		}
		return nil
	})
}

// nothingHeld waits until the brain holds no room for members that are not bound.
func (e *env) nothingHeld() {
	e.t.Helper()
	e.eventually("no room to be held", func(ctx context.Context) error {
		page, err := install.Fetch(ctx, e.phalanx.BrainURL+"/api/v1/nodes", "")
		if err != nil {
			return err
		}
		var answer struct {
			Nodes []struct {
				Name string           `json:"name"`
				Held map[string]int64 `json:"held"`
			} `json:"nodes"`
		}
		if err := json.Unmarshal(page, &answer); err != nil {
			return err
		}
		for _, node := range answer.Nodes {
			for resource, held := range node.Held {
				if held != 0 {
					return fmt.Errorf("%s holds %d %s", node.Name, held, resource)
				}
			}
		}
		return nil
	})
}

// roomIsFree proves it of brain and scheduler: a gang that needs all of the leaf runs.
func (e *env) roomIsFree(name, leaf string, hosts, gpus int) {
	e.t.Helper()
	e.nothingHeld()
	filler := e.inRack(e.gang(name, hosts, gpus), leaf)
	e.start(filler)
	e.must(e.Delete(e.ctx, filler))
}

// whole checks members that are all bound: each rank once, and by one plan where the
// start was not interrupted between Bindings.
func (e *env) whole(g workload.Gang, members workload.Members, onePlan bool) {
	e.t.Helper()
	ranks, plans := map[string]string{}, map[string]bool{}
	for _, pod := range members {
		rank := pod.Annotations["phalanx.dev/rank"]
		if other := ranks[rank]; other != "" || rank == "" {
			e.t.Errorf("%s and %s both have rank %q", other, pod.Name, rank)
		}
		ranks[rank] = pod.Name
		plans[pod.Annotations["phalanx.dev/plan"]] = true
	}
	if onePlan && len(plans) != 1 {
		e.t.Errorf("gang %s was bound by %d plans, expected one", g.Name, len(plans))
	}
}

// samePods checks that members are still the pods that they were.
func (e *env) samePods(before, now workload.Members) {
	e.t.Helper()
	uids := map[types.UID]string{}
	for _, pod := range now {
		uids[pod.UID] = pod.Spec.NodeName
	}
	for _, pod := range before {
		node, there := uids[pod.UID]
		if !there || pod.Spec.NodeName != "" && pod.Spec.NodeName != node {
			e.t.Errorf("%s (%s) was on %q, is there: %t, on %q", pod.Name, pod.UID, pod.Spec.NodeName, there, node)
		}
	}
}

// deletedWhilePreparing: a member is deleted while its gang is between the barriers.
// Its siblings leave, nothing stays reserved, and with a new member the gang starts.
func deletedWhilePreparing(e *env) {
	volumes := e.lateVolumes()
	hosts := len(e.hostsOf(smallLeaf))
	for _, c := range []struct {
		name     string
		prepared []int // members whose volumes are there
		deleted  int
	}{
		{"nobody-prepared", nil, 1},
		{"itself-prepared", []int{1}, 1},
		{"siblings-prepared", []int{0, 2, 3}, 1},
	} {
		gang := e.inRack(e.gang(c.name, hosts, 8), smallLeaf)
		for i := range hosts {
			e.must(volumes.Claim(e.ctx, claimOf(gang, i)))
			e.createWithClaim(gang, i)
		}
		e.must(volumes.WaitWanted(e.ctx, gang.Name, hosts))
		for _, i := range c.prepared {
			e.must(volumes.Provide(e.ctx, claimOf(gang, i)))
		}
		e.members(gang, "prepared", len(c.prepared))
		e.must(e.deletePod(gang.Pod(c.deleted)))
		e.roomIsFree(c.name+"-filler", smallLeaf, hosts, 8)
		e.must(e.unbound(gang)(e.ctx))
		e.createWithClaim(gang, c.deleted)
		e.must(volumes.WaitWanted(e.ctx, gang.Name, hosts-len(c.prepared)))
		e.members(gang, "prepared", len(c.prepared))
		e.must(volumes.Provide(e.ctx, gang.Name))
		e.whole(gang, e.bound(gang), true)
		e.must(e.Delete(e.ctx, gang))
	}
	e.nothingHeld()
}

func claimOf(g workload.Gang, member int) string { return fmt.Sprintf("%s-%d", g.Name, member) }

func (e *env) createWithClaim(g workload.Gang, member int) {
	e.t.Helper()
	pod := g.Pod(member)
	workload.UseClaim(&pod.Spec, claimOf(g, member))
	_, err := e.createPod(pod)
	e.must(err)
}

// half starts a Job of four whose members 2 and 3 are held by the gate, and returns
// the two that are bound.
func (e *env) half(gate *bindGate, gang workload.Gang) workload.Members {
	e.t.Helper()
	gate.set(http.StatusServiceUnavailable, gang.Name+"-2-", gang.Name+"-3-")
	e.must(e.Create(e.ctx, gang))
	members, err := e.WaitBound(e.ctx, gang, 2)
	e.must(err)
	return members.Bound()
}

// deletedWhileBinding: a member is deleted when its siblings are bound already. They
// stay, and its replacement joins them.
func deletedWhileBinding(e *env) {
	gate := newBindGate(e)
	gang := e.gang("halved", 4, 2)
	gang.Required = "nvlink"
	first := e.half(gate, gang)
	members, err := e.Members(e.ctx, gang)
	e.must(err)
	for _, pod := range members {
		if pod.Spec.NodeName == "" {
			e.must(e.deletePod(&pod))
		}
	}
	gate.open()
	whole := e.bound(gang)
	e.samePods(first, whole)
	e.whole(gang, whole, false)
	e.nothingHeld()
	nodes := e.nodesByName()
	for _, pod := range whole {
		if got, want := nodes[pod.Spec.NodeName].Labels[leafLabel], nodes[first[0].Spec.NodeName].Labels[leafLabel]; got != want {
			e.t.Errorf("%s joined in %s, its gang is in %s", pod.Name, got, want)
		}
	}
	e.holds(quiet, e.undisturbed(gang, whole))
}

// deletedWhileRunning: a running gang loses a member. The others run on, and the new
// member takes its rank.
func deletedWhileRunning(e *env) {
	gang := e.gang("running", 4, 2)
	before := e.start(gang)
	lost := before[1]
	e.must(e.deletePod(&lost))
	e.eventually("the lost member to be replaced", func(ctx context.Context) error {
		members, err := e.Members(ctx, gang)
		if err != nil {
			return err
		}
		alive := members.Alive().Bound()
		if len(alive) != gang.Size || slices.ContainsFunc(alive, func(p corev1.Pod) bool { return p.UID == lost.UID }) {
			return errors.New(members.Summary())
		}
		return nil
	})
	now := e.bound(gang)
	e.samePods(slices.Delete(slices.Clone(before), 1, 2), now)
	e.whole(gang, now, false)
	e.nothingHeld()
}

// everBound counts pods of the story's namespace that were ever seen with a node.
func (e *env) everBound() func() int {
	e.t.Helper()
	var mu sync.Mutex
	seen := map[types.UID]bool{}
	watch, err := e.Client().CoreV1().Pods(e.namespaces[0]).Watch(e.ctx, metav1.ListOptions{})
	e.must(err)
	e.after = append(e.after, func(context.Context) error { watch.Stop(); return nil })
	go func() {
		for event := range watch.ResultChan() {
			if pod, ok := event.Object.(*corev1.Pod); ok && pod.Spec.NodeName != "" {
				mu.Lock()
				seen[pod.UID] = true
				mu.Unlock()
			}
		}
	}()
	return func() int {
		mu.Lock()
		defer mu.Unlock()
		return len(maps.Clone(seen))
	}
}

// refuse makes a policy under which a member of the gang is never bound.
func (e *env) refuse(g workload.Gang, member int) (policy string, allow func()) {
	e.t.Helper()
	policy, prefix := "no-"+g.Namespace+"-"+g.Name, fmt.Sprintf("%s-%d-", g.Name, member)
	e.must(e.RefuseBindings(e.ctx, policy, g.Namespace, prefix))
	return policy, func() { e.must(e.AllowBindings(e.ctx, policy, g.Namespace, prefix)) }
}

// bindRefused: an admission policy refuses the Binding of one member of three for
// good. The bound ones are evicted, which their Job does not count; the next start
// finds the refusal before anybody is bound; when the policy goes, the gang runs.
// (Three, because a Job waits 10 s before it replaces a pod that ended, twice that
// for two, and so on up to 10 minutes, whether it counts them or not.)
func bindRefused(e *env) {
	gang := e.gang("policed", 3, 2)
	gang.IgnoreDisruption, gang.BackoffLimit = true, new(int32)
	policy, allow := e.refuse(gang, 2)
	everBound := e.everBound()
	e.must(e.Create(e.ctx, gang))
	e.eventually("the reason with the policy", e.told(gang, policy))
	e.eventually("all members to be unbound again", e.unbound(gang))
	once := everBound()
	if once == 0 {
		e.t.Error("no member was ever bound: the story met no roll back")
	}
	e.nothingHeld()
	e.must(e.CheckJob(e.ctx, gang))
	e.eventually("a second start to be refused", func(ctx context.Context) error {
		shown, err := e.show(ctx, gang)
		if err == nil && (shown.Attempts < 2 || !strings.Contains(shown.Reason.Message, policy)) {
			err = fmt.Errorf("%d attempts; %s", shown.Attempts, shown.Reason.Message)
		}
		return err
	})
	if again := everBound(); again != once {
		e.t.Errorf("%d pods were bound by the second start, expected none", again-once)
	}
	e.must(e.CheckJob(e.ctx, gang))
	allow()
	e.whole(gang, e.bound(gang), true)
	e.must(e.CheckJob(e.ctx, gang))
	if started := everBound() - once; started != gang.Size {
		e.t.Errorf("the start bound %d pods, expected %d", started, gang.Size)
	}
}

// jobWouldFail: evictions would end the Job. The bound members stay, the author is
// told what helps, and that helps.
func jobWouldFail(e *env) {
	gang := e.gang("fragile", 4, 2)
	gang.BackoffLimit = new(int32)
	policy, allow := e.refuse(gang, 3)
	e.must(e.Create(e.ctx, gang))
	e.eventually("what to do", e.told(gang, policy, "is not evicted", "suspend and resume"))
	before, err := e.Members(e.ctx, gang)
	e.must(err)
	if bound := len(before.Bound()); bound == 0 {
		e.t.Error("no member is bound: the story met no roll back")
	}
	e.holds(quiet, func(ctx context.Context) error {
		now, err := e.Members(ctx, gang)
		if err == nil && len(now.Bound()) != len(before.Bound()) {
			err = errors.New(now.Summary())
		}
		return errors.Join(err, e.CheckJob(ctx, gang))
	})
	allow()
	e.must(e.Suspend(e.ctx, gang))
	e.eventually("the pods to go", func(ctx context.Context) error {
		members, err := e.Members(ctx, gang)
		if err == nil && len(members) > 0 {
			err = errors.New(members.Summary())
		}
		return err
	})
	e.must(e.Resume(e.ctx, gang))
	e.whole(gang, e.bound(gang), true)
	e.must(e.CheckJob(e.ctx, gang))
}

// process is one of the two, with how it dies and comes back.
type process struct {
	name        string
	kill, start func()
}

func (e *env) processes() (brain, scheduler process) {
	brain = process{"brain", e.phalanx.Brain.Kill, func() { e.must(e.phalanx.StartBrain(e.ctx)) }}
	scheduler = process{"scheduler", func() {
		e.must(e.phalanx.Scheduler.Signal(syscall.SIGKILL))
		<-e.phalanx.Scheduler.Done()
		// As if it had expired: the wait for that is another story's.
		err := e.Client().CoordinationV1().Leases(e.phalanx.Namespace).Delete(e.ctx, "phalanx-scheduler", metav1.DeleteOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			e.must(err)
		}
	}, func() { e.must(e.phalanx.StartScheduler(e.ctx)) }}
	return brain, scheduler
}

// killedWhilePreparing: a process dies while a gang is between the barriers. Nothing
// is bound until every member is prepared again, and then each once.
func killedWhilePreparing(e *env) {
	volumes := e.lateVolumes()
	brain, scheduler := e.processes()
	for _, victim := range []process{brain, scheduler} {
		gang := e.gang("without-"+victim.name, 4, 2)
		gang.VolumeClass = volumes.Class
		e.must(e.Create(e.ctx, gang))
		e.must(volumes.WaitWanted(e.ctx, gang.Name, 4))
		e.must(volumes.Provide(e.ctx, gang.Name+"-0-"))
		e.members(gang, "prepared", 1)
		before, err := e.Members(e.ctx, gang)
		e.must(err)
		victim.kill()
		victim.start()
		e.must(e.phalanx.WaitReady(e.ctx))
		e.members(gang, "prepared", 1)
		e.must(e.unbound(gang)(e.ctx))
		e.must(volumes.Provide(e.ctx, gang.Name))
		members := e.bound(gang)
		e.samePods(before, members)
		e.whole(gang, members, true)
		e.nothingHeld()
		e.must(e.Delete(e.ctx, gang))
	}
}

// killedWhileBinding: a process dies when a part of a gang is bound. The scheduler
// finishes without the brain; a new scheduler finds the part and makes it whole.
func killedWhileBinding(e *env) {
	gate := newBindGate(e)
	brain, scheduler := e.processes()
	for _, victim := range []process{brain, scheduler} {
		gang := e.gang("without-"+victim.name, 4, 2)
		first := e.half(gate, gang)
		victim.kill()
		gate.open()
		if victim.name == "brain" {
			e.bound(gang)
		}
		victim.start()
		e.must(e.phalanx.WaitReady(e.ctx))
		members := e.bound(gang)
		e.samePods(first, members)
		e.whole(gang, members, victim.name == "brain")
		e.nothingHeld()
		e.holds(quiet, e.undisturbed(gang, members))
		e.must(e.CheckJob(e.ctx, gang))
		e.must(e.Delete(e.ctx, gang))
	}
}

// killedForGood: both processes die when a part of a gang is bound, and the rest is
// refused from then on. The part does not stay.
func killedForGood(e *env) {
	gate := newBindGate(e)
	brain, scheduler := e.processes()
	gang := e.gang("cut", 4, 2)
	gang.IgnoreDisruption, gang.BackoffLimit = true, new(int32)
	e.half(gate, gang)
	scheduler.kill()
	brain.kill()
	gate.set(http.StatusForbidden, gang.Name+"-2-", gang.Name+"-3-")
	brain.start()
	scheduler.start()
	e.must(e.phalanx.WaitReady(e.ctx))
	e.eventually("the part to be evicted", e.unbound(gang))
	e.nothingHeld()
	e.must(e.CheckJob(e.ctx, gang))
	e.holds(quiet, e.unbound(gang))
	e.must(e.CheckJob(e.ctx, gang))
}
