package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

const parentCheckInterval = 500 * time.Millisecond

// untilTold returns a context that ends at SIGINT or SIGTERM and, if
// withParent, when standard input is a pipe and is closed, or the parent ends.
// A second signal ends the process at once.
func untilTold(withParent bool) (context.Context, context.CancelFunc) {
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	context.AfterFunc(ctx, cancel)
	if withParent {
		if isPipe(os.Stdin) {
			go func() {
				_, _ = io.Copy(io.Discard, os.Stdin) // any error means that it is gone
				cancel()
			}()
		}
		go watchParent(ctx, cancel)
	}
	return ctx, cancel
}

// isPipe is false for a terminal, for /dev/null and for files, whose end means
// nothing.
func isPipe(file *os.File) bool {
	info, err := file.Stat()
	return err == nil && info.Mode()&(os.ModeNamedPipe|os.ModeSocket) != 0
}

func watchParent(ctx context.Context, cancel context.CancelFunc) {
	parent := os.Getppid()
	for os.Getppid() == parent {
		select {
		case <-ctx.Done():
			return
		case <-time.After(parentCheckInterval):
		}
	}
	cancel()
}
