// Package ports finds TCP ports of the loopback address that stay free.
package ports

import (
	"fmt"
	"net"

	"golang.org/x/sys/unix"
)

// Port is a TCP port of 127.0.0.1 that nobody else on the machine is given
// while it is held, although nothing listens on it: a socket is bound to it with
// SO_REUSEPORT, which lets the component listen there (it sets the same option),
// end, and come back. Asking the kernel for a free port and closing it again, as
// is often done, lets two labs that start together get the same one.
type Port struct {
	Number int
	socket int
}

// Reserve holds the wanted port, or a free one if wanted is 0.
func Reserve(wanted int) (*Port, error) {
	if wanted != 0 {
		// Without this a program that also shares its port would go unnoticed.
		probe, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", wanted))
		if err != nil {
			return nil, fmt.Errorf("port %d of 127.0.0.1 can't be used: %w", wanted, err)
		}
		probe.Close()
	}
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("reserve a port: %w", err)
	}
	number, err := bindShared(socket, wanted)
	if err != nil {
		unix.Close(socket)
		return nil, fmt.Errorf("reserve port %d of 127.0.0.1: %w", wanted, err)
	}
	return &Port{number, socket}, nil
}

func bindShared(socket, wanted int) (int, error) {
	if err := unix.SetsockoptInt(socket, unix.SOL_SOCKET, unix.SO_REUSEPORT, 1); err != nil {
		return 0, err
	}
	loopback := &unix.SockaddrInet4{Port: wanted, Addr: [4]byte{127, 0, 0, 1}}
	if err := unix.Bind(socket, loopback); err != nil {
		return 0, err
	}
	address, err := unix.Getsockname(socket)
	if err != nil {
		return 0, err
	}
	return address.(*unix.SockaddrInet4).Port, nil
}

func (p *Port) Address() string { return fmt.Sprintf("127.0.0.1:%d", p.Number) }

func (p *Port) Release() {
	if p != nil {
		unix.Close(p.socket)
	}
}
