// Package harness is for programs that tell end-to-end stories: it runs a lab
// (a real control plane with fake GPU nodes) and the schedulers under test as
// processes, breaks them on purpose, waits for what should follow, and leaves
// nothing behind.
//
//	lab := harness.StartForTest(t, harness.Options{World: "demo.yaml", StockScheduler: true})
//	train := harness.Job{Name: "train", Pods: 14, GPUs: 4, RunSeconds: 5}
//	err := lab.CreateJob(ctx, train)
//	err = lab.WaitForPods(ctx, train.Selection(), "to run", harness.All(14, harness.Running))
//	err = lab.Kill(ctx, harness.ControllerManager)
//
// It needs the binaries of scripts/build-lab.sh. A Lab may be used by several
// goroutines.
package harness

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"phalanx.dev/lab/internal/labfile"
)

// The components of a lab, for Kill and its relatives.
const (
	Etcd              = "etcd"
	APIServer         = "kube-apiserver"
	ControllerManager = "kube-controller-manager"
	Scheduler         = "kube-scheduler"
	Kwok              = "kwok"
)

// stopTimeout is the launcher's own bound of 10 s and a margin for a busy
// machine; then the harness kills it, and the kernel its components.
const stopTimeout = 30 * time.Second

// Options say what lab to run.
type Options struct {
	World          string        // YAML file of nodes; "" = none
	StockScheduler bool          // run kube-scheduler for default-scheduler
	Dir            string        // "" = a temporary folder, removed by Stop
	Binary         string        // phalanx-lab; "" = $PHALANX_LAB or build/bin of the repository
	Args           []string      // further arguments of `phalanx-lab up`
	ReadyTimeout   time.Duration // 0 = 3 minutes
}

// Lab is a running control plane.
type Lab struct {
	binary   string
	launcher *exec.Cmd
	stdin    io.Closer // its end tells the launcher to stop
	stderr   *tailBuffer
	ended    chan struct{}
	endErr   error // valid once ended is closed
	dir      string
	ownDir   bool
	config   *rest.Config
	client   kubernetes.Interface

	mu       sync.Mutex
	info     *labfile.Lab
	programs []*Program // in the order of their start
	stopOnce sync.Once
	stopErr  error
}

// Start runs a lab and returns when it can be used.
func Start(ctx context.Context, o Options) (*Lab, error) {
	binary, err := findBinary(o.Binary)
	if err != nil {
		return nil, err
	}
	l := &Lab{binary: binary, stderr: &tailBuffer{}, ended: make(chan struct{}), dir: o.Dir}
	if l.dir == "" {
		if l.dir, err = os.MkdirTemp("", "phalanx-lab-"); err != nil {
			return nil, err
		}
		l.ownDir = true
	}
	ready, err := l.launch(o)
	if err != nil {
		return nil, err
	}
	if err := l.awaitReady(ctx, ready); err != nil {
		return nil, errors.Join(err, l.Stop())
	}
	if err := l.connect(); err != nil {
		return nil, errors.Join(err, l.Stop())
	}
	return l, nil
}

func findBinary(given string) (string, error) {
	if given == "" {
		given = os.Getenv("PHALANX_LAB")
	}
	if given != "" {
		if _, err := os.Stat(given); err != nil {
			return "", fmt.Errorf("the lab's binary: %w", err)
		}
		return filepath.Abs(given)
	}
	path, err := FindInRepository("build/bin/phalanx-lab")
	if err != nil {
		return "", fmt.Errorf("%w; build it with scripts/build-lab.sh", err)
	}
	return path, nil
}

// FindInRepository looks for a file from the current folder upwards.
func FindInRepository(path string) (string, error) {
	here, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for folder := here; ; folder = filepath.Dir(folder) {
		candidate := filepath.Join(folder, path)
		if _, err := os.Stat(candidate); err == nil {
			return candidate, nil
		}
		if folder == filepath.Dir(folder) {
			return "", fmt.Errorf("no %s in %s or a folder above it", path, here)
		}
	}
}

