package held

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	st "k8s.io/kubernetes/pkg/scheduler/testing"
)

func TestHeld(t *testing.T) {
	c := NewClassifier(Rules{
		LabelKeys:      []string{"phalanx.dev/gang"},
		AnnotationKeys: []string{"scheduling.k8s.io/*"},
		Resources:      []string{"nvidia.com/gpu", "nvidia.com/mig-*"},
	})
	gpu := func(name, quantity string) map[v1.ResourceName]string {
		return map[v1.ResourceName]string{v1.ResourceName(name): quantity}
	}
	for _, test := range []struct {
		name string
		pod  *st.PodWrapper
		want bool
	}{
		{"plain", st.MakePod().Req(gpu("cpu", "1")), false},
		{"label", st.MakePod().Label("phalanx.dev/gang", ""), true},
		{"longer label", st.MakePod().Label("phalanx.dev/gang-size", "2"), false},
		{"annotation by prefix", st.MakePod().Annotation("scheduling.k8s.io/group-name", "a"), true},
		{"device", st.MakePod().Req(gpu("nvidia.com/gpu", "1")), true},
		{"no device of none", st.MakePod().Req(gpu("nvidia.com/gpu", "0")), false},
		{"slice by prefix", st.MakePod().Req(gpu("nvidia.com/mig-1g.10gb", "1")), true},
		{"limit only", st.MakePod().Lim(gpu("nvidia.com/gpu", "1")), true},
		{"init container", st.MakePod().InitReq(gpu("nvidia.com/gpu", "1")), true},
		{"another vendor's", st.MakePod().Req(gpu("amd.com/gpu", "1")), false},
	} {
		if got := c.Held(test.pod.Obj()); got != test.want {
			t.Errorf("%s: held %v, want %v", test.name, got, test.want)
		}
	}
}
