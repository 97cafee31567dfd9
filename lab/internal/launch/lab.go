// Package launch starts a Kubernetes control plane with fake nodes on one
// machine, keeps it together, and takes it down again.
package launch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"phalanx.dev/lab/internal/labfile"
	"phalanx.dev/lab/internal/ports"
	"phalanx.dev/lab/internal/proc"
)

// Lab is one control plane. Its methods are called by Run and by the control
// address; mu guards the processes.
type Lab struct {
	opts    Options
	dir     string
	out     io.Writer // JSON lines for programs
	secrets *secrets
	nodes   []*corev1.Node
	started time.Time

	etcdPort, apiPort, managerPort, schedulerPort *ports.Port

	control *control
	client  kubernetes.Interface
	fail    context.CancelCauseFunc // ends the lab because something broke

	mu         sync.Mutex
	components []*component // in the order of their start
}

// component is a part of the lab and its current process, if it runs.
type component struct {
	name    string
	path    string
	args    []string
	url     string
	grace   time.Duration // from SIGTERM to SIGKILL
	process *proc.Process
	wanted  bool // its end would be a failure
}

// The graces add up to less than 10 s in the order of the end: the clients
// together, the API server, etcd.
const (
	clientGrace    = 3 * time.Second
	apiServerGrace = 4 * time.Second
	etcdGrace      = 2 * time.Second
)

// Run runs a lab until ctx ends (nil is returned) or a component fails. It
// writes a line of JSON to out when the lab is ready.
func Run(ctx context.Context, opts Options, out io.Writer) (err error) {
	world, err := opts.complete()
	if err != nil {
		return err
	}
	folder, err := openFolder(opts.Dir)
	if err != nil {
		return err
	}
	l := &Lab{opts: opts, dir: folder.path, out: out, nodes: world.Nodes(time.Now()),
		started: time.Now()}
	defer func() {
		remove := !opts.KeepDir && (err == nil || !l.hasLogs())
		err = errors.Join(err, folder.close(remove))
		if folder.temporary && !remove {
			fmt.Fprintln(os.Stderr, "phalanx-lab: the lab's files are in", folder.path)
		}
	}()
	failing, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	l.fail = fail
	defer l.stopAll()
	if err := l.prepare(); err != nil {
		return err
	}
	if err := l.bringUp(failing); err != nil {
		return l.reason(ctx, failing, err)
	}
	if err := l.announce(time.Since(l.started)); err != nil {
		return err
	}
	<-failing.Done()
	return l.reason(ctx, failing, nil)
}

// reason returns why the lab ends: nil if it was told to, the failure of a
// component rather than what followed from it, or err.
func (l *Lab) reason(ctx, failing context.Context, err error) error {
	select {
	case <-ctx.Done(): // first: what fails after that is a consequence
		return nil
	default:
	}
	if failing.Err() != nil {
		return context.Cause(failing)
	}
	return err
}

// prepare makes everything that needs no process.
func (l *Lab) prepare() (err error) {
	if l.secrets, err = newSecrets(filepath.Join(l.dir, "pki")); err != nil {
		return err
	}
	if err := l.reservePorts(); err != nil {
		return err
	}
	if err := l.writeConfigs(); err != nil {
		return err
	}
	config, err := clientcmd.BuildConfigFromFlags("", l.kubeconfigOf("admin"))
	if err != nil {
		return err
	}
	config.QPS = -1 // no limit
	if l.client, err = kubernetes.NewForConfig(rest.AddUserAgent(config, "phalanx-lab")); err != nil {
		return err
	}
	if l.control, err = serveControl(l); err != nil {
		return err
	}
	l.defineComponents()
	return nil
}

func (l *Lab) reservePorts() (err error) {
	if l.apiPort, err = ports.Reserve(l.opts.Port); err != nil {
		return fmt.Errorf("API server: %w", err)
	}
	for _, p := range []**ports.Port{&l.etcdPort, &l.managerPort, &l.schedulerPort} {
		if *p, err = ports.Reserve(0); err != nil {
			return err
		}
	}
	return nil
}

func (l *Lab) defineComponents() {
	add := func(name, url string, grace time.Duration, args []string) {
		if l.opts.runs(name) {
			l.components = append(l.components, &component{name: name, path: l.opts.self,
				args: append([]string{name}, args...), url: url, grace: grace})
		}
	}
	etcdURL := "http://" + l.etcdPort.Address()
	add(etcd, etcdURL, etcdGrace, []string{"--data-dir", filepath.Join(l.dir, "etcd"),
		"--listen", l.etcdPort.Address()})
	add(apiServer, l.apiURL(), apiServerGrace, l.apiServerArguments())
	add(controllerManager, "https://"+l.managerPort.Address(), clientGrace, l.managerArguments())
	add(scheduler, "https://"+l.schedulerPort.Address(), clientGrace, l.schedulerArguments())
	if l.opts.runs(kwok) {
		l.components = append(l.components, &component{name: kwok, path: l.opts.KwokPath,
			args: l.kwokArguments(), grace: clientGrace})
	}
}

func (l *Lab) nodeCount() int { return len(l.nodes) }

// announce writes lab.json and tells the caller that the lab is ready.
func (l *Lab) announce(took time.Duration) error {
	if err := l.describe().Write(); err != nil {
		return fmt.Errorf("write %s: %w", labfile.Name, err)
	}
	return json.NewEncoder(l.out).Encode(map[string]any{
		"event": "ready", "dir": l.dir, "kubeconfig": l.kubeconfigOf("admin"),
		"apiServer": l.apiURL(), "nodes": l.nodeCount(), "pid": os.Getpid(),
		"seconds": float64(took.Milliseconds()) / 1000,
	})
}

func (l *Lab) describe() *labfile.Lab {
	l.mu.Lock()
	defer l.mu.Unlock()
	lab := &labfile.Lab{
		Pid: os.Getpid(), Dir: l.dir, Kubeconfig: l.kubeconfigOf("admin"), CA: l.secrets.ca,
		APIServer: l.apiURL(), Control: l.control.url, Token: l.control.token,
		World: l.opts.World, Nodes: l.nodeCount(),
	}
	for _, c := range l.components {
		lab.Components = append(lab.Components, c.describe(l.dir))
	}
	return lab
}

func (c *component) describe(dir string) labfile.Component {
	d := labfile.Component{Name: c.name, Log: logPath(dir, c.name), URL: c.url}
	if c.running() {
		d.Pid = c.process.Pid()
	}
	return d
}

// hasLogs is whether any component was started.
func (l *Lab) hasLogs() bool {
	_, err := os.Stat(filepath.Join(l.dir, "logs"))
	return err == nil
}

func logPath(dir, name string) string { return filepath.Join(dir, "logs", name+".log") }
