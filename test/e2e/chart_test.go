package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"phalanx.dev/lab/install"
)

var chartStories = []story{
	{"chart-values", "smoke", time.Minute, chartValues},
	{"chart-rights", "smoke", time.Minute, chartRights},
	{"plugin-order", "smoke", time.Minute, pluginOrder},
	{"start-without-crds", "smoke", 3 * time.Minute, startWithoutCRDs},
}

const noGPUs = "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]" +
	".matchExpressions[0]."

// goodValues are sets of values that reach every object, and every branch, of the
// templates but the ServiceMonitor, whose kind a lab does not have.
var goodValues = [][]string{
	nil,
	{"replicaCount=3", "alias.enabled=true"},
	{"scheduler.leaderElection.enabled=false", "service.create=false", "flowSchema.create=false"},
	{"nodeScope.pool=training", "scheduler.pluginArgs.brainGrace=5s", "brain.extraConfig.backoffFirst=5s"},
	{"serviceAccount.create=false", "serviceAccount.name=default", "rbac.create=false"},
	{"networkPolicy.enabled=true", "replicaCount=2", "networkPolicy.allowFrom[0].ipBlock.cidr=10.0.0.0/8"},
	{"image.registry=registry.example.com/phalanx/", "image.tag=1.2", "image.pullPolicy=Always",
		"image.pullSecrets[0].name=pull", "brain.image.digest=sha256:" + strings.Repeat("0a", 32)},
	{"priorityClassName=", "podLabels.team=ops", "podAnnotations.note=x", "tolerations[0].operator=Exists",
		noGPUs + "key=gpu", noGPUs + "operator=DoesNotExist", "nodeSelector=null"},
	{"serviceAccount.annotations.owner=ops", "service.annotations.owner=ops", "runAsUser=1000", "runAsGroup=1000"},
	{"crds.install=false", "brain.statusWritesPerSecond=5"},
	{"fullnameOverride=gangs", "serviceAccount.create=false", "serviceAccount.name=default",
		"scheduler.extraArgs.tls-min-version=VersionTLS13"},
}

// badValues are refused, with the value and what was expected.
var badValues = map[string]string{
	"brain.http.port=70000": "maximum: got 70,000",
	"nosuch=1":              "'nosuch' not allowed",
	"replicaCount=2,scheduler.leaderElection.enabled=false": "replicaCount: 2 without",
	"schedulerName=default-scheduler":                       "belongs to the cluster's own scheduler",
	"scheduler.leaderElection.leaseName=kube-scheduler":     "choose another name",
	"alias.enabled=true,alias.schedulerName=phalanx":        "is schedulerName already",
	"serviceMonitor.enabled=true":                           "does not serve monitoring.coreos.com/v1",
	"brain.statusWritesPerSecond=0":                         "minimum: got 0",
	"brain.logLevel=loud":                                   "'debug', 'info', 'warning', 'error'",
	"brain.extraConfig.backofFirst=5s":                      "'backofFirst' not allowed",
	"brain.extraConfig.httpAddress=0.0.0.0:1":               "'httpAddress' not allowed",
	"brain.extraConfig.backoffFirst=soon":                   `brain.extraConfig.backoffFirst: "soon", expected a duration`,
	"scheduler.pluginArgs.maxBindingsInFlight=0":            "/scheduler/pluginArgs/maxBindingsInFlight': minimum",
	"scheduler.leaderElection.leaseDuration=10s":            "leaseDuration: 10s, expected more than renewDeadline",
	"scheduler.leaderElection.retryPeriod=1m":               "renewDeadline: 10s, expected more than retryPeriod",
	"scheduler.extraArgs.secure-port=1":                     "--secure-port is set by the chart",
	"brain.http.port=10259":                                 "10259 is scheduler.https.port already",
	"networkPolicy.allowFrom[0].cidr=10.0.0.0/8":            "'cidr' not allowed",
	"networkPolicy.apiServer.cidrs={10.0.0.1}":              `"10.0.0.1", expected an address range`,
	"runAsUser=0":                            "minimum: got 0",
	"scheduler.pluginArgs.brainGrace=10":     "/scheduler/pluginArgs/brainGrace': got number, want string",
	"scheduler.leaderElection.retryPeriod=2": "retryPeriod': got number, want string",
	"schedulerName=GPU":                      `schedulerName: "GPU", expected a name of a-z`,
	"replicaCount=two":                       "got string, want integer",
}

