package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"phalanx.dev/lab/harness"
	"phalanx.dev/lab/workload"
)

const (
	leafLabel   = "fabric.topograph.run/tier-0"
	spineLabel  = "fabric.topograph.run/tier-1"
	cliqueLabel = "nvidia.com/gpu.clique"
	indexLabel  = "batch.kubernetes.io/job-completion-index"
	firstRack   = "nvl-leaf-01"
	secondRack  = "nvl-leaf-02"
	// quiet is how long something that must not happen is watched for.
	quiet = 2 * time.Second
)

var gangStories = []story{
	{"one-rack", "smoke", 90 * time.Second, oneRack},
	{"segments", "smoke", 90 * time.Second, segments},
	{"leader", "smoke", time.Minute, leader},
	{"recabled", "smoke", 90 * time.Second, recabled},
	{"two-gangs", "smoke", 90 * time.Second, twoGangs},
	{"foreign-pods", "smoke", 90 * time.Second, foreignPods},
	{"loose-pods", "smoke", time.Minute, loosePods},
	{"stale-nomination", "smoke", time.Minute, staleNomination},
	{"conflict", "smoke", 90 * time.Second, conflict},
}

// oneRack: 12 free hosts in one NVLink rack, 15 in the other, room elsewhere. A
// gang of 14 that requires NVLink lands whole in the second rack, and each pod says
// what it belongs to.
func oneRack(e *env) {
	e.occupy(map[string]int{firstRack: 6, secondRack: 3, "hgx-leaf-01": 1, "hgx-leaf-02": 1})
	gang := e.gang("tensor", 14, 4)
	gang.Required = "nvlink"
	members := e.start(gang)
	nodes := e.nodesByName()
	for _, pod := range members {
		if got := nodes[pod.Spec.NodeName].Labels[leafLabel]; got != secondRack {
			e.t.Errorf("%s is on %s in %s, expected %s", pod.Name, pod.Spec.NodeName, got, secondRack)
		}
	}
	e.checkAnnotations(gang, members)
}

// occupy lets the stock scheduler place one 4-GPU pod on each of the first n hosts
// of some leaves, as another team would.
func (e *env) occupy(hosts map[string]int) {
	e.t.Helper()
	var teams []workload.Gang
	for _, node := range e.sortedNodes() {
		if hosts[node.Labels[leafLabel]] == 0 {
			continue
		}
		hosts[node.Labels[leafLabel]]--
		team := e.gang("team-"+node.Name, 1, 4)
		team.Scheduler = workload.Stock
		team.NodeSelector = map[string]string{corev1.LabelHostname: node.Name}
		e.must(e.CreatePods(e.ctx, 1, team))
		teams = append(teams, team)
	}
	for _, team := range teams {
		e.bound(team)
	}
}

func (e *env) sortedNodes() []corev1.Node {
	e.t.Helper()
	list, err := e.Client().CoreV1().Nodes().List(e.ctx, metav1.ListOptions{})
	e.must(err)
	return list.Items // the API server lists by name
}

func (e *env) nodesByName() map[string]corev1.Node {
	e.t.Helper()
	nodes := map[string]corev1.Node{}
	for _, node := range e.sortedNodes() {
		nodes[node.Name] = node
	}
	return nodes
}

