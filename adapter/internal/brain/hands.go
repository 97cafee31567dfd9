package brain

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	"k8s.io/utils/ptr"

	"phalanx.dev/adapter/internal/admit"
	pb "phalanx.dev/adapter/internal/gen/phalanx/v1alpha1"
	"phalanx.dev/adapter/internal/lease"
	"phalanx.dev/adapter/internal/metrics"
	"phalanx.dev/adapter/internal/mirror"
	"phalanx.dev/adapter/internal/queue"
)

// Hands carry out directives. Each may come twice, and in any order with what the pods do.
type Hands struct {
	Table    *admit.Table
	Gate     *queue.Queue
	Lease    *lease.Lease
	Client   kubernetes.Interface
	Objects  dynamic.Interface
	Recorder events.EventRecorder
	Outbox   *mirror.Outbox
	// EffectDeadline bounds one eviction with all its attempts, AttemptTimeout each of them, and a patch.
	EffectDeadline, AttemptTimeout time.Duration
	// Patching has room for the patches under way: few, since Bindings go before them.
	Patching chan struct{}

	stopping atomic.Bool
	said     sync.Map // refusals of patches that were logged
}

// Stop refuses admissions from now on and empties the barriers; released gangs are finished.
func (h *Hands) Stop(ctx context.Context) {
	h.stopping.Store(true)
	h.WithdrawAll(ctx, "the scheduler is stopping")
}

// WithdrawAll takes back all plans that are not released for binding.
func (h *Hands) WithdrawAll(ctx context.Context, reason string) {
	gone := h.Table.WithdrawAll(reason)
	if n := len(gone) + h.Table.Unfinished(false); n > 0 {
		klog.FromContext(ctx).Info("Plans are withdrawn", "reason", reason, "members", n)
	}
	h.hold(ctx, gone)
}

// Gone implements mirror.Pods.
func (h *Hands) Gone(uid types.UID) {
	if gone := h.Table.PodGone(uid); gone != nil {
		h.hold(context.Background(), []*pb.MemberFact{gone})
	}
}

// Bound implements mirror.Pods.
func (h *Hands) Bound(uid types.UID) { h.Table.PodBound(uid) }

func (h *Hands) hold(ctx context.Context, gone []*pb.MemberFact) {
	for _, fact := range gone {
		h.Gate.Recall(klog.FromContext(ctx), types.UID(fact.PodUid))
		h.Outbox.Fact(fact)
	}
}

// Do carries out one directive. Evictions, patches and reads go on after it has returned.
func (h *Hands) Do(ctx context.Context, d *pb.SyncResponse) {
	var kind string
	var err error
	switch m := d.Message.(type) {
	case *pb.SyncResponse_Admit:
		kind, err = "Admit", h.admit(ctx, m.Admit)
	case *pb.SyncResponse_Release:
		kind, err = "Release", h.release(m.Release)
	case *pb.SyncResponse_Reject:
		kind = "Reject"
		h.hold(ctx, h.Table.Withdraw(m.Reject.Plan, m.Reject.PodUids, m.Reject.Reason))
	case *pb.SyncResponse_Evict:
		go h.evict(ctx, d.Sequence, m.Evict)
		return
	case *pb.SyncResponse_Patch:
		go h.patch(ctx, d.Sequence, m.Patch)
		return
	case *pb.SyncResponse_ReadJob:
		go h.readJob(ctx, d.Sequence, m.ReadJob)
		return
	case *pb.SyncResponse_Event:
		kind, err = "Event", h.event(m.Event)
	default:
		kind, err = "Unknown", fmt.Errorf("a directive of kind %T, which this version does not know", m)
	}
	h.result(ctx, kind, &pb.DirectiveResult{Sequence: d.Sequence}, err)
}

func (h *Hands) result(ctx context.Context, kind string, result *pb.DirectiveResult, err error) {
	result.Applied, result.KindMissing = err == nil, kindMissing(err)
	outcome := "applied"
	if err != nil {
		outcome, result.Message = "refused", err.Error()
		level := 0
		if _, again := h.said.LoadOrStore(fmt.Sprint(kind, result.Code, result.KindMissing), true); again && kind == "Patch" {
			level = 2 // it is tried again for as long as it takes
		}
		klog.FromContext(ctx).V(level).Info("Directive not carried out", "kind", kind, "sequence", result.Sequence, "code", result.Code, "err", err)
	}
	metrics.Directives.WithLabelValues(kind, outcome).Inc()
	if result.Sequence != 0 {
		h.Outbox.Result(result)
	}
}

