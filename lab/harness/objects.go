package harness

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"strconv"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"
)

// Job is an Indexed Job of equal pods on fake nodes.
type Job struct {
	Namespace   string // "" = default
	Name        string
	Scheduler   string // schedulerName; "" = default-scheduler
	Gang        bool   // label the pods as one gang of Pods members, named like the job
	Pods        int
	GPUs        int // of each pod
	RunSeconds  int // 0 = until deleted
	Priority    string
	Labels      map[string]string // of the pods
	Annotations map[string]string // of the pods
}

// Object returns the Kubernetes object.
func (j Job) Object() *batchv1.Job {
	pods, indexed := int32(j.Pods), batchv1.IndexedCompletion
	labels, annotations := map[string]string{}, map[string]string{}
	if j.Gang {
		labels["phalanx.dev/gang"] = j.Name
		labels["phalanx.dev/gang-size"] = strconv.Itoa(j.Pods)
	}
	if j.RunSeconds > 0 {
		annotations["lab.phalanx.dev/run-seconds"] = strconv.Itoa(j.RunSeconds)
	}
	maps.Copy(labels, j.Labels)
	maps.Copy(annotations, j.Annotations)
	return &batchv1.Job{
		TypeMeta:   metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"},
		ObjectMeta: metav1.ObjectMeta{Namespace: j.namespace(), Name: j.Name},
		Spec: batchv1.JobSpec{
			Parallelism: &pods, Completions: &pods, CompletionMode: &indexed,
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels, Annotations: annotations},
				Spec:       j.podSpec(),
			},
		},
	}
}

func (j Job) podSpec() corev1.PodSpec {
	limits := corev1.ResourceList{}
	if j.GPUs > 0 {
		limits["nvidia.com/gpu"] = *resource.NewQuantity(int64(j.GPUs), resource.DecimalSI)
	}
	return corev1.PodSpec{
		SchedulerName: j.Scheduler, RestartPolicy: corev1.RestartPolicyNever,
		PriorityClassName: j.Priority,
		Containers: []corev1.Container{{Name: "main", Image: "none",
			Resources: corev1.ResourceRequirements{Limits: limits}}},
	}
}

func (j Job) namespace() string {
	if j.Namespace == "" {
		return metav1.NamespaceDefault
	}
	return j.Namespace
}

// Selection returns which pods are the job's.
func (j Job) Selection() Selection { return JobPods(j.namespace(), j.Name) }

// CreateJob creates the job.
func (l *Lab) CreateJob(ctx context.Context, j Job) error {
	_, err := l.client.BatchV1().Jobs(j.namespace()).Create(ctx, j.Object(), metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("create job %s: %w", j.Name, err)
	}
	return nil
}

// DeleteJob deletes a job and, in the background, its pods.
func (l *Lab) DeleteJob(ctx context.Context, j Job) error {
	background := metav1.DeletePropagationBackground
	return l.client.BatchV1().Jobs(j.namespace()).Delete(ctx, j.Name,
		metav1.DeleteOptions{PropagationPolicy: &background})
}

// Apply applies the objects of a YAML text (several documents are allowed) on
// the server's side, as the administrator. Objects without a namespace that
// need one go to default.
func (l *Lab) Apply(ctx context.Context, manifests string) error {
	return l.eachObject(manifests, func(target dynamic.ResourceInterface, object *unstructured.Unstructured) error {
		_, err := target.Apply(ctx, object.GetName(), object,
			metav1.ApplyOptions{FieldManager: "phalanx-lab", Force: true})
		return err
	})
}

// Remove deletes the objects of a YAML text, as far as they are there.
func (l *Lab) Remove(ctx context.Context, manifests string) error {
	return l.eachObject(manifests, func(target dynamic.ResourceInterface, object *unstructured.Unstructured) error {
		err := target.Delete(ctx, object.GetName(), metav1.DeleteOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return err
	})
}

func (l *Lab) eachObject(manifests string, do func(dynamic.ResourceInterface, *unstructured.Unstructured) error) error {
	objects, err := decode(manifests)
	if err != nil {
		return err
	}
	client, err := dynamic.NewForConfig(l.Config())
	if err != nil {
		return err
	}
	cached := memory.NewMemCacheClient(l.client.Discovery())
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(cached)
	for _, object := range objects {
		kind := object.GroupVersionKind()
		mapping, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
		if err != nil {
			return fmt.Errorf("%s %s: %w", kind.Kind, object.GetName(), err)
		}
		if err := do(target(client, mapping, object), object); err != nil {
			return fmt.Errorf("%s %s: %w", kind.Kind, object.GetName(), err)
		}
	}
	return nil
}

func target(client dynamic.Interface, mapping *meta.RESTMapping,
	object *unstructured.Unstructured) dynamic.ResourceInterface {
	if mapping.Scope.Name() != meta.RESTScopeNameNamespace {
		return client.Resource(mapping.Resource)
	}
	namespace := object.GetNamespace()
	if namespace == "" {
		namespace = metav1.NamespaceDefault
	}
	return client.Resource(mapping.Resource).Namespace(namespace)
}

func decode(manifests string) ([]*unstructured.Unstructured, error) {
	var objects []*unstructured.Unstructured
	decoder := yaml.NewYAMLOrJSONDecoder(strings.NewReader(manifests), 4096)
	for {
		object := &unstructured.Unstructured{}
		err := decoder.Decode(object)
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, fmt.Errorf("manifest %d: %w", len(objects)+1, err)
		}
		if len(object.Object) > 0 {
			objects = append(objects, object)
		}
	}
}
