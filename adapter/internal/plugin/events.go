package plugin

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/profile"
)

const (
	mostEvents = 20_000                // that wait
	eventPace  = 5 * time.Millisecond  // between two, while no Binding is under way
	bindPace   = 50 * time.Millisecond // while some are
)

// EventQueue makes kube-scheduler's own events ("Scheduled" above all) come after the Bindings. Each costs
// the API server as much as a Binding, so that written along with them they double the time in which a
// crowd of gangs starts.
type EventQueue struct {
	gate   *BindGate
	events chan func()
}

// NewEventQueue makes the events of these profiles wait for Run.
func NewEventQueue(gate *BindGate, profiles profile.Map) *EventQueue {
	q := &EventQueue{gate: gate, events: make(chan func(), mostEvents)}
	for name, p := range profiles {
		profiles[name] = laterProfile{p, laterRecorder{p.EventRecorder(), q.events}}
	}
	return q
}

// Run writes events, one after the other, until ctx ends.
func (q *EventQueue) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case event := <-q.events:
			event()
		}
		if q.gate.Busy() {
			time.Sleep(bindPace)
		} else {
			time.Sleep(eventPace)
		}
	}
}

type laterProfile struct {
	framework.Framework
	recorder events.EventRecorderLogger
}

func (p laterProfile) EventRecorder() events.EventRecorderLogger { return p.recorder }

type laterRecorder struct {
	events.EventRecorderLogger
	queue chan<- func()
}

func (r laterRecorder) WithLogger(logger klog.Logger) events.EventRecorderLogger {
	return laterRecorder{r.EventRecorderLogger.WithLogger(logger), r.queue}
}

func (r laterRecorder) Eventf(about, related runtime.Object, kind, reason, action, note string, args ...any) {
	event := func() { r.EventRecorderLogger.Eventf(about, related, kind, reason, action, note, args...) }
	select {
	case r.queue <- event:
	default:
		event() // none is lost
	}
}
