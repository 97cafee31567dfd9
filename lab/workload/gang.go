// Package workload makes gangs the way their authors do, and reads back from the
// API server what became of them. Nothing in it asks Phalanx: what it reports is
// what kubectl would show.
package workload

import (
	"fmt"
	"maps"
	"strconv"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// What authors and the lab write on pods.
const (
	GangLabel          = "phalanx.dev/gang"
	SizeLabel          = "phalanx.dev/gang-size"
	RequiredAnnotation = "phalanx.dev/topology-required"
	// RunSeconds tells the lab's fake kubelets when a pod succeeds.
	RunSeconds = "lab.phalanx.dev/run-seconds"

	// Phalanx and Stock are values of spec.schedulerName.
	Phalanx = "phalanx"
	Stock   = "default-scheduler"

	gpuResource = "nvidia.com/gpu"
)

// Gang is a number of equal pods that want to run together.
type Gang struct {
	Namespace    string // "" = default
	Name         string
	Size         int
	GPUs         int // per pod; 0 = none
	Scheduler    string
	Required     string            // level that all pods share; "" = none
	NodeSelector map[string]string // of each pod
	Labels       map[string]string // of each pod: added, and winning
	Annotations  map[string]string // of each pod: added, and winning
	Suspended    bool              // Job only: created without pods
	// Job only: how many failed pods it survives; nil = the API's default.
	BackoffLimit *int32
	// Job only: evicted pods do not count as failed.
	IgnoreDisruption bool
	// Storage class of a volume of each pod's own, for its lifetime; "" = none.
	VolumeClass string
}

// Template is the pod that all members are copies of.
func (g Gang) Template() corev1.PodTemplateSpec {
	labels := map[string]string{GangLabel: g.Name, SizeLabel: strconv.Itoa(g.Size)}
	maps.Copy(labels, g.Labels)
	annotations := map[string]string{}
	if g.Required != "" {
		annotations[RequiredAnnotation] = g.Required
	}
	maps.Copy(annotations, g.Annotations)
	limits := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1")}
	if g.GPUs > 0 {
		limits[gpuResource] = *resource.NewQuantity(int64(g.GPUs), resource.DecimalSI)
	}
	grace := int64(0)
	template := corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: labels, Annotations: annotations},
		Spec: corev1.PodSpec{
			SchedulerName:                 g.Scheduler,
			RestartPolicy:                 corev1.RestartPolicyNever,
			NodeSelector:                  g.NodeSelector,
			TerminationGracePeriodSeconds: &grace,
			Containers: []corev1.Container{{
				Name: "main", Image: "train", Resources: corev1.ResourceRequirements{Limits: limits},
			}},
		},
	}
	if g.VolumeClass != "" {
		template.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{
			Ephemeral: &corev1.EphemeralVolumeSource{
				VolumeClaimTemplate: &corev1.PersistentVolumeClaimTemplate{Spec: claimSpec(g.VolumeClass)},
			}}}}
	}
	return template
}

// Pod returns the bare pod of one member.
func (g Gang) Pod(member int) *corev1.Pod {
	template := g.Template()
	pod := &corev1.Pod{ObjectMeta: template.ObjectMeta, Spec: template.Spec}
	pod.Namespace, pod.Name = g.namespace(), fmt.Sprintf("%s-%d", g.Name, member)
	return pod
}

// Job returns the Indexed Job of the whole gang.
func (g Gang) Job() *batchv1.Job {
	mode, size := batchv1.IndexedCompletion, int32(g.Size)
	job := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Namespace: g.namespace(), Name: g.Name},
		Spec: batchv1.JobSpec{
			CompletionMode: &mode, Completions: &size, Parallelism: &size, BackoffLimit: g.BackoffLimit,
			Suspend: &g.Suspended, Template: g.Template(),
		},
	}
	if g.IgnoreDisruption {
		job.Spec.PodFailurePolicy = &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{{
			Action: batchv1.PodFailurePolicyActionIgnore,
			OnPodConditions: []batchv1.PodFailurePolicyOnPodConditionsPattern{{
				Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue}},
		}}}
	}
	return job
}

func (g Gang) namespace() string {
	if g.Namespace == "" {
		return metav1.NamespaceDefault
	}
	return g.Namespace
}
