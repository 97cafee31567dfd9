// Package metrics holds what the adapter counts, in the registry that kube-scheduler serves.
package metrics

import (
	"fmt"
	"strings"
	"sync"

	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
)

const subsystem = "phalanx_adapter"

var (
	// BrainConnected is 1 from SyncDone until the stream ends.
	BrainConnected = metrics.NewGauge(&metrics.GaugeOpts{Subsystem: subsystem,
		Name: "brain_connected", Help: "1 while the stream to the brain stands and the snapshot was sent.",
		StabilityLevel: metrics.ALPHA})
	// Calls is the time of calls to the brain; code is a gRPC code, or Skipped by the breaker.
	Calls = metrics.NewHistogramVec(&metrics.HistogramOpts{Subsystem: subsystem,
		Name: "brain_call_duration_seconds", Help: "Time of one try of a call to the brain; code Skipped: it was away, and not called.",
		Buckets: metrics.ExponentialBuckets(0.00005, 2, 12), StabilityLevel: metrics.ALPHA},
		[]string{"method", "code"})
	// BindingsInFlight counts Binding requests under way.
	BindingsInFlight = metrics.NewGauge(&metrics.GaugeOpts{Subsystem: subsystem,
		Name: "bindings_in_flight", Help: "Binding requests under way.", StabilityLevel: metrics.ALPHA})
	// Bindings counts how Bind ended: bound, refused, lost, cancelled; with dry_run_ before it, how a dry run did.
	Bindings = metrics.NewCounterVec(&metrics.CounterOpts{Subsystem: subsystem,
		Name: "bindings_total", Help: "Bindings by how they ended.", StabilityLevel: metrics.ALPHA},
		[]string{"result"})
	// Directives counts what the brain asked for.
	Directives = metrics.NewCounterVec(&metrics.CounterOpts{Subsystem: subsystem,
		Name: "directives_total", Help: "Directives of the brain by kind and result.",
		StabilityLevel: metrics.ALPHA}, []string{"kind", "result"})
	// Conflicts counts disagreements of the scheduler's plugins with a plan.
	Conflicts = metrics.NewCounterVec(&metrics.CounterOpts{Subsystem: subsystem,
		Name: "conflicts_total", Help: "Plans that a plugin disagreed with, by plugin and stage.",
		StabilityLevel: metrics.ALPHA}, []string{"plugin", "stage"})
	// Unanswered counts members that came back since a call about them had no answer.
	Unanswered = metrics.NewCounterVec(&metrics.CounterOpts{Subsystem: subsystem,
		Name: "unanswered_total", Help: "Members that came back since the brain did not answer in time, by stage.",
		StabilityLevel: metrics.ALPHA}, []string{"stage"})
	// HeldPods counts pods that wait outside the scheduler's queue.
	HeldPods = metrics.NewGauge(&metrics.GaugeOpts{Subsystem: subsystem,
		Name: "held_pods", Help: "Pods that wait outside the scheduler's queue.", StabilityLevel: metrics.ALPHA})
)

// Stage is the label of a stage.
func Stage(s fmt.Stringer) string { return strings.ToLower(strings.TrimPrefix(s.String(), "STAGE_")) }

var once sync.Once

// Register adds the metrics to the registry, once.
func Register() {
	once.Do(func() {
		legacyregistry.MustRegister(BrainConnected, Calls, BindingsInFlight, Bindings, Directives,
			Conflicts, Unanswered, HeldPods)
	})
}
