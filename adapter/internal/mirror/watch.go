package mirror

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"

	pb "phalanx.dev/adapter/internal/gen/phalanx/v1alpha1"
	"phalanx.dev/adapter/internal/lease"
)

// Pods are told what happens to pods of ours, whoever caused it.
type Pods interface {
	// Gone: the pod is being deleted, or has ended.
	Gone(uid types.UID)
	// Bound: the API server shows the pod on a node.
	Bound(uid types.UID)
}

// Watch feeds the outbox from the scheduler's informers. Those lose pods that end, which looks like
// a deletion; pods of ours that end are watched by informers of their own.
type Watch struct {
	client   kubernetes.Interface
	live     coreinformers.PodInformer
	nodes    coreinformers.NodeInformer
	ended    map[string]cache.SharedIndexInformer // by scheduler name
	kinds    *Kinds
	outbox   *Outbox
	pods     Pods
	lease    *lease.Lease
	failed   sync.Map // of informers whose watch failed: the version at which they stood then
	vanished workqueue.TypedRateLimitingInterface[vanished]
	synced   []cache.InformerSynced
}

type vanished struct {
	namespace, name string
	uid             types.UID
	scheduler       string
}

// NewWatch registers with the factory, which has not been started.
func NewWatch(client kubernetes.Interface, factory informers.SharedInformerFactory, schedulers []string,
	kinds *Kinds, pods Pods, lease *lease.Lease) (*Watch, error) {
	w := &Watch{
		client: client,
		live:   factory.Core().V1().Pods(),
		nodes:  factory.Core().V1().Nodes(),
		ended:  map[string]cache.SharedIndexInformer{},
		kinds:  kinds,
		outbox: kinds.Outbox,
		pods:   pods,
		lease:  lease,
		vanished: workqueue.NewTypedRateLimitingQueue(
			workqueue.NewTypedItemExponentialFailureRateLimiter[vanished](50*time.Millisecond, 10*time.Second)),
	}
	for _, name := range schedulers {
		selector := fmt.Sprintf("spec.schedulerName=%s,status.phase!=%s,status.phase!=%s,status.phase!=%s",
			name, v1.PodPending, v1.PodRunning, v1.PodUnknown)
		w.ended[name] = coreinformers.NewFilteredPodInformer(client, metav1.NamespaceAll, 0, cache.Indexers{},
			func(o *metav1.ListOptions) { o.FieldSelector = selector })
	}
	index := cache.Indexers{byClaim: w.claimKeys}
	if err := w.live.Informer().AddIndexers(index); err != nil {
		return nil, err
	}
	return w, w.register(factory)
}

// byClaim is the index of our pods by the claims that they use.
const byClaim = "phalanx.dev/claim"

func (w *Watch) claimKeys(object any) (keys []string, _ error) {
	if pod, ok := object.(*v1.Pod); ok && w.ours(pod) && pod.Spec.NodeName == "" {
		for _, key := range claimsOf(pod) {
			keys = append(keys, pod.Namespace+"/"+key)
		}
	}
	return keys, nil
}

// claim sends the pods again that use a claim: it may be pending now, or not any more.
func (w *Watch) claim(prefix string) func(metav1.Object) {
	return func(claim metav1.Object) {
		pods, _ := w.live.Informer().GetIndexer().ByIndex(byClaim, claim.GetNamespace()+"/"+prefix+claim.GetName())
		for _, pod := range pods {
			w.outbox.Pod(pod.(*v1.Pod))
		}
	}
}

func (w *Watch) register(factory informers.SharedInformerFactory) error {
	volumes, claims := w.claim(volumePrefix), w.claim(claimPrefix)
	errs := []error{
		handle(w, w.nodes.Informer(), w.outbox.Node, func(node *v1.Node) { w.outbox.NodeGone(node.Name) }),
		handle(w, w.live.Informer(), w.pod, w.podGone),
		handle(w, factory.Core().V1().PersistentVolumeClaims().Informer(), volumes, volumes),
		handle(w, factory.Resource().V1().ResourceClaims().Informer(), claims, claims),
	}
	for _, informer := range w.ended {
		errs = append(errs, handle(w, informer, w.podEnded, w.endedGone))
	}
	return errors.Join(errs...)
}

// handle registers for what an informer of T shows.
func handle[T metav1.Object](w *Watch, informer cache.SharedIndexInformer, upsert, gone func(T)) error {
	if err := informer.SetWatchErrorHandlerWithContext(w.watchFailed(informer)); err != nil {
		return err
	}
	reg, err := informer.AddEventHandler(handlers(upsert, gone))
	if err == nil {
		w.synced = append(w.synced, reg.HasSynced)
	}
	return err
}