func (h *Hands) mayAct() error {
	if !h.Lease.Leading() {
		return fmt.Errorf("this scheduler does not lead")
	}
	return nil
}

func (h *Hands) admit(ctx context.Context, a *pb.Admit) error {
	assignments, err := assignmentsOf(a)
	if err == nil {
		err = h.Lease.MayAdmit()
	}
	if err == nil && h.stopping.Load() {
		err = fmt.Errorf("this scheduler is stopping")
	}
	if err != nil {
		for _, m := range a.Members {
			h.Outbox.Fact(&pb.MemberFact{PodUid: m.PodUid, Plan: a.Plan, NodeName: m.NodeName,
				State: pb.MemberFact_STATE_RETURNED})
		}
		return err
	}
	for _, uid := range h.Table.Admit(assignments) {
		h.Gate.Promote(ctx, uid)
	}
	return nil
}

func assignmentsOf(a *pb.Admit) ([]admit.Assignment, error) {
	if a.Plan == 0 || len(a.Members) == 0 {
		return nil, fmt.Errorf("admission of gang %q: plan %d with %d members, expected a plan above 0 and members",
			a.GetGang().GetName(), a.Plan, len(a.Members))
	}
	list := make([]admit.Assignment, 0, len(a.Members))
	for i, m := range a.Members {
		if m.PodUid == "" || m.NodeName == "" {
			return nil, fmt.Errorf("admission of plan %d: members[%d] has pod_uid %q and node_name %q, expected both",
				a.Plan, i, m.PodUid, m.NodeName)
		}
		list = append(list, admit.Assignment{UID: types.UID(m.PodUid), Gang: a.Gang, Plan: a.Plan, Node: m.NodeName, NodeUID: types.UID(m.NodeUid), Rank: m.Rank,
			Domain: m.Domain, GangSize: a.GangSize, LateBarrier: a.LateBarrier, DryRun: a.DryRun})
	}
	return list, nil
}

func (h *Hands) release(r *pb.Release) error {
	stage := map[pb.Release_Stage]admit.Stage{
		pb.Release_STAGE_PREPARE: admit.Prepare, pb.Release_STAGE_BIND: admit.Bind}[r.Stage]
	if stage == admit.Closed {
		return fmt.Errorf("release of plan %d: stage is %v, expected PREPARE or BIND", r.Plan, r.Stage)
	}
	if !h.Table.Release(r.Plan, stage) {
		return fmt.Errorf("release of plan %d: no member of it is here", r.Plan)
	}
	return nil
}

// noteMost is the limit of the events API.
const noteMost = 1024

func (h *Hands) event(e *pb.Event) error {
	if err := h.mayAct(); err != nil {
		return err
	}
	kind := v1.EventTypeNormal
	if e.Type == pb.Event_TYPE_WARNING {
		kind = v1.EventTypeWarning
	}
	pod := &v1.ObjectReference{APIVersion: "v1", Kind: "Pod", Namespace: e.PodNamespace, Name: e.PodName,
		UID: types.UID(e.PodUid)}
	h.Recorder.Eventf(pod, nil, kind, e.Reason, "Scheduling", "%s",
		strings.ToValidUTF8(e.Message[:min(len(e.Message), noteMost)], ""))
	return nil
}

// evict asks the eviction API. 429 is the answer of a disruption budget: the brain hears of it, and
// nothing is deleted instead.
func (h *Hands) evict(ctx context.Context, sequence uint64, e *pb.Evict) {
	ctx, cancel := context.WithTimeout(ctx, h.EffectDeadline)
	defer cancel()
	for backoff := NewBackoff(); ; {
		code, err := h.evictOnce(ctx, e)
		transient := code == 0 || code >= http.StatusInternalServerError
		if err == nil || !transient || !h.Lease.Leading() || !Pause(ctx, backoff.Step()) {
			h.result(ctx, "Evict", &pb.DirectiveResult{Sequence: sequence, Code: code}, err)
			return
		}
	}
}

