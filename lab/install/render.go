// Package install puts Phalanx into a lab the way its Helm chart puts it into a
// cluster. No images run in a lab, so all objects of the chart but the Deployment
// are applied, and the two containers of the Deployment run as processes: with
// the arguments and the configuration files that the chart renders, and with the
// rights of the chart's service account, by a token of that account.
package install

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// kubeVersion is the lab's: helm template asks no cluster.
const kubeVersion = "1.37.2"

// Chart says what to render and how.
type Chart struct {
	Helm      string   // the program
	Dir       string   // the chart's folder
	Release   string   // name of the release
	Namespace string   // of the release
	Set       []string // values as KEY=VALUE
	File      string   // of values that come before Set; "" = none
}

// Manifests are the objects that a chart renders.
type Manifests struct {
	Namespace string
	Objects   []*unstructured.Unstructured
}

// Render runs `helm template`. The error of a refused value is helm's own text.
func (c Chart) Render(ctx context.Context) (*Manifests, error) {
	args := []string{"template", c.Release, c.Dir, "--namespace", c.Namespace, "--kube-version", kubeVersion}
	if c.File != "" {
		args = append(args, "--values", c.File)
	}
	for _, value := range c.Set {
		args = append(args, "--set", value)
	}
	cmd := exec.CommandContext(ctx, c.Helm, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s", c.Helm, strings.Join(args, " "), err, stderr.String())
	}
	objects, err := decode(&stdout)
	if err != nil {
		return nil, fmt.Errorf("what %s renders: %w", c.Dir, err)
	}
	return &Manifests{c.Namespace, objects}, nil
}

func decode(r io.Reader) ([]*unstructured.Unstructured, error) {
	var objects []*unstructured.Unstructured
	decoder := yaml.NewYAMLOrJSONDecoder(r, 4096)
	for {
		object := &unstructured.Unstructured{}
		err := decoder.Decode(&object.Object)
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, fmt.Errorf("object %d: %w", len(objects)+1, err)
		}
		if len(object.Object) > 0 { // a template that renders comments only
			objects = append(objects, object)
		}
	}
}

// find converts the only object of a kind into its type.
func find[T any](m *Manifests, kind string) (*T, error) {
	var found *T
	for _, object := range m.Objects {
		if object.GetKind() != kind {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("the chart renders more than one %s", kind)
		}
		found = new(T)
		err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(object.Object,
			found, true)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", kind, object.GetName(), err)
		}
	}
	if found == nil {
		return nil, fmt.Errorf("the chart renders no %s", kind)
	}
	return found, nil
}

// Deployment returns the chart's Deployment; unknown fields are an error.
func (m *Manifests) Deployment() (*appsv1.Deployment, error) {
	return find[appsv1.Deployment](m, "Deployment")
}

// ConfigMap returns the chart's ConfigMap.
func (m *Manifests) ConfigMap() (*corev1.ConfigMap, error) {
	return find[corev1.ConfigMap](m, "ConfigMap")
}
