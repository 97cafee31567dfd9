package launch

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"phalanx.dev/lab/internal/ports"
	"phalanx.dev/lab/internal/proc"
)

func (c *component) running() bool {
	if c.process == nil {
		return false
	}
	select {
	case <-c.process.Done():
		return false
	default:
		return true
	}
}

// named returns the component, or an error that lists those of this lab.
func (l *Lab) named(name string) (*component, error) {
	var names []string
	for _, c := range l.components {
		if c.name == name {
			return c, nil
		}
		names = append(names, c.name)
	}
	return nil, fmt.Errorf("component %q: this lab has %s", name, strings.Join(names, ", "))
}

// start starts a component that does not run; from then on its end is a failure
// of the lab, unless stop or kill asked for it.
func (l *Lab) start(ctx context.Context, name string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	c, err := l.named(name)
	if err != nil {
		return err
	}
	if c.running() {
		return fmt.Errorf("component %q runs already (pid %d)", name, c.process.Pid())
	}
	if name == kwok {
		// A KWOK that was killed still holds the leases of its nodes, and its
		// successor, a stranger to it, would wait until they expire.
		leases := l.client.CoordinationV1().Leases(nodeLeases)
		if err := leases.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
			return fmt.Errorf("give up the leases of the nodes: %w", err)
		}
	}
	c.process, err = proc.Start(proc.Command{Name: name, Path: c.path, Args: c.args,
		Log: logPath(l.dir, name)})
	if err != nil {
		return err
	}
	c.wanted = true
	go l.watch(c, c.process)
	return nil
}

// watch ends the lab when a process of it ends unasked: half a control plane
// would only produce riddles.
func (l *Lab) watch(c *component, process *proc.Process) {
	<-process.Done()
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.wanted && c.process == process {
		l.fail(process.Err())
	}
}

// end ends a component, by SIGKILL or in its own way, and leaves the lab to
// live without it.
func (l *Lab) end(name string, kill bool) error {
	l.mu.Lock()
	c, err := l.named(name)
	if err != nil {
		l.mu.Unlock()
		return err
	}
	process := c.process
	c.wanted = false
	l.mu.Unlock()
	switch {
	case process == nil:
	case kill:
		process.Kill()
	default:
		process.Stop(c.grace)
	}
	return nil
}

// stopAll ends everything: the clients together, then the API server, then etcd,
// without which the API server can't end.
func (l *Lab) stopAll() {
	l.control.close()
	var clients sync.WaitGroup
	for _, c := range slices.Backward(l.components) {
		if c.name == apiServer {
			clients.Wait()
		}
		if c.name == apiServer || c.name == etcd {
			_ = l.end(c.name, false) // the name is known
			continue
		}
		clients.Go(func() { _ = l.end(c.name, false) })
	}
	clients.Wait()
	for _, p := range []*ports.Port{l.etcdPort, l.apiPort, l.managerPort, l.schedulerPort} {
		p.Release()
	}
}
