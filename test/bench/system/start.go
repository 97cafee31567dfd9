package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"

	pb "phalanx.dev/adapter/internal/gen/phalanx/v1alpha1"
	"phalanx.dev/lab/workload"
	"phalanx.dev/lab/world"
)

const (
	startGangSize = 8
	startLimit    = 2 * time.Minute
)

// runStart measures how long a start takes in a cluster of 5,000 nodes and 10,000 bound pods: of both
// processes against a real API server, and of the brain alone, which is sent the same objects as a
// snapshot that was made before. The best of three.
func runStart(ctx context.Context, s *setting) error {
	w, err := loadWorld(s)
	if err != nil {
		return err
	}
	pods := residents(w, pick(s, 10_000, 64))
	snapshot := recorded(w, pods)
	alone, err := best(s, "brain alone", func() (float64, error) { return brainReady(ctx, s, snapshot) })
	if err != nil {
		return err
	}
	both, err := bothReady(ctx, s, pods)
	if err != nil {
		return err
	}
	return errors.Join(s.report.add("start/ready_s", both, "s", ""),
		s.report.add("start/brain_ready_s", alone, "s", ""))
}

// best returns the shortest of three times.
func best(s *setting, what string, run func() (float64, error)) (float64, error) {
	var shortest float64
	for i := range pick(s, 3, 1) {
		seconds, err := run()
		if err != nil {
			return 0, err
		}
		s.report.note("%s: ready after %.3f s", what, seconds)
		if i == 0 || seconds < shortest {
			shortest = seconds
		}
	}
	return shortest, nil
}

// residents are pods of gangs of 8 that run, one GPU each, on the nodes in turn.
func residents(w *world.World, n int) []*corev1.Pod {
	nodes := w.Nodes(time.Now())
	var pods []*corev1.Pod
	for i := range n {
		gang := workload.Gang{Name: fmt.Sprintf("resident-%d", i/startGangSize), Size: startGangSize, GPUs: 1,
			Scheduler: workload.Phalanx, Annotations: map[string]string{
				"phalanx.dev/plan": strconv.Itoa(1 + i/startGangSize), "phalanx.dev/rank": strconv.Itoa(i % startGangSize)}}
		pod := gang.Pod(i % startGangSize)
		pod.Spec.NodeName = nodes[i%len(nodes)].Name
		pods = append(pods, pod)
	}
	return pods
}

// recorded is the snapshot that an adapter sends of these objects.
func recorded(w *world.World, pods []*corev1.Pod) []*pb.SyncRequest {
	var sent []*pb.Pod
	for _, pod := range pods {
		sent = append(sent, &pb.Pod{
			Uid: "uid-" + pod.Name, Namespace: pod.Namespace, Name: pod.Name, Labels: pod.Labels,
			Annotations: pod.Annotations, SchedulerName: ourScheduler, NodeName: pod.Spec.NodeName,
			Phase: pb.Pod_PHASE_PENDING, CreatedMs: time.Now().UnixMilli(),
			Requests: map[string]int64{"cpu": 1000, gpu: 1, "pods": 1},
		})
	}
	return frames(wireNodes(w), sent)
}

// brainReady is the time from the start of phalanxd to its readiness.
func brainReady(ctx context.Context, s *setting, snapshot []*pb.SyncRequest) (seconds float64, err error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	began := time.Now()
	b, err := startBrain(s)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, b.stop()) }()
	session, err := b.connect(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, session.close()) }()
	if err := errors.Join(session.send(snapshot...), session.syncDone()); err != nil {
		return 0, err
	}
	err = b.await(ctx, "phalanxd to be ready", b.ready)
	return time.Since(began).Seconds(), err
}

// bothReady is the time from the start of phalanxd and phalanx-scheduler until the scheduler serves
// and the brain knows the cluster.
func bothReady(ctx context.Context, s *setting, pods []*corev1.Pod) (seconds float64, err error) {
	c, err := startCluster(ctx, s)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, c.stop()) }()
	if err := c.create(ctx, pods); err != nil {
		return 0, err
	}
	p, err := c.installPhalanx(ctx, s)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, p.Remove()) }()
	return best(s, "both", func() (float64, error) {
		ctx, cancel := context.WithTimeout(ctx, startLimit)
		defer cancel()
		began := time.Now()
		if err := p.Start(ctx); err != nil {
			return 0, err
		}
		took := time.Since(began).Seconds()
		p.Scheduler.Stop()
		p.Brain.Stop()
		return took, nil
	})
}
