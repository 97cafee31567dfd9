package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"time"
)

// echoArgument makes this program answer each message on the socket that the next argument names
// with the same bytes: the least that a call to another program costs on this machine.
const (
	echoArgument = "echo"
	echoBytes    = 64 // about as many as a Filter
	echoWithin   = 5 * time.Second
)

func serveEcho(path string) error {
	listener, err := net.Listen("unix", path)
	if err != nil {
		return err
	}
	conn, err := listener.Accept()
	if err != nil {
		return err
	}
	message := make([]byte, echoBytes)
	for {
		if _, err := io.ReadFull(conn, message); err != nil {
			if errors.Is(err, io.EOF) {
				return nil // the client has left
			}
			return err
		}
		if _, err := conn.Write(message); err != nil {
			return err
		}
	}
}

// echo is a program that answers, and the connection to it.
type echo struct {
	*process
	conn   net.Conn
	folder string
}

func startEcho() (*echo, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	e := &echo{}
	if e.folder, err = os.MkdirTemp("", "phalanx-echo-"); err != nil {
		return nil, err
	}
	path := filepath.Join(e.folder, "socket")
	if e.process, err = startProcess(self, echoArgument, path); err != nil {
		return nil, errors.Join(err, os.RemoveAll(e.folder))
	}
	for until := time.Now().Add(echoWithin); ; time.Sleep(time.Millisecond) {
		if e.conn, err = net.Dial("unix", path); err == nil {
			return e, nil
		}
		if ended := e.process.err(); ended != nil || time.Now().After(until) {
			return nil, errors.Join(fmt.Errorf("connect to the echo: %w", err), ended, e.close())
		}
	}
}

// calls sends n messages, each after the answer to the one before.
func (e *echo) calls(n int) error {
	if err := e.conn.SetDeadline(time.Now().Add(rpcDeadline)); err != nil {
		return err
	}
	message := make([]byte, echoBytes)
	for range n {
		if _, err := e.conn.Write(message); err != nil {
			return fmt.Errorf("echo: %w", err)
		}
		if _, err := io.ReadFull(e.conn, message); err != nil {
			return fmt.Errorf("echo: %w", err)
		}
	}
	return nil
}

func (e *echo) close() error {
	if e.conn != nil {
		_ = e.conn.Close() // the process goes in any case
	}
	e.stop()
	return os.RemoveAll(e.folder)
}
