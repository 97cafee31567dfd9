package e2e

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"phalanx.dev/lab/harness"
	"phalanx.dev/lab/install"
	"phalanx.dev/lab/workload"
)

const (
	podGroupLabel = "scheduling.x-k8s.io/pod-group"
	podGroupAPI   = "scheduling.x-k8s.io/v1alpha1"
	aliasName     = "scheduler-plugins-scheduler"
)

var dialectStories = []story{
	{"podgroup", "smoke", 2 * time.Minute, podGroup},
	{"podgroup-changes", "dialects", 2 * time.Minute, podGroupChanges},
	{"alias", "dialects", 3 * time.Minute, alias},
}

//go:embed testdata/podgroups.yaml
var podGroupCRD string

// podGroup: pods name a PodGroup before the API server knows that kind. They wait, and
// the brain says for what; when definition and object come the gang starts whole,
// without a restart of anything. When both go again, it runs on.
func podGroup(e *env) {
	e.withoutPodGroups()
	defer e.withoutPodGroups()
	job := e.grouped("train", 4, workload.Phalanx)
	e.must(e.CreateJob(e.ctx, job))
	e.eventually("a word about the PodGroup", e.explained(job, "objectMissing", "PodGroup "+job.Namespace+"/train"))
	e.holds(quiet, e.running(job, 0))
	began := time.Now()
	e.must(e.Apply(e.ctx, podGroupCRD))
	e.setPodGroup("train", "minMember: 4")
	e.eventually("all pods of train to be bound", e.running(job, 4))
	e.t.Logf("%.1f s from the definition to the last bound pod", time.Since(began).Seconds())
	pods, err := e.Pods(e.ctx, job.Selection())
	e.must(err)
	for _, pod := range pods {
		if got := pod.Annotations["phalanx.dev/gang-size"]; got != "4" {
			e.t.Errorf("%s was started under %q, expected the minimum 4", pod.Name, got)
		}
	}
	e.must(e.Remove(e.ctx, podGroupManifest(job.Namespace, "train", "{}")))
	e.holds(quiet, e.running(job, 4))
	e.withoutPodGroups()
	e.holds(3*quiet, e.running(job, 4)) // longer than the adapter needs to see that the kind is gone
	e.must(e.explained(job, `"phase":"running"`)(e.ctx))
}

// podGroupChanges: the minimum counts as it is now, a value that can't be meant is told, and
// two dialects that contradict each other start nothing.
func podGroupChanges(e *env) {
	e.withoutPodGroups()
	defer e.withoutPodGroups()
	e.must(e.Apply(e.ctx, podGroupCRD))
	e.setPodGroup("grows", "minMember: 0")
	job := e.grouped("grows", 2, workload.Phalanx)
	e.must(e.CreateJob(e.ctx, job))
	e.eventually("a word about the zero", e.explained(job, "spec.minMember", `\"0\"`))
	e.setPodGroup("grows", "minMember: 3")
	e.eventually("a word about the third", e.explained(job, "membersMissing", "2 of 3"))
	e.holds(quiet, e.running(job, 0))
	both := e.grouped("both", 2, workload.Phalanx)
	both.Labels[workload.GangLabel], both.Labels[workload.SizeLabel] = "other", "2"
	e.must(e.CreateJob(e.ctx, both))
	e.eventually("a word about both names", func(ctx context.Context) error {
		return e.gangSays(ctx, both.Namespace+"/label/other", "phalanx.dev/gang", "both")
	})
	e.setPodGroup("grows", "minMember: 2")
	e.eventually("the gang to start", e.running(job, 2))
	e.must(e.running(both, 0)(e.ctx))
}

// alias: nobody serves the other scheduler's name until the chart is told to, and then
// its pods are started like ours.
func alias(e *env) {
	e.withoutPodGroups()
	defer e.withoutPodGroups()
	e.must(e.Apply(e.ctx, podGroupCRD))
	e.setPodGroup("ray", "minMember: 3")
	job := e.grouped("ray", 3, aliasName)
	e.must(e.CreateJob(e.ctx, job))
	e.holds(quiet, e.running(job, 0))
	e.reinstall("alias.enabled=true")
	defer e.reinstall()
	e.eventually("the pods of the other name to be bound", e.running(job, 3))
	if got := e.profile(aliasName)["bind"]; !slices.Equal(got, []string{"Phalanx"}) {
		e.t.Errorf("bind of profile %s is %q, expected Phalanx alone", aliasName, got)
	}
	e.start(e.gang("own", 2, 1))
}

// grouped is a Job whose pods name a PodGroup, and nothing of ours.
func (e *env) grouped(name string, pods int, scheduler string) harness.Job {
	return harness.Job{Namespace: e.namespaces[0], Name: name, Scheduler: scheduler, Pods: pods, GPUs: 1,
		Labels: map[string]string{podGroupLabel: name}}
}

func podGroupManifest(namespace, name, spec string) string {
	return fmt.Sprintf("apiVersion: %s\nkind: PodGroup\nmetadata: {namespace: %s, name: %s}\nspec: {%s}\n",
		podGroupAPI, namespace, name, strings.Trim(spec, "{}"))
}

// setPodGroup waits for a definition that was made a moment ago.
func (e *env) setPodGroup(name, spec string) {
	e.t.Helper()
	e.eventually("the PodGroup "+name, func(ctx context.Context) error {
		return e.Apply(ctx, podGroupManifest(e.namespaces[0], name, spec))
	})
}

// withoutPodGroups removes the definition, and with it all PodGroups, and waits until the
// API server does not serve it.
func (e *env) withoutPodGroups() {
	e.t.Helper()
	e.must(e.Remove(e.ctx, podGroupCRD))
	e.eventually("the kind PodGroup to be gone", func(context.Context) error {
		if _, err := e.Client().Discovery().ServerResourcesForGroupVersion(podGroupAPI); err == nil {
			return errors.New("it is still served")
		}
		return nil
	})
}

// running is a check that exactly n pods of the job have a node.
func (e *env) running(job harness.Job, n int) func(context.Context) error {
	return func(ctx context.Context) error {
		pods, err := e.Pods(ctx, job.Selection())
		if err != nil {
			return err
		}
		bound := slices.DeleteFunc(pods, func(p corev1.Pod) bool { return p.Spec.NodeName == "" || p.DeletionTimestamp != nil })
		if len(bound) != n {
			return fmt.Errorf("%d pods of %s are bound, expected %d", len(bound), job.Name, n)
		}
		return nil
	}
}

// explained is a check that the brain's page about the job's gang holds all words.
func (e *env) explained(job harness.Job, words ...string) func(context.Context) error {
	return func(ctx context.Context) error {
		return e.gangSays(ctx, job.Namespace+"/podgroup/"+job.Name, words...)
	}
}

func (e *env) gangSays(ctx context.Context, gang string, words ...string) error {
	page, err := install.Fetch(ctx, e.phalanx.BrainURL+"/api/v1/gangs/"+gang, "")
	if err == nil && !containsAll(string(page), words) {
		err = fmt.Errorf("the brain says %s, expected %q in it", page, words)
	}
	return err
}

// reinstall stops both programs and installs the chart with these values.
func (e *env) reinstall(set ...string) {
	e.t.Helper()
	e.phalanx.Scheduler.Stop()
	e.phalanx.Brain.Stop()
	e.must(e.phalanx.Remove())
	next, err := install.Install(e.ctx, e.Lab, install.Options{Root: shared.root, Set: set})
	e.must(err)
	e.must(next.Start(e.ctx))
	e.phalanx, shared.phalanx = next, next
}
