package harness

import (
	"context"
	"fmt"
	"sync"
)

// Kill ends a component of the control plane by SIGKILL and leaves it dead.
func (l *Lab) Kill(ctx context.Context, component string) error {
	return l.act(ctx, "kill", component)
}

// StopComponent ends a component by SIGTERM and leaves it stopped.
func (l *Lab) StopComponent(ctx context.Context, component string) error {
	return l.act(ctx, "stop", component)
}

// StartComponent starts a component that was stopped or killed, at the same
// address. It does not wait until it is ready.
func (l *Lab) StartComponent(ctx context.Context, component string) error {
	return l.act(ctx, "start", component)
}

// Restart stops a component and starts it again.
func (l *Lab) Restart(ctx context.Context, component string) error {
	return l.act(ctx, "restart", component)
}

func (l *Lab) act(ctx context.Context, action, component string) error {
	l.mu.Lock()
	info := l.info
	l.mu.Unlock()
	now, err := info.Component(ctx, action, component)
	if err != nil {
		return err
	}
	l.mu.Lock()
	l.info = now
	l.mu.Unlock()
	return nil
}

// Pids returns the process ids of the launcher, of the components that run, and
// of the programs that run.
func (l *Lab) Pids() []int {
	l.mu.Lock()
	defer l.mu.Unlock()
	pids := []int{l.info.Pid}
	for _, c := range l.info.Components {
		if c.Pid != 0 {
			pids = append(pids, c.Pid)
		}
	}
	for _, p := range l.programs {
		if p.Err() == nil {
			pids = append(pids, p.Pid())
		}
	}
	return pids
}

// Addresses returns where the components listen: component → URL.
func (l *Lab) Addresses() map[string]string {
	l.mu.Lock()
	defer l.mu.Unlock()
	addresses := map[string]string{}
	for _, c := range l.info.Components {
		if c.URL != "" {
			addresses[c.Name] = c.URL
		}
	}
	return addresses
}

// LogOf returns the path of the log of a component or program.
func (l *Lab) LogOf(name string) string { return fmt.Sprintf("%s/logs/%s.log", l.Dir(), name) }

// tailBuffer keeps the end of what is written to it.
type tailBuffer struct {
	mu   sync.Mutex
	text []byte
}

const tailBufferSize = 32 << 10

// Write implements io.Writer; it never fails.
func (b *tailBuffer) Write(data []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.text = append(b.text, data...)
	if excess := len(b.text) - tailBufferSize; excess > 0 {
		b.text = b.text[excess:]
	}
	return len(data), nil
}

func (b *tailBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return string(b.text)
}
