// Package admit keeps the admitted set: which member may go where under which plan, how far its
// barriers are open, and where in the scheduler's pipeline it is. It is desired state by UID and plan,
// so that directives, calls and events may come in any order.
//
//	Queued -> Reserved -> Waiting -> Passing -> Prepared -> Binding -> Bound
//	   |         '----------'----------'----------'-----------'-- Return (after the cache forgot it)
//	   '-- withdrawn: leaves at once, since nothing is assumed yet
package admit

import (
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"

	pb "phalanx.dev/adapter/internal/gen/phalanx/v1alpha1"
)

// Stage is how far the barriers of a plan are open.
type Stage int

// The barriers, in their order.
const (
	Closed Stage = iota
	Prepare
	Bind
)

// State is where a member is in the scheduler's pipeline.
type State int

// The states, in their order; up to Queued nothing is assumed, from Binding on a Binding may exist.
const (
	Queued State = iota
	Reserved
	Waiting
	Passing
	Prepared
	Binding
	Bound
)

// Assignment is what a plan says about one member.
type Assignment struct {
	UID         types.UID
	Gang        *pb.GangRef
	Plan        uint64
	Node        string
	NodeUID     types.UID
	Rank        int32
	Domain      string
	GangSize    int32
	LateBarrier bool
	DryRun      bool // its Binding is tried before it counts as prepared
}

// Barriers are the ways to reach a pod in the scheduler; part of the framework's Handle.
type Barriers interface {
	GetWaitingPod(uid types.UID) fwk.WaitingPod
	GetPodInPreBind(uid types.UID) fwk.PodInPreBind
}

type member struct {
	Assignment
	state     State
	withdrawn string        // why it must leave; "" while its plan is current
	seenBound bool          // the API server shows it bound
	explained string        // why it fails, where no conflict is due
	cause     *pb.Conflict  // what a check of our own found
	next      *Assignment   // admitted again while it was leaving
	changed   chan struct{} // closed and replaced at each change
	barriers  Barriers
}

type plan struct {
	stage   Stage
	members map[types.UID]struct{}
}

// Table is the admitted set of the process. Safe for use by many goroutines; it calls nothing.
type Table struct {
	mu      sync.Mutex
	members map[types.UID]*member
	plans   map[uint64]*plan
	cycles  map[types.UID]uint64 // plan under which the pod's scheduling cycle began
	kick    chan struct{}
}

// NewTable makes an empty set.
func NewTable() *Table {
	return &Table{
		members: map[types.UID]*member{},
		plans:   map[uint64]*plan{},
		cycles:  map[types.UID]uint64{},
		kick:    make(chan struct{}, 1),
	}
}

// Kick has an element when a barrier may have to be opened or a waiting pod to be turned away.
func (t *Table) Kick() <-chan struct{} { return t.kick }

func (t *Table) changedLocked(m *member) {
	close(m.changed)
	m.changed = make(chan struct{})
	select {
	case t.kick <- struct{}{}:
	default:
	}
}

func (t *Table) placeLocked(a Assignment) {
	if old := t.members[a.UID]; old != nil {
		t.dropLocked(old)
	}
	p := t.plans[a.Plan]
	if p == nil {
		p = &plan{members: map[types.UID]struct{}{}}
		t.plans[a.Plan] = p
	}
	p.members[a.UID] = struct{}{}
	t.members[a.UID] = &member{Assignment: a, changed: make(chan struct{})}
}

func (t *Table) dropLocked(m *member) {
	delete(t.members, m.UID)
	p := t.plans[m.Plan]
	delete(p.members, m.UID)
	if len(p.members) == 0 {
		delete(t.plans, m.Plan)
	}
}

// Admit takes the assignments of one plan and names the pods that may enter the queue now. A member
// that is still leaving an older plan follows when it has returned.
func (t *Table) Admit(assignments []Assignment) (enter []types.UID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, a := range assignments {
		m := t.members[a.UID]
		switch {
		case m == nil || m.state == Queued && m.Plan != a.Plan:
			t.placeLocked(a)
			enter = append(enter, a.UID)
		case m.Plan == a.Plan && m.withdrawn == "":
			enter = append(enter, a.UID) // the same directive once more
		case m.state < Binding:
			m.next = &a
			t.withdrawLocked(m, fmt.Sprintf("plan %d replaces plan %d", a.Plan, m.Plan))
		}
	}
	return enter
}

