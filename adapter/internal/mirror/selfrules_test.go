package mirror

import (
	"fmt"
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	st "k8s.io/kubernetes/pkg/scheduler/testing"
)

func selecting(value string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{"job-name": value}}
}

func apart(term v1.PodAffinityTerm) func(*v1.PodSpec) {
	term.TopologyKey = "host"
	return func(spec *v1.PodSpec) {
		spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{term}}}
	}
}

func together(term v1.PodAffinityTerm) func(*v1.PodSpec) {
	term.TopologyKey = "zone"
	return func(spec *v1.PodSpec) {
		spec.Affinity = &v1.Affinity{PodAffinity: &v1.PodAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{term},
			PreferredDuringSchedulingIgnoredDuringExecution: []v1.WeightedPodAffinityTerm{{Weight: 1,
				PodAffinityTerm: v1.PodAffinityTerm{TopologyKey: "row", LabelSelector: selecting("a")}}}}}
	}
}

func spread(c v1.TopologySpreadConstraint) func(*v1.PodSpec) {
	c.TopologyKey, c.MaxSkew = "rack", 2
	return func(spec *v1.PodSpec) { spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{c} }
}

// Only rules by which equal pods are about each other go to the brain: one that is about others, or others
// too, would be followed where it does not hold, or the other way round.
func TestSelfRules(t *testing.T) {
	ignore, honor := v1.NodeInclusionPolicyIgnore, v1.NodeInclusionPolicyHonor
	own, all := selecting("a"), &metav1.LabelSelector{}
	for _, c := range []struct {
		name string
		spec func(*v1.PodSpec)
		want []string
	}{
		{"nothing", func(*v1.PodSpec) {}, nil},
		{"apart", apart(v1.PodAffinityTerm{LabelSelector: own}), []string{"KIND_APART host 0 job-name=a"}},
		{"apart from all pods", apart(v1.PodAffinityTerm{LabelSelector: all}), []string{"KIND_APART host 0 "}},
		{"apart from no pod", apart(v1.PodAffinityTerm{}), nil},
		{"apart from others", apart(v1.PodAffinityTerm{LabelSelector: selecting("b")}), nil},
		{"a bad selector", apart(v1.PodAffinityTerm{LabelSelector: &metav1.LabelSelector{
			MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "x", Operator: "Near"}}}}), nil},
		{"the own namespace by name", apart(v1.PodAffinityTerm{LabelSelector: own, Namespaces: []string{"ns"}}),
			[]string{"KIND_APART host 0 job-name=a"}},
		{"other namespaces", apart(v1.PodAffinityTerm{LabelSelector: own, Namespaces: []string{"ns", "b"}}), nil},
		{"all namespaces", apart(v1.PodAffinityTerm{LabelSelector: own, NamespaceSelector: all}), nil},
		{"together", together(v1.PodAffinityTerm{LabelSelector: own}), []string{"KIND_TOGETHER zone 0 job-name=a"}},
		{"spread", spread(v1.TopologySpreadConstraint{LabelSelector: own, WhenUnsatisfiable: v1.DoNotSchedule,
			NodeAffinityPolicy: &honor, NodeTaintsPolicy: &ignore}), []string{"KIND_SKEW rack 2 job-name=a"}},
		{"spread by revision", spread(v1.TopologySpreadConstraint{LabelSelector: own, WhenUnsatisfiable: v1.DoNotSchedule,
			MatchLabelKeys: []string{"rev"}}), nil},
		{"spread if possible", spread(v1.TopologySpreadConstraint{LabelSelector: own, WhenUnsatisfiable: v1.ScheduleAnyway}), nil},
		{"spread over all nodes", spread(v1.TopologySpreadConstraint{LabelSelector: own, WhenUnsatisfiable: v1.DoNotSchedule,
			NodeAffinityPolicy: &ignore}), nil},
		{"spread over nodes without taints", spread(v1.TopologySpreadConstraint{LabelSelector: own, WhenUnsatisfiable: v1.DoNotSchedule,
			NodeTaintsPolicy: &honor}), nil},
	} {
		pod := st.MakePod().Namespace("ns").Name("p").Label("job-name", "a").Label("rev", "7").Obj()
		c.spec(&pod.Spec)
		var got []string
		for _, rule := range Pod(pod, Wanted{}, lateObjects{}).SelfRules {
			got = append(got, fmt.Sprintf("%v %s %d %s", rule.Kind, rule.TopologyKey, rule.MaxSkew, rule.Selector))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
