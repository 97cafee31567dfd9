package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"phalanx.dev/lab/harness"
	"phalanx.dev/lab/install"
	"phalanx.dev/lab/workload"
)

// startLimit is for the lab and Phalanx together; idle they need 10 s.
const startLimit = 4 * time.Minute

// shared is the lab of all stories; nil before the first and after a failure.
var shared *installation

type installation struct {
	root    string // of the repository
	lab     *harness.Lab
	phalanx *install.Phalanx
	hosts   map[string]host // as the first story found them, and each story leaves them
}

// host is what of a node decides who may run there.
type host struct {
	Labels        map[string]string
	Taints        []corev1.Taint
	Unschedulable bool
	Allocatable   corev1.ResourceList
}

// env is what a story works with. Its methods end the story when they fail.
type env struct {
	t   *testing.T
	ctx context.Context
	workload.Cluster
	phalanx    *install.Phalanx
	namespaces []string                      // the first is the story's own
	after      []func(context.Context) error // undo what the story made outside of them
}

func newEnv(ctx context.Context, t *testing.T, name string) *env {
	t.Helper()
	if shared == nil {
		var err error
		if shared, err = start(t); err != nil {
			t.Fatal(err)
		}
	}
	e := &env{t: t, ctx: ctx, Cluster: workload.Cluster{Lab: shared.lab}, phalanx: shared.phalanx}
	e.addNamespace(name)
	return e
}

func start(t *testing.T) (*installation, error) {
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	lab, err := harness.FindInRepository(filepath.Join("build", "bin", "phalanx-lab"))
	if err != nil {
		return nil, fmt.Errorf("%w; run scripts/e2e.sh, which builds everything", err)
	}
	root := filepath.Dir(filepath.Dir(filepath.Dir(lab)))
	began := time.Now()
	i := &installation{root: root}
	i.lab, err = harness.Start(ctx, harness.Options{
		World: filepath.Join(root, "lab", "worlds", "demo.yaml"), Binary: lab, StockScheduler: true,
	})
	if err != nil {
		return nil, err
	}
	if i.phalanx, err = install.Install(ctx, i.lab, install.Options{Root: root}); err == nil {
		err = i.phalanx.Start(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, i.stop())
	}
	if i.hosts, err = i.readHosts(ctx); err != nil {
		return nil, errors.Join(err, i.stop())
	}
	t.Logf("lab and Phalanx started in %.1f s", time.Since(began).Seconds())
	return i, nil
}

func (i *installation) readHosts(ctx context.Context) (map[string]host, error) {
	nodes, err := i.lab.Client().CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list the nodes: %w", err)
	}
	hosts := map[string]host{}
	for _, n := range nodes.Items {
		hosts[n.Name] = host{n.Labels, n.Spec.Taints, n.Spec.Unschedulable, n.Status.Allocatable}
	}
	return hosts, nil
}

// checkHosts waits until all hosts are as the first story found them: one that a story
// leaves changed would fail another.
func (i *installation) checkHosts(ctx context.Context) error {
	return harness.Eventually(ctx, "the hosts to be as they were before the story", func(ctx context.Context) error {
		now, err := i.readHosts(ctx)
		if err != nil {
			return err
		}
		var changed []string
		for name, before := range i.hosts {
			if !equality.Semantic.DeepEqual(now[name], before) {
				changed = append(changed, fmt.Sprintf("%s is %+v, was %+v", name, now[name], before))
			}
		}
		if len(changed) > 0 || len(now) != len(i.hosts) {
			return fmt.Errorf("%d hosts of %d, changed: %s", len(now), len(i.hosts), strings.Join(changed, "; "))
		}
		return nil
	})
}

func (i *installation) stop() error {
	err := i.lab.Stop()
	if i.phalanx != nil {
		err = errors.Join(err, i.phalanx.Remove())
	}
	return err
}

func stopLab() {
	if shared == nil {
		return
	}
	if err := shared.stop(); err != nil {
		fmt.Fprintln(os.Stderr, "e2e: stop the lab:", err)
		failed++
	}
	shared = nil
}

// leave deletes what the story made. After a failure it shows the ends of the
// programs' logs and gives up the lab, so that the next story is not disturbed.
func (e *env) leave() {
	if e.t.Failed() {
		for _, p := range []*harness.Program{e.phalanx.Brain, e.phalanx.Scheduler} {
			e.t.Logf("the end of %s:\n%s", p.Log(), tail(p.LogText(), 25))
		}
		e.showGangs()
		e.keepLogs()
		stopLab()
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var errs []error
	for _, namespace := range e.namespaces {
		errs = append(errs, e.empty(ctx, namespace))
	}
	for _, undo := range e.after {
		errs = append(errs, undo(ctx))
	}
	errs = append(errs, shared.checkHosts(ctx))
	if err := errors.Join(errs...); err != nil {
		e.t.Errorf("clean up after the story: %v", err)
		stopLab()
	}
}

// showGangs prints what the brain says about all gangs.
func (e *env) showGangs() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	page, err := install.Fetch(ctx, e.phalanx.BrainURL+"/api/v1/gangs", "")
	e.t.Logf("the brain's gangs (error %v): %.4000s", err, page)
}

