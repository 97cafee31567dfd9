package install

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"

	appsv1 "k8s.io/api/apps/v1"
	"phalanx.dev/lab/harness"
)

const (
	release   = "phalanx"
	namespace = "phalanx-system"
)

// Names of the programs, as the containers' commands call them.
const (
	brainName     = "phalanxd"
	schedulerName = "phalanx-scheduler"
)

// Options say what to install.
type Options struct {
	Root string   // of the repository: the chart, and the executables in build/bin
	Set  []string // more values of the chart, as KEY=VALUE
	File string   // of values that come before Set; "" = none
	// Replica tells a second pair of processes from the first: the end of the names of
	// its folder and logs; "" = the first.
	Replica string
}

// Chart returns the repository's chart with the repository's helm.
func (o Options) Chart() Chart {
	return Chart{
		Helm:      filepath.Join(o.Root, "build", "bin", "tools", "helm"),
		Dir:       filepath.Join(o.Root, "deploy", "helm", "phalanx"),
		Release:   release,
		Namespace: namespace,
		Set:       o.Set,
		File:      o.File,
	}
}

// Phalanx is an installed release: two programs, and where they answer.
// For one goroutine at a time.
type Phalanx struct {
	Namespace string
	Account   string // user name of the service account
	BrainURL  string // http://127.0.0.1:port
	SchedURL  string // https://127.0.0.1:port, with a certificate that it signed itself
	Manifests *Manifests
	Brain     *harness.Program // the latest; nil before Start
	Scheduler *harness.Program

	lab        *harness.Lab
	dir        string // of the configuration files
	replica    string
	scratch    string // of the socket
	containers map[string]program
}

// Install applies the chart's objects and writes what both programs need, without
// starting them. Values for addresses of this machine come before o.Set.
func Install(ctx context.Context, lab *harness.Lab, o Options) (*Phalanx, error) {
	p, err := newPhalanx(ctx, lab, &o)
	if err != nil {
		return nil, err
	}
	deployment, err := p.applyObjects(ctx)
	if err != nil {
		return nil, err
	}
	return p, p.prepare(ctx, o, deployment)
}

// Adopt is Install for a release that helm has put into the lab already: it writes
// what both programs need and changes nothing in the cluster.
func Adopt(ctx context.Context, lab *harness.Lab, o Options) (*Phalanx, error) {
	p, err := newPhalanx(ctx, lab, &o)
	if err != nil {
		return nil, err
	}
	deployment, err := p.Manifests.Deployment()
	if err != nil {
		return nil, err
	}
	return p, p.prepare(ctx, o, deployment)
}

// newPhalanx renders the chart with addresses of this machine.
func newPhalanx(ctx context.Context, lab *harness.Lab, o *Options) (*Phalanx, error) {
	ports, err := freePorts(2)
	if err != nil {
		return nil, err
	}
	p := &Phalanx{
		Namespace: namespace, lab: lab, containers: map[string]program{},
		BrainURL: fmt.Sprintf("http://127.0.0.1:%d", ports[0]),
		SchedURL: fmt.Sprintf("https://127.0.0.1:%d", ports[1]),
		dir:      filepath.Join(lab.Dir(), "phalanx"+o.Replica), replica: o.Replica,
	}
	o.Set = append([]string{
		"brain.http.address=127.0.0.1", fmt.Sprintf("brain.http.port=%d", ports[0]),
		"scheduler.https.address=127.0.0.1", fmt.Sprintf("scheduler.https.port=%d", ports[1]),
		"scheduler.kubeconfig=" + p.kubeconfig(),
	}, o.Set...)
	p.Manifests, err = o.Chart().Render(ctx)
	return p, err
}

func (p *Phalanx) kubeconfig() string { return filepath.Join(p.dir, "kubeconfig") }

// prepare writes the files of both programs; after an error nothing is left of them.
func (p *Phalanx) prepare(ctx context.Context, o Options, deployment *appsv1.Deployment) error {
	err := p.layOut(o.Root, p.dir, deployment)
	if err == nil {
		err = p.grantRights(ctx, deployment, p.kubeconfig())
	}
	if err != nil {
		return errors.Join(err, p.Remove())
	}
	return nil
}

