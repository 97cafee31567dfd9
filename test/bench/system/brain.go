package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials/insecure"

	pb "phalanx.dev/adapter/internal/gen/phalanx/v1alpha1"
)

// brain is a phalanxd of its own, without a cluster.
type brain struct {
	*process
	socket string
	url    string
	folder string
}

// startBrain returns at once; the brain listens a little later.
func startBrain(s *setting) (*brain, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0") // asks the kernel for a free port
	if err != nil {
		return nil, err
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "phalanx-bench-")
	if err != nil {
		return nil, err
	}
	b := &brain{socket: filepath.Join(folder, "private", "phalanxd.sock"), url: "http://" + address, folder: folder}
	b.process, err = startProcess(s.program("phalanxd"), "--socket-path", b.socket, "--http-address", address,
		"--log-level", "warning")
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	return b, nil
}

func (b *brain) stop() error {
	b.process.stop()
	return os.RemoveAll(b.folder)
}

// await calls check every millisecond until it returns nil.
func (b *brain) await(ctx context.Context, what string, check func() error) error {
	for {
		last := check()
		if last == nil {
			return nil
		}
		if err := b.err(); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: %w; last: %w", what, context.Cause(ctx), last)
		case <-time.After(time.Millisecond):
		}
	}
}

// ready asks the brain whether it knows the cluster.
func (b *brain) ready() error {
	response, err := http.Get(b.url + "/readyz")
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusOK {
		return nil
	}
	text, err := io.ReadAll(response.Body)
	return errors.Join(fmt.Errorf("/readyz: %s", text), err)
}

// session is a stream of a synthetic adapter, and the client of its calls.
type session struct {
	conn   *grpc.ClientConn
	pods   pb.SchedulerServiceClient
	stream pb.ClusterService_SyncClient
	epoch  uint64
}

// connect says hello and waits for the welcome.
func (b *brain) connect(ctx context.Context) (*session, error) {
	listening := func() error { _, err := os.Stat(b.socket); return err }
	if err := b.await(ctx, "phalanxd to listen", listening); err != nil {
		return nil, err
	}
	// The socket exists a moment before it answers; the default pause of 1 s would count as the brain's.
	soon := backoff.Config{BaseDelay: 5 * time.Millisecond, Multiplier: 1.2, MaxDelay: 50 * time.Millisecond}
	conn, err := grpc.NewClient("unix:"+b.socket, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: soon, MinConnectTimeout: time.Second}))
	if err != nil {
		return nil, err
	}
	s := &session{conn: conn, pods: pb.NewSchedulerServiceClient(conn)}
	if s.stream, err = pb.NewClusterServiceClient(conn).Sync(ctx, grpc.WaitForReady(true)); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	hello := &pb.Hello{AdapterId: "bench", AdapterVersion: "bench", SchedulerNames: []string{ourScheduler}}
	err = s.stream.Send(&pb.SyncRequest{Message: &pb.SyncRequest_Hello{Hello: hello}})
	if err == nil {
		var response *pb.SyncResponse
		response, err = s.stream.Recv()
		s.epoch = response.GetWelcome().GetEpoch()
	}
	if err == nil && s.epoch == 0 {
		err = errors.New("the first message is no Welcome with an epoch above 0")
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return s, nil
}

func (s *session) send(messages ...*pb.SyncRequest) error {
	for _, m := range messages {
		m.Epoch = s.epoch
		if err := s.stream.Send(m); err != nil {
			return fmt.Errorf("send to the brain: %w", err)
		}
	}
	return nil
}

// syncDone ends the snapshot.
func (s *session) syncDone() error {
	return s.send(
		&pb.SyncRequest{Message: &pb.SyncRequest_Leadership{Leadership: &pb.Leadership{Leading: true}}},
		&pb.SyncRequest{Message: &pb.SyncRequest_SyncDone{SyncDone: &pb.SyncDone{}}})
}

func (s *session) close() error {
	return errors.Join(s.stream.CloseSend(), s.conn.Close())
}
