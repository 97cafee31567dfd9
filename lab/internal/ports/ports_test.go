package ports

import (
	"context"
	"net"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func reserve(t *testing.T, wanted int) *Port {
	t.Helper()
	p, err := Reserve(wanted)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Release)
	return p
}

// listenShared listens as the components do.
func listenShared(address string) (net.Listener, error) {
	config := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) (err error) {
		controlErr := c.Control(func(fd uintptr) {
			err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEPORT, 1)
		})
		if controlErr != nil {
			return controlErr
		}
		return err
	}}
	return config.Listen(context.Background(), "tcp", address)
}

func TestNoPortIsGivenTwice(t *testing.T) {
	seen := map[int]bool{}
	for range 500 {
		p := reserve(t, 0)
		if seen[p.Number] {
			t.Fatalf("port %d was given twice", p.Number)
		}
		seen[p.Number] = true
	}
}

func TestAComponentCanListenOnItsPortAgainAndAgain(t *testing.T) {
	p := reserve(t, 0)
	for range 2 {
		listener, err := listenShared(p.Address())
		if err != nil {
			t.Fatal(err)
		}
		conn, err := net.Dial("tcp", p.Address())
		if err != nil {
			t.Fatalf("the reservation swallowed the connection: %v", err)
		}
		conn.Close()
		listener.Close()
	}
	if _, err := net.Listen("tcp", p.Address()); err == nil {
		t.Error("a stranger could listen on a reserved port")
	}
}

func TestABusyPortIsNamed(t *testing.T) {
	busy, err := listenShared("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	_, number, _ := net.SplitHostPort(busy.Addr().String())
	_, err = Reserve(busy.Addr().(*net.TCPAddr).Port)
	if err == nil || !strings.Contains(err.Error(), number) {
		t.Errorf("got %v, want an error that names port %s", err, number)
	}
}
