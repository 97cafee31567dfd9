package main

import (
	"fmt"
	"path/filepath"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"

	pb "phalanx.dev/adapter/internal/gen/phalanx/v1alpha1"
	"phalanx.dev/lab/world"
)

const (
	ourScheduler = "phalanx"
	gpu          = "nvidia.com/gpu"
	gangLabel    = "phalanx.dev/gang"
	sizeLabel    = "phalanx.dev/gang-size"
	requiredKey  = "phalanx.dev/topology-required"
	perFrame     = 1000 // objects in a message: well below the largest frame
)

// tinyWorld has the shape of hgx-5000.yaml.
const tinyWorld = `
name: hgx-tiny
groups:
  - {kind: hgx, prefix: hgx, hosts: 64, hostsPerLeaf: 32, leafsPerSpine: 8}
`

func loadWorld(s *setting) (*world.World, error) {
	if s.tiny {
		return world.Parse("tiny", []byte(tinyWorld))
	}
	return world.Load(filepath.Join(s.root, "lab", "worlds", "hgx-5000.yaml"))
}

// wireNodes are the nodes of a world as an adapter sends them.
func wireNodes(w *world.World) []*pb.Node {
	var nodes []*pb.Node
	for _, node := range w.Nodes(time.Now()) {
		allocatable := map[string]int64{}
		for name, quantity := range node.Status.Allocatable {
			allocatable[string(name)] = quantity.Value()
		}
		allocatable["cpu"] = node.Status.Allocatable.Cpu().MilliValue()
		nodes = append(nodes, &pb.Node{Name: node.Name, Uid: "uid-" + node.Name, Labels: node.Labels, Ready: true,
			Allocatable: allocatable})
	}
	return nodes
}

// gangShape is what the members of a synthetic gang ask for.
type gangShape struct {
	size, gpus int
	required   string // level; empty: none
}

func (g gangShape) pods(name string) []*pb.Pod {
	var pods []*pb.Pod
	for i := range g.size {
		pod := &pb.Pod{
			Uid: fmt.Sprintf("uid-%s-%d", name, i), Namespace: "bench", Name: fmt.Sprintf("%s-%d", name, i),
			Labels:        map[string]string{gangLabel: name, sizeLabel: strconv.Itoa(g.size)},
			SchedulerName: ourScheduler, Phase: pb.Pod_PHASE_PENDING, CreatedMs: time.Now().UnixMilli(),
			Requests: map[string]int64{"cpu": 1000, gpu: int64(g.gpus), string(corev1.ResourcePods): 1},
		}
		if g.required != "" {
			pod.Annotations = map[string]string{requiredKey: g.required}
		}
		pods = append(pods, pod)
	}
	return pods
}

// tooBig is the i-th of the gangs that wait: it requires one leaf switch for more whole hosts than
// the 32 that any has. 21 sizes, 50 on average, so that one refusal does not stand for all of them.
func tooBig(i int) gangShape { return gangShape{size: 40 + i%21, gpus: 8, required: "leaf"} }

// frames puts objects into messages.
func frames(nodes []*pb.Node, pods []*pb.Pod) []*pb.SyncRequest {
	var out []*pb.SyncRequest
	add := func(c *pb.Changes) {
		out = append(out, &pb.SyncRequest{Message: &pb.SyncRequest_Changes{Changes: c}})
	}
	for len(nodes) > 0 {
		n := min(perFrame, len(nodes))
		add(&pb.Changes{Nodes: nodes[:n]})
		nodes = nodes[n:]
	}
	for len(pods) > 0 {
		n := min(perFrame, len(pods))
		add(&pb.Changes{Pods: pods[:n]})
		pods = pods[n:]
	}
	return out
}

// removal tells that pods are gone.
func removal(pods []*pb.Pod) *pb.SyncRequest {
	c := &pb.Changes{}
	for _, pod := range pods {
		c.RemovedPodUids = append(c.RemovedPodUids, pod.Uid)
	}
	return &pb.SyncRequest{Message: &pb.SyncRequest_Changes{Changes: c}}
}
