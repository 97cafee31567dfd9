package demo

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"phalanx.dev/lab/harness"
	"phalanx.dev/lab/workload"
)

const (
	// quiet is how long the waiting gang is watched: it must not take a single GPU.
	quiet = 2 * time.Second
	// tearTries bounds how often the stock scheduler gets a fresh pair of jobs. It
	// nearly always tears the first; a job whose pods all happen to come first stays
	// whole.
	tearTries = 5
)

// pair are two Jobs that compete for one rack.
type pair struct{ first, second workload.Gang }

func newPair(names [2]string, scheduler, clique string) pair {
	gang := func(name string) workload.Gang {
		return workload.Gang{Name: name, Size: 12, GPUs: 4, Scheduler: scheduler, Suspended: true,
			NodeSelector: map[string]string{cliqueLabel: clique}}
	}
	return pair{gang(names[0]), gang(names[1])}
}

// tellTwo: two gangs of 12 compete for the 18 hosts of a rack, once under Phalanx
// and once, in the other rack, under the stock scheduler.
func (d *Demo) tellTwo(ctx context.Context) error {
	d.title("Story 2: two gangs of 12 hosts, 18 hosts")
	cliques, err := d.cliques(ctx)
	if err != nil {
		return err
	}
	ours := newPair([2]string{"train-b", "train-c"}, workload.Phalanx, cliques["nvl-leaf-01"])
	d.say("two Jobs of 12 pods x 4 GPUs start in the same instant, confined to one rack of 18 hosts:")
	d.say("in nvl-leaf-01 under Phalanx (B and C), in nvl-leaf-02 under the stock scheduler (D and E)")
	if err := d.startTogether(ctx, ours); err != nil {
		return err
	}
	winner, loser, err := d.claimOneRuns(ctx, ours)
	if err != nil {
		return err
	}
	stock, err := d.tear(ctx, cliques["nvl-leaf-02"])
	if err != nil {
		return err
	}
	letters := map[string]rune{ours.first.Name: 'B', ours.second.Name: 'C',
		stock.first.Name: 'D', stock.second.Name: 'E'}
	if err := d.show(ctx, letters); err != nil {
		return err
	}
	if err := d.compare(ctx, ours, stock); err != nil {
		return err
	}
	if err := d.explain(ctx, winner, loser); err != nil {
		return err
	}
	if err := d.handOver(ctx, winner, loser, stock); err != nil {
		return err
	}
	return d.show(ctx, letters)
}

// cliques returns the NVLink domain of each rack.
func (d *Demo) cliques(ctx context.Context) (map[string]string, error) {
	nodes, err := d.nodes(ctx)
	if err != nil {
		return nil, err
	}
	cliques := map[string]string{}
	for i := range nodes {
		if clique := nodes[i].Labels[cliqueLabel]; clique != "" {
			cliques[nodes[i].Labels[leafLabel]] = clique
		}
	}
	return cliques, nil
}

// startTogether creates both Jobs suspended and resumes them at the same time, so
// that their pods come interleaved.
func (d *Demo) startTogether(ctx context.Context, p pair) error {
	for _, gang := range []workload.Gang{p.first, p.second} {
		if err := d.cluster.Create(ctx, gang); err != nil {
			return err
		}
	}
	resumed := make(chan error)
	for _, gang := range []workload.Gang{p.first, p.second} {
		go func() { resumed <- d.cluster.Resume(ctx, gang) }()
	}
	if err := errors.Join(<-resumed, <-resumed); err != nil {
		return fmt.Errorf("start both jobs: %w", err)
	}
	return nil
}

// claimOneRuns checks that exactly one gang runs, whole, and that the other takes
// nothing for a while.
func (d *Demo) claimOneRuns(ctx context.Context, p pair) (winner, loser workload.Gang, err error) {
	err = d.claim(ctx, "under Phalanx one gang runs with all its 12 pods", func(ctx context.Context) error {
		return harness.Eventually(ctx, "one gang to be whole", func(ctx context.Context) error {
			first, second, err := d.bound(ctx, p)
			if err != nil {
				return err
			}
			winner, loser = p.first, p.second
			if second > first {
				winner, loser = p.second, p.first
			}
			if max(first, second) != winner.Size {
				return fmt.Errorf("%d and %d pods are bound", first, second)
			}
			return nil
		})
	})
	if err != nil {
		return winner, loser, err
	}
	claim := fmt.Sprintf("the other one, %s, holds nothing: no pod is bound, watched for %s", loser.Name, quiet)
	return winner, loser, d.claim(ctx, claim, func(ctx context.Context) error {
		return d.holdsNothing(ctx, loser)
	})
}

func (d *Demo) holdsNothing(ctx context.Context, loser workload.Gang) error {
	return harness.Holds(ctx, quiet, func(ctx context.Context) error {
		members, err := d.cluster.Members(ctx, loser)
		if err != nil {
			return err
		}
		if nodes := members.Nodes(); len(nodes) > 0 {
			return fmt.Errorf("pods of it are on %s", strings.Join(nodes, ", "))
		}
		return nil
	})
}

// bound counts the bound, unfinished pods of both gangs.
func (d *Demo) bound(ctx context.Context, p pair) (first, second int, err error) {
	a, err := d.cluster.Members(ctx, p.first)
	if err != nil {
		return 0, 0, err
	}
	b, err := d.cluster.Members(ctx, p.second)
	return len(a.Alive().Bound()), len(b.Alive().Bound()), err
}