// keepLogs copies all logs of the lab to the folder $PHALANX_ARTIFACTS, if that is set.
func (e *env) keepLogs() {
	artifacts := os.Getenv("PHALANX_ARTIFACTS")
	if artifacts == "" {
		return
	}
	to := filepath.Join(artifacts, e.namespaces[0])
	if err := os.CopyFS(to, os.DirFS(filepath.Join(e.Dir(), "logs"))); err != nil {
		e.t.Logf("copy the logs: %v", err)
		return
	}
	e.t.Logf("all logs are in %s", to)
}

// empty deletes what is in the namespace, and the namespace; it waits only for the
// pods, which hold room. (The controller alone takes seconds to begin.)
func (e *env) empty(ctx context.Context, namespace string) error {
	background := metav1.DeletePropagationBackground
	err := errors.Join(
		e.Client().BatchV1().Jobs(namespace).DeleteCollection(ctx,
			metav1.DeleteOptions{PropagationPolicy: &background}, metav1.ListOptions{}),
		e.Client().CoreV1().Pods(namespace).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}),
		e.Client().CoreV1().Namespaces().Delete(ctx, namespace, metav1.DeleteOptions{}))
	if err != nil {
		return err
	}
	return harness.Eventually(ctx, "the pods of "+namespace+" to be gone", func(ctx context.Context) error {
		pods, err := e.Pods(ctx, harness.Selection{Namespace: namespace})
		if err == nil && len(pods) > 0 {
			err = fmt.Errorf("%d are left", len(pods))
		}
		return err
	})
}

func tail(text string, lines int) string {
	all := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}

// addNamespace makes a namespace that is ready for pods, and goes with the story.
func (e *env) addNamespace(name string) string {
	e.t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: name + "-"}}
	made, err := e.Client().CoreV1().Namespaces().Create(e.ctx, namespace, metav1.CreateOptions{})
	e.must(err)
	e.namespaces = append(e.namespaces, made.Name)
	e.eventually("the service account of "+made.Name, func(ctx context.Context) error {
		_, err := e.Client().CoreV1().ServiceAccounts(made.Name).Get(ctx, "default", metav1.GetOptions{})
		return err
	})
	return made.Name
}

// gang is a gang of ours in the story's namespace.
func (e *env) gang(name string, size, gpus int) workload.Gang {
	return workload.Gang{Namespace: e.namespaces[0], Name: name, Size: size, GPUs: gpus,
		Scheduler: workload.Phalanx}
}

// metric reads one sample of the brain's metrics, by name and labels; 0 if it is not there.
func (e *env) metric(sample string) float64 {
	e.t.Helper()
	return e.metricOf(e.phalanx, sample)
}

func (e *env) metricOf(replica *install.Phalanx, sample string) float64 {
	e.t.Helper()
	page, err := install.Fetch(e.ctx, replica.BrainURL+"/metrics", "")
	e.must(err)
	for line := range strings.Lines(string(page)) {
		if value, found := strings.CutPrefix(line, sample+" "); found {
			number, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			e.must(err)
			return number
		}
	}
	return 0
}

// must ends the story if err is not nil.
func (e *env) must(err error) {
	e.t.Helper()
	if err != nil {
		e.t.Fatal(err)
	}
}

// eventually waits for check within the story's limit.
func (e *env) eventually(what string, check func(context.Context) error) {
	e.t.Helper()
	e.must(harness.Eventually(e.ctx, what, check))
}

// holds requires that check stays nil for a while.
func (e *env) holds(during time.Duration, check func(context.Context) error) {
	e.t.Helper()
	e.must(harness.Holds(e.ctx, during, check))
}

// start creates the gang's Job and returns its members once all are bound.
func (e *env) start(g workload.Gang) workload.Members {
	e.t.Helper()
	e.must(e.Create(e.ctx, g))
	return e.bound(g)
}

// bound returns the members once all are bound.
func (e *env) bound(g workload.Gang) workload.Members {
	e.t.Helper()
	members, err := e.WaitBound(e.ctx, g, g.Size)
	e.must(err)
	return members
}

// unbound is a check that no member of the gang has a node.
func (e *env) unbound(g workload.Gang) func(context.Context) error {
	return func(ctx context.Context) error {
		members, err := e.Members(ctx, g)
		if err != nil {
			return err
		}
		if nodes := members.Nodes(); len(nodes) > 0 {
			return fmt.Errorf("gang %s holds %s", g.Name, strings.Join(nodes, ", "))
		}
		return nil
	}
}

// told is a check that a pod of the gang has an event or condition whose text
// contains all words.
func (e *env) told(g workload.Gang, words ...string) func(context.Context) error {
	return func(ctx context.Context) error {
		members, err := e.Members(ctx, g)
		if err != nil {
			return err
		}
		var seen []string
		for i := range members {
			texts, err := e.texts(ctx, &members[i])
			if err != nil {
				return err
			}
			for _, text := range texts {
				if containsAll(text, words) {
					return nil
				}
			}
			seen = append(seen, texts...)
		}
		return fmt.Errorf("no event or condition of gang %s says %q; they say %q", g.Name, words, seen)
	}
}

func (e *env) texts(ctx context.Context, pod *corev1.Pod) ([]string, error) {
	events, err := e.Events(ctx, pod)
	if err != nil {
		return nil, err
	}
	var texts []string
	for _, event := range events {
		texts = append(texts, event.Reason+": "+event.Message)
	}
	for _, c := range pod.Status.Conditions {
		if c.Message != "" {
			texts = append(texts, c.Reason+": "+c.Message)
		}
	}
	return texts, nil
}

func containsAll(text string, words []string) bool {
	for _, word := range words {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}
