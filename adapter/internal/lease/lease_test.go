package lease

import (
	"context"
	"errors"
	"testing"
	"time"

	"k8s.io/client-go/tools/leaderelection/resourcelock"
	testingclock "k8s.io/utils/clock/testing"
)

type lock struct {
	resourcelock.Interface
	clock *testingclock.FakePassiveClock
	takes time.Duration
	err   error
}

func (l *lock) Identity() string { return "me" }
func (l *lock) Update(context.Context, resourcelock.LeaderElectionRecord) error {
	l.clock.SetTime(l.clock.Now().Add(l.takes))
	return l.err
}

func TestLease(t *testing.T) {
	clock := testingclock.NewFakePassiveClock(time.Unix(1000, 0))
	lease, inner := New(clock), &lock{clock: clock}
	guarded := lease.Guard(inner, 15*time.Second, time.Second)
	renew := func(holder string) error {
		return guarded.Update(context.Background(), resourcelock.LeaderElectionRecord{HolderIdentity: holder})
	}
	expect := func(when string, want bool) {
		t.Helper()
		if lease.Leading() != want {
			t.Errorf("%s: leading %v, want %v", when, !want, want)
		}
	}
	expect("before the first renewal", false)
	inner.takes = 4 * time.Second
	_ = renew("me")
	expect("after a renewal that took 4 s", true)
	clock.SetTime(clock.Now().Add(9 * time.Second))
	expect("13 s after it was sent", true)
	clock.SetTime(clock.Now().Add(time.Second))
	expect("14 s after it was sent, less than its margin from the end", false)
	inner.takes, inner.err = 0, errors.New("no answer")
	if err := renew("me"); err == nil {
		t.Error("the error was swallowed")
	}
	expect("after a renewal that failed", false)
	inner.err = nil
	_ = renew("me")
	expect("after a renewal", true)
	_ = renew("")
	expect("after the lease was given up", false)
	lease.LeadAlways()
	expect("without leader election", true)
}

func TestNoAdmissionOnAnOldPicture(t *testing.T) {
	clock := testingclock.NewFakePassiveClock(time.Unix(1000, 0))
	lease := New(clock)
	expect := func(when string, want bool) {
		t.Helper()
		if err := lease.MayAdmit(); (err == nil) != want {
			t.Errorf("%s: MayAdmit says %v, want it allowed: %v", when, err, want)
		}
	}
	lease.Seen()
	expect("before it leads", false)
	lease.LeadAlways()
	expect("with a new picture", true)
	clock.SetTime(clock.Now().Add(StaleAfter))
	expect("a minute later", true)
	clock.SetTime(clock.Now().Add(time.Millisecond))
	expect("more than a minute later", false)
	if !lease.Leading() {
		t.Error("an old picture took the lead away: effects that have begun could not be finished")
	}
	lease.Seen()
	expect("with a new picture again", true)
}