// tear runs the same two Jobs under the stock scheduler until both are stuck.
func (d *Demo) tear(ctx context.Context, clique string) (p pair, err error) {
	for try := range tearTries {
		p = newPair([2]string{fmt.Sprintf("train-d%d", try+1), fmt.Sprintf("train-e%d", try+1)},
			workload.Stock, clique)
		if err := d.startTogether(ctx, p); err != nil {
			return p, err
		}
		if err := d.fills(ctx, p, 18); err != nil {
			return p, err
		}
		if d.isTorn(ctx, p) == nil {
			break
		}
		d.say("the stock scheduler happened to keep one job whole; trying a fresh pair")
		if err := d.clear(ctx, p.first, p.second); err != nil {
			return p, err
		}
	}
	return p, d.claim(ctx, "under the stock scheduler neither job is whole and both hold GPUs",
		func(ctx context.Context) error { return d.isTorn(ctx, p) })
}

// fills waits until the pair's pods are on that many hosts.
func (d *Demo) fills(ctx context.Context, p pair, hosts int) error {
	ctx, cancel := context.WithTimeout(ctx, stepTimeout)
	defer cancel()
	return harness.Eventually(ctx, fmt.Sprintf("%d hosts to be full", hosts), func(ctx context.Context) error {
		first, second, err := d.bound(ctx, p)
		if err == nil && first+second != hosts {
			err = fmt.Errorf("%d and %d pods are bound", first, second)
		}
		return err
	})
}

func (d *Demo) isTorn(ctx context.Context, p pair) error {
	first, second, err := d.bound(ctx, p)
	if err == nil && (first == 0 || second == 0 || first >= p.first.Size || second >= p.second.Size) {
		err = fmt.Errorf("%d of %d and %d of %d pods are bound", first, p.first.Size, second, p.second.Size)
	}
	return err
}

// compare shows both pairs side by side.
func (d *Demo) compare(ctx context.Context, ours, stock pair) error {
	a, b, err := d.bound(ctx, ours)
	if err != nil {
		return err
	}
	c, e, err := d.bound(ctx, stock)
	if err != nil {
		return err
	}
	of := func(n int) string { return fmt.Sprintf("%d of 12 pods bound", n) }
	idle := func(n ...int) string {
		sum := 0
		for _, bound := range n {
			if bound < 12 {
				sum += bound * 4
			}
		}
		return fmt.Sprint(sum)
	}
	d.table([][]string{
		{"", "Phalanx", "stock scheduler"},
		{"first job", "B: " + of(a), "D: " + of(c)},
		{"second job", "C: " + of(b), "E: " + of(e)},
		{"GPUs held by a job that can't run", idle(a, b), idle(c, e)},
	})
	return nil
}

// handOver ends the winner; the loser then runs whole, the stock pair stays stuck.
func (d *Demo) handOver(ctx context.Context, winner, loser workload.Gang, stock pair) error {
	d.say("now %s ends", winner.Name)
	began := time.Now()
	if err := d.cluster.Finish(ctx, winner); err != nil {
		return err
	}
	err := d.claim(ctx, loser.Name+" starts with all its 12 pods", func(ctx context.Context) error {
		_, err := d.cluster.WaitBound(ctx, loser, loser.Size)
		return err
	})
	if err != nil {
		return err
	}
	d.say("bound %.2f s after the first pod of its predecessor was told to end", time.Since(began).Seconds())
	return d.claim(ctx, "the two jobs of the stock scheduler are stuck as before",
		func(ctx context.Context) error { return d.isTorn(ctx, stock) })
}

// explain shows what users of the waiting gang see, and checks that it is there.
func (d *Demo) explain(ctx context.Context, winner, loser workload.Gang) error {
	d.title("What the users see")
	selector := fmt.Sprintf("%s in (%s,%s)", workload.GangLabel, winner.Name, loser.Name)
	if err := d.showPods(ctx, selector); err != nil {
		return err
	}
	var pod *corev1.Pod
	claim := "a waiting pod has an event that says why, with numbers"
	err := d.claim(ctx, claim, func(ctx context.Context) error {
		return harness.Eventually(ctx, "an event on a pod of "+loser.Name, func(ctx context.Context) error {
			var err error
			pod, err = d.explained(ctx, loser)
			return err
		})
	})
	if err != nil {
		return err
	}
	if err := d.describe(ctx, pod); err != nil {
		return err
	}
	if err := d.showGangs(ctx, winner, loser); err != nil {
		return err
	}
	return d.showBrain(ctx, winner, loser)
}

// explained returns a member with an event that has a number in it.
func (d *Demo) explained(ctx context.Context, gang workload.Gang) (*corev1.Pod, error) {
	members, err := d.cluster.Members(ctx, gang)
	if err != nil {
		return nil, err
	}
	for i := range members {
		events, err := d.cluster.Events(ctx, &members[i])
		if err != nil {
			return nil, err
		}
		for _, event := range events {
			if strings.ContainsAny(event.Message, "0123456789") {
				return &members[i], nil
			}
		}
	}
	return nil, fmt.Errorf("no pod of %s has an event with numbers", gang.Name)
}
