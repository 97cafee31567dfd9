package workload

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"phalanx.dev/lab/harness"
)

// Cluster is a lab as its users see it.
type Cluster struct {
	*harness.Lab
}

// Members are the pods of one gang, in the order of their names.
type Members []corev1.Pod

// Bound returns those that have a node.
func (m Members) Bound() Members {
	return slices.DeleteFunc(slices.Clone(m), func(p corev1.Pod) bool {
		return p.Spec.NodeName == ""
	})
}

// Alive returns those that are neither finished nor being deleted.
func (m Members) Alive() Members {
	return slices.DeleteFunc(slices.Clone(m), func(p corev1.Pod) bool {
		return p.DeletionTimestamp != nil || p.Status.Phase == corev1.PodSucceeded ||
			p.Status.Phase == corev1.PodFailed
	})
}

// Nodes returns the node of each bound member, sorted.
func (m Members) Nodes() []string {
	var nodes []string
	for _, p := range m.Bound() {
		nodes = append(nodes, p.Spec.NodeName)
	}
	slices.Sort(nodes)
	return nodes
}

// Summary is "9 of 12 bound: PENDING-POD, ..." for messages.
func (m Members) Summary() string {
	var waiting []string
	for _, p := range m {
		if p.Spec.NodeName == "" {
			waiting = append(waiting, p.Name)
		}
	}
	text := fmt.Sprintf("%d of %d bound", len(m)-len(waiting), len(m))
	if len(waiting) > 0 {
		text += ", waiting: " + strings.Join(waiting[:min(3, len(waiting))], ", ")
	}
	return text
}

// Create creates the gang's Job.
func (c Cluster) Create(ctx context.Context, g Gang) error {
	_, err := c.Client().BatchV1().Jobs(g.namespace()).Create(ctx, g.Job(), metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("create the Job %s/%s: %w", g.namespace(), g.Name, err)
	}
	return nil
}

// CreatePods creates bare pods for members 0 to n-1 of each gang, one member of
// each gang after the other, so that the gangs arrive interleaved.
func (c Cluster) CreatePods(ctx context.Context, n int, gangs ...Gang) error {
	for member := range n {
		for _, g := range gangs {
			pod := g.Pod(member)
			_, err := c.Client().CoreV1().Pods(pod.Namespace).Create(ctx, pod, metav1.CreateOptions{})
			if err != nil {
				return fmt.Errorf("create the pod %s/%s: %w", pod.Namespace, pod.Name, err)
			}
		}
	}
	return nil
}

// Resume lets a suspended Job make its pods.
func (c Cluster) Resume(ctx context.Context, g Gang) error { return c.suspend(ctx, g, false) }

// Suspend lets a Job take its pods away.
func (c Cluster) Suspend(ctx context.Context, g Gang) error { return c.suspend(ctx, g, true) }

func (c Cluster) suspend(ctx context.Context, g Gang, suspend bool) error {
	_, err := c.Client().BatchV1().Jobs(g.namespace()).Patch(ctx, g.Name, types.MergePatchType,
		fmt.Appendf(nil, `{"spec":{"suspend":%t}}`, suspend), metav1.PatchOptions{})
	return err
}