// launch starts the launcher; the channel is closed after its ready line.
func (l *Lab) launch(o Options) (<-chan struct{}, error) {
	args := []string{"up", "--exit-with-parent", "--dir", l.dir}
	if o.World != "" {
		args = append(args, "--world", o.World)
	}
	if o.StockScheduler {
		args = append(args, "--scheduler", "stock")
	}
	if o.ReadyTimeout != 0 {
		args = append(args, "--ready-timeout", o.ReadyTimeout.String())
	}
	l.launcher = exec.Command(l.binary, append(args, o.Args...)...)
	l.launcher.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C is for us: Stop follows
	l.launcher.Stderr = l.stderr
	stdin, err := l.launcher.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := l.launcher.StdoutPipe()
	if err != nil {
		return nil, err
	}
	l.stdin = stdin
	if err := l.launcher.Start(); err != nil {
		return nil, fmt.Errorf("start the lab: %w", err)
	}
	ready := make(chan struct{})
	go func() {
		readEvents(stdout, ready)
		l.endErr = l.launcher.Wait()
		close(l.ended)
	}()
	return ready, nil
}

// readEvents reads the launcher's output to its end.
func readEvents(stdout io.Reader, ready chan<- struct{}) {
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		var line struct {
			Event string `json:"event"`
		}
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.Event == "ready" {
			close(ready)
			break
		}
	}
	_, _ = io.Copy(io.Discard, stdout) // until it ends
}

func (l *Lab) awaitReady(ctx context.Context, ready <-chan struct{}) error {
	select {
	case <-ready:
		return nil
	case <-l.ended:
		return fmt.Errorf("the lab did not start: %w\n%s", l.endErr, l.stderr)
	case <-ctx.Done():
		return fmt.Errorf("the lab was not ready: %w\n%s", context.Cause(ctx), l.stderr)
	}
}

func (l *Lab) connect() (err error) {
	if l.info, err = labfile.Read(l.dir); err != nil {
		return err
	}
	if l.config, err = clientcmd.BuildConfigFromFlags("", l.info.Kubeconfig); err != nil {
		return err
	}
	l.config.QPS = -1 // the story's own calls are not what is measured
	l.client, err = kubernetes.NewForConfig(l.config)
	return err
}

// Stop ends the programs, the last one first, then the lab, and returns when
// all are gone. Repeated calls do nothing and return the same.
func (l *Lab) Stop() error {
	l.stopOnce.Do(func() { l.stopErr = l.stop() })
	return l.stopErr
}

func (l *Lab) stop() error {
	l.mu.Lock()
	programs := l.programs
	l.mu.Unlock()
	for i := len(programs) - 1; i >= 0; i-- {
		programs[i].Stop()
	}
	l.stdin.Close()
	var err error
	select {
	case <-l.ended:
		if l.endErr != nil {
			err = fmt.Errorf("the lab ended with an error: %w\n%s", l.endErr, l.stderr)
		}
	case <-time.After(stopTimeout):
		_ = l.launcher.Process.Kill() // fails only if it has ended
		<-l.ended
		err = fmt.Errorf("the lab did not stop within %s and was killed", stopTimeout)
	}
	if l.ownDir {
		err = errors.Join(err, os.RemoveAll(l.dir))
	}
	return err
}

// Dir returns the lab's folder, in which Run puts logs/NAME.log.
func (l *Lab) Dir() string { return l.dir }

// Config returns a copy of the administrator's client configuration, without a
// limit of requests per second.
func (l *Lab) Config() *rest.Config { return rest.CopyConfig(l.config) }

// Client returns the administrator's client.
func (l *Lab) Client() kubernetes.Interface { return l.client }

// Kubeconfig returns the path of the administrator's kubeconfig.
func (l *Lab) Kubeconfig() string { return l.info.Kubeconfig }

// Kubectl runs kubectl as administrator and returns what it printed.
func (l *Lab) Kubectl(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, l.binary, append([]string{"kubectl"}, args...)...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+l.Kubeconfig())
	out, err := cmd.CombinedOutput()
	if err != nil {
		return string(out), fmt.Errorf("kubectl %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return string(out), nil
}
