package harness

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"phalanx.dev/lab/internal/proc"
)

// TB is the part of testing.TB that is needed here.
type TB interface {
	Helper()
	Cleanup(func())
	Failed() bool
	Logf(format string, args ...any)
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
	Context() context.Context
}

// StartForTest runs a lab for the length of a test. If the test fails, the ends
// of all logs are printed, and all of them are copied to the folder
// $PHALANX_ARTIFACTS if that is set.
func StartForTest(t TB, o Options) *Lab {
	t.Helper()
	l, err := Start(t.Context(), o)
	if err != nil {
		t.Fatalf("lab: %v", err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			l.showLogs(t)
		}
		if err := l.Stop(); err != nil {
			t.Errorf("lab: %v", err)
		}
	})
	return l
}

func (l *Lab) showLogs(t TB) {
	logs := filepath.Join(l.Dir(), "logs")
	files, err := os.ReadDir(logs)
	if err != nil {
		t.Logf("logs of the lab: %v", err)
		return
	}
	for _, file := range files {
		path := filepath.Join(logs, file.Name())
		t.Logf("the end of %s:\n%s", file.Name(), proc.Tail(path, 15))
	}
	if artifacts := os.Getenv("PHALANX_ARTIFACTS"); artifacts != "" {
		err := os.CopyFS(artifacts, os.DirFS(logs))
		if err != nil && !errors.Is(err, fs.ErrExist) {
			t.Logf("copy the logs to %s: %v", artifacts, err)
		}
	}
}
