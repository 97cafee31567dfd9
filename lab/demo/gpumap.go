package demo

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

const (
	gpuResource  = "nvidia.com/gpu"
	cliqueLabel  = "nvidia.com/gpu.clique"
	leafLabel    = "fabric.topograph.run/tier-0"
	gpusPerSlot  = 4
	freeSlot     = '.'
	occupiedSlot = '#'
)

// row is one rack or leaf switch: for each host, in the order of their names, a
// mark for each slot of four GPUs.
type row struct {
	name  string
	hosts [][]rune
}

// drawMap returns a row for each leaf. A pod is drawn by mark, which returns 0 for
// a pod that doesn't count; whole slots only, as all pods of the demo are.
func drawMap(nodes []corev1.Node, pods []corev1.Pod, mark func(*corev1.Pod) rune) []row {
	taken := map[string][]rune{}
	for i := range pods {
		pod := &pods[i]
		if pod.Spec.NodeName == "" || ended(pod) {
			continue
		}
		for range gpusOf(pod) / gpusPerSlot {
			if m := mark(pod); m != 0 {
				taken[pod.Spec.NodeName] = append(taken[pod.Spec.NodeName], m)
			}
		}
	}
	var rows []row
	for _, node := range sortedByLeaf(nodes) {
		leaf := node.Labels[leafLabel]
		if len(rows) == 0 || rows[len(rows)-1].name != leaf {
			rows = append(rows, row{name: leaf})
		}
		r := &rows[len(rows)-1]
		slots := int(node.Status.Allocatable.Name(gpuResource, "").Value()) / gpusPerSlot
		marks := slices.Repeat([]rune{freeSlot}, slots)
		copy(marks, taken[node.Name])
		r.hosts = append(r.hosts, marks)
	}
	return rows
}

func sortedByLeaf(nodes []corev1.Node) []corev1.Node {
	sorted := slices.Clone(nodes)
	slices.SortFunc(sorted, func(a, b corev1.Node) int {
		if byLeaf := strings.Compare(a.Labels[leafLabel], b.Labels[leafLabel]); byLeaf != 0 {
			return byLeaf
		}
		return strings.Compare(a.Name, b.Name)
	})
	return slices.DeleteFunc(sorted, func(n corev1.Node) bool { return n.Labels[leafLabel] == "" })
}

func ended(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

func gpusOf(pod *corev1.Pod) int {
	total := int64(0)
	for _, c := range pod.Spec.Containers {
		total += c.Resources.Limits.Name(gpuResource, "").Value()
	}
	return int(total)
}

func (r row) count(mark rune) int {
	n := 0
	for _, m := range slices.Concat(r.hosts...) {
		if m == mark {
			n++
		}
	}
	return n
}

// showMap prints the rows with the number of free slots.
func (s *screen) showMap(rows []row) {
	for _, r := range rows {
		var marks strings.Builder
		for _, host := range r.hosts {
			for _, m := range host {
				marks.WriteString(s.paint(colourOf(m), string(m)))
			}
			marks.WriteByte(' ')
		}
		s.say("%-13s %s %s", r.name, marks.String(), s.paint(dim, fmt.Sprintf("%d free", r.count(freeSlot))))
	}
	s.say("%s", s.paint(dim, "one mark = 4 GPUs of one host: . free, # other teams' pods, letters: our gangs"))
}

func colourOf(mark rune) string {
	switch mark {
	case freeSlot:
		return dim
	case occupiedSlot:
		return yellow
	case 'B', 'D':
		return blue
	}
	return green
}