func (h *Hands) evictOnce(ctx context.Context, e *pb.Evict) (code int32, err error) {
	if err := h.mayAct(); err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, h.AttemptTimeout)
	defer cancel()
	uid := types.UID(e.PodUid)
	err = h.Client.PolicyV1().Evictions(e.PodNamespace).Evict(ctx, &policyv1.Eviction{
		ObjectMeta:    metav1.ObjectMeta{Namespace: e.PodNamespace, Name: e.PodName},
		DeleteOptions: &metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}},
	})
	code = CodeOf(err)
	if code == http.StatusNotFound { // it has gone: what was asked for
		return code, nil
	}
	return code, err
}

var patchTypes = map[pb.Patch_Kind]types.PatchType{pb.Patch_KIND_APPLY: types.ApplyPatchType,
	pb.Patch_KIND_MERGE: types.MergePatchType, pb.Patch_KIND_STRATEGIC: types.StrategicMergePatchType}

// patch carries out one write, once: what comes of it decides whether the brain asks again.
func (h *Hands) patch(ctx context.Context, sequence uint64, p *pb.Patch) {
	h.Patching <- struct{}{}
	defer func() { <-h.Patching }()
	code, err := int32(0), h.mayAct()
	if err == nil {
		ctx, cancel := context.WithTimeout(ctx, h.AttemptTimeout)
		defer cancel()
		err = h.write(ctx, p)
		code = CodeOf(err)
	}
	h.result(ctx, "Patch", &pb.DirectiveResult{Sequence: sequence, Code: code}, err)
}

func (h *Hands) write(ctx context.Context, p *pb.Patch) (err error) {
	t := p.GetTarget()
	objects := h.Objects.Resource(schema.GroupVersionResource{Group: t.GetGroup(), Version: t.GetVersion(), Resource: t.GetResource()}).
		Namespace(t.GetNamespace())
	if p.Kind == pb.Patch_KIND_DELETE {
		options := metav1.DeleteOptions{}
		if uid := types.UID(t.GetUid()); uid != "" {
			options.Preconditions = &metav1.Preconditions{UID: &uid}
		}
		if err = objects.Delete(ctx, t.GetName(), options); apierrors.IsNotFound(err) {
			return nil // what was asked for
		}
		return err
	}
	kind, known := patchTypes[p.Kind]
	if !known {
		return fmt.Errorf("patch of %s %s: kind is %v, expected APPLY, MERGE, STRATEGIC or DELETE", t.GetResource(), t.GetName(), p.Kind)
	}
	options := metav1.PatchOptions{FieldManager: "phalanx"}
	if kind == types.ApplyPatchType {
		options.Force = ptr.To(true)
	}
	var subresources []string
	if p.Subresource != "" {
		subresources = []string{p.Subresource}
	}
	_, err = objects.Patch(ctx, t.GetName(), kind, p.Json, options, subresources...)
	return err
}

// kindMissing tells a kind that the API server does not serve from an object that is not there: for
// the former it answers with a page instead of a Status.
func kindMissing(err error) bool {
	return apierrors.IsNotFound(err) && apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse)
}

// readJob sends a Job up as it is now, but not what its pods look like.
func (h *Hands) readJob(ctx context.Context, sequence uint64, r *pb.ReadJob) {
	ctx, cancel := context.WithTimeout(ctx, h.AttemptTimeout)
	defer cancel()
	result := &pb.DirectiveResult{Sequence: sequence, Code: http.StatusOK}
	job, err := h.Client.BatchV1().Jobs(r.Namespace).Get(ctx, r.Name, metav1.GetOptions{})
	if err == nil {
		job.ManagedFields, job.Spec.Template = nil, v1.PodTemplateSpec{}
		result.Object, err = json.Marshal(job)
	} else {
		result.Code = CodeOf(err)
	}
	h.result(ctx, "ReadJob", result, err)
}

// CodeOf is the HTTP status of an answer of the API server, 0 if there was none.
func CodeOf(err error) int32 {
	if err == nil {
		return http.StatusCreated
	}
	var answer apierrors.APIStatus
	if errors.As(err, &answer) {
		return answer.Status().Code
	}
	return 0
}
