// Package queue keeps pods that are not admitted outside the scheduler's queue, and takes the
// scheduler's failures of admitted pods to the brain instead of to the pod's status.
package queue

import (
	"context"
	"sync"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"phalanx.dev/adapter/internal/admit"
	"phalanx.dev/adapter/internal/held"
	"phalanx.dev/adapter/internal/metrics"
)

type entry struct {
	pod    *v1.Pod
	inside bool // in the scheduler's own queue, or beyond it
}

// Queue decorates the scheduler's queue. Held pods are known here; they are inside the real queue only
// while the admitted set says so. Lock order: Queue, then the real queue, then the admitted set.
type Queue struct {
	queue.SchedulingQueue
	table *admit.Table
	class *held.Classifier

	mu     sync.Mutex
	pods   map[types.UID]*entry
	inside int // how many of them are
}

// New wraps the queue of a scheduler that has not started.
func New(inner queue.SchedulingQueue, table *admit.Table, class *held.Classifier) *Queue {
	return &Queue{SchedulingQueue: inner, table: table, class: class, pods: map[types.UID]*entry{}}
}

// Add is called for each unbound pod of ours that the scheduler sees for the first time.
func (q *Queue) Add(ctx context.Context, pod *v1.Pod) {
	if !q.class.Held(pod) {
		q.SchedulingQueue.Add(ctx, pod)
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.forgetLocked(pod.UID)
	e := &entry{pod: pod}
	q.pods[pod.UID] = e
	q.enterLocked(ctx, e)
}

// enterLocked lets the pod in if it is admitted.
func (q *Queue) enterLocked(ctx context.Context, e *entry) {
	if !e.inside && q.table.Admitted(e.pod.UID) {
		e.inside = true
		q.inside++
		q.SchedulingQueue.Add(ctx, e.pod)
	}
	q.countLocked()
}

// leaveLocked takes the pod out of the real queue, where it may be.
func (q *Queue) leaveLocked(logger klog.Logger, e *entry) {
	if e.inside {
		e.inside = false
		q.inside--
	}
	q.SchedulingQueue.Delete(logger, e.pod)
	q.countLocked()
}

// forgetLocked tells whether the pod was inside the real queue, or unknown.
func (q *Queue) forgetLocked(uid types.UID) (outside bool) {
	e := q.pods[uid]
	if e == nil {
		return false
	}
	if e.inside {
		q.inside--
	}
	delete(q.pods, uid)
	q.countLocked()
	return !e.inside
}

func (q *Queue) countLocked() { metrics.HeldPods.Set(float64(len(q.pods) - q.inside)) }

// Update is called when an unbound pod of ours has changed and the scheduler has not assumed it.
func (q *Queue) Update(ctx context.Context, oldPod, newPod *v1.Pod) {
	q.mu.Lock()
	defer q.mu.Unlock()
	e := q.pods[newPod.UID]
	isHeld := q.class.Held(newPod)
	switch {
	case !isHeld && q.forgetLocked(newPod.UID): // it has lost what made it held
		q.SchedulingQueue.Add(ctx, newPod)
	case !isHeld:
		q.SchedulingQueue.Update(ctx, oldPod, newPod)
	case e == nil: // it was loose before
		q.SchedulingQueue.Delete(klog.FromContext(ctx), oldPod)
		e = &entry{pod: newPod}
		q.pods[newPod.UID] = e
		q.enterLocked(ctx, e)
	default:
		e.pod = newPod
		// A member that is leaving still counts as inside until its failure is handled, but an
		// update would put it into the queue once more.
		if e.inside && q.table.Admitted(newPod.UID) {
			q.SchedulingQueue.Update(ctx, oldPod, newPod)
		} else {
			q.enterLocked(ctx, e)
		}
	}
}

// Delete is called when a pod is gone, or bound.
func (q *Queue) Delete(logger klog.Logger, pod *v1.Pod) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.forgetLocked(pod.UID)
	q.SchedulingQueue.Delete(logger, pod)
}

// AddUnschedulablePodIfNotPresent never puts a held pod back: it leaves through the failure handler.
func (q *Queue) AddUnschedulablePodIfNotPresent(logger klog.Logger, info *framework.QueuedPodInfo, cycle int64) error {
	if !q.class.Held(info.Pod) {
		return q.SchedulingQueue.AddUnschedulablePodIfNotPresent(logger, info, cycle)
	}
	q.SchedulingQueue.Done(info.Pod.UID)
	q.Recall(logger, info.Pod.UID)
	return nil
}

// Promote lets an admitted pod in. A pod that the scheduler has not seen yet follows through Add.
func (q *Queue) Promote(ctx context.Context, uid types.UID) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if e := q.pods[uid]; e != nil {
		q.enterLocked(ctx, e)
	}
}

// Recall takes a pod out of the real queue and holds it. One that was admitted anew meanwhile stays.
func (q *Queue) Recall(logger klog.Logger, uid types.UID) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if e := q.pods[uid]; e != nil && e.inside && !q.table.Admitted(uid) {
		q.leaveLocked(logger, e)
	}
}

// left holds a pod whose cycle has ended, and lets it in again if it is admitted under another plan.
func (q *Queue) left(ctx context.Context, uid types.UID) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if e := q.pods[uid]; e != nil {
		q.leaveLocked(klog.FromContext(ctx), e)
		q.enterLocked(ctx, e)
	}
}

// Reclassify looks at all unbound pods of ours again, after the rules have changed.
func (q *Queue) Reclassify(ctx context.Context, unbound []*v1.Pod) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for uid, e := range q.pods {
		if !q.class.Held(e.pod) {
			if q.forgetLocked(uid) {
				q.SchedulingQueue.Add(ctx, e.pod)
			}
		}
	}
	for _, pod := range unbound {
		if q.pods[pod.UID] == nil && q.class.Held(pod) {
			q.SchedulingQueue.Delete(klog.FromContext(ctx), pod)
			q.pods[pod.UID] = &entry{pod: pod}
		}
	}
	q.countLocked()
}
