package harness

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"phalanx.dev/lab/internal/proc"
)

const (
	programGrace        = 10 * time.Second
	defaultReadyTimeout = time.Minute
	pollInterval        = 100 * time.Millisecond
)

// Command is a program to run beside the control plane.
type Command struct {
	Name string   // of the log file; unique in the lab
	Path string   // executable
	Args []string // without the program's own name
	Env  []string // KEY=VALUE, added to this process's environment
	// Ready returns nil once the program can be used; nil means at once.
	Ready        func(context.Context) error
	ReadyTimeout time.Duration // 0 = one minute
}

// Program is a process that runs, or ran, beside the control plane. Lab.Stop
// stops it; it can't outlive the process that started it.
type Program struct {
	lab     *Lab
	command Command
	*proc.Process
}

// Run starts a program and waits until it is ready. If it ends before that the
// error quotes its log.
func (l *Lab) Run(ctx context.Context, c Command) (*Program, error) {
	process, err := proc.Start(proc.Command{Name: c.Name, Path: c.Path, Args: c.Args, Env: c.Env,
		Log: l.LogOf(c.Name)})
	if err != nil {
		return nil, err
	}
	p := &Program{l, c, process}
	l.mu.Lock()
	l.programs = append(l.programs, p)
	l.mu.Unlock()
	return p, p.awaitReady(ctx)
}

func (p *Program) awaitReady(ctx context.Context) error {
	if p.command.Ready == nil {
		return nil
	}
	timeout := p.command.ReadyTimeout
	if timeout == 0 {
		timeout = defaultReadyTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	err := Eventually(ctx, p.Name()+" to be ready", func(ctx context.Context) error {
		if err := p.Err(); err != nil {
			return Hopeless(err)
		}
		return p.command.Ready(ctx)
	})
	if err != nil && p.Err() == nil {
		return fmt.Errorf("%w\nthe end of %s:\n%s", err, p.Log(), proc.Tail(p.Log(), 20))
	}
	return err
}

// Stop asks the program to end, kills it after 10 s, and reports whether it
// ended by itself.
func (p *Program) Stop() (clean bool) { return p.Process.Stop(programGrace) }

// Restart stops the program if it runs, and runs the same command again.
func (p *Program) Restart(ctx context.Context) (*Program, error) {
	p.Stop()
	return p.lab.Run(ctx, p.command)
}

// LogText returns what the program, and earlier ones of the same name, printed.
func (p *Program) LogText() string {
	text, err := os.ReadFile(p.Log())
	if err != nil {
		return "cannot read the log: " + err.Error()
	}
	return string(text)
}

// StockScheduler runs another kube-scheduler of the lab's Kubernetes version,
// for the pods of the given schedulerName.
func (l *Lab) StockScheduler(ctx context.Context, schedulerName string) (*Program, error) {
	identity := filepath.Join(l.Dir(), "pki", "kube-scheduler.kubeconfig")
	config := filepath.Join(l.Dir(), schedulerName+".yaml")
	text := fmt.Sprintf(`apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: {leaderElect: false}
clientConnection: {kubeconfig: %q, qps: 5000, burst: 10000}
profiles: [{schedulerName: %q}]
`, identity, schedulerName)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		return nil, err
	}
	return l.Run(ctx, Command{
		Name: "kube-scheduler-" + schedulerName,
		Path: l.binary,
		Args: []string{"kube-scheduler", "--config", config, "--secure-port=0"},
	})
}
