package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	pb "phalanx.dev/adapter/internal/gen/phalanx/v1alpha1"
)

const (
	engineThread  = "engine" // of phalanxd: plans
	plannerNice   = 10
	rpcGangSize   = 16
	callsOfACycle = 3
	ahead         = 8 // gangs that are planned while others are asked about
	rpcDeadline   = 2 * time.Second
)

// runRPC measures what one pod costs the scheduler's cycle: Filter, Reserve and Permit one after the
// other, from a Go client over the socket, while the brain plans at niceness 10 and another program
// keeps a processor busy at niceness 5. Gangs come, start, run and end all the time, and gangs that
// fit nowhere are tried again whenever room is freed. After each cycle as many messages go to a
// program that only echoes them: what that takes is the machine's own part, and the baseline.
func runRPC(ctx context.Context, s *setting) error {
	var best rpcTimes
	for range pick(s, 3, 1) {
		times, err := rpcRun(ctx, s)
		if err != nil {
			return err
		}
		slices.Sort(times.cycles)
		slices.Sort(times.echoes)
		s.report.note("%d cycles: p50 %.0f us, p99 %.0f us, longest %.0f us; echoes p50 %.0f us, p99 %.0f us",
			len(times.cycles), percentile(times.cycles, 500), percentile(times.cycles, 990),
			times.cycles[len(times.cycles)-1], percentile(times.echoes, 500), percentile(times.echoes, 990))
		if best.cycles == nil || percentile(times.cycles, 990) < percentile(best.cycles, 990) {
			best = times
		}
	}
	return errors.Join(
		s.report.add("rpc/echo_p99_us", percentile(best.echoes, 990), "us", ""),
		s.report.add("rpc/echo_p50_us", percentile(best.echoes, 500), "us", ""),
		s.report.add("rpc/cycle_p99_us", percentile(best.cycles, 990), "us", "rpc/echo_p99_us"),
		s.report.add("rpc/cycle_p50_us", percentile(best.cycles, 500), "us", "rpc/echo_p50_us"))
}

// rpcTimes are in microseconds; each cycle is followed by an echo.
type rpcTimes struct{ cycles, echoes []float64 }