// checkAnnotations: what the Binding wrote on each pod is what a later leader, and
// the job itself, will read.
func (e *env) checkAnnotations(gang workload.Gang, members workload.Members) {
	e.t.Helper()
	var ranks []int
	for _, pod := range members {
		want := map[string]string{"gang": gang.Name, "gang-size": strconv.Itoa(gang.Size),
			"plan": members[0].Annotations["phalanx.dev/plan"]}
		for key, value := range want {
			if got := pod.Annotations["phalanx.dev/"+key]; got != value || got == "" {
				e.t.Errorf("%s: phalanx.dev/%s is %q, expected %q", pod.Name, key, got, value)
			}
		}
		if pod.Annotations["phalanx.dev/domain"] == "" {
			e.t.Errorf("%s: phalanx.dev/domain is empty", pod.Name)
		}
		rank, err := strconv.Atoi(pod.Annotations["phalanx.dev/rank"])
		if err != nil {
			e.t.Errorf("%s: phalanx.dev/rank: %v", pod.Name, err)
		}
		ranks = append(ranks, rank)
		if index := pod.Labels[indexLabel]; index != strconv.Itoa(rank) {
			e.t.Errorf("%s: rank %d, expected its completion index %s", pod.Name, rank, index)
		}
	}
	slices.Sort(ranks)
	for i, rank := range ranks {
		if i != rank {
			e.t.Fatalf("ranks are %v, expected each of 0 to %d once", ranks, len(members)-1)
		}
	}
}

// segments: 52 GPUs are free in one NVLink rack, 60 in the other. A gang of 64 whose ranks talk most within
// sixteens lies in both, 48 and 16: no sixteen is cut, as the first rack filled up would do. Ranks
// follow the fabric: those on one host are neighbours.
func segments(e *env) {
	e.occupy(map[string]int{firstRack: 5, secondRack: 3})
	gang := e.gang("segmented", 64, 1)
	gang.Annotations = map[string]string{"phalanx.dev/segment-size": "16", "phalanx.dev/segment-topology-required": "nvlink"}
	members := e.start(gang)
	e.checkAnnotations(gang, members)
	hosts := make([]string, gang.Size)
	for _, pod := range members {
		rank, err := strconv.Atoi(pod.Annotations["phalanx.dev/rank"])
		e.must(err)
		hosts[rank] = pod.Spec.NodeName
	}
	nodes := e.nodesByName()
	racks := map[string]int{}
	for rank, host := range hosts {
		rack := nodes[host].Labels[cliqueLabel]
		if first := nodes[hosts[rank-rank%16]].Labels[cliqueLabel]; rack != first || rack == "" {
			e.t.Errorf("rank %d is in NVLink domain %q, expected %q as the first of its segment", rank, rack, first)
		}
		racks[rack]++
	}
	if counts := slices.Sorted(maps.Values(racks)); !slices.Equal(counts, []int{16, 48}) {
		e.t.Errorf("the racks have %v members, expected 16 and 48", counts)
	}
	if runs := slices.Compact(slices.Clone(hosts)); len(runs) != 16 {
		e.t.Errorf("ranks change the host %d times, expected 15: four on each of 16 hosts", len(runs)-1)
	}
}

// leader: a leader of two GPUs and six workers of four start together in the rack that has room for all of
// them, 26 GPUs; the other one has room for six workers and no more.
func leader(e *env) {
	e.occupy(map[string]int{firstRack: 12, secondRack: 11})
	gang := e.gang("led", 7, 4)
	gang.Required = "nvlink"
	for member := range gang.Size {
		role := gang
		role.GPUs, role.Labels = 4, map[string]string{"phalanx.dev/role": "worker"}
		if member == 0 {
			role.GPUs, role.Labels = 2, map[string]string{"phalanx.dev/role": "leader"}
		}
		_, err := e.createPod(role.Pod(member))
		e.must(err)
	}
	members := e.bound(gang)
	e.whole(gang, members, true)
	nodes, hosts := e.nodesByName(), map[string]bool{}
	for _, pod := range members {
		hosts[pod.Spec.NodeName] = true
		if got := nodes[pod.Spec.NodeName].Labels[leafLabel]; got != secondRack {
			e.t.Errorf("%s is on %s in %s, expected %s", pod.Name, pod.Spec.NodeName, got, secondRack)
		}
	}
	if len(hosts) != gang.Size {
		e.t.Errorf("%d members are on %d hosts, expected one host each", gang.Size, len(hosts))
	}
}

