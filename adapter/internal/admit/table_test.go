package admit

import (
	"testing"

	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"

	pb "phalanx.dev/adapter/internal/gen/phalanx/v1alpha1"
)

type noBarriers struct{}

func (noBarriers) GetWaitingPod(types.UID) fwk.WaitingPod     { return nil }
func (noBarriers) GetPodInPreBind(types.UID) fwk.PodInPreBind { return nil }

func at(uid types.UID, plan uint64, node string) Assignment {
	return Assignment{UID: uid, Plan: plan, Node: node}
}

// walk takes an admitted member as far as the state.
func walk(t *testing.T, table *Table, a Assignment, to State) {
	t.Helper()
	if _, ok := table.BeginCycle(a.UID); !ok {
		t.Fatalf("%s: BeginCycle says not admitted", a.UID)
	}
	steps := []func() error{
		func() error { return table.Reserve(a.UID, a.Plan, a.Node) },
		func() error { _, err := table.Wait(a.UID, a.Plan, noBarriers{}, false); return err },
		func() error { table.Release(a.Plan, Prepare); table.Told(table.Signals()[0]); return nil },
		func() error { return table.Prepared(a.UID, a.Plan) },
		func() error { table.Release(a.Plan, Bind); return table.BeginBind(a.UID, a.Plan) },
		func() error { table.Bound(a.UID, a.Plan, a.Node); return nil },
	}
	for i := range int(to) {
		if err := steps[i](); err != nil {
			t.Fatalf("%s: step to %d: %v", a.UID, i+1, err)
		}
	}
}

func TestWithdrawByState(t *testing.T) {
	for _, c := range []struct {
		state       State
		outAtOnce   bool
		mayGoOn     bool // the next step of the pipeline is still allowed
		description string
	}{
		{Queued, true, false, "nothing is assumed: out at once"},
		{Reserved, false, false, "assumed: leaves through the failure handler"},
		{Waiting, false, false, "at the gang barrier"},
		{Prepared, false, false, "at the PreBind barrier"},
		{Binding, false, true, "its Binding may exist: it stays"},
	} {
		table, a := NewTable(), at("u1", 7, "n1")
		table.Admit([]Assignment{a})
		walk(t, table, a, c.state)
		gone := table.Withdraw(7, nil, "test")
		if (len(gone) == 1) != c.outAtOnce {
			t.Errorf("%s: returned %v", c.description, gone)
		}
		_, err := table.currentLocked("u1", 7)
		if (err == nil) != c.mayGoOn {
			t.Errorf("%s: current says %v", c.description, err)
		}
	}
}

func TestReleaseBeforeWaitOpensPermit(t *testing.T) {
	table, a := NewTable(), at("u1", 7, "n1")
	table.Admit([]Assignment{a})
	walk(t, table, a, Reserved)
	table.Release(7, Prepare)
	if wait, err := table.Wait("u1", 7, noBarriers{}, false); wait || err != nil {
		t.Errorf("Wait after Release{PREPARE}: wait %v, %v; want to pass", wait, err)
	}
}

func TestLateBarrierPassesPermitAndWaitsInPreBind(t *testing.T) {
	table, a := NewTable(), at("u1", 7, "n1")
	a.LateBarrier = true
	table.Admit([]Assignment{a})
	walk(t, table, a, Reserved)
	if wait, err := table.Wait("u1", 7, noBarriers{}, false); wait || err != nil {
		t.Fatalf("late barrier: wait %v, %v; want to pass Permit", wait, err)
	}
	if err := table.Prepared("u1", 7); err != nil {
		t.Fatal(err)
	}
	if ok, changed, err := table.Released("u1", 7); ok || err != nil || changed == nil {
		t.Errorf("late barrier: Released = %v, %v; want to wait in PreBind", ok, err)
	}
}

func TestReserveOnAnotherNode(t *testing.T) {
	table, a := NewTable(), at("u1", 7, "n1")
	table.Admit([]Assignment{a})
	walk(t, table, a, Queued)
	if err := table.Reserve("u1", 7, "n2"); err == nil {
		t.Error("Reserve on n2 while the plan says n1: accepted")
	}
	table.Leaving("u1")
	if d, due := table.Return("u1"); !due || d.State != Reserved || d.Explained {
		t.Errorf("Return = %+v, %v; want an unexplained departure from Reserved", d, due)
	}
}

// A member that is leaving plan 7 is admitted under plan 8: it enters when it has returned, not before.
func TestAdmitWhileLeaving(t *testing.T) {
	table, a := NewTable(), at("u1", 7, "n1")
	table.Admit([]Assignment{a})
	walk(t, table, a, Prepared)
	if enter := table.Admit([]Assignment{at("u1", 8, "n2")}); len(enter) != 0 {
		t.Fatalf("entered %v while the cache still counts it", enter)
	}
	if table.Admitted("u1") {
		t.Error("admitted while it is leaving")
	}
	table.Leaving("u1")
	if d, due := table.Return("u1"); !due || d.Plan != 7 || !d.Explained {
		t.Errorf("Return = %+v, %v; want the explained departure from plan 7", d, due)
	}
	if got, ok := table.BeginCycle("u1"); !ok || got.Plan != 8 || got.Node != "n2" {
		t.Errorf("after the return: %+v, %v; want plan 8 on n2", got, ok)
	}
}

