package install

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
)

const fieldManager = "phalanx-install"

// cluster is a lab's API server, seen by its administrator.
type cluster struct {
	client  kubernetes.Interface
	dynamic dynamic.Interface
}

func newCluster(config *rest.Config) (*cluster, error) {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	dyn, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	return &cluster{client, dyn}, nil
}

// createNamespace makes the namespace of the release, which holds its pods to
// Pod Security "restricted".
func (c *cluster) createNamespace(ctx context.Context, name string) error {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
		"pod-security.kubernetes.io/enforce": "restricted",
	}}}
	_, err := c.client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("create the namespace %s: %w", name, err)
	}
	return nil
}

// apply applies all objects but the Deployment, which the API server only checks:
// nothing could pull its images. With dryRun it checks all of them.
func (c *cluster) apply(ctx context.Context, m *Manifests, dryRun bool) error {
	groups, err := restmapper.GetAPIGroupResources(c.client.Discovery())
	if err != nil {
		return fmt.Errorf("discover the API: %w", err)
	}
	mapper := restmapper.NewDiscoveryRESTMapper(groups)
	for _, object := range m.Objects {
		gvk := object.GroupVersionKind()
		mapping, err := mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
		if err != nil {
			return fmt.Errorf("%s: %w", describe(object), err)
		}
		resource := dynamic.ResourceInterface(c.dynamic.Resource(mapping.Resource))
		if mapping.Scope.Name() == "namespace" {
			namespace := object.GetNamespace()
			if namespace == "" {
				namespace = m.Namespace
			}
			resource = c.dynamic.Resource(mapping.Resource).Namespace(namespace)
		}
		if err := applyOne(ctx, resource, object, dryRun || object.GetKind() == "Deployment"); err != nil {
			return fmt.Errorf("apply %s: %w", describe(object), err)
		}
	}
	return nil
}

func applyOne(ctx context.Context, resource dynamic.ResourceInterface,
	object *unstructured.Unstructured, dryRun bool) error {
	options := metav1.PatchOptions{FieldManager: fieldManager, FieldValidation: "Strict"}
	force := true
	options.Force = &force
	if dryRun {
		options.DryRun = []string{metav1.DryRunAll}
	}
	data, err := object.MarshalJSON()
	if err != nil {
		return err
	}
	_, err = resource.Patch(ctx, object.GetName(), "application/apply-patch+yaml", data, options)
	return err
}

func describe(object *unstructured.Unstructured) string {
	return object.GetKind() + " " + object.GetName()
}

// checkPod asks the API server whether it would admit a pod of the Deployment:
// Pod Security judges pods, not the templates that they are made of.
func (c *cluster) checkPod(ctx context.Context, namespace string, d *appsv1.Deployment) error {
	pod := &corev1.Pod{ObjectMeta: d.Spec.Template.ObjectMeta, Spec: d.Spec.Template.Spec}
	pod.Name = "check"
	_, err := c.client.CoreV1().Pods(namespace).Create(ctx, pod,
		metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}, FieldValidation: "Strict"})
	if err != nil {
		return fmt.Errorf("a pod of the Deployment %s would be refused: %w", d.Name, err)
	}
	return nil
}
