// Package world turns a small YAML file into the Node objects of a make-believe
// GPU cluster. The labels are those that NVIDIA GPU Feature Discovery, Topograph
// and the cloud provider write on real nodes, so that a scheduler can't tell the
// difference.
//
// The file:
//
//	name: demo                  # seeds the NVLink domain ids; default "lab"
//	zone: lab-a                 # topology.kubernetes.io/zone; default "lab-a"
//	groups:
//	  - kind: nvl72            # GB200 racks; all hosts of a rack share NVLink
//	    prefix: nvl            # hosts are nvl-01-h01 ...; default: the kind
//	    racks: 2               # required
//	    hostsPerRack: 18       # default
//	    partitions: 1          # NVLink partitions per rack, of equal size
//	    racksPerSpine: 8       # default; each rack is one leaf
//	  - kind: hgx              # 8-GPU hosts under leaf and spine switches
//	    prefix: hgx            # hosts are hgx-01 ...
//	    hosts: 16              # required
//	    hostsPerLeaf: 8        # default
//	    leafsPerSpine: 4       # default
//	  - kind: cpu              # hosts without accelerators and fabric labels
//	    hosts: 2               # required
//
// Every group also takes zone, devicesPerHost (4 for nvl72, 8 for hgx), product
// (a nvidia.com/gpu.product value of the table in devices.go, default
// NVIDIA-GB200 or NVIDIA-H100-80GB-HBM3), cpu, memory, pods (quantities of one
// host), labels, annotations (added, and winning over the generated ones),
// taints (KEY[=VALUE]:EFFECT) and cordoned (true: unschedulable).
package world

import (
	"fmt"
	"os"

	"sigs.k8s.io/yaml"
)

// Kind is a kind of host.
type Kind string

// The kinds of host.
const (
	NVL72 Kind = "nvl72"
	HGX   Kind = "hgx"
	CPU   Kind = "cpu"
)

// World is a cluster of hosts. A value from Load or Parse is valid and has all
// its defaults filled in.
type World struct {
	Name   string  `json:"name"`
	Zone   string  `json:"zone"`
	Groups []Group `json:"groups"`
}

// Group is a number of equal hosts.
type Group struct {
	Kind           Kind              `json:"kind"`
	Prefix         string            `json:"prefix"`
	Zone           string            `json:"zone"`
	Racks          int               `json:"racks"`
	HostsPerRack   int               `json:"hostsPerRack"`
	Partitions     int               `json:"partitions"`
	RacksPerSpine  int               `json:"racksPerSpine"`
	Hosts          int               `json:"hosts"`
	HostsPerLeaf   int               `json:"hostsPerLeaf"`
	LeafsPerSpine  int               `json:"leafsPerSpine"`
	DevicesPerHost int               `json:"devicesPerHost"`
	Product        string            `json:"product"`
	CPU            string            `json:"cpu"`
	Memory         string            `json:"memory"`
	Pods           int               `json:"pods"`
	Labels         map[string]string `json:"labels"`
	Annotations    map[string]string `json:"annotations"`
	Taints         []string          `json:"taints"`
	Cordoned       bool              `json:"cordoned"`
}

// Load reads a world from a file. Errors name the file, the field, the value
// and what was expected.
func Load(path string) (*World, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("world: %w", err)
	}
	return Parse(path, data)
}

// Parse reads a world from YAML; name is what errors call it.
func Parse(name string, data []byte) (*World, error) {
	w := &World{}
	if err := yaml.UnmarshalStrict(data, w); err != nil {
		return nil, fmt.Errorf("world %s: %w", name, err)
	}
	if err := refuseZeros(data); err != nil {
		return nil, fmt.Errorf("world %s: %w", name, err)
	}
	w.fillDefaults()
	if err := w.validate(); err != nil {
		return nil, fmt.Errorf("world %s: %w", name, err)
	}
	return w, nil
}

func (w *World) fillDefaults() {
	setDefault(&w.Name, "lab")
	setDefault(&w.Zone, "lab-a")
	for i := range w.Groups {
		g := &w.Groups[i]
		setDefault(&g.Prefix, string(g.Kind))
		setDefault(&g.Zone, w.Zone)
		switch g.Kind {
		case NVL72:
			g.defaultNVL72()
		case HGX:
			g.defaultHGX()
		case CPU:
			g.defaultCPU()
		}
	}
}

func (g *Group) defaultNVL72() {
	setDefault(&g.HostsPerRack, 18)
	setDefault(&g.Partitions, 1)
	setDefault(&g.RacksPerSpine, 8)
	setDefault(&g.DevicesPerHost, 4)
	setDefault(&g.Product, "NVIDIA-GB200")
	g.defaultHost("144", "960Gi")
}

func (g *Group) defaultHGX() {
	setDefault(&g.HostsPerLeaf, 8)
	setDefault(&g.LeafsPerSpine, 4)
	setDefault(&g.DevicesPerHost, 8)
	setDefault(&g.Product, "NVIDIA-H100-80GB-HBM3")
	g.defaultHost("224", "2Ti")
}

func (g *Group) defaultCPU() { g.defaultHost("64", "256Gi") }

func (g *Group) defaultHost(cpu, memory string) {
	setDefault(&g.CPU, cpu)
	setDefault(&g.Memory, memory)
	setDefault(&g.Pods, 250)
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// HostCount returns the number of hosts of the group.
func (g *Group) HostCount() int {
	if g.Kind == NVL72 {
		return g.Racks * g.HostsPerRack
	}
	return g.Hosts
}
