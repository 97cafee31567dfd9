package plugin

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"phalanx.dev/adapter/internal/admit"
	"phalanx.dev/adapter/internal/brain"
	pb "phalanx.dev/adapter/internal/gen/phalanx/v1alpha1"
	"phalanx.dev/adapter/internal/metrics"
)

// Bind binds every pod of the profile. It returns anything but success only when the pod is known to
// be unbound (or the process ends): plugins that undo their work for a bound pod would break it.
func (p *Plugin) Bind(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
	c, err := p.member(state, pod)
	if err != nil {
		return fwk.NewStatus(fwk.Unschedulable, err.Error())
	}
	order := uint64(0) // loose pods are one each, and go first
	if c != nil {
		order = c.Plan // plans are numbered as they are made
	}
	if err := p.Gate.Enter(ctx, order); err != nil {
		return fwk.AsStatus(err)
	}
	defer p.Gate.Leave()
	if status := p.mayBind(c, pod); status != nil {
		return status
	}
	return p.bound(ctx, c, pod, node, p.binder(c, pod, node).run(ctx))
}

// mayBind makes the checks that come right before the request.
func (p *Plugin) mayBind(c *cycle, pod *v1.Pod) *fwk.Status {
	why, podRefused := "", false
	if c != nil {
		if err := p.Table.BeginBind(pod.UID, c.Plan); err != nil {
			return fwk.NewStatus(fwk.Unschedulable, err.Error())
		}
		why = p.nodeChanged(c.Assignment)
	}
	if why == "" && !p.Lease.Leading() {
		why, podRefused = "this scheduler does not lead", true
	}
	switch {
	case why == "":
		return nil
	case c != nil:
		metrics.Bindings.WithLabelValues(refused).Inc()
		p.ours(c.Assignment, pb.Conflict_STAGE_BIND, why, podRefused)
	}
	return fwk.NewStatus(fwk.Unschedulable, why)
}

// tryBinding is the dry run of a member's Binding. Nil: it would be bound, for all that can be told.
func (p *Plugin) tryBinding(ctx context.Context, c *cycle, pod *v1.Pod, node string) *fwk.Status {
	if err := p.Gate.Enter(ctx, c.Plan); err != nil {
		return fwk.AsStatus(err)
	}
	defer p.Gate.Leave()
	b := p.binder(c, pod, node)
	b.options.DryRun = []string{metav1.DryRunAll}
	o := b.run(ctx)
	metrics.Bindings.WithLabelValues("dry_run_" + o.result).Inc()
	if o.result == bound && o.message == "" {
		return nil
	}
	return p.unbound(ctx, c, pod, node, o)
}

func (p *Plugin) binder(c *cycle, pod *v1.Pod, node string) *binder {
	b := &binder{client: p.handle.ClientSet(), leading: p.Lease.Leading, attempt: p.Args.BindAttemptTimeout.Duration,
		deadline: time.Now().Add(p.Args.BindDeadline.Duration), binding: &v1.Binding{
			ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID},
			Target:     v1.ObjectReference{Kind: "Node", Name: node},
		}}
	if c != nil {
		b.binding.Annotations = annotations(c.Assignment)
	}
	return b
}

// annotations are written on the pod in the same request as the node.
func annotations(a admit.Assignment) map[string]string {
	return map[string]string{
		"phalanx.dev/gang":      a.Gang.GetName(),
		"phalanx.dev/gang-size": strconv.Itoa(int(a.GangSize)),
		"phalanx.dev/plan":      strconv.FormatUint(a.Plan, 10),
		"phalanx.dev/rank":      strconv.Itoa(int(a.Rank)),
		"phalanx.dev/domain":    a.Domain,
	}
}

// bound takes the outcome to the brain, where it is a member's.
func (p *Plugin) bound(ctx context.Context, c *cycle, pod *v1.Pod, chosen string, o outcome) *fwk.Status {
	metrics.Bindings.WithLabelValues(o.result).Inc()
	if o.result == bound {
		if o.node != chosen {
			klog.FromContext(ctx).Info("Pod is bound elsewhere than planned", "pod", klog.KObj(pod), "node", o.node, "planned", chosen)
		}
		if c != nil {
			c.bound = o.node
		}
		return nil
	}
	return p.unbound(ctx, c, pod, chosen, o)
}

