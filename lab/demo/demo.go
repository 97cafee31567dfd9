// Package demo tells stories on a lab and checks each claim on the objects of the
// API server: a gang lands whole in the one NVLink rack that can hold it; two gangs
// that do not both fit never hold a part of the room; a start that is broken off
// leaves nothing behind.
package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"phalanx.dev/lab/harness"
	"phalanx.dev/lab/install"
	"phalanx.dev/lab/workload"
)

// Options are the settings of one run.
type Options struct {
	Root   string    // of the repository
	Dir    string    // for the lab: state and logs; emptied first
	Out    io.Writer // what the user sees
	Colour bool
}

// stepTimeout bounds the wait for one claim. On an idle machine each comes true in
// a second or two.
const stepTimeout = 2 * time.Minute

// Demo is a running demo.
type Demo struct {
	*screen
	options Options
	cluster workload.Cluster
	phalanx *install.Phalanx
	before  samples // metrics before the stories
	started time.Time
}

// Start starts the lab and Phalanx in it. Stop must be called, also after an error.
func Start(ctx context.Context, o Options) (*Demo, error) {
	d := &Demo{screen: newScreen(o.Out, o.Colour), options: o, started: time.Now()}
	if err := os.RemoveAll(o.Dir); err != nil {
		return d, fmt.Errorf("empty the folder of the lab: %w", err)
	}
	d.title("A Kubernetes control plane on this machine, with make-believe GPU nodes")
	lab, err := harness.Start(ctx, harness.Options{
		World:          filepath.Join(o.Root, "lab", "worlds", "demo.yaml"),
		Binary:         filepath.Join(o.Root, "build", "bin", "phalanx-lab"),
		Dir:            o.Dir,
		StockScheduler: true,
	})
	if err != nil {
		return d, fmt.Errorf("start the lab: %w; logs: %s", err, filepath.Join(o.Dir, "logs"))
	}
	d.cluster = workload.Cluster{Lab: lab}
	if err := d.showNodes(ctx); err != nil {
		return d, err
	}
	d.title("Phalanx, as its Helm chart installs it")
	if d.phalanx, err = install.Install(ctx, lab, install.Options{Root: o.Root}); err != nil {
		return d, fmt.Errorf("install the chart: %w", err)
	}
	if err := d.phalanx.Start(ctx); err != nil {
		return d, fmt.Errorf("start Phalanx: %w; logs: %s", err, filepath.Join(o.Dir, "logs"))
	}
	d.say("objects applied: %s", strings.Join(d.kinds(), ", "))
	d.say("phalanxd and phalanx-scheduler run with the chart's arguments and configuration, as")
	d.say("%s: no administrator", d.phalanx.Account)
	d.before, err = d.metrics(ctx)
	return d, err
}

// Tell tells all stories; the first claim that is not true is the error.
func (d *Demo) Tell(ctx context.Context) error {
	if err := d.tellRack(ctx); err != nil {
		return err
	}
	if err := d.tellTwo(ctx); err != nil {
		return err
	}
	if err := d.tellDeleted(ctx); err != nil {
		return err
	}
	if err := d.tellRefused(ctx); err != nil {
		return err
	}
	return d.showMetrics(ctx)
}

// Elapsed is the time since Start.
func (d *Demo) Elapsed() time.Duration { return time.Since(d.started) }

// Stop ends everything that Start started.
func (d *Demo) Stop() error {
	var failed []error
	if d.cluster.Lab != nil {
		failed = append(failed, d.cluster.Stop())
	}
	if d.phalanx != nil {
		failed = append(failed, d.phalanx.Remove())
	}
	return errors.Join(failed...)
}

func (d *Demo) showNodes(ctx context.Context) error {
	nodes, err := d.nodes(ctx)
	if err != nil {
		return err
	}
	gpus := int64(0)
	for i := range nodes {
		gpus += nodes[i].Status.Allocatable.Name(gpuResource, "").Value()
	}
	d.say("ready after %.1f s: etcd, API server, controllers, fake kubelets, the stock scheduler",
		d.Elapsed().Seconds())
	d.say("%d nodes, %d GPUs: two NVL72 racks of 18 hosts x 4, one HGX pod of 16 hosts x 8", len(nodes),
		gpus)
	return nil
}

func (d *Demo) kinds() []string {
	var kinds []string
	for _, object := range d.phalanx.Manifests.Objects {
		kinds = append(kinds, object.GetKind())
	}
	return kinds
}

func (d *Demo) nodes(ctx context.Context) ([]corev1.Node, error) {
	list, err := d.cluster.Client().CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list the nodes: %w", err)
	}
	return list.Items, nil
}

// claim checks something within stepTimeout, and says so.
func (d *Demo) claim(ctx context.Context, claim string, check func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, stepTimeout)
	defer cancel()
	err := check(ctx)
	d.checked(claim, err)
	if err != nil {
		return fmt.Errorf("%s: %w; logs: %s", claim, err, filepath.Join(d.options.Dir, "logs"))
	}
	return nil
}

// show draws the map with a letter for each gang; other teams' pods are "#".
func (d *Demo) show(ctx context.Context, letters map[string]rune) error {
	nodes, err := d.nodes(ctx)
	if err != nil {
		return err
	}
	pods, err := d.cluster.Client().CoreV1().Pods(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("list the pods: %w", err)
	}
	d.showMap(drawMap(nodes, pods.Items, func(p *corev1.Pod) rune {
		if letter, ok := letters[p.Labels[workload.GangLabel]]; ok {
			return letter
		}
		return occupiedSlot
	}))
	return nil
}
