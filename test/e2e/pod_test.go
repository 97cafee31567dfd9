package e2e

import (
	"net/http"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"phalanx.dev/lab/harness"
	"phalanx.dev/lab/install"
)

// podStories are about the chart's pod as a guest of its cluster.
var podStories = []story{
	{"pod-security", "smoke", time.Minute, podSecurity},
	{"flow-levels", "smoke", time.Minute, flowLevels},
	{"network-policy", "smoke", time.Minute, networkPolicy},
	{"standby", "smoke", 2 * time.Minute, standby},
}

// weakening takes away something that Pod Security "restricted" asks for.
type weakening struct {
	says string // what the refusal must name
	do   func(*corev1.PodSpec)
}

// weakenings are all that the chart's pod has for that profile: one for the pod's
// fields, and one for each field of each container.
func weakenings(spec *corev1.PodSpec) []weakening {
	all := []weakening{
		{"runAsNonRoot", func(s *corev1.PodSpec) { s.SecurityContext.RunAsNonRoot = nil }},
		{"runAsUser=0", func(s *corev1.PodSpec) { *s.SecurityContext.RunAsUser = 0 }},
		{"seccompProfile", func(s *corev1.PodSpec) { s.SecurityContext.SeccompProfile = nil }},
		{"host namespaces", func(s *corev1.PodSpec) { s.HostNetwork = true }},
		{"hostPath", func(s *corev1.PodSpec) {
			s.Volumes[0].VolumeSource = corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/run"}}
		}},
	}
	for i := range spec.Containers {
		all = append(all,
			weakening{"allowPrivilegeEscalation", func(s *corev1.PodSpec) {
				s.Containers[i].SecurityContext.AllowPrivilegeEscalation = nil
			}},
			weakening{"capabilities", func(s *corev1.PodSpec) { s.Containers[i].SecurityContext.Capabilities = nil }})
	}
	return all
}

// podSecurity: a namespace that enforces "restricted" admits the chart's pod, and
// would refuse it without any one of the fields that it has for that.
func podSecurity(e *env) {
	deployment, err := e.phalanx.Manifests.Deployment()
	e.must(err)
	namespace, err := e.Client().CoreV1().Namespaces().Get(e.ctx, e.phalanx.Namespace, metav1.GetOptions{})
	e.must(err)
	if got := namespace.Labels["pod-security.kubernetes.io/enforce"]; got != "restricted" {
		e.t.Fatalf("namespace %s enforces %q, expected restricted", namespace.Name, got)
	}
	create := func(spec *corev1.PodSpec, options metav1.CreateOptions) (*corev1.Pod, error) {
		pod := &corev1.Pod{ObjectMeta: *deployment.Spec.Template.ObjectMeta.DeepCopy(), Spec: *spec}
		pod.Name = "secure"
		return e.Client().CoreV1().Pods(namespace.Name).Create(e.ctx, pod, options)
	}
	spec := &deployment.Spec.Template.Spec
	for _, w := range weakenings(spec) {
		weaker := spec.DeepCopy()
		w.do(weaker)
		_, err := create(weaker, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), w.says) {
			e.t.Errorf("without %s: %v, expected a refusal that names it", w.says, err)
		}
	}
	pod, err := create(spec, metav1.CreateOptions{})
	e.must(err)
	e.must(e.deletePod(pod))
}

// flowLevels: the API server handles the scheduler's requests on the level
// workload-high, and those for its Lease on leader-election, as its own answers say.
func flowLevels(e *env) {
	path, err := e.ServiceAccountKubeconfig(e.ctx, e.phalanx.Namespace, "phalanx")
	e.must(err)
	config, err := clientcmd.BuildConfigFromFlags("", path)
	e.must(err)
	client, err := rest.HTTPClientFor(config)
	e.must(err)
	leases := "/apis/coordination.k8s.io/v1/namespaces/" + e.phalanx.Namespace + "/leases/phalanx-scheduler"
	for url, want := range map[string]string{
		leases:                  "leader-election",
		"/api/v1/pods?limit=1":  "workload-high",
		"/api/v1/nodes?limit=1": "workload-high",
		"/version":              "workload-high",
		"/apis/resource.k8s.io/v1/resourceclaims?limit=1": "workload-high",
	} {
		level, err := e.Client().FlowcontrolV1().PriorityLevelConfigurations().Get(e.ctx, want, metav1.GetOptions{})
		e.must(err)
		answer, err := client.Get(config.Host + url)
		e.must(err)
		answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			e.t.Errorf("%s: %s", url, answer.Status)
		}
		if got := answer.Header.Get("X-Kubernetes-Pf-Prioritylevel-Uid"); got != string(level.UID) {
			e.t.Errorf("%s was handled on level %q, expected %s, %s", url, got, want, level.UID)
		}
	}
}

