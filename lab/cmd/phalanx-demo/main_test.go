package main

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"
)

func TestVerdictIsTheLastLine(t *testing.T) {
	text := lastLine(errors.New("no node: why\n  a line of a log\n  another"), "")
	lines := strings.Split(text, "\n")
	if last := lines[len(lines)-1]; last != "demo: FAILED no node: why" {
		t.Errorf("last line %q, expected the verdict", last)
	}
	if !strings.Contains(text, "a line of a log") {
		t.Errorf("%q has lost the log", text)
	}
	if got := lastLine(nil, "12 s"); got != "demo: OK (12 s)" {
		t.Errorf("last line %q, expected demo: OK (12 s)", got)
	}
}

func TestPidOfAnotherProgramIsNoDemo(t *testing.T) {
	dir := t.TempDir()
	if pid := keptPid(dir); pid != 0 {
		t.Errorf("pid %d without a file", pid)
	}
	for text, why := range map[string]string{"x": "not a number", strconv.Itoa(os.Getppid()): "another program"} {
		if err := os.WriteFile(pidFile(dir), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if pid := keptPid(dir); pid != 0 {
			t.Errorf("pid %d from %q, which is %s", pid, text, why)
		}
	}
	if err := stopKept(dir); err == nil || !strings.Contains(err.Error(), "--keep") {
		t.Errorf("error %v, expected one that says how to start a demo", err)
	}
}
