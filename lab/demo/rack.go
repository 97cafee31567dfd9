package demo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"phalanx.dev/lab/harness"
	"phalanx.dev/lab/workload"
)

// tellRack: 12 free hosts in one NVLink rack, 15 in the other, 30 free slots
// elsewhere; a gang of 14 that requires NVLink lands whole in the second rack.
func (d *Demo) tellRack(ctx context.Context) error {
	d.title("Story 1: fourteen hosts, one NVLink rack")
	teams, err := d.occupy(ctx)
	if err != nil {
		return err
	}
	gang := workload.Gang{Name: "tensor", Size: 14, GPUs: 4, Scheduler: workload.Phalanx, Required: "nvlink"}
	letters := map[string]rune{gang.Name: 'A'}
	d.say("other teams' pods, placed by the stock scheduler, leave this room:")
	if err := d.show(ctx, letters); err != nil {
		return err
	}
	d.say("gang A arrives: a Job of 14 pods x 4 GPUs with %s=%s", workload.RequiredAnnotation, gang.Required)
	began := time.Now()
	if err := d.cluster.Create(ctx, gang); err != nil {
		return err
	}
	err = d.claim(ctx, "all 14 pods of gang A are bound", func(ctx context.Context) error {
		_, err := d.cluster.WaitBound(ctx, gang, gang.Size)
		return err
	})
	if err != nil {
		return err
	}
	took := time.Since(began)
	if err := d.show(ctx, letters); err != nil {
		return err
	}
	d.say("bound %.2f s after the Job was created", took.Seconds())
	if err := d.claimRack(ctx, gang); err != nil {
		return err
	}
	return d.clear(ctx, append(teams, gang)...)
}

// occupy lets the stock scheduler place one pod of 4 GPUs on each of the hosts
// that are not to be free: 6 and 3 in the racks, and two of the HGX pod.
func (d *Demo) occupy(ctx context.Context) ([]workload.Gang, error) {
	nodes, err := d.nodes(ctx)
	if err != nil {
		return nil, err
	}
	busy := map[string]int{"nvl-leaf-01": 6, "nvl-leaf-02": 3, "hgx-leaf-01": 1, "hgx-leaf-02": 1}
	var teams []workload.Gang
	for _, node := range sortedByLeaf(nodes) {
		leaf := node.Labels[leafLabel]
		if busy[leaf] == 0 {
			continue
		}
		busy[leaf]--
		team := workload.Gang{Name: "team-" + node.Name, Size: 1, GPUs: 4, Scheduler: workload.Stock,
			NodeSelector: map[string]string{corev1.LabelHostname: node.Name}}
		if err := d.cluster.CreatePods(ctx, 1, team); err != nil {
			return nil, err
		}
		teams = append(teams, team)
	}
	return teams, d.claim(ctx, fmt.Sprintf("the stock scheduler has placed %d pods of other teams", len(teams)),
		func(ctx context.Context) error {
			for _, team := range teams {
				if _, err := d.cluster.WaitBound(ctx, team, 1); err != nil {
					return err
				}
			}
			return nil
		})
}

func (d *Demo) claimRack(ctx context.Context, gang workload.Gang) error {
	members, err := d.cluster.Members(ctx, gang)
	if err != nil {
		return err
	}
	nodes, err := d.nodes(ctx)
	if err != nil {
		return err
	}
	err = d.claim(ctx, "all of them in one NVLink domain, the rack nvl-leaf-02, one pod a host",
		func(context.Context) error { return inOneRack(members, nodes, "nvl-leaf-02") })
	if err != nil {
		return err
	}
	return d.claim(ctx, "each pod carries its gang, size, plan, rank and domain, for those who read it later",
		func(context.Context) error { return annotated(members) })
}

// inOneRack checks the leaf, the NVLink clique, and that no host is used twice.
func inOneRack(members workload.Members, nodes []corev1.Node, leaf string) error {
	var cliques []string
	for _, name := range members.Nodes() {
		i := slices.IndexFunc(nodes, func(n corev1.Node) bool { return n.Name == name })
		if i < 0 {
			return fmt.Errorf("the node %s does not exist", name)
		}
		if got := nodes[i].Labels[leafLabel]; got != leaf {
			return fmt.Errorf("node %s is in %s, expected %s", name, got, leaf)
		}
		cliques = append(cliques, nodes[i].Labels[cliqueLabel])
	}
	if distinct := slices.Compact(slices.Sorted(slices.Values(cliques))); len(distinct) != 1 {
		return fmt.Errorf("the nodes are in %d NVLink domains: %q", len(distinct), distinct)
	}
	if distinct := slices.Compact(members.Nodes()); len(distinct) != len(members) {
		return fmt.Errorf("%d pods on %d hosts", len(members), len(distinct))
	}
	return nil
}

// annotated checks what the bind writes on each member; ranks are 0 to n-1.
func annotated(members workload.Members) error {
	ranks := map[int]string{}
	for _, pod := range members {
		for _, key := range []string{"gang", "gang-size", "plan", "rank", "domain"} {
			if pod.Annotations["phalanx.dev/"+key] == "" {
				return fmt.Errorf("pod %s has no annotation phalanx.dev/%s", pod.Name, key)
			}
		}
		text := pod.Annotations["phalanx.dev/rank"]
		rank, err := strconv.Atoi(text)
		if err != nil || rank < 0 || rank >= len(members) {
			return fmt.Errorf("pod %s has rank %q, expected 0 to %d", pod.Name, text, len(members)-1)
		}
		if other := ranks[rank]; other != "" {
			return fmt.Errorf("pods %s and %s both have rank %d", other, pod.Name, rank)
		}
		ranks[rank] = pod.Name
		if plan := members[0].Annotations["phalanx.dev/plan"]; pod.Annotations["phalanx.dev/plan"] != plan {
			return errors.New("members carry different plans")
		}
	}
	return nil
}

// clear deletes gangs, all at once, and waits until their pods are gone.
func (d *Demo) clear(ctx context.Context, gangs ...workload.Gang) error {
	return d.claim(ctx, "the room is free again", func(ctx context.Context) error {
		background := metav1.DeletePropagationBackground
		err := d.cluster.Client().BatchV1().Jobs(metav1.NamespaceDefault).DeleteCollection(ctx,
			metav1.DeleteOptions{PropagationPolicy: &background}, metav1.ListOptions{})
		if err != nil {
			return err
		}
		for _, gang := range gangs {
			if err := d.cluster.Delete(ctx, gang); err != nil {
				return err
			}
		}
		return harness.Eventually(ctx, "no pod to be left", func(ctx context.Context) error {
			left, err := d.cluster.Pods(ctx, harness.Selection{Namespace: metav1.NamespaceDefault})
			if err == nil && len(left) > 0 {
				err = fmt.Errorf("%d are", len(left))
			}
			return err
		})
	})
}
