package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	grpcstatus "google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	pb "phalanx.dev/adapter/internal/gen/phalanx/v1alpha1"
)

// tapeServer stands where phalanxd would. It hands everything on to a real one and notes it, or says
// what a real one has said before.
type tapeServer struct {
	pb.UnimplementedClusterServiceServer
	pb.UnimplementedSchedulerServiceServer
	*tape
	socket string
	brain  *grpc.ClientConn // nil: replay

	recorded []*step
	used     map[*step]bool // calls that were made again
	position int            // of the next recorded step that is not a call; streams take turns
	streams  sync.Mutex     // held by the stream that is current
	wrong    []string

	broken chan struct{} // closed to break the current stream
}

func newTapeServer(t *testing.T, recorded []*step, brainSocket string) *tapeServer {
	t.Helper()
	dir, err := os.MkdirTemp("", "phx")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	s := &tapeServer{tape: newTape(t), socket: filepath.Join(dir, "b.sock"), recorded: recorded,
		used: map[*step]bool{}, broken: make(chan struct{})}
	if brainSocket != "" {
		s.brain, err = grpc.NewClient("unix:"+brainSocket, grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.brain.Close() })
	}
	listener, err := net.Listen("unix", s.socket)
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	pb.RegisterClusterServiceServer(server, s)
	pb.RegisterSchedulerServiceServer(server, s)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%s\nsaid so far:\n%s", s.faults(), s.dump())
		}
	})
	return s
}

var errCut = grpcstatus.Error(codes.Unavailable, "the stream was cut")

// cut breaks the stream, as the end of the brain's process would.
func (s *tapeServer) cut() {
	if s.brain == nil {
		return // the recording says where
	}
	s.add(&step{Cut: true}, nil, nil)
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.broken)
	s.broken = make(chan struct{})
}

func (s *tapeServer) Sync(stream pb.ClusterService_SyncServer) error {
	s.streams.Lock() // the last one may still be ending
	defer s.streams.Unlock()
	if s.brain == nil {
		return s.replay(stream)
	}
	s.mu.Lock()
	broken := s.broken
	s.mu.Unlock()
	ctx, cancel := context.WithCancel(stream.Context())
	defer cancel()
	brain, err := pb.NewClusterServiceClient(s.brain).Sync(ctx)
	if err != nil {
		return err
	}
	ended := make(chan error, 2)
	go func() { ended <- pump(stream.Recv, s.up, brain.Send) }()
	go func() { ended <- pump(brain.Recv, s.down, stream.Send) }()
	select {
	case <-broken:
		return errCut
	case err := <-ended:
		return err
	}
}

// pump notes each message before it hands it on.
func pump[M any](receive func() (M, error), note func(M), send func(M) error) error {
	for {
		message, err := receive()
		if err != nil {
			return err
		}
		note(message)
		if err := send(message); err != nil {
			return err
		}
	}
}

// replay walks the recording: what the brain said is said when everything that the adapter had said
// before is there again, in whatever order.
func (s *tapeServer) replay(stream pb.ClusterService_SyncServer) error {
	go func() { _ = pump(stream.Recv, s.up, func(*pb.SyncRequest) error { return nil }) }()
	for ; s.position < len(s.recorded); s.position++ {
		switch r := s.recorded[s.position]; {
		case r.Cut:
			s.position++
			return errCut
		case r.Down != nil:
			down := parse(s.t, r.Down, &pb.SyncResponse{})
			s.down(down)
			if err := stream.Send(down); err != nil {
				return err
			}
		default:
			if err := s.awaitStep(stream.Context(), r); err != nil {
				return err
			}
		}
	}
	<-stream.Context().Done()
	return stream.Context().Err()
}

// awaitStep waits until the adapter has said or asked this again.
func (s *tapeServer) awaitStep(ctx context.Context, r *step) error {
	late := time.After(patience)
	for {
		s.mu.Lock()
		done, news := s.happened(r), s.news
		s.mu.Unlock()
		if done {
			return nil
		}
		select {
		case <-news:
		case <-ctx.Done():
			return ctx.Err()
		case <-late:
			s.note(fmt.Sprintf("not said again within %v: %s", patience, lines(s.t, r)))
			return errors.New("the adapter does not say what was recorded")
		}
	}
}