// networkPolicy: the policy selects the chart's pod, lets in those who are named and
// nobody else, at the ports that the containers have, and out to the API server
// alone. (A lab has no network that would enforce it.)
func networkPolicy(e *env) {
	closed := e.renderPolicy("networkPolicy.enabled=true")
	if len(closed.Spec.Ingress) != 0 || len(closed.Spec.PolicyTypes) != 2 {
		e.t.Errorf("without allowFrom: %+v, expected both types and no rule for ingress", closed.Spec)
	}
	open := e.renderPolicy("networkPolicy.enabled=true", "networkPolicy.apiServer.cidrs={10.1.2.3/32,fd00::1/128}",
		"networkPolicy.apiServer.ports={6443}",
		`networkPolicy.allowFrom[0].namespaceSelector.matchLabels.kubernetes\.io/metadata\.name=monitoring`)
	deployment, err := e.phalanx.Manifests.Deployment()
	e.must(err)
	selector, err := metav1.LabelSelectorAsSelector(&open.Spec.PodSelector)
	e.must(err)
	if !selector.Matches(labels.Set(deployment.Spec.Template.Labels)) {
		e.t.Errorf("the policy selects %s, the pod's labels are %v", selector, deployment.Spec.Template.Labels)
	}
	var named, reached []string
	for _, c := range deployment.Spec.Template.Spec.Containers {
		for _, port := range c.Ports {
			named = append(named, port.Name)
		}
	}
	for _, port := range open.Spec.Ingress[0].Ports {
		reached = append(reached, port.Port.StrVal)
	}
	if !slices.Equal(named, reached) {
		e.t.Errorf("the policy opens %q, the containers have %q", reached, named)
	}
	if out := open.Spec.Egress; len(out) != 1 || len(out[0].To) != 2 || out[0].To[0].IPBlock.CIDR != "10.1.2.3/32" ||
		len(out[0].Ports) != 1 || out[0].Ports[0].Port.IntVal != 6443 {
		e.t.Errorf("egress is %+v, expected the API server alone", out)
	}
}

// renderPolicy returns the chart's NetworkPolicy for some values; the API server
// takes all objects.
func (e *env) renderPolicy(values ...string) *networkingv1.NetworkPolicy {
	e.t.Helper()
	m, err := install.Check(e.ctx, e.Lab, install.Options{Root: shared.root, Set: values})
	e.must(err)
	for _, object := range m.Objects {
		if object.GetKind() == "NetworkPolicy" {
			policy := &networkingv1.NetworkPolicy{}
			e.must(runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(object.Object, policy, true))
			return policy
		}
	}
	e.t.Fatalf("values %q render no NetworkPolicy", values)
	return nil
}

// standby: a second replica becomes ready beside the leader, so that a roll-out
// finds one to hand over to, binds nothing, and goes on when the leader ends.
func standby(e *env) {
	running, waiting, before := e.runningAndWaiting()
	second, err := install.Adopt(e.ctx, e.Lab, install.Options{Root: shared.root, Replica: "-2"})
	e.must(err)
	defer func() {
		for _, p := range []*harness.Program{second.Scheduler, second.Brain} {
			if p != nil {
				p.Stop()
			}
		}
		if err := second.Remove(); err != nil {
			e.t.Error(err)
		}
	}()
	e.must(second.Start(e.ctx))
	e.start(e.gang("meanwhile", 2, 1))
	e.must(e.undisturbed(running, before)(e.ctx))
	if plans := e.metricOf(second, "phalanx_plans_total"); plans != 0 {
		e.t.Errorf("the standby's brain has made %.0f plans, expected none", plans)
	}
	e.phalanx.Scheduler.Stop()
	e.must(e.Finish(e.ctx, running))
	e.bound(waiting)
	if plans := e.metricOf(second, "phalanx_plans_total"); plans == 0 {
		e.t.Error("the gang is bound, but the standby's brain has made no plan")
	}
	e.must(e.phalanx.StartScheduler(e.ctx))
	second.Scheduler.Stop()
	e.start(e.gang("back", 2, 1))
}
