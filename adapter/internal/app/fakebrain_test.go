package app

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"

	pb "phalanx.dev/adapter/internal/gen/phalanx/v1alpha1"
)

// patience is how long a test waits for what must happen; nothing waits that long when it does.
const patience = 90 * time.Second

// fakeBrain speaks the protocol over a real Unix socket. It plans nothing: tests say what it answers.
type fakeBrain struct {
	pb.UnimplementedClusterServiceServer
	pb.UnimplementedSchedulerServiceServer
	t      *testing.T
	socket string
	server *grpc.Server

	epochs   atomic.Uint64
	hang     atomic.Bool            // calls do not answer
	late     atomic.Pointer[string] // the next call of this method is answered when its caller has given up
	dryRun   atomic.Bool            // of plans to come
	calls    atomic.Int64
	permit   atomic.Pointer[pb.PermitResponse]
	reserve  atomic.Pointer[pb.ReserveResponse]
	filter   atomic.Pointer[pb.FilterResponse]
	mu       sync.Mutex
	stream   pb.ClusterService_SyncServer
	epoch    uint64
	sequence uint64
	received []*pb.SyncRequest // of all epochs
	news     chan struct{}
}

func newFakeBrain(t *testing.T) *fakeBrain {
	t.Helper()
	dir, err := os.MkdirTemp("", "phx")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	b := &fakeBrain{t: t, socket: filepath.Join(dir, "b.sock"), news: make(chan struct{})}
	b.permit.Store(&pb.PermitResponse{Verdict: pb.PermitResponse_VERDICT_WAIT, TimeoutMs: 60_000})
	b.reserve.Store(&pb.ReserveResponse{Accepted: true})
	b.filter.Store(&pb.FilterResponse{Verdict: pb.FilterResponse_VERDICT_HELD, Reason: "waits for its siblings"})
	b.start()
	t.Cleanup(func() { b.stop() })
	return b
}

func (b *fakeBrain) start() {
	_ = os.Remove(b.socket)
	listener, err := net.Listen("unix", b.socket)
	if err != nil {
		b.t.Fatal(err)
	}
	b.server = grpc.NewServer()
	pb.RegisterClusterServiceServer(b.server, b)
	pb.RegisterSchedulerServiceServer(b.server, b)
	go func() { _ = b.server.Serve(listener) }()
}

func (b *fakeBrain) stop() { b.server.Stop() }

func (b *fakeBrain) Sync(stream pb.ClusterService_SyncServer) error {
	hello, err := stream.Recv()
	if err != nil {
		return err
	}
	epoch := b.epochs.Add(1)
	b.mu.Lock()
	b.stream, b.epoch, b.sequence = stream, epoch, 0
	b.mu.Unlock()
	b.note(hello)
	welcome := &pb.Welcome{Epoch: epoch, PodLabelKeys: []string{"phalanx.dev/*"}, PodAnnotationKeys: []string{"phalanx.dev/*"},
		HeldLabelKeys: []string{"phalanx.dev/gang"}, HeldResources: []string{"nvidia.com/gpu"}, MaxFrameBytes: 1 << 16,
		Watch: []*pb.ObjectKind{{Group: podGroups.Group, Version: podGroups.Version, Resource: podGroups.Resource}}}
	err = stream.Send(&pb.SyncResponse{Epoch: epoch, Message: &pb.SyncResponse_Welcome{Welcome: welcome}})
	for err == nil {
		var request *pb.SyncRequest
		if request, err = stream.Recv(); err == nil {
			b.note(request)
		}
	}
	return err
}

func (b *fakeBrain) note(request *pb.SyncRequest) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.received = append(b.received, request)
	close(b.news)
	b.news = make(chan struct{})
}

// await waits for a message of the current or a later epoch.
func (b *fakeBrain) await(what string, match func(*pb.SyncRequest) bool) *pb.SyncRequest {
	b.t.Helper()
	late := time.After(patience)
	for {
		b.mu.Lock()
		for _, r := range b.received {
			if match(r) {
				b.mu.Unlock()
				return r
			}
		}
		news := b.news
		b.mu.Unlock()
		select {
		case <-news:
		case <-late:
			b.t.Fatalf("no %s within %v", what, patience)
		}
	}
}

func (b *fakeBrain) awaitDone(epoch uint64) {
	b.t.Helper()
	b.await("SyncDone", func(r *pb.SyncRequest) bool { return r.Epoch == epoch && r.GetSyncDone() != nil })
}