func rpcRun(ctx context.Context, s *setting) (times rpcTimes, err error) {
	b, err := startBrain(s)
	if err != nil {
		return times, err
	}
	defer func() { err = errors.Join(err, b.stop()) }()
	w, err := loadWorld(s)
	if err != nil {
		return times, err
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	session, err := b.connect(ctx)
	if err != nil {
		return times, err
	}
	defer func() { err = errors.Join(err, session.close()) }()
	var waiting []*pb.Pod
	for i := range pick(s, 1000, 20) {
		waiting = append(waiting, tooBig(i).pods(fmt.Sprintf("waiting-%d", i))...)
	}
	if err := errors.Join(session.send(frames(wireNodes(w), waiting)...), session.syncDone()); err != nil {
		return times, err
	}
	if err := b.await(ctx, "phalanxd to be ready", b.ready); err != nil {
		return times, err
	}
	if err := renice(b.pid(), engineThread, plannerNice); err != nil {
		return times, err
	}
	self, err := os.Executable()
	if err != nil {
		return times, err
	}
	spinner, err := startProcess(self, spinArgument)
	if err != nil {
		return times, err
	}
	defer spinner.stop()
	echo, err := startEcho()
	if err != nil {
		return times, err
	}
	defer func() { err = errors.Join(err, echo.close()) }()
	a := newRPCAdapter(session, echo, pick(s, 1250, 4)*rpcGangSize)
	times, err = a.measure(ctx)
	return times, errors.Join(err, b.err(), spinner.err())
}

// rpcAdapter lives the life of gangs with the brain, as an adapter would.
type rpcAdapter struct {
	*session
	echo    *echo
	want    int // cycles
	times   rpcTimes
	begun   int                           // gangs
	gangs   map[string][]*pb.Pod          // by name, those that live
	members map[uint64][]*pb.Admit_Member // by plan, those that start
	names   map[uint64]string             // by plan
}

func newRPCAdapter(s *session, e *echo, want int) *rpcAdapter {
	return &rpcAdapter{session: s, echo: e, want: want, gangs: map[string][]*pb.Pod{},
		members: map[uint64][]*pb.Admit_Member{}, names: map[uint64]string{}}
}

// measure goes on until there are enough cycles.
func (a *rpcAdapter) measure(ctx context.Context) (rpcTimes, error) {
	for range ahead {
		if err := a.beginGang(); err != nil {
			return a.times, err
		}
	}
	for len(a.times.cycles) < a.want {
		directive, err := a.stream.Recv()
		if err != nil {
			return a.times, fmt.Errorf("after %d cycles: %w", len(a.times.cycles), err)
		}
		if err := a.follow(ctx, directive); err != nil {
			return a.times, err
		}
	}
	return a.times, nil
}

func (a *rpcAdapter) beginGang() error {
	name := fmt.Sprintf("gang-%d", a.begun)
	a.begun++
	a.gangs[name] = gangShape{size: rpcGangSize, gpus: 1}.pods(name)
	return a.send(frames(nil, a.gangs[name])...)
}

func (a *rpcAdapter) follow(ctx context.Context, d *pb.SyncResponse) error {
	switch m := d.Message.(type) {
	case *pb.SyncResponse_Admit:
		a.members[m.Admit.Plan], a.names[m.Admit.Plan] = m.Admit.Members, m.Admit.Gang.Name
		if err := a.answer(d); err != nil {
			return err
		}
		return a.cycle(ctx, m.Admit)
	case *pb.SyncResponse_Release:
		return errors.Join(a.answer(d), a.release(m.Release))
	case *pb.SyncResponse_Reject:
		return fmt.Errorf("gang %s was rejected: %s", m.Reject.GetGang().GetName(), m.Reject.Reason)
	case *pb.SyncResponse_Event, *pb.SyncResponse_Patch: // for readers; nobody reads here
		return a.answer(d)
	default:
		return fmt.Errorf("the brain sent %T, expected Admit, Release, Event or Patch", m)
	}
}

func (a *rpcAdapter) answer(d *pb.SyncResponse) error {
	if d.Sequence == 0 {
		return nil
	}
	result := &pb.DirectiveResult{Sequence: d.Sequence, Applied: true}
	return a.send(&pb.SyncRequest{Message: &pb.SyncRequest_DirectiveResult{DirectiveResult: result}})
}

// cycle makes the calls for each member of an admitted gang, as many echoes after them, and times both.
func (a *rpcAdapter) cycle(ctx context.Context, admit *pb.Admit) error {
	for _, m := range admit.Members {
		start := time.Now()
		if err := a.calls(ctx, admit.Plan, m); err != nil {
			return fmt.Errorf("pod %s: %w", m.PodName, err)
		}
		a.times.cycles = append(a.times.cycles, microseconds(start))
		start = time.Now()
		if err := a.echo.calls(callsOfACycle); err != nil {
			return err
		}
		a.times.echoes = append(a.times.echoes, microseconds(start))
	}
	return nil
}

func microseconds(since time.Time) float64 { return float64(time.Since(since).Nanoseconds()) / 1000 }

func (a *rpcAdapter) calls(ctx context.Context, plan uint64, m *pb.Admit_Member) error {
	ctx, cancel := context.WithTimeout(ctx, rpcDeadline)
	defer cancel()
	filter, err := a.pods.Filter(ctx, &pb.FilterRequest{Epoch: a.epoch, PodUid: m.PodUid})
	if err != nil {
		return err
	}
	if filter.NodeName != m.NodeName {
		return fmt.Errorf("the answer of Filter is %q, %s, expected %s as in Admit", filter.NodeName, filter.Reason, m.NodeName)
	}
	reserve, err := a.pods.Reserve(ctx, &pb.ReserveRequest{Epoch: a.epoch, PodUid: m.PodUid, Plan: plan,
		NodeName: m.NodeName})
	if err != nil {
		return err
	}
	if !reserve.Accepted {
		return fmt.Errorf("refused at Reserve: %s", reserve.Reason)
	}
	permit, err := a.pods.Permit(ctx, &pb.PermitRequest{Epoch: a.epoch, PodUid: m.PodUid, Plan: plan,
		NodeName: m.NodeName})
	if err != nil {
		return err
	}
	if permit.Verdict == pb.PermitResponse_VERDICT_REJECT {
		return fmt.Errorf("rejected at Permit: %s", permit.Reason)
	}
	return nil
}

// release tells what follows at once where there are no volumes and no API server. A gang that runs
// ends, and another one comes.
func (a *rpcAdapter) release(r *pb.Release) error {
	if r.Stage == pb.Release_STAGE_PREPARE {
		return a.facts(r.Plan, pb.MemberFact_STATE_PREPARED)
	}
	if err := a.facts(r.Plan, pb.MemberFact_STATE_BOUND); err != nil {
		return err
	}
	name := a.names[r.Plan]
	pods := a.gangs[name]
	delete(a.gangs, name)
	delete(a.names, r.Plan)
	delete(a.members, r.Plan)
	return errors.Join(a.send(removal(pods)), a.beginGang())
}

func (a *rpcAdapter) facts(plan uint64, state pb.MemberFact_State) error {
	for _, m := range a.members[plan] {
		fact := &pb.MemberFact{PodUid: m.PodUid, Plan: plan, NodeName: m.NodeName, State: state}
		err := a.send(&pb.SyncRequest{Message: &pb.SyncRequest_MemberFact{MemberFact: fact}})
		if err != nil {
			return err
		}
	}
	return nil
}