// happened is called with the lock.
func (s *tapeServer) happened(r *step) bool {
	if r.Call != "" {
		return s.used[r]
	}
	have := s.said()
	for _, item := range parts(s.t, parse(s.t, r.Up, &pb.SyncRequest{})) {
		if !have[item] {
			return false
		}
	}
	return true
}

// said is everything that the adapter has said. Called with the lock.
func (s *tapeServer) said() map[string]bool {
	have := map[string]bool{}
	for _, up := range s.ups {
		for _, item := range parts(s.t, up) {
			have[item] = true
		}
	}
	return have
}

func (s *tapeServer) note(wrong string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wrong = append(s.wrong, wrong)
}

func (s *tapeServer) faults() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.wrong, "\n")
}

// verify compares what the adapter has said and asked with the recording. It may repeat itself.
func (s *tapeServer) verify() {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	want := map[string]bool{}
	for _, r := range s.recorded {
		if r.Up != nil {
			for _, item := range parts(s.t, parse(s.t, r.Up, &pb.SyncRequest{})) {
				want[item] = true
			}
		}
		if r.Call != "" && !s.used[r] {
			s.wrong = append(s.wrong, fmt.Sprintf("not asked again: %s", lines(s.t, r)))
		}
	}
	if diff := differences(want, s.said()); diff != "" {
		s.t.Errorf("the adapter said something else (- recorded, + now):\n%s", diff)
	}
	if len(s.wrong) > 0 {
		s.t.Errorf("%d faults, see below", len(s.wrong))
	}
}

// complete tells whether everything recorded has happened again.
func (s *tapeServer) complete() bool {
	for _, r := range s.recorded {
		if r.Down == nil && !r.Cut && !s.happened(r) {
			return false
		}
	}
	return true
}

// answerCall hands the call on, or answers as was recorded.
func answerCall[Q, R proto.Message](ctx context.Context, s *tapeServer, method string, request Q, response R) (R, error) {
	asked := text(s.t, request)
	if s.brain != nil {
		made := s.add(&step{Call: method, Request: asked}, nil, nil)
		err := s.brain.Invoke(ctx, "/phalanx.v1alpha1.SchedulerService/"+method, request, response)
		s.mu.Lock()
		defer s.mu.Unlock()
		made.Response = text(s.t, response)
		if err != nil {
			made.Response, made.Code = nil, grpcstatus.Code(err).String()
		}
		return response, err
	}
	s.mu.Lock()
	var found *step
	for _, r := range s.recorded {
		if r.Call == method && string(r.Request) == string(asked) && !s.used[r] {
			found = r
			break
		}
	}
	if found != nil {
		s.used[found] = true
	}
	s.mu.Unlock()
	s.add(&step{Call: method, Request: asked}, nil, nil)
	if found == nil {
		s.note(fmt.Sprintf("asked and not recorded: %s %s", method, asked))
		return response, grpcstatus.Error(codes.Unavailable, "not recorded")
	}
	if found.Code != "" {
		return response, grpcstatus.Error(codeOf(found.Code), "as recorded")
	}
	return parse(s.t, found.Response, response), nil
}

func (s *tapeServer) Filter(ctx context.Context, r *pb.FilterRequest) (*pb.FilterResponse, error) {
	return answerCall(ctx, s, "Filter", r, &pb.FilterResponse{})
}

func (s *tapeServer) Score(ctx context.Context, r *pb.ScoreRequest) (*pb.ScoreResponse, error) {
	return answerCall(ctx, s, "Score", r, &pb.ScoreResponse{})
}

func (s *tapeServer) Reserve(ctx context.Context, r *pb.ReserveRequest) (*pb.ReserveResponse, error) {
	return answerCall(ctx, s, "Reserve", r, &pb.ReserveResponse{})
}

func (s *tapeServer) Unreserve(ctx context.Context, r *pb.UnreserveRequest) (*pb.UnreserveResponse, error) {
	return answerCall(ctx, s, "Unreserve", r, &pb.UnreserveResponse{})
}

func (s *tapeServer) Permit(ctx context.Context, r *pb.PermitRequest) (*pb.PermitResponse, error) {
	return answerCall(ctx, s, "Permit", r, &pb.PermitResponse{})
}
