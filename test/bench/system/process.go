package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const stopWithin = 10 * time.Second

// process is a child that can not outlive this program.
type process struct {
	cmd    *exec.Cmd
	output bytes.Buffer // valid once ended is closed
	ended  chan struct{}
}

func startProcess(path string, args ...string) (*process, error) {
	p := &process{cmd: exec.Command(path, args...), ended: make(chan struct{})}
	// The signal comes when the thread ends that started the child; Go keeps its threads.
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	p.cmd.Stdout, p.cmd.Stderr = &p.output, &p.output
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", filepath.Base(path), err)
	}
	go func() {
		_ = p.cmd.Wait() // err() tells
		close(p.ended)
	}()
	return p, nil
}

func (p *process) pid() int { return p.cmd.Process.Pid }

// err returns nil while the process runs.
func (p *process) err() error {
	select {
	case <-p.ended:
		text := p.output.String()
		return fmt.Errorf("%s: %s\n%s", p.cmd.Path, p.cmd.ProcessState, text[max(0, len(text)-2000):])
	default:
		return nil
	}
}

func (p *process) stop() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM) // fails only if it has ended
	select {
	case <-p.ended:
	case <-time.After(stopWithin):
		_ = p.cmd.Process.Kill()
		<-p.ended
	}
}

// usage is what processes have used since they started.
type usage struct {
	cpuSeconds float64
	peakMiB    float64 // sum of each one's peak of resident memory
}

// usageOf reads the usage of processes that still run.
func usageOf(pids ...int) (usage, error) {
	var u usage
	for _, pid := range pids {
		ticks, err := cpuTicks(pid)
		if err != nil {
			return u, err
		}
		kib, err := statusField(pid, "VmHWM")
		if err != nil {
			return u, err
		}
		u.cpuSeconds += float64(ticks) / 100 // USER_HZ of every Linux
		u.peakMiB += float64(kib) / 1024
	}
	return u, nil
}

func cpuTicks(pid int) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// The name of the program may contain anything, but ends with the last bracket.
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	user, err := strconv.ParseInt(fields[11], 10, 64)
	if err != nil {
		return 0, err
	}
	system, err := strconv.ParseInt(fields[12], 10, 64)
	return user + system, err
}

func statusField(pid int, name string) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, name+":"); ok {
			return strconv.ParseInt(strings.Fields(value)[0], 10, 64)
		}
	}
	return 0, fmt.Errorf("/proc/%d/status has no %s", pid, name)
}

// renice gives the threads of this name another niceness.
func renice(pid int, thread string, nice int) error {
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid))
	if err != nil {
		return err
	}
	for _, task := range tasks {
		name, err := os.ReadFile(filepath.Join(task, "comm"))
		if err != nil || strings.TrimSpace(string(name)) != thread {
			continue
		}
		id, err := strconv.Atoi(filepath.Base(task))
		if err != nil {
			return err
		}
		return syscall.Setpriority(syscall.PRIO_PROCESS, id, nice)
	}
	return fmt.Errorf("process %d has no thread %q", pid, thread)
}

// spinArgument makes this program a spinner: something else that wants the processor.
const (
	spinArgument = "spin"
	spinNice     = 5
)

// spin returns when the parent is gone.
func spin() error {
	runtime.LockOSThread() // the niceness is the thread's
	if err := syscall.Setpriority(syscall.PRIO_PROCESS, 0, spinNice); err != nil {
		return err
	}
	parent := os.Getppid()
	for os.Getppid() == parent {
		for range 1 << 20 { // busy between two looks at the parent
		}
	}
	return nil
}
