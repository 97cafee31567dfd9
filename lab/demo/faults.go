package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"phalanx.dev/lab/harness"
	"phalanx.dev/lab/install"
	"phalanx.dev/lab/workload"
)

// tellDeleted: a member is deleted while its gang starts. The start is stretched by
// volumes that are bound late, each member's own.
func (d *Demo) tellDeleted(ctx context.Context) error {
	d.title("Story 3: a member is deleted while its gang starts")
	if err := d.clear(ctx); err != nil {
		return err
	}
	cliques, err := d.cliques(ctx)
	if err != nil {
		return err
	}
	rack := map[string]string{cliqueLabel: cliques["nvl-leaf-01"]}
	gang := workload.Gang{Name: "train-f", Size: 18, GPUs: 4, Scheduler: workload.Phalanx, NodeSelector: rack}
	volumes, err := d.cluster.NewLateVolumes(ctx, metav1.NamespaceDefault)
	if err != nil {
		return err
	}
	d.say("gang F takes all 18 hosts of nvl-leaf-01; each pod has a volume of its own that is made late,")
	d.say("so that the gang waits between its two barriers: all room reserved, no pod bound")
	if err := d.createWithVolumes(ctx, gang, volumes); err != nil {
		return err
	}
	if err := d.claimPreparing(ctx, gang, volumes); err != nil {
		return err
	}
	d.say("now one of its pods is deleted")
	pod := gang.Pod(7)
	err = d.cluster.Client().CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, metav1.DeleteOptions{})
	if err != nil {
		return err
	}
	next := workload.Gang{Name: "train-g", Size: 18, GPUs: 4, Scheduler: workload.Phalanx, NodeSelector: rack}
	if err := d.claimNothingReserved(ctx, gang, next); err != nil {
		return err
	}
	if err := d.show(ctx, map[string]rune{gang.Name: 'F', next.Name: 'G'}); err != nil {
		return err
	}
	if err := d.clear(ctx, gang, next); err != nil {
		return err
	}
	return volumes.Remove(ctx)
}

func (d *Demo) createWithVolumes(ctx context.Context, gang workload.Gang, volumes *workload.LateVolumes) error {
	for i := range gang.Size {
		pod := gang.Pod(i)
		if err := volumes.Claim(ctx, pod.Name); err != nil {
			return err
		}
		workload.UseClaim(&pod.Spec, pod.Name)
		_, err := d.cluster.Client().CoreV1().Pods(pod.Namespace).Create(ctx, pod, metav1.CreateOptions{})
		if err != nil {
			return err
		}
	}
	return nil
}

func (d *Demo) claimPreparing(ctx context.Context, gang workload.Gang, volumes *workload.LateVolumes) error {
	return d.claim(ctx, "all 18 volumes are asked for, 72 GPUs are held, and no pod is bound",
		func(ctx context.Context) error {
			if err := volumes.WaitWanted(ctx, gang.Name, gang.Size); err != nil {
				return err
			}
			held, err := d.heldGPUs(ctx)
			if err != nil {
				return err
			}
			if held != 72 {
				return fmt.Errorf("%d GPUs are held, expected 72", held)
			}
			return d.noneBound(ctx, gang)
		})
}

// claimNothingReserved: neither the brain nor the scheduler keeps room for a gang
// whose start was given up: another one gets all of it.
func (d *Demo) claimNothingReserved(ctx context.Context, gang, next workload.Gang) error {
	err := d.claim(ctx, "its siblings leave: no GPU is held any more, and no pod is bound",
		func(ctx context.Context) error {
			return harness.Eventually(ctx, "no GPU to be held", func(ctx context.Context) error {
				held, err := d.heldGPUs(ctx)
				if err == nil && held != 0 {
					err = fmt.Errorf("%d are", held)
				}
				return errors.Join(err, d.noneBound(ctx, gang))
			})
		})
	if err != nil {
		return err
	}
	if err := d.cluster.Create(ctx, next); err != nil {
		return err
	}
	return d.claim(ctx, "gang G, which needs all 18 hosts as well, runs there at once",
		func(ctx context.Context) error {
			_, err := d.cluster.WaitBound(ctx, next, next.Size)
			return err
		})
}

