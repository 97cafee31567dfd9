// Package mirror turns API objects into what travels to the brain.
package mirror

import (
	"cmp"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/resource"
	corev1 "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/storage/ephemeral"
	"k8s.io/dynamic-resource-allocation/resourceclaim"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/util"

	pb "phalanx.dev/adapter/internal/gen/phalanx/v1alpha1"
	"phalanx.dev/adapter/internal/held"
)

// Wanted are the keys of pods that the brain asked for; a trailing "*" matches any rest.
type Wanted struct {
	LabelKeys      []string
	AnnotationKeys []string
}

// Late tells which claims of a pod will only be decided by the scheduler's plugins.
type Late interface {
	// Pending: the claim of the key (see claimsOf) has no allocation, or is unbound and waits for its
	// first consumer.
	Pending(namespace, key string) bool
	// Tied: the nodes that can reach the volume of a claim that is bound; nil: all, or it is not known.
	Tied(namespace, key string) *v1.NodeSelector
}

// mostTerms bounds what the terms of a pod and its volumes multiply to; beyond it the scheduler's own
// plugin finds out.
const mostTerms = 256

const claimPrefix, volumePrefix = "claim/", "pvc/"

// Node converts a node.
func Node(node *v1.Node) *pb.Node {
	out := &pb.Node{
		Name:          node.Name,
		Uid:           string(node.UID),
		Labels:        node.Labels,
		Unschedulable: node.Spec.Unschedulable,
		Allocatable:   quantities(node.Status.Allocatable),
	}
	for _, condition := range node.Status.Conditions {
		if condition.Type == v1.NodeReady && condition.Status == v1.ConditionTrue {
			out.Ready = node.DeletionTimestamp == nil
		}
	}
	for i := range node.Spec.Taints {
		taint := &node.Spec.Taints[i]
		out.Taints = append(out.Taints, &pb.Taint{Key: taint.Key, Value: taint.Value, Effect: effects[taint.Effect]})
	}
	return out
}

var effects = map[v1.TaintEffect]pb.Taint_Effect{
	v1.TaintEffectNoSchedule:       pb.Taint_EFFECT_NO_SCHEDULE,
	v1.TaintEffectPreferNoSchedule: pb.Taint_EFFECT_PREFER_NO_SCHEDULE,
	v1.TaintEffectNoExecute:        pb.Taint_EFFECT_NO_EXECUTE,
}

// quantities are in the units of the wire: millicores, else bytes or whole units.
func quantities(list v1.ResourceList) map[string]int64 {
	out := make(map[string]int64, len(list))
	for name, quantity := range list {
		if name == v1.ResourceCPU {
			out[string(name)] = quantity.MilliValue()
		} else {
			out[string(name)] = quantity.Value()
		}
	}
	return out
}

var phases = map[v1.PodPhase]pb.Pod_Phase{
	v1.PodPending:   pb.Pod_PHASE_PENDING,
	v1.PodRunning:   pb.Pod_PHASE_RUNNING,
	v1.PodSucceeded: pb.Pod_PHASE_SUCCEEDED,
	v1.PodFailed:    pb.Pod_PHASE_FAILED,
	v1.PodUnknown:   pb.Pod_PHASE_RUNNING, // its node does not answer: it still holds its resources
}

// Pod converts a pod.
func Pod(pod *v1.Pod, wanted Wanted, late Late) *pb.Pod {
	out := &pb.Pod{
		Uid:               string(pod.UID),
		Namespace:         pod.Namespace,
		Name:              pod.Name,
		Labels:            pick(pod.Labels, wanted.LabelKeys),
		Annotations:       pick(pod.Annotations, wanted.AnnotationKeys),
		SchedulerName:     pod.Spec.SchedulerName,
		NodeName:          pod.Spec.NodeName,
		Phase:             phases[pod.Status.Phase],
		PhaseReason:       pod.Status.Reason,
		Deleting:          pod.DeletionTimestamp != nil,
		Priority:          corev1.PodPriority(pod),
		CreatedMs:         pod.CreationTimestamp.UnixMilli(),
		Requests:          requests(pod),
		NodeSelector:      pod.Spec.NodeSelector,
		Tolerations:       tolerations(pod.Spec.Tolerations),
		Owner:             owner(pod),
		UnresolvedObjects: unresolved(pod, late),
		SelfRules:         selfRules(pod),
	}
	for i := range pod.Status.Conditions {
		c := &pod.Status.Conditions[i]
		told := c.Reason == "WaitingForGang" || c.Reason == "ExtraMember"
		out.Told = out.Told || c.Type == v1.PodScheduled && told
		if c.Type == v1.PodScheduled && c.Status == v1.ConditionTrue {
			out.BoundMs = c.LastTransitionTime.UnixMilli()
		}
	}
	for _, gate := range pod.Spec.SchedulingGates {
		out.SchedulingGates = append(out.SchedulingGates, gate.Name)
	}
	if pod.Spec.TerminationGracePeriodSeconds != nil {
		out.TerminationGraceMs = *pod.Spec.TerminationGracePeriodSeconds * 1000
	}
	if a := pod.Spec.Affinity; a != nil && a.NodeAffinity != nil {
		out.RequiredNodeTerms = terms(a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution)
	}
	if pod.Spec.NodeName == "" {
		for _, key := range claimsOf(pod) {
			out.RequiredNodeTerms = both(out.RequiredNodeTerms, terms(late.Tied(pod.Namespace, key)))
		}
	}
	return out
}