// unbound tells why the pod is not bound, or would not be.
func (p *Plugin) unbound(ctx context.Context, c *cycle, pod *v1.Pod, chosen string, o outcome) *fwk.Status {
	if c != nil && o.result != cancelled {
		p.Table.Explained(pod.UID, o.message)
	}
	klog.FromContext(ctx).Info("Pod is not bound", "pod", klog.KObj(pod), "node", chosen, "result", o.result,
		"code", o.code, "message", o.message)
	if c != nil && o.result == refused {
		p.Report.Fact(&pb.MemberFact{PodUid: string(pod.UID), Plan: c.Plan, NodeName: c.Node,
			State: pb.MemberFact_STATE_BIND_REFUSED, Code: o.code, Message: o.message})
	}
	return fwk.AsStatus(fmt.Errorf("binding %s: %s", o.result, o.message))
}

// PostBind tells that the member is bound.
func (p *Plugin) PostBind(_ context.Context, state fwk.CycleState, pod *v1.Pod, _ string) {
	c, err := p.member(state, pod)
	if err != nil || c == nil {
		return
	}
	p.Report.Fact(&pb.MemberFact{PodUid: string(pod.UID), Plan: c.Plan, NodeName: c.bound,
		State: pb.MemberFact_STATE_BOUND})
	p.Table.Bound(pod.UID, c.Plan, c.bound)
}

// Results of a Binding.
const (
	bound     = "bound"     // somewhere: see node
	refused   = "refused"   // the pod is unbound, and will not be bound like this
	lost      = "lost"      // the pod is gone, or being deleted
	cancelled = "cancelled" // the process ends; nothing is known
)

type outcome struct {
	result, node string
	code         int32
	message      string
}

// binder brings one Binding to an outcome that is certain.
type binder struct {
	client   kubernetes.Interface
	leading  func() bool
	binding  *v1.Binding
	attempt  time.Duration
	deadline time.Time
	options  metav1.CreateOptions
	unclear  bool // a request ended without an answer that excludes a commit
}

func (b *binder) run(ctx context.Context) outcome {
	for retry := brain.NewBackoff(); ; {
		err := b.post(ctx)
		if err == nil {
			return outcome{result: bound, node: b.binding.Target.Name}
		}
		code := brain.CodeOf(err)
		b.unclear = b.unclear || code == 0 || code >= http.StatusInternalServerError
		if b.unclear || code == http.StatusConflict {
			if o, certain := b.look(ctx); certain {
				return o
			}
		}
		switch {
		case ctx.Err() != nil && b.unclear:
			return outcome{result: cancelled, message: context.Cause(ctx).Error()}
		case final(code) || time.Now().After(b.deadline) || ctx.Err() != nil:
			return outcome{result: refused, code: code, message: err.Error()}
		case !b.leading():
			return outcome{result: refused, code: code, message: "this scheduler does not lead any more: " + err.Error()}
		}
		brain.Pause(ctx, retry.Step())
	}
}

// final codes are refusals that a repetition does not change.
func final(code int32) bool {
	return code >= http.StatusBadRequest && code < http.StatusInternalServerError &&
		code != http.StatusConflict && code != http.StatusTooManyRequests && code != http.StatusRequestTimeout
}

func (b *binder) post(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, b.attempt)
	defer cancel()
	return b.client.CoreV1().Pods(b.binding.Namespace).Bind(ctx, b.binding, b.options)
}

// look asks where the pod is until there is an answer. Not certain: it is unbound, and could be bound.
func (b *binder) look(ctx context.Context) (o outcome, certain bool) {
	for retry := brain.NewBackoff(); ; {
		pod, err := b.get(ctx)
		switch {
		case apierrors.IsNotFound(err):
			return outcome{result: lost, code: http.StatusNotFound, message: "the pod is gone"}, true
		case err == nil && pod.UID != b.binding.UID:
			return outcome{result: lost, code: http.StatusConflict, message: "a new pod has its name"}, true
		case err == nil && pod.Spec.NodeName != "":
			return outcome{result: bound, node: pod.Spec.NodeName, message: "it is bound to " + pod.Spec.NodeName}, true
		case err == nil && pod.DeletionTimestamp != nil:
			return outcome{result: lost, code: http.StatusConflict, message: "the pod is being deleted"}, true
		case err == nil || ctx.Err() != nil:
			return outcome{}, false
		}
		brain.Pause(ctx, retry.Step())
	}
}

func (b *binder) get(ctx context.Context) (*v1.Pod, error) {
	ctx, cancel := context.WithTimeout(ctx, b.attempt)
	defer cancel()
	return b.client.CoreV1().Pods(b.binding.Namespace).Get(ctx, b.binding.Name, metav1.GetOptions{})
}