// Admitted tells whether the pod may be inside the scheduler's queue.
func (t *Table) Admitted(uid types.UID) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	m := t.members[uid]
	return m != nil && m.withdrawn == ""
}

// Release opens a barrier. It tells whether any member of the plan is here.
func (t *Table) Release(number uint64, stage Stage) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.plans[number]
	if p == nil {
		return false
	}
	p.stage = max(p.stage, stage)
	for uid := range p.members {
		t.changedLocked(t.members[uid])
	}
	return true
}

// returned is the fact that the member has left the pipeline.
func (m *member) returned() *pb.MemberFact { return m.fact(pb.MemberFact_STATE_RETURNED) }

func (m *member) fact(state pb.MemberFact_State) *pb.MemberFact {
	return &pb.MemberFact{PodUid: string(m.UID), Plan: m.Plan, NodeName: m.Node, State: state, Message: m.explained}
}

// withdrawLocked marks the member to leave. Nothing is assumed for a queued one: it is gone at once.
func (t *Table) withdrawLocked(m *member, reason string) (gone *pb.MemberFact) {
	if m.state >= Binding {
		return nil
	}
	if m.state == Queued {
		t.dropLocked(m)
		return m.returned()
	}
	if m.withdrawn == "" {
		m.withdrawn = reason
	}
	t.changedLocked(m)
	return nil
}

// Withdraw takes a plan back, for some of its members or (no uids) all. The result names those that
// are out of the pipeline already; the others report through Return. Members whose Binding may be
// under way stay.
func (t *Table) Withdraw(number uint64, uids []string, reason string) (gone []*pb.MemberFact) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.plans[number]
	if p == nil {
		return nil
	}
	if len(uids) == 0 {
		for uid := range p.members {
			uids = append(uids, string(uid))
		}
	}
	for _, uid := range uids {
		if m := t.members[types.UID(uid)]; m != nil && m.Plan == number {
			m.next = nil
			if r := t.withdrawLocked(m, reason); r != nil {
				gone = append(gone, r)
			}
		}
	}
	return gone
}

// WithdrawAll takes back every plan whose Bindings were not released: those are finished without the
// brain.
func (t *Table) WithdrawAll(reason string) (gone []*pb.MemberFact) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, m := range t.members {
		m.next = nil
		if t.plans[m.Plan].stage == Bind {
			continue
		}
		if r := t.withdrawLocked(m, reason); r != nil {
			gone = append(gone, r)
		}
	}
	return gone
}

// Unfinished counts the members that are assumed by the scheduler and not bound: those of released
// gangs, or the others.
func (t *Table) Unfinished(released bool) (n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, m := range t.members {
		if m.state > Queued && m.state < Bound && (t.plans[m.Plan].stage == Bind) == released {
			n++
		}
	}
	return n
}

// Facts are what a new epoch of the brain must know: the members of released gangs.
func (t *Table) Facts() []*pb.MemberFact {
	t.mu.Lock()
	defer t.mu.Unlock()
	var facts []*pb.MemberFact
	for _, m := range t.members {
		if t.plans[m.Plan].stage != Bind || m.withdrawn != "" {
			continue
		}
		state := pb.MemberFact_STATE_BINDING
		if m.state == Bound {
			state = pb.MemberFact_STATE_BOUND
		}
		facts = append(facts, m.fact(state))
	}
	return facts
}

// PodGone is called when the pod is being deleted: it must leave, whatever its plan says.
func (t *Table) PodGone(uid types.UID) (gone *pb.MemberFact) {
	t.mu.Lock()
	defer t.mu.Unlock()
	m := t.members[uid]
	switch {
	case m == nil:
		return nil
	case m.state == Bound:
		t.dropLocked(m)
		return nil
	}
	m.next = nil
	return t.withdrawLocked(m, "the pod is being deleted")
}

// PodBound is called when the API server shows the pod bound.
func (t *Table) PodBound(uid types.UID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	m := t.members[uid]
	if m == nil {
		return
	}
	m.seenBound = true
	if m.state == Bound {
		t.dropLocked(m)
	}
}
