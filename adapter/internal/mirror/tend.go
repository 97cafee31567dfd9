package mirror

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

const (
	tendEvery  = 2 * time.Second
	tendWithin = 5 * time.Second
)

// tend proves again and again that the informers are current, and clears old nominations whenever
// this process takes the lead.
func (w *Watch) tend(ctx context.Context) {
	cleared := false
	for tick := time.NewTicker(tendEvery); ; {
		if w.current(ctx) {
			w.lease.Seen()
		}
		if !w.lease.Leading() {
			cleared = false
		} else if !cleared {
			cleared = w.clearNominations(ctx)
		}
		select {
		case <-ctx.Done():
			tick.Stop()
			return
		case <-tick.C:
		}
	}
}

func (w *Watch) watchFailed(informer cache.SharedIndexInformer) cache.WatchErrorHandlerWithContext {
	return func(ctx context.Context, r *cache.Reflector, err error) {
		cache.DefaultWatchErrorHandler(ctx, r, err)
		w.failed.LoadOrStore(informer, r.LastSyncResourceVersion())
	}
}

// current tells whether the API server answers a read that it can't serve from memory that is out of
// date, and each watch that has failed has got further since. A connection that is dead is found by
// the client's own pings, which end the watch.
func (w *Watch) current(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, tendWithin)
	defer cancel()
	_, err := w.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{Limit: 1})
	all := err == nil
	w.failed.Range(func(informer, version any) bool {
		if informer.(cache.SharedIndexInformer).LastSyncResourceVersion() == version {
			all = false
		} else {
			w.failed.Delete(informer)
		}
		return true
	})
	return all
}

// clearNominations takes status.nominatedNodeName from unbound pods of ours. Nothing of ours nominates:
// what is there was left by another scheduler or an older version, and would keep room from pods of
// equal or lower priority. False: once more, later.
func (w *Watch) clearNominations(ctx context.Context) (done bool) {
	done = true
	for _, pod := range w.Unbound() {
		if pod.Status.NominatedNodeName == "" {
			continue
		}
		if !w.lease.Leading() {
			return false
		}
		patch := fmt.Appendf(nil, `{"metadata":{"uid":%q},"status":{"nominatedNodeName":null}}`, pod.UID)
		_, err := w.client.CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name, types.MergePatchType, patch,
			metav1.PatchOptions{}, "status")
		if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
			klog.FromContext(ctx).Info("Cannot clear the nominated node", "pod", klog.KObj(pod), "err", err)
			done = false
		}
	}
	return done
}