// recabled: a gang of 19 hosts wants one NVLink domain, where racks have 18. A host of the first rack, on
// which a gang runs, gets the labels of the second one: the running gang stays, the host counts with its
// new rack once that gang has ended, and the 19 start there.
func recabled(e *env) {
	host, other := e.hostsOf(firstRack)[0], e.hostsOf(secondRack)[0]
	running := e.gang("running", 1, 4)
	running.NodeSelector = map[string]string{corev1.LabelHostname: host}
	members := e.start(running)
	wide := e.gang("wide", 19, 4)
	wide.Required = "nvlink"
	e.must(e.Create(e.ctx, wide))
	e.eventually("the reason", e.told(wide, "needs 19 members", "has room for 18"))
	before := e.nodesByName()
	e.must(e.setFabric(e.ctx, host, before[other].Labels))
	e.after = append(e.after, func(ctx context.Context) error { return e.setFabric(ctx, host, before[host].Labels) })
	e.holds(quiet, func(ctx context.Context) error {
		return errors.Join(e.undisturbed(running, members)(ctx), e.unbound(wide)(ctx))
	})
	e.must(e.Finish(e.ctx, running))
	nodes := e.nodesByName()
	for _, pod := range e.bound(wide) {
		if got := nodes[pod.Spec.NodeName].Labels[leafLabel]; got != secondRack {
			e.t.Errorf("%s is on %s in %s, expected %s", pod.Name, pod.Spec.NodeName, got, secondRack)
		}
	}
}

// setFabric gives a host the place in the fabric that these labels name.
func (e *env) setFabric(ctx context.Context, host string, labels map[string]string) error {
	fabric := map[string]string{}
	for _, key := range []string{leafLabel, spineLabel, cliqueLabel} {
		fabric[key] = labels[key]
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"labels": fabric}})
	if err != nil {
		return err
	}
	_, err = e.Client().CoreV1().Nodes().Patch(ctx, host, types.MergePatchType, patch, metav1.PatchOptions{})
	return err
}

// inRack confines a gang to the hosts of one rack.
func (e *env) inRack(gang workload.Gang, leaf string) workload.Gang {
	gang.NodeSelector = map[string]string{leafLabel: leaf}
	return gang
}

// twoGangs: two gangs of 12 hosts whose pods arrive interleaved compete for 18.
// Exactly one runs. The other holds nothing, says what it waits for, and starts when
// the first one ends.
func twoGangs(e *env) {
	a := e.inRack(e.gang("a", 12, 4), firstRack)
	b := e.inRack(e.gang("b", 12, 4), firstRack)
	e.must(e.CreatePods(e.ctx, 12, a, b))
	var winner, loser workload.Gang
	e.eventually("one gang to be whole", func(ctx context.Context) error {
		winner, loser = a, b
		members, err := e.Members(ctx, a)
		if err != nil {
			return err
		}
		other, err := e.Members(ctx, b)
		if err != nil {
			return err
		}
		first, second := len(members.Bound()), len(other.Bound())
		if second > 0 {
			winner, loser = b, a
		}
		if first > 0 && second > 0 {
			return harness.Hopeless(fmt.Errorf("both gangs hold hosts: %d and %d", first, second))
		}
		if first+second != 12 {
			return fmt.Errorf("%d and %d pods are bound", first, second)
		}
		return nil
	})
	e.holds(quiet, e.unbound(loser))
	e.eventually("the reason", e.told(loser, "6", "12"))
	e.must(e.Finish(e.ctx, winner))
	e.bound(loser)
}

// foreignPods: pods that the stock scheduler placed take room, whether they came
// before us or after, and their end frees it.
func foreignPods(e *env) {
	foreign := e.inRack(e.gang("foreign", 5, 4), firstRack)
	foreign.Scheduler = workload.Stock
	e.must(e.CreatePods(e.ctx, 5, foreign))
	e.bound(foreign)
	gang := e.inRack(e.gang("fourteen", 14, 4), firstRack)
	e.must(e.Create(e.ctx, gang))
	e.eventually("the reason", e.told(gang, "13", "14"))
	e.holds(quiet, e.unbound(gang))
	e.must(e.Finish(e.ctx, foreign))
	e.bound(gang)
}

