package admit

import (
	"fmt"

	"k8s.io/apimachinery/pkg/types"

	pb "phalanx.dev/adapter/internal/gen/phalanx/v1alpha1"
)

// The steps of one pod through the scheduler, called by the plugin's extension points. Each checks
// that the plan under which the cycle began is still current.

// BeginCycle is called by PreFilter.
func (t *Table) BeginCycle(uid types.UID) (Assignment, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	m := t.members[uid]
	if m == nil || m.withdrawn != "" {
		return Assignment{}, false
	}
	t.cycles[uid] = m.Plan
	return m.Assignment, true
}

func (t *Table) currentLocked(uid types.UID, plan uint64) (*member, error) {
	m := t.members[uid]
	switch {
	case m == nil || m.Plan != plan:
		return nil, fmt.Errorf("plan %d is no longer current", plan)
	case m.withdrawn != "":
		return nil, fmt.Errorf("plan %d is withdrawn: %s", plan, m.withdrawn)
	}
	return m, nil
}

// step changes a member while its plan is current.
func (t *Table) step(uid types.UID, plan uint64, change func(*member) error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	m, err := t.currentLocked(uid, plan)
	if err == nil {
		err = change(m)
	}
	return err
}

// Reserve is called when the scheduler has assumed the pod on node.
func (t *Table) Reserve(uid types.UID, plan uint64, node string) error {
	return t.step(uid, plan, func(m *member) error {
		// Assumed it is, wherever: room counts as free after Return only.
		m.state = Reserved
		if m.Node != node {
			return fmt.Errorf("plan %d says node %q, the scheduler chose %q", plan, m.Node, node)
		}
		return nil
	})
}

// Wait is called by Permit, after the brain knows of the member, and may have let it through: true
// when it must wait.
func (t *Table) Wait(uid types.UID, plan uint64, barriers Barriers, through bool) (wait bool, err error) {
	err = t.step(uid, plan, func(m *member) error {
		wait = !through && !m.LateBarrier && t.plans[plan].stage < Prepare
		m.barriers, m.state = barriers, Passing
		if wait {
			m.state = Waiting
		}
		return nil
	})
	return wait, err
}

// Signal is what a pod at a barrier has to be told: go on, or (Reason is not empty) leave.
type Signal struct {
	UID      types.UID
	Plan     uint64
	State    State
	Barriers Barriers
	Reason   string
}

// Signals lists what has not been told yet. The caller tells without holding any lock, and confirms
// with Told what arrived.
func (t *Table) Signals() (list []Signal) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, m := range t.members {
		if m.state != Waiting && m.state != Passing || m.barriers == nil {
			continue
		}
		open := m.state == Waiting && t.plans[m.Plan].stage >= Prepare
		if m.withdrawn != "" || open {
			list = append(list, Signal{m.UID, m.Plan, m.state, m.barriers, m.withdrawn})
		}
	}
	return list
}

// Told confirms a signal.
func (t *Table) Told(s Signal) {
	t.mu.Lock()
	defer t.mu.Unlock()
	m := t.members[s.UID]
	if m == nil || m.Plan != s.Plan || m.state != s.State {
		return
	}
	m.state = Passing
	if s.Reason != "" {
		m.barriers = nil // nothing more to tell
	}
}

// Prepared is called by PreBind, when all other PreBind plugins are done.
func (t *Table) Prepared(uid types.UID, plan uint64) error {
	return t.step(uid, plan, func(m *member) error {
		m.state = Prepared
		return nil
	})
}

// Released tells whether the member may bind. If not, changed is closed when that may have changed.
func (t *Table) Released(uid types.UID, plan uint64) (ok bool, changed <-chan struct{}, err error) {
	err = t.step(uid, plan, func(m *member) error {
		ok, changed = t.plans[plan].stage == Bind, m.changed
		return nil
	})
	return ok, changed, err
}

// BeginBind is the last moment at which the member can be turned away.
func (t *Table) BeginBind(uid types.UID, plan uint64) error {
	return t.step(uid, plan, func(m *member) error {
		if t.plans[plan].stage != Bind {
			return fmt.Errorf("plan %d is not released for binding", plan)
		}
		m.state = Binding
		return nil
	})
}

// Bound is called when the Binding is known to exist, on the node where the pod really is.
func (t *Table) Bound(uid types.UID, plan uint64, node string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	m := t.members[uid]
	if m == nil || m.Plan != plan {
		return
	}
	m.state, m.Node = Bound, node
	if m.seenBound {
		t.dropLocked(m)
	}
}

// Cause notes why the pod is about to fail, where that is a finding of ours and not of a plugin.
func (t *Table) Cause(uid types.UID, conflict *pb.Conflict) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if m := t.members[uid]; m != nil && m.Plan == conflict.Plan && m.cause == nil {
		m.cause = conflict
	}
}

// Explained notes why the pod fails where that speaks against neither pod nor node, or the brain was
// told: no conflict follows, and RETURNED says it.
func (t *Table) Explained(uid types.UID, why string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if m := t.members[uid]; m != nil {
		m.explained = why
	}
}

// Leaving is called by Unreserve: from here on updates of the pod must not put it into the queue.
func (t *Table) Leaving(uid types.UID) (Assignment, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	m := t.members[uid]
	if m == nil || m.state == Queued || m.state == Bound {
		return Assignment{}, false
	}
	if m.withdrawn == "" && m.explained == "" && m.cause == nil {
		m.cause = &pb.Conflict{} // a plugin's; the failure handler knows which
	}
	if m.withdrawn == "" {
		m.withdrawn = "it is leaving"
	}
	return m.Assignment, true
}

// Departure is how a member left.
type Departure struct {
	*pb.MemberFact // RETURNED
	State          State
	// Explained: the brain knows why (it withdrew the plan, or was told), so no conflict is due.
	Explained bool
	// Cause is a finding of ours; nil or empty means that a plugin disagreed.
	Cause *pb.Conflict
}

// Return is called by the failure handler, after the scheduler's cache has forgotten the pod. It is
// false when the pod's cycle belongs to no current plan, which needs no report.
func (t *Table) Return(uid types.UID) (Departure, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	began, known := t.cycles[uid]
	delete(t.cycles, uid)
	m := t.members[uid]
	if m == nil || known && began != m.Plan {
		return Departure{}, false
	}
	d := Departure{MemberFact: m.returned(), State: m.state, Cause: m.cause,
		Explained: m.explained != "" || m.withdrawn != "" && m.cause == nil}
	t.dropLocked(m)
	if m.next != nil {
		t.placeLocked(*m.next)
	}
	return d, true
}