// The cycle of plan 7 fails after plan 8 was admitted: no report about plan 8.
func TestStrayFailureOfAnOldCycle(t *testing.T) {
	table := NewTable()
	table.Admit([]Assignment{at("u1", 7, "n1")})
	table.BeginCycle("u1")
	if gone := table.Withdraw(7, nil, "test"); len(gone) != 1 {
		t.Fatalf("withdrawn while queued: %v", gone)
	}
	table.Admit([]Assignment{at("u1", 8, "n2")})
	if err := table.Reserve("u1", 7, "n1"); err == nil {
		t.Error("Reserve under plan 7 accepted while plan 8 is current")
	}
	table.Leaving("u1")
	if d, due := table.Return("u1"); due {
		t.Errorf("Return = %+v; want nothing to report", d)
	}
	if !table.Admitted("u1") {
		t.Error("plan 8 was lost")
	}
}

func TestFactsAreThoseOfReleasedGangs(t *testing.T) {
	table := NewTable()
	bound, binding, waiting := at("u1", 7, "n1"), at("u2", 7, "n2"), at("u3", 9, "n3")
	table.Admit([]Assignment{bound, binding})
	table.Admit([]Assignment{waiting})
	walk(t, table, bound, Bound)
	walk(t, table, waiting, Waiting)
	got := map[string]pb.MemberFact_State{}
	for _, fact := range table.Facts() {
		got[fact.PodUid] = fact.State
	}
	want := map[string]pb.MemberFact_State{"u1": pb.MemberFact_STATE_BOUND, "u2": pb.MemberFact_STATE_BINDING}
	if len(got) != 2 || got["u1"] != want["u1"] || got["u2"] != want["u2"] {
		t.Errorf("facts %v, want %v", got, want)
	}
	gone := table.WithdrawAll("the brain is away")
	if len(gone) != 0 || !table.Admitted("u2") || table.Admitted("u3") {
		t.Errorf("WithdrawAll: returned %v, u2 admitted %v, u3 admitted %v; want the released gang to stay",
			gone, table.Admitted("u2"), table.Admitted("u3"))
	}
	if released, others := table.Unfinished(true), table.Unfinished(false); released != 0 || others != 1 {
		t.Errorf("Unfinished: %d released, %d others; want 0 and 1 (u2 is not assumed yet)", released, others)
	}
}

func TestBoundIsForgottenWhenBothSidesKnow(t *testing.T) {
	for _, informerFirst := range []bool{true, false} {
		table, a := NewTable(), at("u1", 7, "n1")
		table.Admit([]Assignment{a})
		walk(t, table, a, Binding)
		if informerFirst {
			table.PodBound("u1")
		}
		table.Bound("u1", 7, "n1")
		if !informerFirst {
			table.PodBound("u1")
		}
		if len(table.members) != 0 || len(table.plans) != 0 {
			t.Errorf("informer first %v: kept %d members of %d plans", informerFirst, len(table.members), len(table.plans))
		}
	}
}

func TestReleaseWakesAndRejectWakes(t *testing.T) {
	table, a := NewTable(), at("u1", 7, "n1")
	table.Admit([]Assignment{a})
	walk(t, table, a, Prepared)
	_, changed, _ := table.Released("u1", 7)
	table.Release(7, Bind)
	select {
	case <-changed:
	default:
		t.Fatal("Release did not wake PreBind")
	}
	if ok, _, err := table.Released("u1", 7); !ok || err != nil {
		t.Fatalf("Released = %v, %v", ok, err)
	}
	table.Withdraw(7, []string{"u1"}, "sibling refused")
	if err := table.BeginBind("u1", 7); err == nil {
		t.Error("BeginBind after Reject: accepted, want the recheck to refuse")
	}
}

func TestDeletionLeavesInEveryState(t *testing.T) {
	for state := Queued; state <= Bound; state++ {
		table, a := NewTable(), at("u1", 7, "n1")
		table.Admit([]Assignment{a})
		walk(t, table, a, state)
		gone := table.PodGone("u1")
		if (gone != nil) != (state == Queued) {
			t.Errorf("state %d: out at once: %v", state, gone)
		}
		if state > Queued && state < Bound {
			table.Leaving("u1")
			if _, due := table.Return("u1"); !due {
				t.Errorf("state %d: nothing to report at the return", state)
			}
		}
		if len(table.members) != 0 {
			t.Errorf("state %d: the member is kept", state)
		}
	}
}
