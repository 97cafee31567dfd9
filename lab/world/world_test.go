package world

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

func mustParse(t *testing.T, yaml string) *World {
	t.Helper()
	w, err := Parse("test.yaml", []byte(yaml))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// counts returns how many nodes have each value of a label; "" is its absence.
func counts(nodes []*corev1.Node, label string) map[string]int {
	result := map[string]int{}
	for _, node := range nodes {
		result[node.Labels[label]]++
	}
	return result
}

func TestRacksShareOneNVLinkDomainEach(t *testing.T) {
	nodes := mustParse(t, "groups: [{kind: nvl72, prefix: nvl, racks: 2}]").Nodes(time.Now())
	if len(nodes) != 36 || nodes[0].Name != "nvl-01-h01" || nodes[35].Name != "nvl-02-h18" {
		t.Fatalf("got %d nodes from %s to %s", len(nodes), nodes[0].Name, nodes[len(nodes)-1].Name)
	}
	cliques := counts(nodes, "nvidia.com/gpu.clique")
	if len(cliques) != 2 {
		t.Fatalf("cliques: got %v, want two", cliques)
	}
	for clique, hosts := range cliques {
		if hosts != 18 || len(clique) != len("00000000-0000-0000-0000-000000000000.1") ||
			!strings.HasSuffix(clique, ".1") {
			t.Errorf("clique %q has %d hosts", clique, hosts)
		}
	}
	gpus := nodes[0].Status.Allocatable[GPUResource]
	if gpus.Value() != 4 || nodes[0].Labels["nvidia.com/gpu.product"] != "NVIDIA-GB200" {
		t.Errorf("host has %s GPUs, labels %v", gpus.String(), nodes[0].Labels)
	}
}

func TestPartitionsKeepTheRackBeforeTheDot(t *testing.T) {
	nodes := mustParse(t, "groups: [{kind: nvl72, racks: 1, partitions: 2}]").Nodes(time.Now())
	first, last := nodes[8].Labels["nvidia.com/gpu.clique"], nodes[9].Labels["nvidia.com/gpu.clique"]
	rack, _, _ := strings.Cut(first, ".")
	if first != rack+".1" || last != rack+".2" {
		t.Errorf("hosts 9 and 10 are in %s and %s", first, last)
	}
}

func TestHostsStandUnderLeafAndSpineSwitches(t *testing.T) {
	nodes := mustParse(t, `groups: [{kind: hgx, prefix: h, hosts: 10, hostsPerLeaf: 2,
  leafsPerSpine: 2}]`).Nodes(time.Now())
	wantLeafs := map[string]int{"h-leaf-01": 2, "h-leaf-02": 2, "h-leaf-03": 2, "h-leaf-04": 2,
		"h-leaf-05": 2}
	wantSpines := map[string]int{"h-spine-01": 4, "h-spine-02": 4, "h-spine-03": 2}
	if got := counts(nodes, "fabric.topograph.run/tier-0"); !maps.Equal(got, wantLeafs) {
		t.Errorf("leafs: got %v, want %v", got, wantLeafs)
	}
	if got := counts(nodes, "fabric.topograph.run/tier-1"); !maps.Equal(got, wantSpines) {
		t.Errorf("spines: got %v, want %v", got, wantSpines)
	}
	if got := counts(nodes, "nvidia.com/gpu.clique"); got[""] != 10 {
		t.Errorf("HGX hosts carry cliques: %v", got)
	}
}

func TestGroupSettingsReachTheNode(t *testing.T) {
	node := mustParse(t, `{zone: z1, groups: [{kind: cpu, hosts: 1, cpu: "8", memory: 1Gi, pods: 5,
  labels: {team: blue, kubernetes.io/arch: riscv64}, taints: ["a/b=c:NoExecute"], cordoned: true,
  annotations: {note: hello}}]}`).Nodes(time.Now())[0]
	if node.Labels["team"] != "blue" || node.Labels["kubernetes.io/arch"] != "riscv64" ||
		node.Labels["topology.kubernetes.io/zone"] != "z1" || node.Annotations["note"] != "hello" {
		t.Errorf("metadata: %v", node.ObjectMeta)
	}
	want := corev1.Taint{Key: "a/b", Value: "c", Effect: corev1.TaintEffectNoExecute}
	if len(node.Spec.Taints) != 1 || node.Spec.Taints[0] != want || !node.Spec.Unschedulable {
		t.Errorf("spec: %+v", node.Spec)
	}
	cpu, pods := node.Status.Allocatable["cpu"], node.Status.Allocatable["pods"]
	if _, gpus := node.Status.Allocatable[GPUResource]; gpus || cpu.Value() != 8 || pods.Value() != 5 {
		t.Errorf("allocatable: %v", node.Status.Allocatable)
	}
}

func TestTheSameFileGivesTheSameNodes(t *testing.T) {
	yaml, now := "groups: [{kind: nvl72, racks: 3}]", time.Unix(1, 0)
	first, second := mustParse(t, yaml).Nodes(now), mustParse(t, yaml).Nodes(now)
	for i := range first {
		if !maps.Equal(first[i].Labels, second[i].Labels) {
			t.Fatalf("%s: %v, then %v", first[i].Name, first[i].Labels, second[i].Labels)
		}
	}
	other := mustParse(t, "name: other\n"+yaml).Nodes(now)
	if other[0].Labels["nvidia.com/gpu.clique"] == first[0].Labels["nvidia.com/gpu.clique"] {
		t.Error("two worlds share an NVLink domain")
	}
}

func TestErrorsNameFileFieldValueAndWhatWasExpected(t *testing.T) {
	for yaml, want := range map[string]string{
		"{}":                                                     `groups: got 0, want at least one`,
		"groups: [{kind: dgx, hosts: 1}]":                        `groups[0].kind: got "dgx", want nvl72, hgx or cpu`,
		"groups: [{kind: nvl72}]":                                `groups[0].racks: got 0, want a whole number from 1`,
		"groups: [{kind: nvl72, racks: -1}]":                     `groups[0].racks: got -1, want a whole number`,
		"groups: [{kind: hgx, hosts: 0}]":                        `groups[0].hosts: got 0, want a positive number`,
		"groups: [{kind: hgx, hosts: 1000000}]":                  `groups[0].hosts: got 1000000, want`,
		"groups: [{kind: hgx, hosts: 1, racks: 1}]":              `groups[0].racks: got 1, want nothing`,
		"groups: [{kind: hgx, hosts: 2, devicesPerHost: 0}]":     `groups[0].devicesPerHost: got 0, want`,
		"groups: [{kind: hgx, hosts: two}]":                      `groups.hosts`,
		"groups: [{kind: hgx, hosts: 1, hots: 2}]":               `unknown field "hots"`,
		"groups: [{kind: hgx, hosts: 1, product: RTX}]":          `groups[0].product: got "RTX", want one of NVIDIA-A100`,
		"groups: [{kind: nvl72, racks: 1, partitions: 4}]":       `groups[0].partitions: got 4, want a divisor of`,
		"groups: [{kind: cpu, hosts: 1, memory: lots}]":          `groups[0].memory: got "lots", want a positive quantity`,
		"groups: [{kind: cpu, hosts: 1, cpu: '-1'}]":             `groups[0].cpu: got "-1", want a positive quantity`,
		"groups: [{kind: cpu, hosts: 1, taints: [gpu]}]":         `groups[0].taints[0]: got "gpu", want KEY[=VALUE]:EFFECT`,
		"groups: [{kind: cpu, hosts: 1, labels: {'a b': c}}]":    `groups[0].labels[a b]: got "a b", want a label key`,
		"groups: [{kind: cpu, hosts: 1, prefix: Up}]":            `groups[0].prefix: got "Up", want`,
		"groups: [{kind: cpu, hosts: 1}, {kind: cpu, hosts: 1}]": `groups[1].prefix: got "cpu", want a prefix that groups[0] does not use`,
	} {
		_, err := Parse("w.yaml", []byte(yaml))
		if err == nil || !strings.HasPrefix(err.Error(), "world w.yaml: ") ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s\n got: %v\nwant: ...%s...", yaml, err, want)
		}
	}
}

func TestLoadSaysWhichFileIsMissing(t *testing.T) {
	if _, err := Load("no/such.yaml"); err == nil || !strings.Contains(err.Error(), "no/such.yaml") {
		t.Errorf("got %v", err)
	}
}

func TestExampleWorlds(t *testing.T) {
	for file, want := range map[string]struct{ hosts, gpus int }{
		"demo.yaml":     {52, 272},
		"hgx-5000.yaml": {5000, 40000},
	} {
		w, err := Load(filepath.Join("..", "worlds", file))
		if err != nil {
			t.Error(err)
			continue
		}
		gpus := 0
		for _, node := range w.Nodes(time.Now()) {
			gpus += int(node.Status.Allocatable.Name(GPUResource, "").Value())
		}
		if hosts := len(w.Nodes(time.Now())); hosts != want.hosts || gpus != want.gpus {
			t.Errorf("%s: %d hosts, %d GPUs, want %+v", file, hosts, gpus, want)
		}
	}
	files, err := os.ReadDir("../worlds")
	if err != nil || len(files) != 2 {
		t.Errorf("a world in lab/worlds is missing above: %v, %v", files, err)
	}
}
