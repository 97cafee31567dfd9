package plugin

import (
	"context"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"phalanx.dev/adapter/internal/brain"
	pb "phalanx.dev/adapter/internal/gen/phalanx/v1alpha1"
	"phalanx.dev/adapter/internal/held"
)

// ScoreRule is the rule by which nodes are scored for loose pods. It depends on the node alone, so one
// answer of the brain serves all pods of an epoch for a while, and the last one while it is away.
type ScoreRule struct {
	brain *brain.Client

	mu    sync.Mutex
	rule  *pb.ScoreResponse
	epoch uint64
	until time.Time
}

const ruleLife = 10 * time.Second

// NewScoreRule begins with the local rule: keep off nodes that have what makes pods held.
func NewScoreRule(client *brain.Client, accelerators []string) *ScoreRule {
	return &ScoreRule{brain: client, rule: &pb.ScoreResponse{
		PlainNodeScore: int32(fwk.MaxScore), AcceleratorNodeScore: int32(fwk.MinScore),
		AcceleratorResources: accelerators}}
}

// Current asks the brain when the rule at hand is old. A failed call is not repeated for a while.
func (s *ScoreRule) Current(ctx context.Context, pod *v1.Pod) *pb.ScoreResponse {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, epoch := time.Now(), s.brain.Epoch()
	if epoch == 0 || epoch == s.epoch && now.Before(s.until) {
		return s.rule
	}
	answer, err := s.brain.Score(ctx, string(pod.UID))
	if err != nil {
		s.epoch, s.until = epoch, now.Add(ruleLife/10)
		return s.rule
	}
	s.rule, s.epoch, s.until = answer, epoch, now.Add(ruleLife)
	return s.rule
}

const ruleKey fwk.StateKey = "phalanx.dev/score-rule"

type ruleState struct{ rule *pb.ScoreResponse }

// Clone implements fwk.StateData.
func (r *ruleState) Clone() fwk.StateData { return r }

// PreScore fetches the rule for a loose pod; a member has one node, which needs no score.
func (p *Plugin) PreScore(ctx context.Context, state fwk.CycleState, pod *v1.Pod, _ []fwk.NodeInfo) *fwk.Status {
	if p.Class.Held(pod) {
		return fwk.NewStatus(fwk.Skip)
	}
	state.Write(ruleKey, &ruleState{p.Rule.Current(ctx, pod)})
	return nil
}

// Score keeps loose pods off accelerator nodes.
func (p *Plugin) Score(_ context.Context, state fwk.CycleState, _ *v1.Pod, info fwk.NodeInfo) (int64, *fwk.Status) {
	data, err := state.Read(ruleKey)
	if err != nil {
		return 0, fwk.AsStatus(err)
	}
	rule := data.(*ruleState).rule
	score := int64(rule.PlainNodeScore)
	for name, quantity := range info.Node().Status.Allocatable {
		if !quantity.IsZero() && held.Match(rule.AcceleratorResources, string(name)) {
			score = int64(rule.AcceleratorNodeScore)
			break
		}
	}
	return min(max(score, fwk.MinScore), fwk.MaxScore), nil
}

// ScoreExtensions implements fwk.ScorePlugin: the scores are in range already.
func (p *Plugin) ScoreExtensions() fwk.ScoreExtensions { return nil }
