// Package proc starts processes that never outlive their parent, writes what
// they print into files, and stops them within a bound.
//
// All types are safe for use by several goroutines.
package proc

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// Command says what to run.
type Command struct {
	Name string   // for messages
	Path string   // executable
	Args []string // without the program's own name
	Env  []string // added to the parent's environment
	Log  string   // file that stdout and stderr are appended to
}

// Process is a running, or ended, child process.
type Process struct {
	cmd     *exec.Cmd
	command Command
	done    chan struct{}

	mu      sync.Mutex
	ended   string // how it ended; valid once done is closed
	success bool
}

// Start starts c in a process group of its own, so that Ctrl-C in a terminal
// reaches only the parent, which then stops its children in order. The kernel
// kills the child if the parent dies without doing so.
func Start(c Command) (*Process, error) {
	if err := os.MkdirAll(filepath.Dir(c.Log), 0o700); err != nil {
		return nil, fmt.Errorf("%s: folder for the log: %w", c.Name, err)
	}
	log, err := os.OpenFile(c.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("%s: open log: %w", c.Name, err)
	}
	defer log.Close() // the child has its own copy
	cmd := exec.Command(c.Path, c.Args...)
	cmd.Env = append(os.Environ(), c.Env...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := startOnLastingThread(cmd); err != nil {
		return nil, fmt.Errorf("start %s: %w", c.Name, err)
	}
	p := &Process{cmd: cmd, command: c, done: make(chan struct{})}
	go p.wait()
	return p, nil
}

func (p *Process) wait() {
	err := p.cmd.Wait()
	p.mu.Lock()
	p.ended, p.success = "ended with status 0", true
	if err != nil {
		p.ended, p.success = "ended: "+err.Error(), false
	}
	p.mu.Unlock()
	close(p.done)
}

// Name returns the name given in the command.
func (p *Process) Name() string { return p.command.Name }

// Pid returns the process id.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Log returns the path of the log file.
func (p *Process) Log() string { return p.command.Log }

// Done is closed when the process has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err returns nil while the process runs, else an error that says how it ended
// and quotes the end of its log.
func (p *Process) Err() error {
	select {
	case <-p.done:
	default:
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return fmt.Errorf("%s %s; the end of %s:\n%s", p.command.Name, p.ended, p.command.Log,
		Tail(p.command.Log, tailLines))
}

// Succeeded reports whether the process has ended with status 0.
func (p *Process) Succeeded() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.success
}

// Signal sends s; a process that has already ended is no error.
func (p *Process) Signal(s os.Signal) error {
	err := p.cmd.Process.Signal(s)
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}

// Stop asks the process to end and kills it after grace. It returns when the
// process has ended, and reports whether it did so by itself.
func (p *Process) Stop(grace time.Duration) (clean bool) {
	if p.Signal(syscall.SIGTERM) == nil {
		select {
		case <-p.done:
			return true
		case <-time.After(grace):
		}
	}
	select {
	case <-p.done: // also where the grace ended at the same time
		return true
	default:
	}
	p.Kill()
	return false
}

// Kill ends the process at once and returns when it is gone.
func (p *Process) Kill() {
	_ = p.Signal(syscall.SIGKILL) // fails only if it has ended
	<-p.done
}
