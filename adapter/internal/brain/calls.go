// Package brain is the conversation with phalanxd: calls about single pods, and the stream of state
// and directives. One client serves all profiles of the process.
package brain

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	pb "phalanx.dev/adapter/internal/gen/phalanx/v1alpha1"
	"phalanx.dev/adapter/internal/metrics"
)

// Action is what a failed call means for the pod that it was about.
type Action int

// What a code can mean.
const (
	Hold   Action = iota // the pod is held; the brain will plan it again
	Retry                // the same call may succeed at once
	Reject               // the call as such is wrong: the pod is refused with the message
)

// ActionOf is the one table of codes. Loose pods pass in every case.
func ActionOf(err error) Action {
	switch status.Code(err) {
	case codes.ResourceExhausted, codes.Aborted:
		return Retry
	case codes.InvalidArgument, codes.OutOfRange, codes.Unimplemented, codes.PermissionDenied,
		codes.Unauthenticated:
		return Reject
	default: // Unavailable, DeadlineExceeded, FailedPrecondition, NotFound, Canceled, Internal, Unknown
		return Hold
	}
}

// ErrAway is the answer without a call: there is no current epoch, or the breaker is open.
var ErrAway = status.Error(codes.Unavailable, "the brain is away")

const retries = 2

// Client makes the calls. Safe for use by many goroutines.
type Client struct {
	conn    *grpc.ClientConn
	pods    pb.SchedulerServiceClient
	timeout time.Duration
	epoch   atomic.Uint64 // 0: no current epoch
	breaker breaker
}

// Dial prepares the connection over the socket; it is made when it is first used, and again.
func Dial(socket string, timeout time.Duration) (*Client, error) {
	quick := backoff.Config{BaseDelay: 50 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: time.Second}
	conn, err := grpc.NewClient("unix:"+socket, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: quick, MinConnectTimeout: time.Second}),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(64<<20)))
	if err != nil {
		return nil, err
	}
	return &Client{conn: conn, pods: pb.NewSchedulerServiceClient(conn), timeout: timeout}, nil
}

// Epoch is the current one, or 0.
func (c *Client) Epoch() uint64 { return c.epoch.Load() }

// Filter asks where a held pod may go.
func (c *Client) Filter(ctx context.Context, uid string) (*pb.FilterResponse, error) {
	return call(ctx, c, "Filter", func(ctx context.Context, epoch uint64) (*pb.FilterResponse, error) {
		return c.pods.Filter(ctx, &pb.FilterRequest{Epoch: epoch, PodUid: uid})
	})
}

// Score asks for the rule by which nodes are scored for a loose pod.
func (c *Client) Score(ctx context.Context, uid string) (*pb.ScoreResponse, error) {
	return call(ctx, c, "Score", func(ctx context.Context, epoch uint64) (*pb.ScoreResponse, error) {
		return c.pods.Score(ctx, &pb.ScoreRequest{Epoch: epoch, PodUid: uid})
	})
}

// Reserve asks whether the scheduler's choice is the plan's.
func (c *Client) Reserve(ctx context.Context, uid string, plan uint64, node string) (*pb.ReserveResponse, error) {
	return call(ctx, c, "Reserve", func(ctx context.Context, epoch uint64) (*pb.ReserveResponse, error) {
		return c.pods.Reserve(ctx, &pb.ReserveRequest{Epoch: epoch, PodUid: uid, Plan: plan, NodeName: node})
	})
}

// Unreserve tells that the pod is leaving.
func (c *Client) Unreserve(ctx context.Context, uid string, plan uint64, node string) error {
	_, err := call(ctx, c, "Unreserve", func(ctx context.Context, epoch uint64) (*pb.UnreserveResponse, error) {
		return c.pods.Unreserve(ctx, &pb.UnreserveRequest{Epoch: epoch, PodUid: uid, Plan: plan, NodeName: node})
	})
	return err
}

// Permit tells that the member is reserved, and asks whether it must wait.
func (c *Client) Permit(ctx context.Context, uid string, plan uint64, node string) (*pb.PermitResponse, error) {
	return call(ctx, c, "Permit", func(ctx context.Context, epoch uint64) (*pb.PermitResponse, error) {
		return c.pods.Permit(ctx, &pb.PermitRequest{Epoch: epoch, PodUid: uid, Plan: plan, NodeName: node})
	})
}

// call bounds one call, tries again what may succeed at once, and keeps the breaker.
func call[R any](ctx context.Context, c *Client, method string, send func(context.Context, uint64) (R, error)) (R, error) {
	var none R
	epoch := c.Epoch()
	if epoch == 0 || !c.breaker.allow(time.Now()) {
		metrics.Calls.WithLabelValues(method, "Skipped").Observe(0)
		return none, ErrAway
	}
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	for try := 0; ; try++ {
		start := time.Now()
		response, err := send(ctx, epoch)
		metrics.Calls.WithLabelValues(method, status.Code(err).String()).Observe(time.Since(start).Seconds())
		if err != nil && ActionOf(err) == Retry && try < retries && Pause(ctx, 2*time.Millisecond) {
			continue
		}
		c.breaker.note(silent(err), time.Now())
		return response, err
	}
}

// silent tells whether the brain did not answer at all; a refusal is an answer.
func silent(err error) bool {
	code := status.Code(err)
	return code == codes.DeadlineExceeded || code == codes.Unavailable || errors.Is(err, context.DeadlineExceeded)
}

// Pause waits; false: the context ended.
func Pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// breaker keeps a silent brain from slowing the scheduler call by call: after `strikes` calls without
// an answer all calls fail at once, but for one probe after each rest.
type breaker struct {
	mu      sync.Mutex
	failed  int
	until   time.Time
	probing bool
}

const (
	strikes   = 2
	restFirst = time.Second
	restMost  = 15 * time.Second
)

func (b *breaker) allow(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.failed < strikes:
		return true
	case b.probing || now.Before(b.until):
		return false
	}
	b.probing = true
	return true
}

func (b *breaker) note(failed bool, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.probing = false
	if !failed {
		b.failed = 0
		return
	}
	b.failed++
	if b.failed >= strikes {
		rest := restFirst << min(b.failed-strikes, 5)
		b.until = now.Add(min(rest, restMost))
	}
}

func (b *breaker) reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failed, b.probing = 0, false
}
