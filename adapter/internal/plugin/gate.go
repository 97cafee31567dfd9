package plugin

import (
	"container/heap"
	"context"
	"sync"

	"phalanx.dev/adapter/internal/metrics"
)

// BindGate bounds the Bindings under way. It lets gangs through one after the other, so that the time
// in which a gang is bound in part is short.
type BindGate struct {
	mu      sync.Mutex
	free    int
	waiting ticketHeap
	arrived uint64
}

// NewBindGate lets `most` through at a time.
func NewBindGate(most int) *BindGate { return &BindGate{free: most} }

type ticket struct {
	order, arrival uint64
	pass           chan struct{}
	index          int // in the heap; -1 when it has passed
}

// Enter waits for a turn; the lowest order goes first.
func (g *BindGate) Enter(ctx context.Context, order uint64) error {
	g.mu.Lock()
	if g.free > 0 {
		g.takeLocked()
		g.mu.Unlock()
		return nil
	}
	g.arrived++
	t := &ticket{order: order, arrival: g.arrived, pass: make(chan struct{})}
	heap.Push(&g.waiting, t)
	g.mu.Unlock()
	select {
	case <-t.pass:
		return nil
	case <-ctx.Done():
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if t.index < 0 { // it had passed in the same moment
		g.leaveLocked()
	} else {
		heap.Remove(&g.waiting, t.index)
	}
	return context.Cause(ctx)
}

// Leave gives the turn to the next.
func (g *BindGate) Leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.leaveLocked()
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
		close(heap.Pop(&g.waiting).(*ticket).pass)
	}
}

type ticketHeap []*ticket

func (h ticketHeap) Len() int { return len(h) }
func (h ticketHeap) Less(i, j int) bool {
	if h[i].order != h[j].order {
		return h[i].order < h[j].order
	}
	return h[i].arrival < h[j].arrival
}
func (h ticketHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}
func (h *ticketHeap) Push(x any) {
	t := x.(*ticket)
	t.index = len(*h)
	*h = append(*h, t)
}
func (h *ticketHeap) Pop() any {
	t := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	t.index = -1
	return t
}
