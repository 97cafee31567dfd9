package plugin

import (
	"context"
	"slices"
	"sync"

	"phalanx.dev/adapter/internal/metrics"
)

// BindGate bounds the Bindings under way. It lets gangs through one after the other, so that the time
// in which a gang is bound in part is short.
type BindGate struct {
	most    int
	mu      sync.Mutex
	free    int
	waiting []*ticket // those that pass first stand first
}

// NewBindGate lets `most` through at a time.
func NewBindGate(most int) *BindGate { return &BindGate{most: most, free: most} }

type ticket struct {
	order uint64
	pass  chan struct{}
}

// Enter waits for a turn; the lowest order goes first, then who came first.
func (g *BindGate) Enter(ctx context.Context, order uint64) error {
	g.mu.Lock()
	if g.free > 0 {
		g.takeLocked()
		g.mu.Unlock()
		return nil
	}
	t := &ticket{order: order, pass: make(chan struct{})}
	// A larger order is where this one stands, an equal one is before it.
	at, _ := slices.BinarySearchFunc(g.waiting, order, func(other *ticket, order uint64) int {
		if other.order <= order {
			return -1
		}
		return 1
	})
	g.waiting = slices.Insert(g.waiting, at, t)
	g.mu.Unlock()
	select {
	case <-t.pass:
		return nil
	case <-ctx.Done():
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if at := slices.Index(g.waiting, t); at >= 0 {
		g.waiting = slices.Delete(g.waiting, at, at+1)
	} else {
		g.leaveLocked() // it had passed in the same moment
	}
	return context.Cause(ctx)
}

// Leave gives the turn to the next.
func (g *BindGate) Leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.leaveLocked()
}

// Busy tells that some are through.
func (g *BindGate) Busy() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.free < g.most
}

func (g *BindGate) takeLocked() {
	g.free--
	metrics.BindingsInFlight.Inc()
}

func (g *BindGate) leaveLocked() {
	g.free++
	metrics.BindingsInFlight.Dec()
	if len(g.waiting) > 0 {
		g.takeLocked()
		close(g.waiting[0].pass)
		g.waiting = slices.Delete(g.waiting, 0, 1)
	}
}
