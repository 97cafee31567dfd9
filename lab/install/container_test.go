package install

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const rendered = `
# a comment only
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data:
  brain.yaml: |
    socket: /run/phalanx/private/phalanxd.sock
    note: "/var/run/phalanx/x stays, as does /run/phalanxes"
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: phalanx}
spec:
  selector: {}
  template:
    spec:
      containers:
      - name: brain
        command: [/usr/local/bin/phalanxd, first]
        args: [--config=/etc/phalanx/brain.yaml, --flag=/etc/phalanx]
        volumeMounts:
        - {name: socket, mountPath: /run/phalanx}
        - {name: config, mountPath: /etc/phalanx}
        - {name: token, mountPath: /var/run/secrets/kubernetes.io/serviceaccount}
      volumes:
      - {name: socket, emptyDir: {}}
      - {name: config, configMap: {name: settings}}
      - {name: token, projected: {sources: []}}
`

func manifests(t *testing.T, text string) *Manifests {
	t.Helper()
	objects, err := decode(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return &Manifests{Namespace: "ns", Objects: objects}
}

// chart returns the Deployment, the ConfigMap and a layout with an executable.
func chart(t *testing.T) (*appsv1.Deployment, *corev1.ConfigMap, *layout, string) {
	t.Helper()
	m := manifests(t, rendered)
	d, err := m.Deployment()
	if err != nil {
		t.Fatal(err)
	}
	config, err := m.ConfigMap()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	l, err := newLayout(filepath.Join(dir, "bin"), filepath.Join(dir, "state"), filepath.Join(dir, "$1"), d)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(l.bin, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(l.bin, "phalanxd"), nil, 0o700); err != nil {
		t.Fatal(err)
	}
	return d, config, l, dir
}

func TestProgramHasTheContainersArgumentsWithLocalPaths(t *testing.T) {
	d, _, l, dir := chart(t)
	p, err := l.programOf("phalanxd", d)
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "state", "config")
	got := strings.Join(p.args, " ")
	if want := "first --config=" + config + "/brain.yaml --flag=" + config; got != want {
		t.Errorf("arguments\n%s, expected\n%s", got, want)
	}
	if want := filepath.Join(dir, "bin", "phalanxd"); p.path != want {
		t.Errorf("path %s, expected %s", p.path, want)
	}
}

func TestConfigurationIsTheConfigMapsWithLocalPaths(t *testing.T) {
	d, config, l, dir := chart(t)
	if err := l.writeConfig(d, config); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "state", "config", "brain.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	want := "socket: " + filepath.Join(dir, "$1", "socket") + "/private/phalanxd.sock\n" +
		"note: \"/var/run/phalanx/x stays, as does /run/phalanxes\"\n"
	if string(text) != want {
		t.Errorf("brain.yaml is\n%s, expected\n%s", text, want)
	}
}

func TestMissingExecutableSaysHowToBuildIt(t *testing.T) {
	d, _, l, _ := chart(t)
	if err := os.Remove(filepath.Join(l.bin, "phalanxd")); err != nil {
		t.Fatal(err)
	}
	_, err := l.programOf("phalanxd", d)
	if err == nil || !strings.Contains(err.Error(), "scripts/build.sh") {
		t.Errorf("error %v, expected one that names scripts/build.sh", err)
	}
}

func TestUnknownContainerNamesThoseThatExist(t *testing.T) {
	d, _, l, _ := chart(t)
	_, err := l.programOf("phalanx-scheduler", d)
	if err == nil || !strings.Contains(err.Error(), "/usr/local/bin/phalanxd") {
		t.Errorf("error %v, expected one that names the pod's commands", err)
	}
}

func TestConfigMapThatNobodyMountsIsAnError(t *testing.T) {
	d, _, l, _ := chart(t)
	other := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "other"}}
	if err := l.writeConfig(d, other); err == nil || !strings.Contains(err.Error(), "other") {
		t.Errorf("error %v, expected one that names the ConfigMap", err)
	}
}

func TestDeploymentWithAnUnknownFieldIsRefused(t *testing.T) {
	m := manifests(t, strings.Replace(rendered, "selector: {}", "selektor: {}", 1))
	if _, err := m.Deployment(); err == nil || !strings.Contains(err.Error(), "selektor") {
		t.Errorf("error %v, expected one that names the field", err)
	}
}

func TestTwoDeploymentsAreRefused(t *testing.T) {
	m := manifests(t, rendered)
	m.Objects = append(m.Objects, m.Objects...)
	if _, err := m.Deployment(); err == nil || !strings.Contains(err.Error(), "more than one") {
		t.Errorf("error %v, expected one about more than one Deployment", err)
	}
}