// chartValues: what the chart renders for some values is what an API server takes,
// strictly; values that would hurt are refused with the value and the reason.
func chartValues(e *env) {
	for _, values := range goodValues {
		if _, err := install.Check(e.ctx, e.Lab, install.Options{Root: shared.root, Set: values}); err != nil {
			e.t.Errorf("values %q: %v", values, err)
		}
	}
	for values, why := range badValues {
		_, err := install.Options{Root: shared.root, Set: []string{values}}.Chart().Render(e.ctx)
		if err == nil || !strings.Contains(err.Error(), why) {
			e.t.Errorf("values %s: error %v, expected one that says %q", values, err, why)
		}
	}
}

// access is a right: VERB RESOURCE[/SUBRESOURCE] in API group GROUP, of the object
// NAME.
type access struct{ verb, group, resource, name string }

func (a access) String() string {
	return strings.TrimSpace(fmt.Sprintf("%s %s.%s %s", a.verb, a.resource, a.group, a.name))
}

// chartRights: the service account may do what the scheduler needs, and nothing
// that would hurt: an administrator who reads the chart gets what it says.
func chartRights(e *env) {
	needed := []access{
		{"create", "", "pods/binding", ""}, {"create", "", "pods/eviction", ""},
		{"patch", "", "pods/status", ""}, {"list", "", "nodes", ""}, {"watch", "", "pods", ""},
		{"create", "events.k8s.io", "events", ""}, {"patch", "resource.k8s.io", "resourceclaims/status", ""},
		{"update", "", "persistentvolumes", ""}, {"create", "phalanx.dev", "gangs", ""},
		{"patch", "phalanx.dev", "gangs/status", ""}, {"delete", "phalanx.dev", "gangs", ""},
		{"watch", "scheduling.x-k8s.io", "podgroups", ""}, {"watch", "phalanx.dev", "clustertopologies", ""},
		{"watch", "phalanx.dev", "gangqueues", ""},
		{"patch", "phalanx.dev", "clustertopologies/status", ""},
		{"watch", "kueue.x-k8s.io", "topologies", ""}, {"watch", "kai.scheduler", "topologies", ""},
		{"get", "batch", "jobs", ""},
	}
	refused := []access{
		{"delete", "", "pods", ""}, {"create", "", "pods", ""}, {"update", "", "pods", ""},
		{"create", "", "pods/exec", ""}, {"patch", "", "nodes", ""}, {"delete", "", "nodes", ""},
		{"get", "", "secrets", ""}, {"list", "", "configmaps", ""}, {"update", "batch", "jobs", ""}, {"impersonate", "", "users", ""},
		{"update", "coordination.k8s.io", "leases", "kube-scheduler"}, {"update", "scheduling.x-k8s.io", "podgroups", ""}, {"patch", "phalanx.dev", "clustertopologies", ""},
		{"update", "phalanx.dev", "gangqueues", ""},
		{"create", "rbac.authorization.k8s.io", "clusterrolebindings", ""}, {"*", "*", "*", ""},
	}
	for _, a := range needed {
		if !e.may(a, e.namespaces[0]) {
			e.t.Errorf("the chart's account may not %s", a)
		}
	}
	for _, a := range refused {
		for _, namespace := range []string{e.namespaces[0], "kube-system", e.phalanx.Namespace} {
			if e.may(a, namespace) {
				e.t.Errorf("the chart's account may %s in %s", a, namespace)
			}
		}
	}
	lease := access{"update", "coordination.k8s.io", "leases", "phalanx-scheduler"}
	if !e.may(lease, e.phalanx.Namespace) || e.may(lease, "kube-system") {
		e.t.Errorf("the chart's account must be allowed to %s in %s alone", lease, e.phalanx.Namespace)
	}
	if log := e.phalanx.Scheduler.LogText(); strings.Contains(log, "is forbidden") {
		e.t.Errorf("the scheduler misses a right:\n%s", matching(log, "is forbidden"))
	}
}

// may asks the API server about the chart's account.
func (e *env) may(a access, namespace string) bool {
	e.t.Helper()
	resource, sub, _ := strings.Cut(a.resource, "/")
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: e.phalanx.Account,
		Groups: []string{"system:serviceaccounts", "system:authenticated",
			"system:serviceaccounts:" + e.phalanx.Namespace},
		ResourceAttributes: &authorizationv1.ResourceAttributes{Namespace: namespace, Verb: a.verb,
			Group: a.group, Resource: resource, Subresource: sub, Name: a.name},
	}}
	answer, err := e.Client().AuthorizationV1().SubjectAccessReviews().Create(e.ctx, review,
		metav1.CreateOptions{})
	e.must(err)
	return answer.Status.Allowed
}

func matching(text, word string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if strings.Contains(line, word) {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines[:min(5, len(lines))], "")
}

