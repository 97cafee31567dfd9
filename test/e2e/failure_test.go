package e2e

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"phalanx.dev/lab/harness"
	"phalanx.dev/lab/workload"
)

var failureStories = []story{
	{"member-deleted", "smoke", time.Minute, memberDeleted},
	{"brain-killed", "smoke", 2 * time.Minute, brainKilled},
	{"scheduler-stopped", "smoke", 2 * time.Minute, schedulerStopped},
	{"scheduler-killed", "all", 3 * time.Minute, schedulerKilled},
}

func (e *env) createPod(pod *corev1.Pod) (*corev1.Pod, error) {
	return e.Client().CoreV1().Pods(pod.Namespace).Create(e.ctx, pod, metav1.CreateOptions{})
}

func (e *env) deletePod(pod *corev1.Pod) error {
	return e.Client().CoreV1().Pods(pod.Namespace).Delete(e.ctx, pod.Name, metav1.DeleteOptions{})
}

// memberDeleted: a waiting gang loses a member. It is then incomplete: room that
// would do for the rest does not start it, and a new member completes it.
func memberDeleted(e *env) {
	blocker := e.inRack(e.gang("blocker", 16, 4), firstRack)
	e.start(blocker)
	gang := e.inRack(e.gang("waiting", 3, 4), firstRack)
	e.must(e.CreatePods(e.ctx, 3, gang))
	e.eventually("the reason", e.told(gang, "2", "3"))
	e.must(e.deletePod(gang.Pod(1)))
	e.must(e.Finish(e.ctx, blocker))
	e.holds(quiet, e.unbound(gang))
	_, err := e.createPod(gang.Pod(1))
	e.must(err)
	e.bound(gang)
}

// running is a gang of 12 in the first rack that runs, beside one that waits for it.
func (e *env) runningAndWaiting() (running, waiting workload.Gang, before workload.Members) {
	e.t.Helper()
	running = e.inRack(e.gang("running", 12, 4), firstRack)
	waiting = e.inRack(e.gang("waiting", 12, 4), firstRack)
	before = e.start(running)
	e.must(e.Create(e.ctx, waiting))
	// How many fit is said once, and a node may be left out just then.
	e.eventually("the reason", e.told(waiting, "of 12 members"))
	return running, waiting, before
}

// undisturbed is a check that the members are the same pods on the same nodes.
func (e *env) undisturbed(g workload.Gang, before workload.Members) func(context.Context) error {
	return func(ctx context.Context) error {
		now, err := e.Members(ctx, g)
		if err != nil {
			return err
		}
		if len(now) != len(before) {
			return fmt.Errorf("gang %s has %d pods, had %d", g.Name, len(now), len(before))
		}
		for i := range now {
			if now[i].UID != before[i].UID || now[i].Spec.NodeName != before[i].Spec.NodeName {
				return fmt.Errorf("%s was %s on %s, is %s on %s", now[i].Name, before[i].UID,
					before[i].Spec.NodeName, now[i].UID, now[i].Spec.NodeName)
			}
			if now[i].DeletionTimestamp != nil || now[i].Status.Phase != corev1.PodRunning {
				return fmt.Errorf("%s is %s", now[i].Name, now[i].Status.Phase)
			}
		}
		return nil
	}
}

// brainKilled: while the brain is dead running gangs run, waiting ones wait, new
// gangs are held, and pods without accelerators are placed. The next brain learns
// everything again, and goes on.
func brainKilled(e *env) {
	running, waiting, before := e.runningAndWaiting()
	e.phalanx.Brain.Kill()
	late := e.gang("late", 2, 1)
	e.must(e.Create(e.ctx, late))
	loose := e.gang("loose", 1, 0).Pod(0)
	loose.Labels = map[string]string{"app": "loose"}
	_, err := e.createPod(loose)
	e.must(err)
	e.must(e.WaitForPods(e.ctx, harness.Selection{Namespace: e.namespaces[0], Labels: "app=loose"},
		"to run without the brain", harness.All(1, harness.Running)))
	e.holds(quiet, func(ctx context.Context) error {
		return errors.Join(e.unbound(late)(ctx), e.unbound(waiting)(ctx), e.undisturbed(running, before)(ctx))
	})
	e.must(e.phalanx.StartBrain(e.ctx))
	e.must(e.phalanx.WaitReady(e.ctx))
	e.bound(late)
	e.goesOn(running, waiting, before)
}

// goesOn: after a restart the running gang is left alone and known, and its end
// starts the one that waits.
func (e *env) goesOn(running, waiting workload.Gang, before workload.Members) {
	e.t.Helper()
	e.holds(quiet, func(ctx context.Context) error {
		return errors.Join(e.unbound(waiting)(ctx), e.undisturbed(running, before)(ctx))
	})
	e.must(e.Finish(e.ctx, running))
	e.bound(waiting)
}

// schedulerStopped: SIGTERM ends the scheduler within its bound and with status 0;
// the next one takes over where it left off.
func schedulerStopped(e *env) {
	running, waiting, before := e.runningAndWaiting()
	e.must(e.restartScheduler(e.ctx))
	e.goesOn(running, waiting, before)
}

// schedulerKilled: after SIGKILL the next scheduler waits for the Lease to expire
// and takes over.
func schedulerKilled(e *env) {
	running, waiting, before := e.runningAndWaiting()
	e.must(e.phalanx.Scheduler.Signal(syscall.SIGKILL))
	<-e.phalanx.Scheduler.Done()
	e.must(e.phalanx.StartScheduler(e.ctx))
	e.goesOn(running, waiting, before)
}
