// Package lease knows what this process may do now, by its own clock: until when it leads, which
// kube-scheduler does not tell its plugins, and how old its picture of the cluster is. A lease that
// could not be renewed may already belong to another.
package lease

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/utils/clock"
)

// Lease is asked before each Binding, eviction and event. Safe for use by many goroutines.
type Lease struct {
	clock    clock.PassiveClock
	deadline atomic.Pointer[time.Time] // nil: never led
	seen     atomic.Pointer[time.Time] // nil: never
}

// StaleAfter is the age of the picture from which on no gang is admitted.
const StaleAfter = time.Minute

// New makes a lease that does not lead; Guard fills it.
func New(c clock.PassiveClock) *Lease { return &Lease{clock: c} }

// LeadAlways is for a process without leader election.
func (l *Lease) LeadAlways() {
	never := time.Unix(1<<40, 0)
	l.deadline.Store(&never)
}

// Leading tells whether effects are allowed now.
func (l *Lease) Leading() bool {
	deadline := l.deadline.Load()
	return deadline != nil && l.clock.Now().Before(*deadline)
}

// Seen notes that the picture of the cluster is not older than now.
func (l *Lease) Seen() {
	now := l.clock.Now()
	l.seen.Store(&now)
}

// MayAdmit tells why no gang may start now, or nil. What has begun goes on while Leading.
func (l *Lease) MayAdmit() error {
	if !l.Leading() {
		return errors.New("this scheduler does not lead")
	}
	if seen := l.seen.Load(); seen == nil || l.clock.Since(*seen) > StaleAfter {
		return fmt.Errorf("what this scheduler knows of the cluster is older than %v", StaleAfter)
	}
	return nil
}

// Guard decorates the lock of the leader election. Each renewal counts from the time before it was
// sent: others wait for the whole duration from when they see it, which is later. margin is the
// longest time that an effect may be under way.
func (l *Lease) Guard(lock resourcelock.Interface, duration, margin time.Duration) resourcelock.Interface {
	return &guard{Interface: lock, lease: l, valid: duration - margin}
}

type guard struct {
	resourcelock.Interface
	lease *Lease
	valid time.Duration
}

func (g *guard) Create(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	return g.renew(record, func() error { return g.Interface.Create(ctx, record) })
}

func (g *guard) Update(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	return g.renew(record, func() error { return g.Interface.Update(ctx, record) })
}

func (g *guard) renew(record resourcelock.LeaderElectionRecord, send func() error) error {
	deadline := g.lease.clock.Now().Add(g.valid)
	if record.HolderIdentity != g.Identity() {
		g.lease.deadline.Store(nil) // we give it up: no effect may follow, whether this arrives or not
	}
	if err := send(); err != nil {
		return err
	}
	if record.HolderIdentity == g.Identity() {
		g.lease.deadline.Store(&deadline)
	}
	return nil
}