// CheckJob is nil while the gang's Job goes on and has counted no failed pod.
func (c Cluster) CheckJob(ctx context.Context, g Gang) error {
	job, err := c.Client().BatchV1().Jobs(g.namespace()).Get(ctx, g.Name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	for _, condition := range job.Status.Conditions {
		if condition.Type == batchv1.JobFailed && condition.Status == corev1.ConditionTrue {
			return fmt.Errorf("the Job %s has failed: %s: %s", g.Name, condition.Reason, condition.Message)
		}
	}
	if job.Status.Failed > 0 {
		return fmt.Errorf("the Job %s counts %d failed pods", g.Name, job.Status.Failed)
	}
	return nil
}

// Members lists the gang's pods.
func (c Cluster) Members(ctx context.Context, g Gang) (Members, error) {
	list, err := c.Client().CoreV1().Pods(g.namespace()).List(ctx, metav1.ListOptions{
		LabelSelector: GangLabel + "=" + g.Name,
	})
	if err != nil {
		return nil, fmt.Errorf("list the pods of gang %s/%s: %w", g.namespace(), g.Name, err)
	}
	slices.SortFunc(list.Items, func(a, b corev1.Pod) int { return strings.Compare(a.Name, b.Name) })
	return list.Items, nil
}

// Finish makes the fake kubelets report that the gang's pods have succeeded.
func (c Cluster) Finish(ctx context.Context, g Gang) error {
	members, err := c.Members(ctx, g)
	if err != nil {
		return err
	}
	patch := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:"0"}}}`, RunSeconds)
	for _, p := range members {
		_, err := c.Client().CoreV1().Pods(p.Namespace).Patch(ctx, p.Name, types.MergePatchType, patch,
			metav1.PatchOptions{})
		if err != nil {
			return fmt.Errorf("end the pod %s/%s: %w", p.Namespace, p.Name, err)
		}
	}
	return nil
}

// Delete deletes the gang's Job, if there is one, and its pods, and returns when
// the pods are gone.
func (c Cluster) Delete(ctx context.Context, g Gang) error {
	background := metav1.DeletePropagationBackground
	err := c.Client().BatchV1().Jobs(g.namespace()).Delete(ctx, g.Name,
		metav1.DeleteOptions{PropagationPolicy: &background})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("delete the Job %s/%s: %w", g.namespace(), g.Name, err)
	}
	selector := metav1.ListOptions{LabelSelector: GangLabel + "=" + g.Name}
	pods := c.Client().CoreV1().Pods(g.namespace())
	if err := pods.DeleteCollection(ctx, metav1.DeleteOptions{}, selector); err != nil {
		return fmt.Errorf("delete the pods of gang %s/%s: %w", g.namespace(), g.Name, err)
	}
	return harness.Eventually(ctx, "the pods of "+g.Name+" to be gone", func(ctx context.Context) error {
		left, err := c.Members(ctx, g)
		if err == nil && len(left) > 0 {
			err = fmt.Errorf("%d are left", len(left))
		}
		return err
	})
}

// WaitBound returns the members when n of them live and have a node.
func (c Cluster) WaitBound(ctx context.Context, g Gang, n int) (Members, error) {
	var members Members
	what := fmt.Sprintf("%d pods of gang %s to be bound", n, g.Name)
	err := harness.Eventually(ctx, what, func(ctx context.Context) error {
		all, err := c.Members(ctx, g)
		if err != nil {
			return err
		}
		members = all.Alive()
		if bound := len(members.Bound()); bound != n {
			return errors.New(members.Summary())
		}
		return nil
	})
	return members, err
}

// Events returns the events about a pod, oldest first.
func (c Cluster) Events(ctx context.Context, pod *corev1.Pod) ([]corev1.Event, error) {
	list, err := c.Client().CoreV1().Events(pod.Namespace).List(ctx, metav1.ListOptions{
		FieldSelector: fields.OneTermEqualSelector("involvedObject.uid", string(pod.UID)).String(),
	})
	if err != nil {
		return nil, fmt.Errorf("list the events of %s/%s: %w", pod.Namespace, pod.Name, err)
	}
	slices.SortStableFunc(list.Items, func(a, b corev1.Event) int {
		return eventTime(a).Compare(eventTime(b))
	})
	return list.Items, nil
}

func eventTime(e corev1.Event) time.Time {
	if !e.EventTime.IsZero() {
		return e.EventTime.Time
	}
	return e.LastTimestamp.Time
}

// Condition returns the pod's condition of a type, or nil.
func Condition(pod *corev1.Pod, kind corev1.PodConditionType) *corev1.PodCondition {
	for i := range pod.Status.Conditions {
		if pod.Status.Conditions[i].Type == kind {
			return &pod.Status.Conditions[i]
		}
	}
	return nil
}
