package plugin

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/profile"
)

type tally struct{ written atomic.Int64 }

func (t *tally) Eventf(_, _ runtime.Object, _, _, _, _ string, _ ...any) { t.written.Add(1) }

func (t *tally) WithLogger(klog.Logger) events.EventRecorderLogger { return t }

type recording struct {
	framework.Framework
	recorder events.EventRecorderLogger
}

func (r recording) EventRecorder() events.EventRecorderLogger { return r.recorder }

// queued runs a queue of events over one profile in virtual time.
func queued(t *testing.T, gate *BindGate, test func(say func(times int), written *atomic.Int64)) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		written := &tally{}
		profiles := profile.Map{"phalanx": recording{recorder: written}}
		queue := NewEventQueue(gate, profiles)
		say := func(times int) {
			for range times {
				profiles["phalanx"].EventRecorder().WithLogger(klog.Background()).
					Eventf(&v1.Pod{}, nil, v1.EventTypeNormal, "Scheduled", "Binding", "to %s", "a1")
			}
		}
		go queue.Run(ctx)
		test(say, &written.written)
	})
}

// Without it the events of a crowd of gangs take the API server's time from their Bindings.
func TestEventsGiveWayToBindings(t *testing.T) {
	gate := NewBindGate(2)
	queued(t, gate, func(say func(int), written *atomic.Int64) {
		if err := gate.Enter(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		say(100)
		time.Sleep(time.Second + bindPace/2)
		synctest.Wait()
		if n, most := written.Load(), int64(time.Second/bindPace)+1; n == 0 || n > most {
			t.Errorf("%d events were written in a second of Bindings, expected 1 to %d", n, most)
		}
		gate.Leave()
		time.Sleep(2 * 100 * eventPace)
		synctest.Wait()
		if n := written.Load(); n != 100 {
			t.Errorf("%d events were written after the Bindings, expected all 100", n)
		}
	})
}

// Without it events that nobody writes fill the memory, or are lost.
func TestEventsThatFindNoPlaceAreWrittenAtOnce(t *testing.T) {
	queued(t, NewBindGate(1), func(say func(int), written *atomic.Int64) {
		say(mostEvents + 7)
		if n := written.Load(); n < 7 {
			t.Errorf("%d events were written at once, expected those above %d", n, mostEvents)
		}
		time.Sleep((mostEvents + 7) * eventPace)
		synctest.Wait()
		if n := written.Load(); n != mostEvents+7 {
			t.Errorf("%d events were written in the end, expected all %d", n, mostEvents+7)
		}
	})
}
