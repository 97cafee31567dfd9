package plugin

import (
	"context"
	"time"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"phalanx.dev/adapter/internal/admit"
	"phalanx.dev/adapter/internal/config"
	pb "phalanx.dev/adapter/internal/gen/phalanx/v1alpha1"
)

// signalPause is how often a pod is looked for that has not arrived at its barrier yet: the framework
// files it only after Permit has returned.
const signalPause = 2 * time.Millisecond

// ServeBarriers tells pods at barriers what the admitted set says, until the context ends.
func ServeBarriers(ctx context.Context, table *admit.Table) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-table.Kick():
		}
		for signals := table.Signals(); len(signals) > 0; signals = table.Signals() {
			for _, s := range signals {
				if tell(s) {
					table.Told(s)
				}
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(signalPause):
			}
		}
	}
}

// tell reports whether the signal has arrived. A pod past Permit can only be stopped in PreBind.
func tell(s admit.Signal) bool {
	if s.State == admit.Passing {
		running := s.Barriers.GetPodInPreBind(s.UID)
		return running != nil && running.CancelPod(s.Reason)
	}
	waiting := s.Barriers.GetWaitingPod(s.UID)
	if waiting == nil {
		return false
	}
	if s.Reason != "" {
		waiting.Reject(config.PluginName, s.Reason) // false: it has just timed out, and leaves as well
		return true
	}
	waiting.Allow(config.PluginName)
	return true
}

// PreBindPreFlight tells that loose pods have nothing to wait for.
func (p *Plugin) PreBindPreFlight(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ string) (*fwk.PreBindPreFlightResult, *fwk.Status) {
	if !p.Class.Held(pod) {
		return nil, fwk.NewStatus(fwk.Skip)
	}
	return &fwk.PreBindPreFlightResult{AllowParallel: false}, nil
}

// PreBind is the second barrier, after all other PreBind plugins: it ends when every member is
// prepared, when the plan is withdrawn, or when time is up.
func (p *Plugin) PreBind(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
	c, err := p.member(state, pod)
	if c == nil && err == nil {
		return nil
	}
	if err == nil && c.DryRun {
		if status := p.tryBinding(ctx, c, pod, node); status != nil {
			return status
		}
	}
	if err == nil {
		err = p.Table.Prepared(pod.UID, c.Plan)
	}
	if err != nil {
		return fwk.NewStatus(fwk.Unschedulable, err.Error())
	}
	p.Report.Fact(&pb.MemberFact{PodUid: string(pod.UID), Plan: c.Plan, NodeName: node,
		State: pb.MemberFact_STATE_PREPARED})
	deadline := time.NewTimer(p.Args.PreparingDeadline.Duration)
	defer deadline.Stop()
	for {
		released, changed, err := p.Table.Released(pod.UID, c.Plan)
		switch {
		case err != nil:
			return fwk.NewStatus(fwk.Unschedulable, err.Error())
		case released:
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fwk.AsStatus(context.Cause(ctx))
		case <-deadline.C:
			why := "prepared for " + p.Args.PreparingDeadline.Duration.String() + " while siblings were not"
			p.ours(c.Assignment, pb.Conflict_STAGE_PRE_BIND, why, true)
			return fwk.NewStatus(fwk.Unschedulable, why)
		}
	}
}