// loosePods: a pod of ours without accelerators and without a gang is placed at
// once, and a single pod with GPUs is a gang of one.
func loosePods(e *env) {
	for name, gpus := range map[string]int{"loose": 0, "single": 2} {
		gang := e.gang(name, 1, gpus)
		pod := gang.Pod(0)
		pod.Labels = map[string]string{"app": name}
		_, err := e.Client().CoreV1().Pods(pod.Namespace).Create(e.ctx, pod, metav1.CreateOptions{})
		e.must(err)
	}
	e.must(e.WaitForPods(e.ctx, harness.Selection{Namespace: e.namespaces[0]}, "both to run",
		harness.All(2, harness.Running)))
}

// staleNomination: kube-scheduler tries status.nominatedNodeName first and then
// ignores PreFilter's result. A free node that is not the plan must be refused all
// the same.
func staleNomination(e *env) {
	gang := e.gang("pinned", 2, 4)
	gang.Required = "nvlink"
	e.must(e.CreatePods(e.ctx, 1, gang)) // one of two: it waits
	const stale = "hgx-03"               // free, fits, and in no NVLink domain
	patch := fmt.Appendf(nil, `{"status":{"nominatedNodeName":%q}}`, stale)
	first := gang.Pod(0)
	_, err := e.Client().CoreV1().Pods(first.Namespace).Patch(e.ctx, first.Name, types.MergePatchType,
		patch, metav1.PatchOptions{}, "status")
	e.must(err)
	second := gang.Pod(1)
	_, err = e.Client().CoreV1().Pods(second.Namespace).Create(e.ctx, second, metav1.CreateOptions{})
	e.must(err)
	nodes := e.nodesByName()
	for _, pod := range e.bound(gang) {
		if nodes[pod.Spec.NodeName].Labels[cliqueLabel] == "" {
			e.t.Errorf("%s was bound to %s, which is in no NVLink domain", pod.Name, pod.Spec.NodeName)
		}
	}
}

// conflict: a plugin of the scheduler refuses a planned node for a cause that the
// brain does not know, affinity between pods. Nothing is bound there, and the gang is
// whole on other nodes a little later.
func conflict(e *env) {
	const leaf = "hgx-leaf-01"
	hosts := e.hostsOf(leaf)
	for i, host := range hosts { // alike but for the label, so that the first one is planned
		other := e.gang("other-"+host, 1, 0)
		other.Scheduler = workload.Stock
		other.NodeSelector = map[string]string{corev1.LabelHostname: host}
		pod := other.Pod(0)
		pod.Labels["noise"] = []string{"loud", "none"}[min(i, 1)]
		_, err := e.createPod(pod)
		e.must(err)
		e.bound(other)
	}
	gang := e.inRack(e.gang("quiet", len(hosts)-1, 8), leaf)
	for member := range gang.Size {
		pod := gang.Pod(member)
		pod.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{TopologyKey: corev1.LabelHostname,
				LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"noise": "loud"}}}}}}
		_, err := e.createPod(pod)
		e.must(err)
	}
	if nodes := e.bound(gang).Nodes(); slices.Contains(nodes, hosts[0]) {
		e.t.Errorf("bound to %v, expected not to %s, which has a loud neighbour", nodes, hosts[0])
	}
	if conflicts := e.metric("phalanx_conflicts_total{plugin=\"InterPodAffinity\"}"); conflicts == 0 {
		e.t.Error("no conflict with InterPodAffinity is counted: the story did not meet one")
	}
}

// hostsOf returns the names of a leaf's hosts, in order.
func (e *env) hostsOf(leaf string) []string {
	e.t.Helper()
	var hosts []string
	for _, node := range e.sortedNodes() {
		if node.Labels[leafLabel] == leaf {
			hosts = append(hosts, node.Name)
		}
	}
	return hosts
}
