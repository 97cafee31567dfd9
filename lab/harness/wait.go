package harness

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type hopelessError struct{ error }

// Hopeless marks an error of a check that no waiting will mend: Eventually
// returns it at once.
func Hopeless(err error) error { return hopelessError{err} }

func (e hopelessError) Unwrap() error { return e.error }

// Eventually calls check until it returns nil. When ctx ends first the error
// says what was awaited and what check said last; not what it said because ctx ended.
func Eventually(ctx context.Context, what string, check func(context.Context) error) error {
	var last error
	for {
		err := check(ctx)
		if err == nil {
			return nil
		}
		var hopeless hopelessError
		if errors.As(err, &hopeless) {
			return fmt.Errorf("waiting for %s: %w", what, err)
		}
		if last == nil || ctx.Err() == nil {
			last = err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waited in vain for %s: %w; last: %w", what, context.Cause(ctx), last)
		case <-time.After(pollInterval):
		}
	}
}

// Holds calls check again and again for a time and returns its first error: for
// what must not happen.
func Holds(ctx context.Context, during time.Duration, check func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, during)
	defer cancel()
	for {
		if err := check(ctx); err != nil && ctx.Err() == nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pollInterval):
		}
	}
}

// Selection says which pods are meant.
type Selection struct {
	Namespace string // "" = all
	Labels    string // a label selector; "" = all
}

// JobPods selects the pods of a Job.
func JobPods(namespace, name string) Selection {
	return Selection{namespace, "batch.kubernetes.io/job-name=" + name}
}

// Gang selects the pods of a gang.
func Gang(namespace, name string) Selection {
	return Selection{namespace, "phalanx.dev/gang=" + name}
}

// Pods lists the selected pods.
func (l *Lab) Pods(ctx context.Context, s Selection) ([]corev1.Pod, error) {
	list, err := l.client.CoreV1().Pods(s.Namespace).List(ctx,
		metav1.ListOptions{LabelSelector: s.Labels})
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}

// WaitForPods waits until check accepts the selected pods.
func (l *Lab) WaitForPods(ctx context.Context, s Selection, what string,
	check func([]corev1.Pod) error) error {
	return Eventually(ctx, fmt.Sprintf("pods %q in %q %s", s.Labels, s.Namespace, what),
		func(ctx context.Context) error {
			pods, err := l.Pods(ctx, s)
			if err != nil {
				return err
			}
			return check(pods)
		})
}

// All accepts exactly count pods that all satisfy is.
func All(count int, is func(*corev1.Pod) bool) func([]corev1.Pod) error {
	return func(pods []corev1.Pod) error {
		if matching := Count(pods, is); matching != count || len(pods) != count {
			return fmt.Errorf("%d of %d pods, want %d of %d", matching, len(pods), count, count)
		}
		return nil
	}
}

// Count returns how many pods satisfy is.
func Count(pods []corev1.Pod, is func(*corev1.Pod) bool) int {
	count := 0
	for i := range pods {
		if is(&pods[i]) {
			count++
		}
	}
	return count
}

// Bound is whether a pod has a node.
func Bound(p *corev1.Pod) bool { return p.Spec.NodeName != "" }

// Running is whether a pod runs.
func Running(p *corev1.Pod) bool { return p.Status.Phase == corev1.PodRunning }

// Succeeded is whether a pod has ended well.
func Succeeded(p *corev1.Pod) bool { return p.Status.Phase == corev1.PodSucceeded }

// NodesOf returns how many of the pods are on each node; unbound ones are left
// out.
func NodesOf(pods []corev1.Pod) map[string]int {
	nodes := map[string]int{}
	for i := range pods {
		if Bound(&pods[i]) {
			nodes[pods[i].Spec.NodeName]++
		}
	}
	return nodes
}

// WaitForJob waits until a Job is complete; a failed Job is an error at once.
func (l *Lab) WaitForJob(ctx context.Context, namespace, name string) error {
	return Eventually(ctx, "job "+namespace+"/"+name+" to complete", func(ctx context.Context) error {
		job, err := l.client.BatchV1().Jobs(namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		for _, c := range job.Status.Conditions {
			if c.Status != corev1.ConditionTrue {
				continue
			}
			if c.Type == "Complete" {
				return nil
			}
			if c.Type == "Failed" {
				return Hopeless(fmt.Errorf("it failed: %s: %s", c.Reason, c.Message))
			}
		}
		return fmt.Errorf("active %d, succeeded %d, failed %d", job.Status.Active,
			job.Status.Succeeded, job.Status.Failed)
	})
}
