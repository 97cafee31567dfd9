package proc

import (
	"os/exec"
	"runtime"
	"sync"
)

type startRequest struct {
	cmd    *exec.Cmd
	result chan<- error
}

var (
	starterOnce sync.Once
	starter     chan startRequest
)

// startOnLastingThread starts cmd from a thread that lives as long as this
// process. Linux delivers the parent-death signal when the *thread* that forked
// ends, and Go ends threads as it likes.
func startOnLastingThread(cmd *exec.Cmd) error {
	starterOnce.Do(func() {
		starter = make(chan startRequest)
		go func() {
			runtime.LockOSThread()
			for r := range starter {
				r.result <- r.cmd.Start()
			}
		}()
	})
	result := make(chan error)
	starter <- startRequest{cmd, result}
	return <-result
}
