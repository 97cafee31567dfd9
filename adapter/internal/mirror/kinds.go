package mirror

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	pb "phalanx.dev/adapter/internal/gen/phalanx/v1alpha1"
)

// Kinds mirrors objects of the kinds that the brain names, by informers of its own: the scheduler
// would wait for ever for one whose kind the API server does not know. Whether it knows one is asked
// again and again, one small read each: everybody may ask that, and it is true of aggregated APIs
// too. Watching definitions (CRDs) would be one more right, and they are there before their kind is
// served. A kind that can't be watched keeps nothing else waiting, nor does it cost the lead.
type Kinds struct {
	Discovery interface {
		ServerResourcesForGroupVersionWithContext(ctx context.Context, groupVersion string) (*metav1.APIResourceList, error)
	}
	Client dynamic.Interface
	Outbox *Outbox
	Every  time.Duration // between two looks

	mu      sync.Mutex // one look at a time
	wanted  []schema.GroupVersionResource
	running sync.Map // from schema.GroupVersionResource to *kind
}

// kind is one that the API server knows.
type kind struct {
	cache.SharedIndexInformer
	refused atomic.Bool // by RBAC
	stop    func()      // returns when its objects are told to be gone
}

// listWithin bounds how long a snapshot waits for kinds whose lists do not come.
const listWithin = 10 * time.Second

// Want makes these the kinds, and waits until all that are there have listed or are forbidden. ctx
// is the process's.
func (k *Kinds) Want(ctx context.Context, list []*pb.ObjectKind) {
	k.mu.Lock()
	k.wanted = nil
	for _, w := range list {
		k.wanted = append(k.wanted, schema.GroupVersionResource{Group: w.Group, Version: w.Version, Resource: w.Resource})
	}
	k.mu.Unlock()
	err := wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, listWithin, true,
		func(context.Context) (bool, error) { return k.look(ctx), nil })
	if err != nil {
		klog.FromContext(ctx).Info("The snapshot goes without kinds that do not list", "within", listWithin)
	}
}

// Run looks until the context ends.
func (k *Kinds) Run(ctx context.Context) {
	wait.UntilWithContext(ctx, func(ctx context.Context) { k.look(ctx) }, k.Every)
}

// look starts and stops informers. settled: nothing is on its way.
func (k *Kinds) look(ctx context.Context) (settled bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	settled = true
	for _, gvr := range k.wanted {
		served, err := k.served(ctx, gvr)
		running, _ := k.running.Load(gvr)
		switch {
		case err != nil: // neither known nor unknown
			settled = false
		case served && running == nil:
			k.running.Store(gvr, k.start(ctx, gvr))
			settled = false
		case served:
			settled = settled && (running.(*kind).HasSynced() || running.(*kind).refused.Load())
		case running != nil:
			k.end(ctx, gvr)
		}
	}
	k.running.Range(func(gvr, _ any) bool {
		if !slices.Contains(k.wanted, gvr.(schema.GroupVersionResource)) {
			k.end(ctx, gvr)
		}
		return true
	})
	return settled
}

func (k *Kinds) served(ctx context.Context, gvr schema.GroupVersionResource) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, tendWithin)
	defer cancel()
	list, err := k.Discovery.ServerResourcesForGroupVersionWithContext(ctx, gvr.GroupVersion().String())
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(list.APIResources, func(r metav1.APIResource) bool { return r.Name == gvr.Resource }), nil
}

func (k *Kinds) start(parent context.Context, gvr schema.GroupVersionResource) *kind {
	ctx, cancel := context.WithCancel(parent)
	informer := &kind{SharedIndexInformer: dynamicinformer.NewFilteredDynamicInformer(k.Client, gvr,
		metav1.NamespaceAll, 0, cache.Indexers{}, nil).Informer()}
	note := func(u *unstructured.Unstructured) { k.Outbox.object(objectKey(gvr, u), u) }
	gone := func(u *unstructured.Unstructured) { k.Outbox.object(objectKey(gvr, u), nil) }
	// These three fail only once it runs.
	_, _ = informer.AddEventHandler(handlers(note, gone))
	_ = informer.SetTransform(func(object any) (any, error) {
		if u, ok := object.(*unstructured.Unstructured); ok {
			u.SetManagedFields(nil)
		}
		return object, nil
	})
	_ = informer.SetWatchErrorHandlerWithContext(func(ctx context.Context, r *cache.Reflector, err error) {
		if !apierrors.IsForbidden(err) {
			cache.DefaultWatchErrorHandler(ctx, r, err)
		} else if !informer.refused.Swap(true) {
			klog.FromContext(ctx).Info("A kind that the brain wants may not be watched: gangs that need it wait", "kind", gvr, "err", err)
		}
	})
	ended := make(chan struct{})
	informer.stop = func() { cancel(); <-ended }
	go func() {
		defer close(ended)
		informer.RunWithContext(ctx)
		for _, object := range informer.GetStore().List() {
			gone(object.(*unstructured.Unstructured))
		}
	}()
	klog.FromContext(ctx).Info("A kind is watched for the brain", "kind", gvr)
	return informer
}

func (k *Kinds) end(ctx context.Context, gvr any) {
	if running, ok := k.running.LoadAndDelete(gvr); ok {
		running.(*kind).stop()
		klog.FromContext(ctx).Info("A kind is watched no more", "kind", gvr)
	}
}

// all lists what there is.
func (k *Kinds) all(into changes) {
	k.running.Range(func(gvr, running any) bool {
		for _, object := range running.(*kind).GetStore().List() {
			u := object.(*unstructured.Unstructured)
			into[objectKey(gvr.(schema.GroupVersionResource), u)] = u
		}
		return true
	})
}

// objectKey is a key of changes; no part of it can hold a slash.
func objectKey(gvr schema.GroupVersionResource, u *unstructured.Unstructured) string {
	return objectPrefix + strings.Join([]string{gvr.Group, gvr.Version, gvr.Resource, u.GetNamespace(), u.GetName(),
		string(u.GetUID())}, "/")
}

func keyOf(key string) *pb.ObjectKey {
	p := strings.Split(strings.TrimPrefix(key, objectPrefix), "/")
	return &pb.ObjectKey{Group: p[0], Version: p[1], Resource: p[2], Namespace: p[3], Name: p[4], Uid: p[5]}
}

// Object converts an object of any kind; one of more than most bytes travels without its content.
func Object(key string, u *unstructured.Unstructured, most int) *pb.Object {
	out := &pb.Object{Key: keyOf(key), ResourceVersion: u.GetResourceVersion()}
	if data, err := json.Marshal(u.Object); err == nil && len(data) <= most {
		out.Json = data
	}
	return out
}
