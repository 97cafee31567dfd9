package brain

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/klog/v2"

	"phalanx.dev/adapter/internal/admit"
	pb "phalanx.dev/adapter/internal/gen/phalanx/v1alpha1"
	"phalanx.dev/adapter/internal/held"
	"phalanx.dev/adapter/internal/metrics"
	"phalanx.dev/adapter/internal/mirror"
)

// Sync keeps the stream to the brain: it connects, sends the snapshot and what changes, hands
// directives on, and starts over with a new epoch when the stream ends.
type Sync struct {
	Client *Client
	Hello  *pb.Hello
	World  *mirror.Watch
	Late   mirror.Late
	Outbox *mirror.Outbox
	Table  *admit.Table
	Class  *held.Classifier
	Hands  *Hands
	Grace  time.Duration

	epochs atomic.Uint64 // counts sessions, so that a grace that has run out knows whether it still applies
}

const (
	welcomeWithin = 10 * time.Second
	settleWithin  = 5 * time.Second
	frameMost     = 2 << 20 // an object of the API server has at most 1.5 MiB
	longSession   = 10 * time.Second
)

// NewBackoff is for everything that is tried again: 20 ms, doubled, at most 2 s.
func NewBackoff() *wait.Backoff {
	return &wait.Backoff{Duration: 20 * time.Millisecond, Factor: 2, Jitter: 0.3, Steps: 1000, Cap: 2 * time.Second}
}

// Run goes on until the context ends. The informers have listed before.
func (s *Sync) Run(ctx context.Context) {
	logger := klog.FromContext(ctx)
	backoff := NewBackoff()
	var lost time.Time
	last := "" // what was logged; the same again is for -v=2
	for ctx.Err() == nil {
		begun := time.Now()
		led, err := s.session(ctx)
		if ctx.Err() != nil {
			return
		}
		if led || lost.IsZero() {
			lost = time.Now()
			s.graceAfter(ctx)
		}
		if time.Since(begun) > longSession {
			backoff = NewBackoff()
		}
		pauseFor := backoff.Step()
		level := 0
		if !led && err.Error() == last {
			level = 2
		}
		last = err.Error()
		logger.V(level).Info("No stream to the brain", "err", err, "away", time.Since(lost).Round(time.Millisecond),
			"next", pauseFor.Round(time.Millisecond))
		Pause(ctx, pauseFor)
	}
}

// graceAfter rejects what waits in a barrier when the brain stays away.
func (s *Sync) graceAfter(ctx context.Context) {
	lost := s.epochs.Add(1)
	time.AfterFunc(s.Grace, func() {
		if ctx.Err() == nil && s.epochs.Load() == lost {
			s.Hands.WithdrawAll(ctx, fmt.Sprintf("the brain is away for %v", s.Grace))
		}
	})
}

// session is one epoch. led tells whether there was a Welcome.
func (s *Sync) session(parent context.Context) (led bool, err error) {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	stream, err := pb.NewClusterServiceClient(s.Client.conn).Sync(ctx,
		grpc.MaxCallRecvMsgSize(64<<20))
	if err != nil {
		return false, err
	}
	s.settle(ctx)
	welcome, err := s.greet(stream, cancel)
	if err != nil {
		return false, errors.Join(err, context.Cause(ctx))
	}
	packer := s.begin(parent, welcome)
	sender := make(chan struct{})
	go func() {
		defer close(sender)
		cancel(s.sendAll(ctx, stream, packer, welcome.Epoch))
	}()
	defer func() { // nobody takes from the outbox when the next epoch opens it
		s.end()
		cancel(nil)
		<-sender
	}()
	for {
		response, err := stream.Recv()
		if err != nil {
			return true, errors.Join(err, context.Cause(ctx))
		}
		if response.Epoch == welcome.Epoch {
			s.Hands.Do(parent, response)
		}
	}
}

// settle empties the barriers before a new epoch begins. The plans of the last one are void, and the
// new one must not plan while the scheduler still counts their members.
func (s *Sync) settle(ctx context.Context) {
	s.epochs.Add(1)
	s.Hands.WithdrawAll(ctx, "the brain begins a new epoch")
	deadline := time.Now().Add(settleWithin)
	for s.Table.Unfinished(false) > 0 && time.Now().Before(deadline) && Pause(ctx, 5*time.Millisecond) {
	}
}