// heldGPUs asks the brain how many GPUs it holds for members that are not bound.
func (d *Demo) heldGPUs(ctx context.Context) (held int64, err error) {
	page, err := install.Fetch(ctx, d.phalanx.BrainURL+"/api/v1/nodes", "")
	if err != nil {
		return 0, err
	}
	var answer struct {
		Nodes []struct {
			Held map[string]int64 `json:"held"`
		} `json:"nodes"`
	}
	if err := json.Unmarshal(page, &answer); err != nil {
		return 0, fmt.Errorf("%s/api/v1/nodes: %w", d.phalanx.BrainURL, err)
	}
	for _, node := range answer.Nodes {
		held += node.Held[gpuResource]
	}
	return held, nil
}

func (d *Demo) noneBound(ctx context.Context, gang workload.Gang) error {
	members, err := d.cluster.Members(ctx, gang)
	if err != nil {
		return err
	}
	if nodes := members.Nodes(); len(nodes) > 0 {
		return fmt.Errorf("pods of %s are on %s", gang.Name, strings.Join(nodes, ", "))
	}
	return nil
}

// tellRefused: an admission policy refuses the Binding of one member for good.
func (d *Demo) tellRefused(ctx context.Context) error {
	d.title("Story 4: an admission policy refuses to bind one member")
	const policy, prefix = "gpu-police", "train-h-7-"
	gang := workload.Gang{Name: "train-h", Size: 8, GPUs: 4, Scheduler: workload.Phalanx, Required: "nvlink",
		BackoffLimit: new(int32), IgnoreDisruption: true}
	if err := d.cluster.RefuseBindings(ctx, policy, metav1.NamespaceDefault, prefix); err != nil {
		return err
	}
	d.say("the ValidatingAdmissionPolicy %s refuses pods/binding for the last of 8 members of gang H,", policy)
	d.say("a Job with backoffLimit 0 whose podFailurePolicy ignores DisruptionTarget")
	watching, stop := context.WithCancel(ctx)
	defer stop()
	seen, err := d.watchBound(watching, gang)
	if err != nil {
		return err
	}
	if err := d.cluster.Create(ctx, gang); err != nil {
		return err
	}
	if err := d.claimRolledBack(ctx, gang, policy, seen); err != nil {
		return err
	}
	err = d.cluster.AllowBindings(ctx, policy, metav1.NamespaceDefault, prefix)
	if err != nil {
		return err
	}
	return d.clear(ctx, gang)
}

// watchBound tells which pods of a gang were ever bound, until ctx ends.
func (d *Demo) watchBound(ctx context.Context, gang workload.Gang) (<-chan string, error) {
	watch, err := d.cluster.Client().CoreV1().Pods(metav1.NamespaceDefault).Watch(ctx,
		metav1.ListOptions{LabelSelector: workload.GangLabel + "=" + gang.Name})
	if err != nil {
		return nil, err
	}
	bound := make(chan string, 10*gang.Size)
	go func() {
		known := map[string]bool{}
		for event := range watch.ResultChan() {
			pod, ok := event.Object.(*corev1.Pod)
			if ok && pod.Spec.NodeName != "" && !known[pod.Name] {
				known[pod.Name] = true
				bound <- pod.Name
			}
		}
	}()
	return bound, nil
}

func (d *Demo) claimRolledBack(ctx context.Context, gang workload.Gang, policy string, bound <-chan string) error {
	err := d.claim(ctx, "members that were bound before the refusal are evicted: none stays bound",
		func(ctx context.Context) error {
			select {
			case <-bound:
			case <-ctx.Done():
				return errors.New("no member was ever bound")
			}
			return harness.Eventually(ctx, "no member to be bound", func(ctx context.Context) error {
				return d.noneBound(ctx, gang)
			})
		})
	if err != nil {
		return err
	}
	err = d.claim(ctx, "the gang's object says why, and names the policy", func(ctx context.Context) error {
		return d.waitTold(ctx, gang, policy)
	})
	if err != nil {
		return err
	}
	return d.claim(ctx, "the Job goes on, and counts no failed pod", func(ctx context.Context) error {
		return d.cluster.CheckJob(ctx, gang)
	})
}

// waitTold waits until the status of the gang's object has a word in it, and shows
// the text that does.
func (d *Demo) waitTold(ctx context.Context, gang workload.Gang, word string) error {
	return harness.Eventually(ctx, "a status that says "+word, func(ctx context.Context) error {
		out, err := d.cluster.Kubectl(ctx, "get", "gangs", "-o", "yaml")
		if err != nil {
			return err
		}
		gangs, err := d.gangs(ctx)
		if err != nil {
			return err
		}
		reason := gangs[gang.Name].Reason.Message
		if !strings.Contains(out, word) || !strings.Contains(reason, word) {
			return fmt.Errorf("the reason is %q", reason)
		}
		d.quote(reason)
		return nil
	})
}
