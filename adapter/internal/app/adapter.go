package app

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/component-base/version"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	schedulerapp "k8s.io/kubernetes/cmd/kube-scheduler/app/config"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/utils/clock"

	"phalanx.dev/adapter/internal/admit"
	"phalanx.dev/adapter/internal/brain"
	"phalanx.dev/adapter/internal/config"
	pb "phalanx.dev/adapter/internal/gen/phalanx/v1alpha1"
	"phalanx.dev/adapter/internal/held"
	"phalanx.dev/adapter/internal/lease"
	"phalanx.dev/adapter/internal/metrics"
	"phalanx.dev/adapter/internal/mirror"
	"phalanx.dev/adapter/internal/plugin"
	"phalanx.dev/adapter/internal/queue"
)

// adapter is the one set of parts that all profiles of the process share. The factory makes it when
// the first profile is built, attach joins it to the scheduler.
type adapter struct {
	once   sync.Once
	err    error
	shared *plugin.Shared
	outbox *mirror.Outbox
	hands  *brain.Hands
	served []string // scheduler names of the profiles with the plugin
	clock  clock.PassiveClock
	// Of kinds that only the brain knows; made from the scheduler's settings if nil.
	dynamic   dynamic.Interface
	lookEvery time.Duration // for such kinds
}

func newAdapter() *adapter {
	metrics.Register()
	return &adapter{outbox: mirror.NewOutbox(), clock: clock.RealClock{}, lookEvery: 2 * time.Second}
}

// factory is called once for each profile.
func (a *adapter) factory(_ context.Context, object runtime.Object, handle fwk.Handle) (fwk.Plugin, error) {
	args, err := config.FromObject(object)
	if err != nil {
		return nil, fmt.Errorf("profile %q: %w", handle.ProfileName(), err)
	}
	a.once.Do(func() { a.shared, a.err = a.share(args) })
	if a.err != nil {
		return nil, a.err
	}
	if !reflect.DeepEqual(args, a.shared.Args) {
		return nil, fmt.Errorf("profile %q: the arguments of %s differ from those of profile %q, expected the same in all profiles",
			handle.ProfileName(), config.PluginName, a.served[0])
	}
	a.served = append(a.served, handle.ProfileName())
	return plugin.New(a.shared, handle), nil
}

func (a *adapter) share(args *config.PhalanxArgs) (*plugin.Shared, error) {
	client, err := brain.Dial(args.BrainSocket, args.CallTimeout.Duration)
	if err != nil {
		return nil, fmt.Errorf("brainSocket %q: %w", args.BrainSocket, err)
	}
	return &plugin.Shared{
		Args:  args,
		Brain: client,
		Table: admit.NewTable(),
		Class: held.NewClassifier(held.Rules{LabelKeys: args.HeldLabelKeys,
			AnnotationKeys: args.HeldAnnotationKeys, Resources: args.HeldResources}),
		Lease:  lease.New(a.clock),
		Report: a.outbox,
		Gate:   plugin.NewBindGate(int(args.MaxBindingsInFlight)),
		Rule:   plugin.NewScoreRule(client, args.HeldResources),
	}, nil
}

// attach joins the adapter to a scheduler that has been set up and has not started.
func (a *adapter) attach(ctx context.Context, cc *schedulerapp.CompletedConfig, sched *scheduler.Scheduler) error {
	if a.shared == nil {
		return fmt.Errorf("no profile enables the plugin %s", config.PluginName)
	}
	if len(a.served) != len(sched.Profiles) {
		return fmt.Errorf("profiles with the plugin %s: %v, expected all %d, since they share one queue",
			config.PluginName, a.served, len(sched.Profiles))
	}
	for name, profile := range sched.Profiles {
		if err := checkProfile(klog.FromContext(ctx), name, profile.ListPlugins()); err != nil {
			return err
		}
	}
	s := a.shared
	gate := queue.New(sched.SchedulingQueue, s.Table, s.Class)
	sched.SchedulingQueue = gate
	sched.FailureHandler = gate.FailureHandler(sched.FailureHandler, a.outbox)
	if cc.LeaderElection != nil {
		cc.LeaderElection.Lock = s.Lease.Guard(cc.LeaderElection.Lock, cc.LeaderElection.LeaseDuration,
			s.Args.BindAttemptTimeout.Duration)
	} else {
		s.Lease.LeadAlways()
	}
	if a.dynamic == nil {
		client, err := dynamic.NewForConfig(cc.KubeConfig)
		if err != nil {
			return err
		}
		a.dynamic = client
	}
	a.hands = &brain.Hands{Table: s.Table, Gate: gate, Lease: s.Lease, Client: cc.Client, Objects: a.dynamic,
		Recorder: cc.EventBroadcaster.NewRecorder(a.served[0]), Outbox: a.outbox, Patching: make(chan struct{}, 4),
		EffectDeadline: s.Args.BindDeadline.Duration, AttemptTimeout: s.Args.BindAttemptTimeout.Duration}
	kinds := &mirror.Kinds{Discovery: cc.Client.Discovery(), Client: a.dynamic, Outbox: a.outbox, Every: a.lookEvery}
	watch, err := mirror.NewWatch(cc.Client, cc.InformerFactory, a.served, kinds, a.hands, s.Lease)
	if err != nil {
		return err
	}
	sync := &brain.Sync{Client: s.Brain, Hello: a.hello(), World: watch,
		Late: mirror.NewListers(cc.InformerFactory), Outbox: a.outbox, Table: s.Table, Class: s.Class,
		Hands: a.hands, Grace: s.Args.BrainGrace.Duration}
	go plugin.ServeBarriers(ctx, s.Table)
	go plugin.NewEventQueue(s.Gate, sched.Profiles).Run(ctx)
	go func() {
		if watch.Run(ctx) {
			sync.Run(ctx)
		}
	}()
	return nil
}

func (a *adapter) hello() *pb.Hello {
	return &pb.Hello{AdapterId: uuid.NewString(), AdapterVersion: Version,
		SchedulerNames: slices.Sorted(slices.Values(a.served)), KubernetesVersion: version.Get().GitVersion}
}

// Version of the adapter; the build may set it.
var Version = "0.1.0"

// drain stops admitting, empties the barriers, and lets released gangs finish.
func (a *adapter) drain(ctx context.Context, within time.Duration) {
	logger := klog.FromContext(ctx)
	logger.Info("Asked to end: no more admissions", "bindings", a.shared.Table.Unfinished(true))
	a.hands.Stop(ctx)
	deadline := time.Now().Add(within)
	for a.shared.Table.Unfinished(true) > 0 && time.Now().Before(deadline) {
		time.Sleep(10 * time.Millisecond)
	}
	logger.Info("Drained", "unfinished", a.shared.Table.Unfinished(true))
}
