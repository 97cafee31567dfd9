package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"phalanx.dev/lab/harness"
	"phalanx.dev/lab/install"
	"phalanx.dev/lab/workload"
)

const (
	bindGangSize = 16
	bindLimit    = 5 * time.Minute // of one case
	runLabel     = "bench.phalanx.dev/run"
)

// bindBench measures how fast gangs are bound: 250 gangs of 16 one-GPU pods on 5,000 nodes. All pods
// exist before the scheduler starts; the rate is that between the first and the last Binding, as a
// watch sees them. Both schedulers may make 5,000 requests a second, in bursts of 10,000.
type bindBench struct {
	*cluster
	s       *setting
	phalanx *install.Phalanx
	rates   map[string][]float64 // by case
	used    map[string][]usage
	runs    int
}

// runBindThroughput takes the cases in turns, so that all share what the machine does meanwhile.
func runBindThroughput(ctx context.Context, s *setting) (err error) {
	c, err := startCluster(ctx, s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.stop()) }()
	b := &bindBench{cluster: c, s: s, rates: map[string][]float64{}, used: map[string][]usage{}}
	if b.phalanx, err = c.installPhalanx(ctx, s); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.phalanx.Remove()) }()
	rounds := pick(s, 3, 1)
	for range rounds {
		for _, run := range []func(context.Context) error{b.stock("stock"), b.ours("phalanx"), b.raw} {
			if err := run(ctx); err != nil {
				return err
			}
		}
	}
	waiting := b.waiting(workload.Phalanx)
	err = b.amid(ctx, waiting, rounds, b.ours("phalanx_50k_waiting"))
	if err = errors.Join(err, b.remove(ctx, waiting)); err != nil {
		return err
	}
	// Once: it takes long, and nothing is compared with it.
	if err := b.amid(ctx, b.waiting(workload.Stock), 1, b.stock("stock_50k_gated")); err != nil {
		return err
	}
	return b.summary()
}

// amid runs a case some times while these pods wait.
func (b *bindBench) amid(ctx context.Context, waiting []*corev1.Pod, rounds int,
	run func(context.Context) error) error {
	began := time.Now()
	if err := b.create(ctx, waiting); err != nil {
		return err
	}
	b.s.report.note("%d pods that wait were created in %.1f s", len(waiting), time.Since(began).Seconds())
	for range rounds {
		if err := run(ctx); err != nil {
			return err
		}
	}
	return nil
}

// waiting are 50,000 pods in gangs that fit nowhere. For the stock scheduler, which has no gangs, they
// wait behind a scheduling gate: what its queue can do at best to keep pods out of the way.
func (b *bindBench) waiting(scheduler string) []*corev1.Pod {
	var pods []*corev1.Pod
	for i := range pick(b.s, 1000, 4) {
		shape := tooBig(i)
		gang := workload.Gang{Name: fmt.Sprintf("waiting-%d", i), Size: shape.size, GPUs: shape.gpus,
			Required: shape.required, Scheduler: scheduler}
		for member := range gang.Size {
			pod := gang.Pod(member)
			if scheduler == workload.Stock {
				pod.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "bench.phalanx.dev/never"}}
			}
			pods = append(pods, pod)
		}
	}
	return pods
}

// gangs are the pods that are bound in one run.
func (b *bindBench) gangs(scheduler string) []*corev1.Pod {
	b.runs++
	var pods []*corev1.Pod
	for i := range pick(b.s, 250, 3) {
		gang := workload.Gang{Name: fmt.Sprintf("run-%d-%d", b.runs, i), Size: bindGangSize, GPUs: 1,
			Scheduler: scheduler, Labels: map[string]string{runLabel: fmt.Sprint(b.runs)}}
		for member := range gang.Size {
			pods = append(pods, gang.Pod(member))
		}
	}
	return pods
}

func (b *bindBench) stock(name string) func(context.Context) error {
	var p *harness.Program
	start := func(ctx context.Context) (pids []int, err error) {
		if p, err = b.StockScheduler(ctx, workload.Stock); err != nil {
			return nil, err
		}
		return []int{p.Pid()}, nil
	}
	return func(ctx context.Context) error {
		return b.measure(ctx, name, workload.Stock, start, func() { p.Stop() })
	}
}

