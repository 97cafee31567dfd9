//go:build lab

// These tests run a real control plane. Build it with scripts/build-lab.sh,
// then, in lab/: go test -tags lab ./harness
package harness

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

// One rack of 18 hosts with 4 GPUs, and one host without.
const smallWorld = `groups:
- {kind: nvl72, prefix: nvl, racks: 1}
- {kind: cpu, hosts: 1, taints: ["dedicated=system:NoSchedule"]}
`

const storyTimeout = 3 * time.Minute

func story(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), storyTimeout)
	t.Cleanup(cancel)
	return ctx
}

func writeWorld(t *testing.T, text string) string {
	path := filepath.Join(t.TempDir(), "world.yaml")
	must(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestAJobRunsAndTheControlPlaneHeals(t *testing.T) {
	ctx := story(t)
	lab := StartForTest(t, Options{World: writeWorld(t, smallWorld), StockScheduler: true})

	first := Job{Name: "first", Pods: 18, GPUs: 4, RunSeconds: 1}
	must(t, lab.CreateJob(ctx, first))
	must(t, lab.WaitForJob(ctx, "default", "first"))
	pods, err := lab.Pods(ctx, first.Selection())
	must(t, err)
	if nodes := NodesOf(pods); len(nodes) != 18 || Count(pods, Succeeded) != 18 {
		t.Errorf("18 whole-host pods are on %d nodes, %d succeeded", len(nodes), Count(pods, Succeeded))
	}

	must(t, lab.Kill(ctx, ControllerManager))
	second := Job{Name: "second", Pods: 2, GPUs: 4, RunSeconds: 1}
	must(t, lab.CreateJob(ctx, second))
	must(t, Holds(ctx, time.Second, func(ctx context.Context) error {
		return lab.WaitForPods(ctx, second.Selection(), "to be none", All(0, Bound))
	}))
	must(t, lab.StartComponent(ctx, ControllerManager))
	must(t, lab.WaitForJob(ctx, "default", "second"))

	assertNothingIsLeft(t, lab)
}

// assertNothingIsLeft stops the lab and looks for its processes and ports.
func assertNothingIsLeft(t *testing.T, lab *Lab) {
	t.Helper()
	pids, addresses := lab.Pids(), lab.Addresses()
	if len(pids) < 5 || len(addresses) < 3 {
		t.Errorf("processes %v, addresses %v: some are missing", pids, addresses)
	}
	must(t, lab.Stop())
	for _, pid := range pids {
		if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("process %d is left (%v)", pid, err)
		}
	}
	for name, address := range addresses {
		parsed, err := url.Parse(address)
		must(t, err)
		listener, err := net.Listen("tcp", parsed.Host)
		if err != nil {
			t.Errorf("the port of %s is left: %v", name, err)
			continue
		}
		listener.Close()
	}
	if _, err := os.Stat(lab.Dir()); !os.IsNotExist(err) {
		t.Errorf("the folder %s is left: %v", lab.Dir(), err)
	}
}

func TestPodsFollowTheirAnnotations(t *testing.T) {
	ctx := story(t)
	lab := StartForTest(t, Options{World: writeWorld(t, smallWorld), StockScheduler: true})
	for name, annotations := range map[string]map[string]string{
		"runs":    {},
		"fails":   {"lab.phalanx.dev/run-seconds": "1", "lab.phalanx.dev/exit-code": "7"},
		"refused": {"lab.phalanx.dev/refuse": "UnexpectedAdmissionError"},
		"typo":    {"lab.phalanx.dev/run-seconds": "soon"},
		"slow":    {"lab.phalanx.dev/stop-seconds": "600"},
	} {
		must(t, lab.Apply(ctx, podYAML(name, annotations)))
	}
	for name, want := range map[string]string{"runs": "Running/", "fails": "Failed/",
		"refused": "Failed/UnexpectedAdmissionError", "typo": "Running/", "slow": "Running/"} {
		must(t, lab.waitForPhase(ctx, name, want))
	}
	failed, err := lab.client.CoreV1().Pods("default").Get(ctx, "fails", metav1.GetOptions{})
	must(t, err)
	if state := failed.Status.ContainerStatuses[0].State.Terminated; state == nil || state.ExitCode != 7 {
		t.Errorf("the failed container's state is %v, want exit code 7", state)
	}
	must(t, lab.waitForEvent(ctx, "typo", "BadAnnotation"))

	pods := lab.client.CoreV1().Pods("default")
	must(t, pods.Delete(ctx, "runs", metav1.DeleteOptions{}))
	must(t, pods.Delete(ctx, "slow", metav1.DeleteOptions{}))
	must(t, Eventually(ctx, "the deleted pod to be gone", func(ctx context.Context) error {
		_, err := pods.Get(ctx, "runs", metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("get: %w", err)
	}))
	slow, err := pods.Get(ctx, "slow", metav1.GetOptions{})
	if err != nil || slow.DeletionTimestamp == nil {
		t.Errorf("a pod that takes ten minutes to stop: %v, deleted at %v", err, slow.DeletionTimestamp)
	}
}

func podYAML(name string, annotations map[string]string) string {
	var lines strings.Builder
	for key, value := range annotations {
		fmt.Fprintf(&lines, "    %s: %q\n", key, value)
	}
	return fmt.Sprintf(`apiVersion: v1
kind: Pod
metadata:
  name: %s
  annotations:
    made-by: test
%sspec:
  containers: [{name: main, image: none}]
`, name, lines.String())
}

func (l *Lab) waitForPhase(ctx context.Context, name, want string) error {
	return Eventually(ctx, "pod "+name+" to be "+want, func(ctx context.Context) error {
		pod, err := l.client.CoreV1().Pods("default").Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if got := string(pod.Status.Phase) + "/" + pod.Status.Reason; got != want {
			return errors.New("it is " + got)
		}
		return nil
	})
}

func (l *Lab) waitForEvent(ctx context.Context, object, reason string) error {
	return Eventually(ctx, "event "+reason, func(ctx context.Context) error {
		events, err := l.client.CoreV1().Events("default").List(ctx, metav1.ListOptions{
			FieldSelector: "involvedObject.name=" + object + ",reason=" + reason})
		if err == nil && len(events.Items) == 0 {
			return errors.New("there is none")
		}
		return err
	})
}

func TestANodeGoesDownAndComesBack(t *testing.T) {
	ctx := story(t)
	lab := StartForTest(t, Options{World: writeWorld(t, smallWorld)})
	tainted := func(want bool) func(context.Context) error {
		return func(ctx context.Context) error {
			node, err := lab.client.CoreV1().Nodes().Get(ctx, "nvl-01-h03", metav1.GetOptions{})
			if err != nil {
				return err
			}
			if got := len(node.Spec.Taints) > 0; got != want {
				return fmt.Errorf("taints %v", node.Spec.Taints)
			}
			return nil
		}
	}
	_, err := lab.Kubectl(ctx, "annotate", "node", "nvl-01-h03", "lab.phalanx.dev/kubelet=down")
	must(t, err)
	must(t, Eventually(ctx, "the node to be tainted", tainted(true)))
	_, err = lab.Kubectl(ctx, "annotate", "node", "nvl-01-h03", "lab.phalanx.dev/kubelet-")
	must(t, err)
	must(t, Eventually(ctx, "the node to be free of taints", tainted(false)))
}

func TestAServiceAccountHasItsRightsOnly(t *testing.T) {
	ctx := story(t)
	lab := StartForTest(t, Options{Args: []string{"--nodes-only-api"}})
	must(t, lab.Apply(ctx, `apiVersion: v1
kind: Namespace
metadata: {name: team}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: robot, namespace: team}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader, namespace: team}
rules: [{apiGroups: [""], resources: [pods], verbs: [list]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: reader, namespace: team}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}
subjects: [{kind: ServiceAccount, name: robot, namespace: team}]
`))
	path, err := lab.ServiceAccountKubeconfig(ctx, "team", "robot")
	must(t, err)
	config, err := clientcmd.BuildConfigFromFlags("", path)
	must(t, err)
	robot, err := kubernetes.NewForConfig(config)
	must(t, err)
	must(t, Eventually(ctx, "the role to be in force", func(ctx context.Context) error {
		_, err := robot.CoreV1().Pods("team").List(ctx, metav1.ListOptions{})
		return err
	}))
	if _, err := robot.CoreV1().Nodes().List(ctx, metav1.ListOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("the account may list nodes: %v", err)
	}
}

func TestVersionAndAdmissionPolicies(t *testing.T) {
	ctx := story(t)
	lab := StartForTest(t, Options{Args: []string{"--nodes-only-api"}})
	version, err := lab.Kubectl(ctx, "version")
	must(t, err)
	if strings.Count(version, "v1.37.2") != 2 {
		t.Errorf("kubectl version says\n%s", version)
	}
	must(t, lab.Apply(ctx, `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: no-bad-names}
spec:
  failurePolicy: Fail
  matchConstraints:
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}
  validations: [{expression: "object.metadata.name != 'bad'"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: no-bad-names}
spec: {policyName: no-bad-names, validationActions: [Deny]}
`))
	must(t, Eventually(ctx, "the policy to refuse", func(ctx context.Context) error {
		err := lab.Apply(ctx, podYAML("bad", nil))
		if err == nil {
			must(t, lab.client.CoreV1().Pods("default").Delete(ctx, "bad", metav1.DeleteOptions{}))
			return errors.New("the pod was created")
		}
		if !apierrors.IsInvalid(err) {
			return Hopeless(err)
		}
		return nil
	}))
}

func TestTwoLabsDoNotCollide(t *testing.T) {
	ctx := story(t)
	one := StartForTest(t, Options{Args: []string{"--nodes-only-api"}})
	two := StartForTest(t, Options{Args: []string{"--nodes-only-api"}})
	_, err := one.client.CoreV1().Namespaces().Create(ctx, namespace("only-in-one"), metav1.CreateOptions{})
	must(t, err)
	_, err = two.client.CoreV1().Namespaces().Get(ctx, "only-in-one", metav1.GetOptions{})
	if !apierrors.IsNotFound(err) {
		t.Errorf("the labs share their store: %v", err)
	}
	if _, err := Start(ctx, Options{Dir: two.Dir(), Binary: two.binary}); err == nil ||
		!strings.Contains(err.Error(), "a lab runs there already (process "+strconv.Itoa(two.info.Pid)) {
		t.Errorf("a third lab in the folder of the second: %v", err)
	}
}

func TestADeathIsReportedWithTheLog(t *testing.T) {
	_, err := Start(story(t), Options{Args: []string{"--nodes-only-api", "--apiserver-arg=--no-such-flag"}})
	if err == nil || !strings.Contains(err.Error(), "kube-apiserver ended") ||
		!strings.Contains(err.Error(), "unknown flag: --no-such-flag") {
		t.Errorf("got %v", err)
	}
	lab := StartForTest(t, Options{Args: []string{"--nodes-only-api"}})
	pids := lab.Pids()
	must(t, syscall.Kill(pids[len(pids)-1], syscall.SIGKILL)) // not through the launcher
	<-lab.ended
	if err := lab.Stop(); err == nil || !strings.Contains(err.Error(), "kube-controller-manager ended: signal: killed") {
		t.Errorf("got %v", err)
	}
	lab.stopErr = nil // as it should be
}

func TestProgramsRunBesideTheControlPlane(t *testing.T) {
	ctx := story(t)
	lab := StartForTest(t, Options{World: writeWorld(t, smallWorld)})
	_, err := lab.Run(ctx, Command{Name: "early", Path: "/bin/sh", Args: []string{"-c", "echo no licence; exit 4"},
		Ready: func(context.Context) error { return errors.New("not yet") }})
	if err == nil || !strings.Contains(err.Error(), "exit status 4") || !strings.Contains(err.Error(), "no licence") {
		t.Errorf("a program that dies early: %v", err)
	}
	scheduler, err := lab.StockScheduler(ctx, "second-scheduler")
	must(t, err)
	job := Job{Name: "second", Pods: 3, GPUs: 4, Scheduler: "second-scheduler", Gang: true}
	must(t, lab.CreateJob(ctx, job))
	must(t, lab.WaitForPods(ctx, Gang("default", "second"), "to run", All(3, Running)))
	if !scheduler.Stop() {
		t.Errorf("the scheduler had to be killed")
	}
}

func TestKilledKwokComesBackAtOnce(t *testing.T) {
	ctx := story(t)
	lab := StartForTest(t, Options{World: writeWorld(t, smallWorld), StockScheduler: true})
	must(t, lab.Kill(ctx, Kwok))
	must(t, lab.StartComponent(ctx, Kwok))
	must(t, lab.CreateJob(ctx, Job{Name: "after", Pods: 2, GPUs: 1, RunSeconds: 1}))
	short, cancel := context.WithTimeout(ctx, 30*time.Second) // a lease of the dead one lasts 40 s
	defer cancel()
	must(t, lab.WaitForJob(short, "default", "after"))
}

func namespace(name string) *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
}
