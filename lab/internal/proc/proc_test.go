package proc

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func shell(t *testing.T, script string) *Process {
	t.Helper()
	p, err := Start(Command{Name: "sh", Path: "/bin/sh", Args: []string{"-c", script},
		Env: []string{"LAB_WORD=blue"}, Log: filepath.Join(t.TempDir(), "logs", "sh.log")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	return p
}

// awaitLog returns once the log has text in it: the shell has then set its trap.
func awaitLog(t *testing.T, p *Process, text string) {
	t.Helper()
	for range 1000 {
		if strings.Contains(Tail(p.Log(), 5), text) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("no %q in the log: %s", text, Tail(p.Log(), 5))
}

func TestAnEarlyDeathQuotesTheLog(t *testing.T) {
	p := shell(t, "echo color $LAB_WORD; echo to stderr >&2; exit 3")
	<-p.Done()
	err := p.Err()
	if err == nil || p.Succeeded() {
		t.Fatalf("a failed process has error %v", err)
	}
	for _, want := range []string{"sh ended: exit status 3", "color blue", "to stderr", p.Log()} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in: %v", want, err)
		}
	}
}

func TestStopLetsTheProcessEndInItsOwnWay(t *testing.T) {
	p := shell(t, "trap 'echo bye; exit 0' TERM; echo set; while :; do sleep 0.01; done")
	awaitLog(t, p, "set")
	if p.Err() != nil {
		t.Fatalf("a running process has an error: %v", p.Err())
	}
	if !p.Stop(time.Minute) || !p.Succeeded() {
		t.Errorf("it did not end by itself: %v", p.Err())
	}
	awaitLog(t, p, "bye")
}

func TestStopKillsWhatDoesNotListen(t *testing.T) {
	p := shell(t, "trap '' TERM; echo set; while :; do sleep 0.01; done")
	awaitLog(t, p, "set")
	if p.Stop(50 * time.Millisecond) {
		t.Error("it ignores SIGTERM and yet ended by itself")
	}
	for range 1000 { // grace and end come at the same time
		if !p.Stop(0) || p.Signal(syscall.SIGTERM) != nil {
			t.Fatal("stopping what has ended is an error")
		}
	}
}

// TestMain makes this binary a parent that dies without stopping its child.
func TestMain(m *testing.M) {
	if log := os.Getenv("LAB_TEST_PARENT"); log != "" {
		p, err := Start(Command{Name: "child", Path: "/bin/sleep", Args: []string{"600"}, Log: log})
		if err != nil {
			panic(err)
		}
		os.Stdout.WriteString(strconv.Itoa(p.Pid()))
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	os.Exit(m.Run())
}

func TestAChildDoesNotOutliveItsParent(t *testing.T) {
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), "LAB_TEST_PARENT="+filepath.Join(t.TempDir(), "log"))
	out, _ := parent.Output() // it killed itself
	pid, err := strconv.Atoi(string(out))
	if err != nil {
		t.Fatalf("the parent printed %q", out)
	}
	for range 1000 {
		if !alive(pid) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("process %d outlived its parent", pid)
}

// alive is false for a process that is gone or only waits to be collected.
func alive(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && !strings.Contains(string(stat), ") Z ")
}

func TestTailSaysWhyThereIsNothing(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := Tail(empty, 5); !strings.Contains(got, "empty") {
		t.Errorf("empty log: %q", got)
	}
	if got := Tail("/no/log", 5); !strings.Contains(got, "/no/log") {
		t.Errorf("missing log: %q", got)
	}
}