func (b *bindBench) ours(name string) func(context.Context) error {
	start := func(ctx context.Context) ([]int, error) {
		if err := errors.Join(b.phalanx.StartBrain(ctx), b.phalanx.StartScheduler(ctx)); err != nil {
			return nil, err
		}
		return []int{b.phalanx.Scheduler.Pid(), b.phalanx.Brain.Pid()}, nil
	}
	stop := func() {
		b.phalanx.Scheduler.Stop()
		b.phalanx.Brain.Stop()
	}
	return func(ctx context.Context) error { return b.measure(ctx, name, workload.Phalanx, start, stop) }
}

// raw makes the Binding requests alone, from 16 workers: what the API server can do.
func (b *bindBench) raw(ctx context.Context) error {
	w, err := loadWorld(b.s)
	if err != nil {
		return err
	}
	nodes := w.Nodes(time.Now())
	pods := b.gangs("nobody")
	return b.timed(ctx, "raw", pods, func(ctx context.Context) error {
		return each(ctx, len(pods), func(ctx context.Context, i int) error {
			binding := &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: pods[i].Name},
				Target: corev1.ObjectReference{Kind: "Node", Name: nodes[i%len(nodes)].Name}}
			return b.client.CoreV1().Pods(pods[i].Namespace).Bind(ctx, binding, metav1.CreateOptions{})
		})
	}, nil)
}

// measure runs one case with a scheduler, which is fresh each time.
func (b *bindBench) measure(ctx context.Context, name, scheduler string,
	start func(context.Context) ([]int, error), stop func()) error {
	var pids []int
	began := func(ctx context.Context) (err error) {
		pids, err = start(ctx)
		return err
	}
	return b.timed(ctx, name, b.gangs(scheduler), began, func() error {
		defer stop()
		used, err := usageOf(pids...)
		b.used[name] = append(b.used[name], used)
		return err
	})
}

// timed creates the pods, begins, waits for the last Binding, ends and cleans up.
func (b *bindBench) timed(ctx context.Context, name string, pods []*corev1.Pod,
	begin func(context.Context) error, end func() error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, bindLimit, fmt.Errorf("a case may take %s", bindLimit))
	defer cancel()
	if err := b.create(ctx, pods); err != nil {
		return err
	}
	watch, err := b.watchBindings(ctx)
	if err != nil {
		return err
	}
	defer watch.Stop()
	started := time.Now()
	begun := make(chan error, 1)
	go func() { begun <- begin(ctx) }()
	seen, err := watch.await(ctx, len(pods))
	err = errors.Join(err, <-begun)
	if end != nil && err == nil {
		err = end()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	rate := float64(len(pods)-1) / seen.last.Sub(seen.first).Seconds()
	b.rates[name] = append(b.rates[name], rate)
	b.s.report.note("%s: %d pods, %.1f pods/s; first bound %.2f s after the start, last %.2f s", name, len(pods),
		rate, seen.first.Sub(started).Seconds(), seen.last.Sub(started).Seconds())
	return b.remove(ctx, pods)
}

func (b *bindBench) summary() error {
	name := func(of string) string { return "bind-throughput/" + of }
	rate := func(of, baseline string) error {
		return b.s.report.add(name(of), median(b.rates[of]), "pods/s", baseline)
	}
	errs := []error{
		rate("stock", ""), rate("phalanx", name("stock")), rate("raw", ""),
		b.s.report.add(name("phalanx_over_raw"), median(b.rates["phalanx"])/median(b.rates["raw"]), "ratio", ""),
		rate("phalanx_50k_waiting", name("phalanx")), rate("stock_50k_gated", name("stock")),
	}
	for _, of := range []string{"stock", "phalanx", "phalanx_50k_waiting", "stock_50k_gated"} {
		var cpu, memory []float64
		for _, u := range b.used[of] {
			cpu, memory = append(cpu, u.cpuSeconds), append(memory, u.peakMiB)
		}
		errs = append(errs,
			b.s.report.add(name(of+"_cpu_s"), median(cpu), "s", ""),
			b.s.report.add(name(of+"_peak_mib"), slices.Max(memory), "MiB", ""))
	}
	return errors.Join(errs...)
}
