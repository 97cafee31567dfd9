package app

import (
	"context"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/events"
	schedulerapp "k8s.io/kubernetes/cmd/kube-scheduler/app/config"
	"k8s.io/kubernetes/pkg/scheduler"
	schedulerconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/profile"
	st "k8s.io/kubernetes/pkg/scheduler/testing"
	testingclock "k8s.io/utils/clock/testing"

	"phalanx.dev/adapter/internal/config"
)

// world is a scheduler with the adapter on a fake API server, and a fake brain on a real socket.
type world struct {
	*adapter
	t      *testing.T
	ctx    context.Context
	cancel context.CancelFunc
	brain  *fakeBrain
	client *fake.Clientset
	sched  *scheduler.Scheduler
	clock  *testingclock.FakePassiveClock // of the lease
}

func profiles(t *testing.T, socket string) []schedulerconfig.KubeSchedulerProfile {
	t.Helper()
	text := "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n" + chartProfile(t)
	object, err := runtime.Decode(scheme.Codecs.UniversalDecoder(), []byte(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	list := object.(*schedulerconfig.KubeSchedulerConfiguration).Profiles
	for _, pc := range list[0].PluginConfig {
		if pc.Name == config.PluginName {
			args := pc.Args.(*config.PhalanxArgs)
			args.BrainSocket = socket
			args.CallTimeout = metav1.Duration{Duration: time.Second} // a loaded machine is no error
			args.BrainGrace = metav1.Duration{Duration: 300 * time.Millisecond}
			args.BindDeadline = metav1.Duration{Duration: time.Second}
		}
	}
	return list
}

func newWorld(t *testing.T, objects ...runtime.Object) *world {
	t.Helper()
	return newWorldWith(t, around{}, objects...)
}

// around is what stands about a world in a test.
type around struct {
	socket string            // of a brain that answers; empty: of a fake one
	client dynamic.Interface // writes objects of other kinds; nil: a fake one
}

func newWorldWith(t *testing.T, with around, objects ...runtime.Object) *world {
	t.Helper()
	presetGates()
	typed, others := split(objects)
	w := &world{t: t, adapter: newAdapter(), client: fake.NewClientset(typed...)}
	if with.socket == "" {
		w.brain = newFakeBrain(t)
		with.socket = w.brain.socket
	}
	if len(others) > 0 {
		w.client.Resources = []*metav1.APIResourceList{{GroupVersion: podGroups.GroupVersion().String(),
			APIResources: []metav1.APIResource{{Name: podGroups.Resource}}}}
	}
	w.adapter.dynamic = with.client
	if with.client == nil {
		w.adapter.dynamic = dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(),
			map[schema.GroupVersionResource]string{podGroups: "PodGroupList"}, others...)
	}
	w.clock = testingclock.NewFakePassiveClock(time.Now())
	w.adapter.clock = w.clock
	w.ctx, w.cancel = context.WithCancel(context.Background())
	t.Cleanup(w.cancel)
	w.client.PrependReactor("create", "pods", w.bind)
	broadcaster := events.NewEventBroadcasterAdapterWithContext(w.ctx, w.client)
	recorders := profile.RecorderFactory(func(name string) events.EventRecorderLogger { return broadcaster.NewRecorder(name) })
	factory := scheduler.NewInformerFactory(w.client, 0, nil)
	var err error
	w.sched, err = scheduler.New(w.ctx, w.client, factory, nil, recorders,
		scheduler.WithProfiles(profiles(t, with.socket)...),
		scheduler.WithFrameworkOutOfTreeRegistry(frameworkruntime.Registry{config.PluginName: w.factory}))
	if err != nil {
		t.Fatal(err)
	}
	cfg := &schedulerapp.Config{Client: w.client, InformerFactory: factory, EventBroadcaster: broadcaster}
	completed := cfg.Complete()
	if err := w.attach(w.ctx, &completed, w.sched); err != nil {
		t.Fatal(err)
	}
	broadcaster.StartRecordingToSink(w.ctx.Done())
	factory.Start(w.ctx.Done())
	factory.WaitForCacheSync(w.ctx.Done())
	if err := w.sched.WaitForHandlersSync(w.ctx); err != nil {
		t.Fatal(err)
	}
	go w.sched.Run(w.ctx)
	if w.brain != nil {
		w.brain.awaitDone(1)
	}
	return w
}

// podGroups is a kind that the fake brain wants. The API server knows it when it has such objects.
var podGroups = schema.GroupVersionResource{Group: "scheduling.x-k8s.io", Version: "v1alpha1", Resource: "podgroups"}

func split(objects []runtime.Object) (typed, others []runtime.Object) {
	for _, object := range objects {
		if _, ok := object.(*unstructured.Unstructured); ok {
			others = append(others, object)
		} else {
			typed = append(typed, object)
		}
	}
	return typed, others
}

// bind does what the API server does with a Binding.
func (w *world) bind(action clienttesting.Action) (bool, runtime.Object, error) {
	create, ok := action.(clienttesting.CreateAction)
	if !ok || action.GetSubresource() != "binding" {
		return false, nil, nil
	}
	binding := create.GetObject().(*v1.Binding)
	pods := w.client.Tracker()
	gvr := v1.SchemeGroupVersion.WithResource("pods")
	object, err := pods.Get(gvr, binding.Namespace, binding.Name)
	if err != nil {
		return true, nil, err
	}
	pod := object.(*v1.Pod).DeepCopy()
	if pod.Spec.NodeName != "" || pod.UID != binding.UID {
		return true, nil, apierrors.NewConflict(gvr.GroupResource(), pod.Name, nil)
	}
	pod.Spec.NodeName = binding.Target.Name
	if pod.Annotations == nil {
		pod.Annotations = map[string]string{}
	}
	for key, value := range binding.Annotations {
		pod.Annotations[key] = value
	}
	return true, binding, pods.Update(gvr, pod, pod.Namespace)
}

func (w *world) create(pods ...*v1.Pod) {
	w.t.Helper()
	for _, pod := range pods {
		if _, err := w.client.CoreV1().Pods(pod.Namespace).Create(w.ctx, pod, metav1.CreateOptions{}); err != nil {
			w.t.Fatal(err)
		}
	}
}

func (w *world) get(name string) *v1.Pod {
	w.t.Helper()
	pod, err := w.client.CoreV1().Pods("ns").Get(w.ctx, name, metav1.GetOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	return pod
}

// eventually waits for what must come.
func (w *world) eventually(what string, is func() bool) {
	w.t.Helper()
	for deadline := time.Now().Add(patience); !is(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			w.t.Fatalf("not within %v: %s", patience, what)
		}
	}
}

func (w *world) bound(name, node string) {
	w.t.Helper()
	w.eventually(name+" is bound", func() bool { return w.get(name).Spec.NodeName != "" })
	if got := w.get(name).Spec.NodeName; got != node {
		w.t.Errorf("%s is bound to %q, want %q", name, got, node)
	}
}

func gpuNode(name string) *v1.Node {
	return st.MakeNode().Name(name).UID(name).Condition(v1.NodeReady, v1.ConditionTrue, "", "").
		Capacity(map[v1.ResourceName]string{
			"cpu": "64", "memory": "256Gi", "pods": "110", "nvidia.com/gpu": "8"}).Obj()
}

func plainNode(name string) *v1.Node {
	return st.MakeNode().Name(name).UID(name).Capacity(map[v1.ResourceName]string{
		"cpu": "64", "memory": "256Gi", "pods": "110"}).Obj()
}

func member(name string) *st.PodWrapper {
	return st.MakePod().Name(name).UID(name).Namespace("ns").SchedulerName("phalanx").
		Label("phalanx.dev/gang", "g").Label("phalanx.dev/gang-size", "2").
		Req(map[v1.ResourceName]string{"nvidia.com/gpu": "8"})
}

func loose(name string) *st.PodWrapper {
	return st.MakePod().Name(name).UID(name).Namespace("ns").SchedulerName("phalanx").
		Req(map[v1.ResourceName]string{"cpu": "1"})
}