func (b *fakeBrain) awaitFact(uid string, plan uint64, state pb.MemberFact_State) *pb.MemberFact {
	b.t.Helper()
	return b.await("fact "+state.String()+" of "+uid, func(r *pb.SyncRequest) bool {
		f := r.GetMemberFact()
		return f != nil && f.PodUid == uid && f.Plan == plan && f.State == state
	}).GetMemberFact()
}

// pods is what the brain knows of pods in an epoch, by UID.
func (b *fakeBrain) pods(epoch uint64) map[string]*pb.Pod {
	b.mu.Lock()
	defer b.mu.Unlock()
	known := map[string]*pb.Pod{}
	for _, r := range b.received {
		if r.Epoch != epoch {
			continue
		}
		for _, uid := range r.GetChanges().GetRemovedPodUids() {
			delete(known, uid)
		}
		for _, pod := range r.GetChanges().GetPods() {
			known[pod.Uid] = pod
		}
	}
	return known
}

// messages are all that have come, of all epochs.
func (b *fakeBrain) messages() []*pb.SyncRequest {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]*pb.SyncRequest(nil), b.received...)
}

// leading is what the adapter has said last.
func (b *fakeBrain) leading() (last bool) {
	for _, r := range b.messages() {
		if l := r.GetLeadership(); l != nil {
			last = l.Leading
		}
	}
	return last
}

func (b *fakeBrain) send(message *pb.SyncResponse) uint64 {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sequence++
	message.Epoch, message.Sequence = b.epoch, b.sequence
	if err := b.stream.Send(message); err != nil {
		b.t.Fatalf("sending a directive: %v", err)
	}
	return b.sequence
}

func (b *fakeBrain) admit(plan uint64, placed map[string]string) {
	b.t.Helper()
	admit := &pb.Admit{Gang: &pb.GangRef{Namespace: "ns", Source: "label", Name: "g"}, Plan: plan, GangSize: int32(len(placed)), DryRun: b.dryRun.Load()}
	for uid, node := range placed {
		admit.Members = append(admit.Members, &pb.Admit_Member{PodUid: uid, PodNamespace: "ns", PodName: uid,
			NodeName: node, NodeUid: node, Rank: int32(len(admit.Members)), Domain: "rack/r1"})
	}
	b.send(&pb.SyncResponse{Message: &pb.SyncResponse_Admit{Admit: admit}})
}

func (b *fakeBrain) release(plan uint64, stage pb.Release_Stage) {
	b.t.Helper()
	b.send(&pb.SyncResponse{Message: &pb.SyncResponse_Release{Release: &pb.Release{Plan: plan, Stage: stage}}})
}

func (b *fakeBrain) reject(plan uint64) {
	b.t.Helper()
	b.send(&pb.SyncResponse{Message: &pb.SyncResponse_Reject{Reject: &pb.Reject{Plan: plan, Reason: "test"}}})
}

func answer[R any](ctx context.Context, b *fakeBrain, method string, response *R) (*R, error) {
	b.calls.Add(1)
	if b.hang.Load() {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if late := b.late.Load(); late != nil && *late == method && b.late.CompareAndSwap(late, nil) {
		<-ctx.Done()
	}
	return response, nil
}

func (b *fakeBrain) Filter(ctx context.Context, _ *pb.FilterRequest) (*pb.FilterResponse, error) {
	return answer(ctx, b, "Filter", b.filter.Load())
}

func (b *fakeBrain) Score(ctx context.Context, _ *pb.ScoreRequest) (*pb.ScoreResponse, error) {
	return answer(ctx, b, "Score", &pb.ScoreResponse{PlainNodeScore: 80, AcceleratorNodeScore: 5, AcceleratorResources: []string{"nvidia.com/gpu"}})
}

func (b *fakeBrain) Reserve(ctx context.Context, _ *pb.ReserveRequest) (*pb.ReserveResponse, error) {
	return answer(ctx, b, "Reserve", b.reserve.Load())
}

func (b *fakeBrain) Unreserve(ctx context.Context, _ *pb.UnreserveRequest) (*pb.UnreserveResponse, error) {
	return answer(ctx, b, "Unreserve", &pb.UnreserveResponse{})
}

func (b *fakeBrain) Permit(ctx context.Context, _ *pb.PermitRequest) (*pb.PermitResponse, error) {
	return answer(ctx, b, "Permit", b.permit.Load())
}
