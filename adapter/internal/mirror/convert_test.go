package mirror

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	corev1 "k8s.io/kubernetes/pkg/apis/core/v1"
	st "k8s.io/kubernetes/pkg/scheduler/testing"

	pb "phalanx.dev/adapter/internal/gen/phalanx/v1alpha1"
)

type lateObjects map[string]bool

func (l lateObjects) Pending(_, key string) bool { return l[key] }

func (lateObjects) Tied(_, key string) *v1.NodeSelector { return tied[key] }

// tied are the nodes of volumes that are bound.
var tied = map[string]*v1.NodeSelector{
	"pvc/disk": {NodeSelectorTerms: []v1.NodeSelectorTerm{onHosts("n1"), onHosts("n2", "n3")}},
	"pvc/many": {NodeSelectorTerms: slices.Repeat([]v1.NodeSelectorTerm{onHosts("n4")}, 200)},
}

func onHosts(hosts ...string) v1.NodeSelectorTerm {
	return v1.NodeSelectorTerm{MatchExpressions: []v1.NodeSelectorRequirement{
		{Key: "host", Operator: v1.NodeSelectorOpIn, Values: hosts}}}
}

type list = map[v1.ResourceName]string

func TestEffectiveRequests(t *testing.T) {
	for _, c := range []struct {
		name string
		pod  *st.PodWrapper
		want map[string]int64
	}{
		{"containers add up", st.MakePod().Req(list{"cpu": "1", "nvidia.com/gpu": "2"}).Req(list{"cpu": "500m", "memory": "1Gi"}),
			map[string]int64{"cpu": 1500, "memory": 1 << 30, "nvidia.com/gpu": 2}},
		{"the largest init container", st.MakePod().InitReq(list{"cpu": "4"}).Req(list{"cpu": "1"}), map[string]int64{"cpu": 4000}},
		{"sidecars run beside", st.MakePod().SidecarReq(list{"cpu": "2"}).Req(list{"cpu": "1"}), map[string]int64{"cpu": 3000}},
		{"an init container after a sidecar", st.MakePod().SidecarReq(list{"cpu": "2"}).InitReq(list{"cpu": "5"}).Req(list{"cpu": "1"}),
			map[string]int64{"cpu": 7000}},
		{"host ports", st.MakePod().Req(list{"cpu": "1"}).HostPort(8080).ContainerPort([]v1.ContainerPort{{HostPort: 53, Protocol: v1.ProtocolUDP}, {ContainerPort: 80}}),
			map[string]int64{"cpu": 1000, "host-port/TCP/8080": 1, "host-port/UDP/53": 1}},
		{"overhead", st.MakePod().Req(list{"cpu": "1"}).Overhead(v1.ResourceList{"cpu": resource.MustParse("250m")}), map[string]int64{"cpu": 1250}},
		{"pod-level resources win", st.MakePod().Req(list{"cpu": "1", "nvidia.com/gpu": "1"}).PodLevelResourceRequests(list{"cpu": "6"}),
			map[string]int64{"cpu": 6000, "nvidia.com/gpu": 1}},
		{"limits alone become requests", st.MakePod().Lim(list{"cpu": "2", "nvidia.com/gpu": "8"}), map[string]int64{"cpu": 2000, "nvidia.com/gpu": 8}},
		{"nothing", st.MakePod().Container("image"), map[string]int64{}},
	} {
		pod := c.pod.Obj()
		corev1.SetObjectDefaults_Pod(pod) // as the API server does
		c.want["pods"] = 1
		if got := Pod(pod, Wanted{}, lateObjects{}).Requests; !maps.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// A member of which a volume is bound already can only go where the volume is.
func TestBoundVolumesNarrowTheNodes(t *testing.T) {
	pod := st.MakePod().Name("p").Namespace("ns").PVC("unbound")
	inZone := func(p *st.PodWrapper) *st.PodWrapper {
		return p.NodeAffinityIn("zone", []string{"a"}, st.NodeSelectorTypeMatchExpressions)
	}
	for _, c := range []struct {
		pod  *v1.Pod
		want string
	}{
		{pod.Obj(), ""},
		{st.MakePod().Namespace("ns").PVC("disk").Obj(), "host=n1 or host=n2,n3"},
		{inZone(st.MakePod().Namespace("ns").PVC("disk")).Obj(), "zone=a and host=n1 or zone=a and host=n2,n3"},
		{st.MakePod().Namespace("ns").PVC("disk").Node("n1").Obj(), ""},
		{st.MakePod().Namespace("ns").PVC("disk").PVC("many").Obj(), "host=n1 or host=n2,n3"}, // 400 terms are too many
	} {
		var terms []string
		for _, term := range Pod(c.pod, Wanted{}, lateObjects{}).RequiredNodeTerms {
			var all []string
			for _, r := range term.Requirements {
				all = append(all, r.Key+"="+strings.Join(r.Values, ","))
			}
			terms = append(terms, strings.Join(all, " and "))
		}
		if got := strings.Join(terms, " or "); got != c.want {
			t.Errorf("%v: nodes %q, want %q", c.pod.Spec.Volumes, got, c.want)
		}
	}
}

func TestPodFields(t *testing.T) {
	pod := st.MakePod().Name("p").UID("u").Namespace("ns").SchedulerName("phalanx").Priority(-5).
		Label("phalanx.dev/gang", "g").Label("app", "secret").Annotation("phalanx.dev/gang-min", "2").
		SchedulingGates([]string{"example.com/quota"}).NodeSelector(map[string]string{"pool": "gpu"}).
		NodeAffinityIn("zone", []string{"a", "b"}, st.NodeSelectorTypeMatchExpressions).
		Tolerations([]v1.Toleration{{Operator: v1.TolerationOpExists}, {Key: "k", Value: "v", Effect: v1.TaintEffectNoExecute}}).
		OwnerReference("job", schema.GroupVersionKind{Group: "batch", Version: "v1", Kind: "Job"}).
		TerminationGracePeriodSeconds(30).PVC("data").PVC("bound").Phase(v1.PodPending).Obj()
	claim := "claim-1"
	pod.Spec.ResourceClaims = []v1.PodResourceClaim{{Name: "gpu", ResourceClaimName: &claim}}
	got := Pod(pod, Wanted{LabelKeys: []string{"phalanx.dev/*"}, AnnotationKeys: []string{"phalanx.dev/gang-min"}},
		lateObjects{"pvc/data": true, "claim/claim-1": true})
	if len(got.Labels) != 1 || got.Annotations["phalanx.dev/gang-min"] != "2" || got.Priority != -5 || got.Phase != pb.Pod_PHASE_PENDING {
		t.Errorf("labels %v, annotations %v, priority %d, phase %v", got.Labels, got.Annotations, got.Priority, got.Phase)
	}
	if got.Owner.GetKind() != "Job" || got.Owner.GetApiVersion() != "batch/v1" || got.TerminationGraceMs != 30_000 ||
		len(got.SchedulingGates) != 1 || got.NodeSelector["pool"] != "gpu" {
		t.Errorf("owner %v, grace %d, gates %v, selector %v", got.Owner, got.TerminationGraceMs, got.SchedulingGates, got.NodeSelector)
	}
	if len(got.UnresolvedObjects) != 2 || got.UnresolvedObjects[0] != "claim/claim-1" || got.UnresolvedObjects[1] != "pvc/data" {
		t.Errorf("unresolved %v, want claim-1 and data", got.UnresolvedObjects)
	}
	term := got.RequiredNodeTerms[0].Requirements[0]
	if term.Key != "zone" || term.Operator != pb.NodeRequirement_OPERATOR_IN || len(term.Values) != 2 || term.Field {
		t.Errorf("term %v", term)
	}
	first, second := got.Tolerations[0], got.Tolerations[1]
	if first.Operator != pb.Toleration_OPERATOR_EXISTS || first.Effect != pb.Taint_EFFECT_UNSPECIFIED ||
		second.Operator != pb.Toleration_OPERATOR_EQUAL || second.Effect != pb.Taint_EFFECT_NO_EXECUTE {
		t.Errorf("tolerations %v", got.Tolerations)
	}
}

// Whether a pod was told that it waits is read from its own condition: a new leader tells nobody twice.
func TestPodThatWasTold(t *testing.T) {
	for reason, want := range map[string]bool{"WaitingForGang": true, "ExtraMember": true, "Unschedulable": false, "": false} {
		pod := st.MakePod().Condition(v1.PodScheduled, v1.ConditionFalse, reason).Obj()
		if got := Pod(pod, Wanted{}, lateObjects{}).Told; got != want {
			t.Errorf("PodScheduled with reason %q: told is %v, want %v", reason, got, want)
		}
	}
	pod := st.MakePod().Condition(v1.PodReady, v1.ConditionFalse, "WaitingForGang").Obj()
	if Pod(pod, Wanted{}, lateObjects{}).Told {
		t.Error("another condition with that reason counts")
	}
}

func TestTimeOfTheBinding(t *testing.T) {
	at := metav1.NewTime(time.UnixMilli(1_700_000_060_000))
	pod := st.MakePod().Node("n1").Obj()
	for _, c := range []struct {
		status v1.ConditionStatus
		want   int64
	}{{v1.ConditionTrue, at.UnixMilli()}, {v1.ConditionFalse, 0}} {
		pod.Status.Conditions = []v1.PodCondition{{Type: v1.PodScheduled, Status: c.status, LastTransitionTime: at}}
		if got := Pod(pod, Wanted{}, lateObjects{}).BoundMs; got != c.want {
			t.Errorf("PodScheduled %s: bound at %d, want %d", c.status, got, c.want)
		}
	}
}

func TestNodeFields(t *testing.T) {
	node := st.MakeNode().Name("n").UID("u").Label("rack", "r1").Unschedulable(true).
		Capacity(list{"cpu": "64", "memory": "1Gi", "nvidia.com/gpu": "8"}).
		Condition(v1.NodeReady, v1.ConditionTrue, "", "").
		Taints([]v1.Taint{{Key: "nvidia.com/gpu", Effect: v1.TaintEffectNoSchedule}}).Obj()
	got := Node(node)
	if got.Uid != "u" || got.Labels["rack"] != "r1" || !got.Unschedulable || !got.Ready ||
		got.Allocatable["cpu"] != 64_000 || got.Allocatable["memory"] != 1<<30 || got.Allocatable["nvidia.com/gpu"] != 8 ||
		got.Taints[0].Effect != pb.Taint_EFFECT_NO_SCHEDULE {
		t.Errorf("got %v", got)
	}
	node.Status.Conditions[0].Status = v1.ConditionUnknown
	if Node(node).Ready {
		t.Error("a node whose readiness is unknown counts as ready")
	}
}