// pluginOrder: the profile that really runs has our plugin at every point where it
// is needed, last in PreBind, first in PostFilter, and alone in Bind. The order of
// plugins is correctness, so an upgrade of Kubernetes must not change it unseen.
func pluginOrder(e *env) {
	profile := e.profile("phalanx")
	last := func(point string) string {
		plugins := profile[point]
		if len(plugins) == 0 {
			return ""
		}
		return plugins[len(plugins)-1]
	}
	if got := last("preBind"); got != "Phalanx" || !slices.Contains(profile["preBind"], "VolumeBinding") {
		e.t.Errorf("preBind is %q, expected VolumeBinding before and Phalanx last", profile["preBind"])
	}
	if got := profile["postFilter"]; len(got) == 0 || got[0] != "Phalanx" ||
		slices.Contains(got, "DefaultPreemption") {
		e.t.Errorf("postFilter is %q, expected Phalanx first and no DefaultPreemption", got)
	}
	if got := profile["bind"]; !slices.Equal(got, []string{"Phalanx"}) {
		e.t.Errorf("bind is %q, expected Phalanx alone", got)
	}
	if got := profile["queueSort"]; !slices.Equal(got, []string{"PrioritySort"}) {
		e.t.Errorf("queueSort is %q, expected PrioritySort", got)
	}
	for _, point := range []string{"preFilter", "filter", "score", "reserve", "permit", "postBind"} {
		if !slices.Contains(profile[point], "Phalanx") {
			e.t.Errorf("%s is %q, expected Phalanx among them", point, profile[point])
		}
	}
	for _, verifier := range []string{"NodeResourcesFit", "TaintToleration", "NodeAffinity", "DynamicResources"} {
		if !slices.Contains(profile["filter"], verifier) {
			e.t.Errorf("filter is %q, expected %s among them: it verifies our plans", profile["filter"], verifier)
		}
	}
	e.t.Logf("preBind %q, postFilter %q, reserve %q", profile["preBind"], profile["postFilter"],
		profile["reserve"])
}

var (
	effectiveLine  = regexp.MustCompile(`"Effective plugins" profile="([^"]*)" (.*)`)
	effectivePoint = regexp.MustCompile(`(\w+)=(\[[^\]]*\])`)
)

// profile reads the effective plugins of a profile from what the scheduler logs when
// it starts. (/configz shows the configuration: multiPoint is not expanded in it.)
func (e *env) profile(schedulerName string) map[string][]string {
	e.t.Helper()
	points := map[string][]string{}
	for _, line := range effectiveLine.FindAllStringSubmatch(e.phalanx.Scheduler.LogText(), -1) {
		if line[1] != schedulerName {
			continue
		}
		for _, point := range effectivePoint.FindAllStringSubmatch(line[2], -1) {
			var plugins []string
			e.must(json.Unmarshal([]byte(point[2]), &plugins))
			points[point[1]] = plugins
		}
	}
	if len(points) == 0 {
		e.t.Fatalf("the scheduler has logged no effective plugins of profile %s", schedulerName)
	}
	return points
}

// startWithoutCRDs: no kind of ours, and none of another gang scheduler, is
// installed, and yet the scheduler starts and places a gang: it must not wait for
// informers of kinds that do not exist. When the kind Gang is installed later, all
// gangs are shown.
func startWithoutCRDs(e *env) {
	_, err := e.Kubectl(e.ctx, "delete", "-f", crds(), "--wait")
	e.must(err)
	groups, err := e.Client().Discovery().ServerGroups()
	e.must(err)
	for _, group := range groups.Groups {
		if !strings.HasSuffix(group.Name, ".k8s.io") && strings.Contains(group.Name, ".") {
			e.t.Fatalf("the lab serves %s: this story needs a cluster without CRDs", group.Name)
		}
	}
	e.must(e.restartScheduler(e.ctx))
	e.start(e.gang("plain", 2, 1))
	_, err = e.Kubectl(e.ctx, "apply", "--server-side", "-f", crds())
	e.must(err)
	e.eventually("the gang to be shown", e.shows("plain.label", map[string]string{"STATE": "Running", "READY": "2/2"}))
}

// restartScheduler stops the scheduler, which must end by itself with status 0,
// and starts it again.
func (e *env) restartScheduler(ctx context.Context) error {
	if clean := e.phalanx.Scheduler.Stop(); !clean || !e.phalanx.Scheduler.Succeeded() {
		return fmt.Errorf("the scheduler did not end well: %w", e.phalanx.Scheduler.Err())
	}
	return e.phalanx.StartScheduler(ctx)
}
