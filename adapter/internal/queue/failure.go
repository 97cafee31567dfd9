package queue

import (
	"context"
	"errors"
	"regexp"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"phalanx.dev/adapter/internal/admit"
	"phalanx.dev/adapter/internal/config"
	pb "phalanx.dev/adapter/internal/gen/phalanx/v1alpha1"
)

// Reporter takes what the adapter has learnt to the brain.
type Reporter interface {
	Fact(*pb.MemberFact)
	Conflict(*pb.Conflict)
}

// FailureHandler wraps the scheduler's: a failure of a held pod is reported, and the pod is held
// again; its status is not patched, and no event is written. The scheduler calls it after its cache
// has forgotten the pod, so that the room is free once the brain hears RETURNED.
func (q *Queue) FailureHandler(original scheduler.FailureHandlerFn, report Reporter) scheduler.FailureHandlerFn {
	return func(ctx context.Context, fw framework.Framework, info *framework.QueuedPodInfo,
		status *fwk.Status, nominating *fwk.NominatingInfo, start time.Time) {
		if !q.class.Held(info.Pod) {
			original(ctx, fw, info, status, nominating, start)
			return
		}
		q.SchedulingQueue.Done(info.Pod.UID)
		departure, due := q.table.Return(info.Pod.UID)
		if !due {
			q.Recall(klog.FromContext(ctx), info.Pod.UID)
			return
		}
		if !departure.Explained {
			report.Conflict(conflictOf(departure, info.Pod, status))
		}
		report.Fact(departure.MemberFact)
		q.left(ctx, info.Pod.UID)
	}
}

var stages = map[admit.State]pb.Conflict_Stage{
	admit.Queued:   pb.Conflict_STAGE_FILTER,
	admit.Reserved: pb.Conflict_STAGE_RESERVE,
	admit.Waiting:  pb.Conflict_STAGE_PERMIT,
	admit.Passing:  pb.Conflict_STAGE_PRE_BIND,
	admit.Prepared: pb.Conflict_STAGE_PRE_BIND,
	admit.Binding:  pb.Conflict_STAGE_BIND,
}

// conflictOf tells who disagreed with the plan: a check of our own, or the plugin in the status.
func conflictOf(d admit.Departure, pod *v1.Pod, status *fwk.Status) *pb.Conflict {
	if d.Cause.GetPlugin() != "" {
		return d.Cause
	}
	c := &pb.Conflict{PodUid: string(pod.UID), Plan: d.Plan, NodeName: d.NodeName, Stage: stages[d.State],
		Plugin: status.Plugin(), Message: status.Message()}
	var fit *framework.FitError
	if errors.As(status.AsError(), &fit) {
		explainFit(c, fit)
	}
	if c.Plugin == "" {
		c.Plugin = pluginInText(c.Message)
	}
	return c
}

// explainFit takes the refusal of the planned node out of a FitError, which speaks of all nodes.
func explainFit(c *pb.Conflict, fit *framework.FitError) {
	if at := fit.Diagnosis.NodeToStatus.Get(c.NodeName); at != nil && at.Message() != "" {
		c.Plugin, c.Message = at.Plugin(), at.Message()
	}
	// A PreFilter plugin that refuses outright means the pod, whatever the node.
	c.PodRefused = fit.Diagnosis.PreFilterMsg != ""
	for plugin := range fit.Diagnosis.UnschedulablePlugins {
		if c.Plugin == "" && plugin != config.PluginName {
			c.Plugin = plugin
		}
	}
}

// The framework wraps errors of PreBind and Bind plugins without naming the plugin in the status.
var named = regexp.MustCompile(`running \w+ plugin "([^"]+)"`)

func pluginInText(text string) string {
	if m := named.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return "unknown"
}