func handlers[T metav1.Object](upsert, gone func(T)) cache.ResourceEventHandlerFuncs {
	return cache.ResourceEventHandlerFuncs{
		AddFunc: func(object any) { upsert(object.(T)) },
		UpdateFunc: func(before, now any) {
			if before.(T).GetUID() != now.(T).GetUID() { // deleted and created again while nobody watched
				gone(before.(T))
			}
			upsert(now.(T))
		},
		DeleteFunc: func(last any) {
			if unknown, ok := last.(cache.DeletedFinalStateUnknown); ok {
				last = unknown.Obj
			}
			if object, ok := last.(T); ok { // a mark without object tells nothing
				gone(object)
			}
		}}
}

// Run starts the own informers and waits until all of them have listed; the factory is started by
// the scheduler. It returns false when the context ended before.
func (w *Watch) Run(ctx context.Context) bool {
	for _, informer := range w.ended {
		go informer.RunWithContext(ctx)
	}
	go func() {
		<-ctx.Done()
		w.vanished.ShutDown()
	}()
	for range 2 {
		go w.confirmVanished(ctx)
	}
	listed := cache.WaitForCacheSync(ctx.Done(), w.synced...)
	w.lease.Seen()
	go w.tend(ctx)
	go w.kinds.Run(ctx)
	return listed
}

// Want makes the kinds known that the brain wants, and waits for their lists.
func (w *Watch) Want(ctx context.Context, kinds []*pb.ObjectKind) { w.kinds.Want(ctx, kinds) }

// All lists what the brain has to know.
func (w *Watch) All(into changes) {
	nodes, _ := w.nodes.Lister().List(labels.Everything()) // listers do not fail
	for _, node := range nodes {
		into[nodeKey+node.Name] = node
	}
	live, _ := w.live.Lister().List(labels.Everything())
	for _, pod := range live {
		if w.travels(pod) {
			into[podKey+string(pod.UID)] = pod
		}
	}
	for _, informer := range w.ended {
		for _, object := range informer.GetStore().List() {
			if pod, ok := object.(*v1.Pod); ok && ended(pod) {
				into[podKey+string(pod.UID)] = pod
			}
		}
	}
	w.kinds.all(into)
}

// Unbound lists the pods of ours that the scheduler may have in its queue.
func (w *Watch) Unbound() (pods []*v1.Pod) {
	live, _ := w.live.Lister().List(labels.Everything())
	for _, pod := range live {
		if w.ours(pod) && pod.Spec.NodeName == "" {
			pods = append(pods, pod)
		}
	}
	return pods
}

func (w *Watch) ours(pod *v1.Pod) bool { return w.ended[pod.Spec.SchedulerName] != nil }

// travels: foreign pods matter while they hold resources of a node.
func (w *Watch) travels(pod *v1.Pod) bool {
	return w.ours(pod) || pod.Spec.NodeName != "" && !ended(pod)
}

func ended(pod *v1.Pod) bool {
	return pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed
}

func (w *Watch) pod(pod *v1.Pod) {
	if !w.travels(pod) {
		return
	}
	w.outbox.Pod(pod)
	if !w.ours(pod) {
		return
	}
	if pod.Spec.NodeName != "" {
		w.pods.Bound(pod.UID)
	}
	if pod.DeletionTimestamp != nil || ended(pod) {
		w.pods.Gone(pod.UID)
	}
}

func (w *Watch) podGone(pod *v1.Pod) {
	if !w.ours(pod) {
		w.outbox.PodGone(pod.UID)
		return
	}
	w.pods.Gone(pod.UID)
	// Deleted or ended? The other informer may tell in a moment, else the API server is asked.
	w.vanished.AddAfter(vanished{pod.Namespace, pod.Name, pod.UID, pod.Spec.SchedulerName}, 50*time.Millisecond)
}

func (w *Watch) podEnded(pod *v1.Pod) {
	if ended(pod) {
		w.outbox.Pod(pod)
		w.pods.Gone(pod.UID)
	}
}

func (w *Watch) endedGone(pod *v1.Pod) {
	if ended(pod) {
		w.outbox.PodGone(pod.UID)
	}
}

func (w *Watch) confirmVanished(ctx context.Context) {
	for {
		item, stop := w.vanished.Get()
		if stop {
			return
		}
		if err := w.confirm(ctx, item); err != nil {
			klog.FromContext(ctx).V(2).Info("Cannot tell yet how a pod went", "pod", item.name, "err", err)
			w.vanished.AddRateLimited(item)
		} else {
			w.vanished.Forget(item)
		}
		w.vanished.Done(item)
	}
}

func (w *Watch) confirm(ctx context.Context, item vanished) error {
	key := item.namespace + "/" + item.name
	if object, known, _ := w.ended[item.scheduler].GetStore().GetByKey(key); known {
		if pod, ok := object.(*v1.Pod); ok && pod.UID == item.uid && ended(pod) {
			return nil
		}
	}
	pod, err := w.client.CoreV1().Pods(item.namespace).Get(ctx, item.name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err) || err == nil && pod.UID != item.uid:
		w.outbox.PodGone(item.uid)
	case err != nil:
		return err
	case ended(pod):
		w.outbox.Pod(pod)
	default:
		return fmt.Errorf("pod %s is in phase %s, and has left the informer", key, pod.Status.Phase)
	}
	return nil
}
