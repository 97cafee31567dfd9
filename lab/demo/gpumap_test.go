package demo

import (
	"bytes"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func node(name, leaf string, gpus int64) corev1.Node {
	return corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{leafLabel: leaf}},
		Status: corev1.NodeStatus{Allocatable: corev1.ResourceList{
			gpuResource: *resource.NewQuantity(gpus, resource.DecimalSI),
		}},
	}
}

func pod(gang, node string, gpus int64, phase corev1.PodPhase) corev1.Pod {
	return corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: gang},
		Status:     corev1.PodStatus{Phase: phase},
		Spec: corev1.PodSpec{NodeName: node, Containers: []corev1.Container{{
			Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{
				gpuResource: *resource.NewQuantity(gpus, resource.DecimalSI),
			}},
		}}},
	}
}

func TestMapShowsHostsInOrderOfLeafAndName(t *testing.T) {
	nodes := []corev1.Node{node("h3", "leaf-2", 8), node("h2", "leaf-1", 4), node("h1", "leaf-1", 4),
		node("plain", "", 0)}
	pods := []corev1.Pod{
		pod("a", "h1", 4, corev1.PodRunning),
		pod("b", "h3", 8, corev1.PodPending),
		pod("gone", "h2", 4, corev1.PodSucceeded),
		pod("waits", "", 4, corev1.PodPending),
	}
	rows := drawMap(nodes, pods, func(p *corev1.Pod) rune { return rune(p.Name[0]) })
	var got []string
	for _, r := range rows {
		var hosts []string
		for _, host := range r.hosts {
			hosts = append(hosts, string(host))
		}
		got = append(got, r.name+" "+strings.Join(hosts, " "))
	}
	if text := strings.Join(got, ", "); text != "leaf-1 a ., leaf-2 bb" {
		t.Errorf("the map is %q, expected leaf-1 a ., leaf-2 bb", text)
	}
	if free := rows[0].count(freeSlot); free != 1 {
		t.Errorf("%d free slots in leaf-1, expected 1", free)
	}
}

func TestScreenUsesNoColoursForAFile(t *testing.T) {
	var out bytes.Buffer
	s := newScreen(&out, false)
	s.title("T")
	s.checked("claim", nil)
	s.showMap([]row{{"leaf", [][]rune{{'A'}, {freeSlot}}}})
	if strings.Contains(out.String(), "\x1b") {
		t.Errorf("escape codes in %q", out.String())
	}
	for _, want := range []string{"== T", "ok claim", "A .", "1 free"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in %q", want, out.String())
		}
	}
}

func TestTableAlignsColumns(t *testing.T) {
	var out bytes.Buffer
	newScreen(&out, false).table([][]string{{"a", "b"}, {"long", "c"}})
	if got, want := out.String(), "   a      b\n   long   c\n"; got != want {
		t.Errorf("the table is %q, expected %q", got, want)
	}
}