func (p *Phalanx) applyObjects(ctx context.Context) (*appsv1.Deployment, error) {
	cluster, err := newCluster(p.lab.Config())
	if err != nil {
		return nil, err
	}
	if err := cluster.createNamespace(ctx, p.Namespace); err != nil {
		return nil, err
	}
	if err := cluster.apply(ctx, p.Manifests, false); err != nil {
		return nil, err
	}
	deployment, err := p.Manifests.Deployment()
	if err != nil {
		return nil, err
	}
	return deployment, cluster.checkPod(ctx, p.Namespace, deployment)
}

// Check renders the chart with more values and asks the API server of a lab, in
// which it is installed, whether it would take every object, and a pod of the
// Deployment. Nothing is changed.
func Check(ctx context.Context, lab *harness.Lab, o Options) (*Manifests, error) {
	cluster, err := newCluster(lab.Config())
	if err != nil {
		return nil, err
	}
	m, err := o.Chart().Render(ctx)
	if err != nil {
		return nil, err
	}
	if err := cluster.apply(ctx, m, true); err != nil {
		return m, err
	}
	deployment, err := m.Deployment()
	if err != nil {
		return m, err
	}
	return m, cluster.checkPod(ctx, m.Namespace, deployment)
}

// layOut gives the pod's volumes folders here and writes the configuration files.
func (p *Phalanx) layOut(root, dir string, deployment *appsv1.Deployment) (err error) {
	if p.scratch, err = os.MkdirTemp("", "phalanx-"); err != nil {
		return err
	}
	layout, err := newLayout(filepath.Join(root, "build", "bin"), dir, p.scratch, deployment)
	if err != nil {
		return err
	}
	config, err := p.Manifests.ConfigMap()
	if err != nil {
		return err
	}
	if err := layout.writeConfig(deployment, config); err != nil {
		return err
	}
	for _, name := range []string{brainName, schedulerName} {
		if p.containers[name], err = layout.programOf(name, deployment); err != nil {
			return err
		}
	}
	return nil
}

// grantRights gives the scheduler a token of the chart's service account.
func (p *Phalanx) grantRights(ctx context.Context, d *appsv1.Deployment, path string) error {
	account := d.Spec.Template.Spec.ServiceAccountName
	p.Account = fmt.Sprintf("system:serviceaccount:%s:%s", p.Namespace, account)
	made, err := p.lab.ServiceAccountKubeconfig(ctx, p.Namespace, account)
	if err != nil {
		return err
	}
	return os.Rename(made, path)
}

// Start starts the brain, then the scheduler, and returns when the scheduler
// leads and the brain knows the cluster.
func (p *Phalanx) Start(ctx context.Context) error {
	if err := p.StartBrain(ctx); err != nil {
		return err
	}
	if err := p.StartScheduler(ctx); err != nil {
		return err
	}
	return p.WaitReady(ctx)
}

// StartBrain starts the brain, which must not run, and returns once it is alive.
func (p *Phalanx) StartBrain(ctx context.Context) (err error) {
	p.Brain, err = p.run(ctx, brainName, p.BrainURL+"/livez")
	return err
}

// StartScheduler starts the scheduler, which must not run, and returns once it is
// ready.
func (p *Phalanx) StartScheduler(ctx context.Context) (err error) {
	p.Scheduler, err = p.run(ctx, schedulerName, p.SchedURL+"/readyz")
	return err
}

func (p *Phalanx) run(ctx context.Context, name, url string) (*harness.Program, error) {
	c := p.containers[name]
	return p.lab.Run(ctx, harness.Command{
		Name: name + p.replica, Path: c.path, Args: c.args,
		Ready: func(ctx context.Context) error { return ask(ctx, url) },
	})
}

// WaitReady returns when the brain has the whole picture of the cluster.
func (p *Phalanx) WaitReady(ctx context.Context) error {
	return harness.Eventually(ctx, "phalanxd to have seen the cluster", func(ctx context.Context) error {
		for _, program := range []*harness.Program{p.Brain, p.Scheduler} {
			if err := program.Err(); err != nil {
				return harness.Hopeless(err)
			}
		}
		return ask(ctx, p.BrainURL+"/readyz")
	})
}

// Remove removes the socket's folder. Stop the programs, or the lab, before.
func (p *Phalanx) Remove() error { return os.RemoveAll(p.scratch) }

// freePorts asks the kernel for ports of 127.0.0.1. They are free again when it
// returns, and nobody else is given them soon.
func freePorts(n int) ([]int, error) {
	var ports []int
	for range n {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, fmt.Errorf("a free port: %w", err)
		}
		defer listener.Close()
		ports = append(ports, listener.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}
