package mirror

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/utils/ptr"

	pb "phalanx.dev/adapter/internal/gen/phalanx/v1alpha1"
)

// selfRules are the required rules of a pod about other pods that select the pod itself. Two pods of a
// namespace with one rule are each selected by that of the other, so the brain need not know labels. All
// other rules are for the scheduler's plugins alone.
func selfRules(pod *v1.Pod) (out []*pb.SelfRule) {
	add := func(kind pb.SelfRule_Kind, key string, skew int32, whom *metav1.LabelSelector) {
		selector, err := metav1.LabelSelectorAsSelector(whom)
		if err == nil && selector.Matches(labels.Set(pod.Labels)) {
			out = append(out, &pb.SelfRule{Kind: kind, TopologyKey: key, MaxSkew: skew, Selector: selector.String()})
		}
	}
	other := func(namespace string) bool { return namespace != pod.Namespace }
	terms := func(kind pb.SelfRule_Kind, list []v1.PodAffinityTerm) {
		for i := range list {
			if term := &list[i]; term.NamespaceSelector == nil && !slices.ContainsFunc(term.Namespaces, other) {
				add(kind, term.TopologyKey, 0, term.LabelSelector)
			}
		}
	}
	affinity := ptr.Deref(pod.Spec.Affinity, v1.Affinity{})
	terms(pb.SelfRule_KIND_APART, ptr.Deref(affinity.PodAntiAffinity, v1.PodAntiAffinity{}).RequiredDuringSchedulingIgnoredDuringExecution)
	terms(pb.SelfRule_KIND_TOGETHER, ptr.Deref(affinity.PodAffinity, v1.PodAffinity{}).RequiredDuringSchedulingIgnoredDuringExecution)
	for i := range pod.Spec.TopologySpreadConstraints {
		c := &pod.Spec.TopologySpreadConstraints[i]
		usual := ptr.Deref(c.NodeAffinityPolicy, v1.NodeInclusionPolicyHonor) == v1.NodeInclusionPolicyHonor &&
			ptr.Deref(c.NodeTaintsPolicy, v1.NodeInclusionPolicyIgnore) == v1.NodeInclusionPolicyIgnore && len(c.MatchLabelKeys) == 0
		if usual && c.WhenUnsatisfiable == v1.DoNotSchedule {
			add(pb.SelfRule_KIND_SKEW, c.TopologyKey, c.MaxSkew, c.LabelSelector)
		}
	}
	return out
}