// both are terms of which one holds wherever one of a and one of b hold; none at all hold everywhere.
func both(a, b []*pb.NodeSelectorTerm) (out []*pb.NodeSelectorTerm) {
	switch {
	case len(b) == 0 || len(a)*len(b) > mostTerms:
		return a
	case len(a) == 0:
		return b
	}
	for _, one := range a {
		for _, other := range b {
			out = append(out, &pb.NodeSelectorTerm{Requirements: slices.Concat(one.Requirements, other.Requirements)})
		}
	}
	return out
}

func pick(all map[string]string, keys []string) map[string]string {
	var out map[string]string
	for key, value := range all {
		if held.Match(keys, key) {
			if out == nil {
				out = map[string]string{}
			}
			out[key] = value
		}
	}
	return out
}

// requests are what the scheduler counts for the pod, by the same helper and the same gates.
func requests(pod *v1.Pod) map[string]int64 {
	on := utilfeature.DefaultFeatureGate.Enabled
	out := quantities(resource.PodRequests(pod, resource.PodResourcesOptions{
		UseStatusResources: on(features.InPlacePodVerticalScaling),
		InPlacePodLevelResourcesVerticalScalingEnabled: on(features.InPlacePodLevelResourcesVerticalScaling),
		SkipPodLevelResources:                          !on(features.PodLevelResources),
		UseDRANodeAllocatableResourceClaimStatus:       on(features.DRANodeAllocatableResources),
	}))
	out["pods"] = 1
	for _, port := range util.GetHostPorts(pod) { // each node has one of each
		out[fmt.Sprintf("host-port/%s/%d", cmp.Or(port.Protocol, v1.ProtocolTCP), port.HostPort)] = 1
	}
	return out
}

func owner(pod *v1.Pod) *pb.Owner {
	controller := metav1.GetControllerOf(pod)
	if controller == nil {
		return nil
	}
	return &pb.Owner{ApiVersion: controller.APIVersion, Kind: controller.Kind, Name: controller.Name,
		Uid: string(controller.UID)}
}

func tolerations(list []v1.Toleration) []*pb.Toleration {
	var out []*pb.Toleration
	for i := range list {
		t := &list[i]
		op := pb.Toleration_OPERATOR_EQUAL
		if t.Operator == v1.TolerationOpExists {
			op = pb.Toleration_OPERATOR_EXISTS
		}
		out = append(out, &pb.Toleration{Key: t.Key, Operator: op, Value: t.Value, Effect: effects[t.Effect]})
	}
	return out
}

var operators = map[v1.NodeSelectorOperator]pb.NodeRequirement_Operator{
	v1.NodeSelectorOpIn:           pb.NodeRequirement_OPERATOR_IN,
	v1.NodeSelectorOpNotIn:        pb.NodeRequirement_OPERATOR_NOT_IN,
	v1.NodeSelectorOpExists:       pb.NodeRequirement_OPERATOR_EXISTS,
	v1.NodeSelectorOpDoesNotExist: pb.NodeRequirement_OPERATOR_DOES_NOT_EXIST,
	v1.NodeSelectorOpGt:           pb.NodeRequirement_OPERATOR_GT,
	v1.NodeSelectorOpLt:           pb.NodeRequirement_OPERATOR_LT,
}

func terms(selector *v1.NodeSelector) []*pb.NodeSelectorTerm {
	if selector == nil {
		return nil
	}
	var out []*pb.NodeSelectorTerm
	for i := range selector.NodeSelectorTerms {
		from, term := &selector.NodeSelectorTerms[i], &pb.NodeSelectorTerm{}
		for _, r := range from.MatchExpressions {
			term.Requirements = append(term.Requirements, requirement(r, false))
		}
		for _, r := range from.MatchFields {
			term.Requirements = append(term.Requirements, requirement(r, true))
		}
		out = append(out, term)
	}
	return out
}

func requirement(r v1.NodeSelectorRequirement, field bool) *pb.NodeRequirement {
	return &pb.NodeRequirement{Key: r.Key, Operator: operators[r.Operator], Values: r.Values, Field: field}
}

// claimsOf names the claims that the pod uses: "claim/NAME" for devices, "pvc/NAME" for volumes.
func claimsOf(pod *v1.Pod) (keys []string) {
	for i := range pod.Spec.ResourceClaims {
		ref := &pod.Spec.ResourceClaims[i]
		// An error: made from a template that is not there yet, and so the pod's own.
		if name, _, err := resourceclaim.Name(pod, ref); err == nil && name != nil {
			keys = append(keys, claimPrefix+*name)
		}
	}
	for i := range pod.Spec.Volumes {
		switch volume := &pod.Spec.Volumes[i]; {
		case volume.PersistentVolumeClaim != nil:
			keys = append(keys, volumePrefix+volume.PersistentVolumeClaim.ClaimName)
		case volume.Ephemeral != nil:
			keys = append(keys, volumePrefix+ephemeral.VolumeClaimName(pod, volume))
		}
	}
	return keys
}

// unresolved names the claims that only PreBind of a member will decide. Members that share one can
// not wait for each other at Permit.
func unresolved(pod *v1.Pod, late Late) []string {
	if pod.Spec.NodeName != "" {
		return nil
	}
	return slices.DeleteFunc(claimsOf(pod), func(key string) bool { return !late.Pending(pod.Namespace, key) })
}
