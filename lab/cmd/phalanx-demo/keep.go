package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// stopTimeout is longer than all that a demo has to stop may take together.
const stopTimeout = time.Minute

// detach runs the demo in a process of its own session, shows what it prints until
// it has nothing more to say, and returns the status for this process. What the
// demo started lives as long as that process.
func detach(dir string, colour bool) int {
	if pid := keptPid(dir); pid != 0 {
		fmt.Println(lastLine(stillRuns(pid), ""))
		return 1
	}
	self, err := os.Executable()
	if err != nil {
		fmt.Println(lastLine(err, ""))
		return 1
	}
	cmd := exec.Command(self, "--detached", fmt.Sprintf("--colour=%t", colour))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Stderr = os.Stderr
	output, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fmt.Println(lastLine(err, ""))
		return 1
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		for s := range signals {
			_ = cmd.Process.Signal(s) // it may just have ended
		}
	}()
	last := ""
	for lines := bufio.NewScanner(output); lines.Scan(); {
		last = lines.Text()
		fmt.Println(last)
	}
	if strings.HasPrefix(last, okLine) {
		return 0
	}
	return 1
}

// silence lets go of the pipe to the process that shows our output: it then ends.
func silence() {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return // the other process waits on; nothing is lost
	}
	for _, fd := range []int{unix.Stdin, unix.Stdout, unix.Stderr} {
		_ = unix.Dup2(int(null.Fd()), fd)
	}
}

func pidFile(dir string) string { return filepath.Join(dir, "demo.pid") }

func writePid(dir string) error {
	return os.WriteFile(pidFile(dir), []byte(strconv.Itoa(os.Getpid())+"\n"), 0o600)
}

// keptPid is the demo that runs on, or 0. A process that merely has the same
// number is told apart by its executable.
func keptPid(dir string) int {
	text, err := os.ReadFile(pidFile(dir))
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0
	}
	program, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	if err != nil || !strings.HasPrefix(filepath.Base(program), "phalanx-demo") {
		return 0
	}
	return pid
}

func stillRuns(pid int) error {
	return fmt.Errorf("a demo runs already (pid %d); stop it with: scripts/demo.sh --stop", pid)
}

func stopKept(dir string) error {
	pid := keptPid(dir)
	if pid == 0 {
		return errors.New("no demo runs; start one with: scripts/demo.sh --keep")
	}
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
		return fmt.Errorf("stop pid %d: %w", pid, err)
	}
	for end := time.Now().Add(stopTimeout); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if !exists(pid) {
			return nil
		}
	}
	return fmt.Errorf("pid %d still runs %s after SIGTERM", pid, stopTimeout)
}

func exists(pid int) bool { return syscall.Kill(pid, 0) == nil }