// greet sends Hello and waits for Welcome, but not for a brain that hangs.
func (s *Sync) greet(stream pb.ClusterService_SyncClient, cancel context.CancelCauseFunc) (*pb.Welcome, error) {
	late := time.AfterFunc(welcomeWithin, func() {
		cancel(fmt.Errorf("no Welcome within %v", welcomeWithin))
	})
	defer late.Stop()
	if err := stream.Send(&pb.SyncRequest{Message: &pb.SyncRequest_Hello{Hello: s.Hello}}); err != nil {
		return nil, err
	}
	response, err := stream.Recv()
	if err != nil {
		return nil, err
	}
	welcome := response.GetWelcome()
	if welcome == nil || welcome.Epoch == 0 {
		return nil, fmt.Errorf("the first message is %T of epoch %d, expected Welcome with an epoch above 0",
			response.Message, welcome.GetEpoch())
	}
	if len(welcome.HeldLabelKeys)+len(welcome.HeldAnnotationKeys)+len(welcome.HeldResources) == 0 {
		return nil, errors.New("the Welcome names nothing that makes a pod held, expected at least one key or resource")
	}
	return welcome, nil
}

// begin puts the brain's wishes in force and opens the outbox with the snapshot.
func (s *Sync) begin(ctx context.Context, w *pb.Welcome) *mirror.Packer {
	klog.FromContext(ctx).Info("The brain says welcome", "epoch", w.Epoch, "heldLabels", w.HeldLabelKeys,
		"heldAnnotations", w.HeldAnnotationKeys, "heldResources", w.HeldResources)
	s.Class.Set(held.Rules{LabelKeys: w.HeldLabelKeys, AnnotationKeys: w.HeldAnnotationKeys,
		Resources: w.HeldResources})
	s.Hands.Gate.Reclassify(ctx, s.World.Unbound())
	s.World.Want(ctx, w.Watch)
	s.Outbox.Open(s.World.All)
	s.Client.breaker.reset()
	s.Client.epoch.Store(w.Epoch)
	most := int(w.MaxFrameBytes)
	if most <= 0 || most > frameMost {
		most = frameMost
	}
	return mirror.NewPacker(mirror.Wanted{LabelKeys: w.PodLabelKeys, AnnotationKeys: w.PodAnnotationKeys},
		s.Late, most)
}

func (s *Sync) end() {
	s.Client.epoch.Store(0)
	s.Outbox.Close()
	metrics.BrainConnected.Set(0)
}

// sendAll is the only sender after Hello: the snapshot, the facts that still hold, SyncDone, then what
// comes.
func (s *Sync) sendAll(ctx context.Context, stream pb.ClusterService_SyncClient, packer *mirror.Packer, epoch uint64) error {
	send := func(messages ...*pb.SyncRequest) error {
		for _, message := range messages {
			message.Epoch = epoch
			if err := stream.Send(message); err != nil {
				return fmt.Errorf("sending: %w", err)
			}
		}
		return nil
	}
	messages := packer.Frames(s.Outbox)
	for _, fact := range s.Table.Facts() {
		messages = append(messages, &pb.SyncRequest{Message: &pb.SyncRequest_MemberFact{MemberFact: fact}})
	}
	leading := s.Hands.Lease.MayAdmit() == nil
	messages = append(messages,
		&pb.SyncRequest{Message: &pb.SyncRequest_Leadership{Leadership: &pb.Leadership{Leading: leading}}},
		&pb.SyncRequest{Message: &pb.SyncRequest_SyncDone{SyncDone: &pb.SyncDone{}}})
	if err := send(messages...); err != nil {
		return err
	}
	klog.FromContext(ctx).Info("The snapshot is sent", "epoch", epoch, "messages", len(messages), "leading", leading)
	metrics.BrainConnected.Set(1)
	look := time.NewTicker(200 * time.Millisecond)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-look.C:
			why := s.Hands.Lease.MayAdmit()
			if now := why == nil; now != leading {
				leading = now
				s.Outbox.Leadership(leading)
				klog.FromContext(ctx).Info("Leadership changed", "leading", leading, "why", why)
			}
		case <-s.Outbox.Kick():
			if err := send(packer.Frames(s.Outbox)...); err != nil {
				return err
			}
		}
	}
}
