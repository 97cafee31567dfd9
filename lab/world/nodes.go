package world

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	leafLabel  = "fabric.topograph.run/tier-0" // closest switch
	spineLabel = "fabric.topograph.run/tier-1"
	gpuLabel   = "nvidia.com/gpu."
	// GPUResource is the extended resource of the devices.
	GPUResource = corev1.ResourceName("nvidia.com/gpu")

	kubeletVersion = "v1.37.2"
)

// Nodes returns the Node objects of the world, in the order of the file. Each
// has a complete status and is Ready at now: an API server stores the status of
// a node that is created with one, as it does for a kubelet.
func (w *World) Nodes(now time.Time) []*corev1.Node {
	var nodes []*corev1.Node
	for i := range w.Groups {
		g := &w.Groups[i]
		for host := range g.HostCount() {
			nodes = append(nodes, w.node(g, host, metav1.NewTime(now)))
		}
	}
	return nodes
}

func (w *World) node(g *Group, host int, now metav1.Time) *corev1.Node {
	name, labels := g.Prefix+"-"+number(host, g.Hosts), map[string]string{}
	switch g.Kind {
	case NVL72:
		rack, inRack := host/g.HostsPerRack, host%g.HostsPerRack
		name = fmt.Sprintf("%s-%s-h%s", g.Prefix, number(rack, g.Racks), number(inRack, g.HostsPerRack))
		w.addRackLabels(labels, g, rack, inRack)
	case HGX:
		g.addSwitchLabels(labels, host)
	}
	labels[corev1.LabelHostname] = name
	labels[corev1.LabelTopologyZone] = g.Zone
	labels[corev1.LabelArchStable] = g.arch()
	labels[corev1.LabelOSStable] = "linux"
	maps.Copy(labels, g.Labels)
	return &corev1.Node{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Node"},
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels, Annotations: maps.Clone(g.Annotations)},
		Spec:       corev1.NodeSpec{Taints: g.taints(), Unschedulable: g.Cordoned},
		Status:     g.status(name, now),
	}
}

// number counts from one, with zeros in front so that names sort.
func number(index, count int) string {
	width := max(2, len(strconv.Itoa(count)))
	return fmt.Sprintf("%0*d", width, index+1)
}

func (w *World) addRackLabels(labels map[string]string, g *Group, rack, inRack int) {
	spine, spines := rack/g.RacksPerSpine, (g.Racks-1)/g.RacksPerSpine+1
	labels[leafLabel] = g.Prefix + "-leaf-" + number(rack, g.Racks)
	labels[spineLabel] = g.Prefix + "-spine-" + number(spine, spines)
	partition := inRack / (g.HostsPerRack / g.Partitions)
	labels[gpuLabel+"clique"] = fmt.Sprintf("%s.%d", w.domainID(g, rack), partition+1)
	g.addDeviceLabels(labels)
}

func (g *Group) addSwitchLabels(labels map[string]string, host int) {
	leaf, leafs := host/g.HostsPerLeaf, (g.Hosts-1)/g.HostsPerLeaf+1
	spine, spines := leaf/g.LeafsPerSpine, (leafs-1)/g.LeafsPerSpine+1
	labels[leafLabel] = g.Prefix + "-leaf-" + number(leaf, leafs)
	labels[spineLabel] = g.Prefix + "-spine-" + number(spine, spines)
	g.addDeviceLabels(labels)
}

// domainID is the NVLink domain's cluster UUID: the same in every run, other in
// every world, group and rack.
func (w *World) domainID(g *Group, rack int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s/%s/%d", w.Name, g.Prefix, rack))
	sum[6] = sum[6]&0x0f | 0x80 // version 8: made by the application
	sum[8] = sum[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[0:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

func (g *Group) addDeviceLabels(labels map[string]string) {
	d := devices[g.Product]
	labels[gpuLabel+"present"] = "true"
	labels[gpuLabel+"product"] = g.Product
	labels[gpuLabel+"count"] = strconv.Itoa(g.DevicesPerHost)
	labels[gpuLabel+"memory"] = d.memoryMiB
	labels[gpuLabel+"family"] = d.family
	labels[gpuLabel+"compute.major"] = d.major
	labels[gpuLabel+"compute.minor"] = d.minor
	labels[gpuLabel+"replicas"] = "1"
	labels[gpuLabel+"sharing-strategy"] = "none"
	labels["nvidia.com/mig.capable"] = "true"
}

// arch is arm64 for the hosts whose processors are Grace.
func (g *Group) arch() string {
	if g.Kind == NVL72 {
		return "arm64"
	}
	return "amd64"
}

func (g *Group) taints() []corev1.Taint {
	var taints []corev1.Taint
	for _, text := range g.Taints {
		taint, err := parseTaint(text)
		if err != nil {
			panic("taint " + text + " of a validated world: " + err.Error())
		}
		taints = append(taints, taint)
	}
	return taints
}

func (g *Group) status(name string, now metav1.Time) corev1.NodeStatus {
	resources := corev1.ResourceList{
		corev1.ResourceCPU:              resource.MustParse(g.CPU),
		corev1.ResourceMemory:           resource.MustParse(g.Memory),
		corev1.ResourceEphemeralStorage: resource.MustParse("1Ti"),
		corev1.ResourcePods:             *resource.NewQuantity(int64(g.Pods), resource.DecimalSI),
	}
	if g.DevicesPerHost > 0 {
		resources[GPUResource] = *resource.NewQuantity(int64(g.DevicesPerHost), resource.DecimalSI)
	}
	return corev1.NodeStatus{
		Phase:       corev1.NodeRunning, // what the fake kubelet's stages look for
		Capacity:    resources,
		Allocatable: resources.DeepCopy(),
		Conditions:  conditions(now),
		Addresses:   []corev1.NodeAddress{{Type: corev1.NodeHostName, Address: name}},
		NodeInfo: corev1.NodeSystemInfo{
			Architecture: g.arch(), OperatingSystem: "linux", KubeletVersion: kubeletVersion,
			ContainerRuntimeVersion: "fake://lab", OSImage: "Phalanx lab",
		},
	}
}

func conditions(now metav1.Time) []corev1.NodeCondition {
	condition := func(kind corev1.NodeConditionType, status corev1.ConditionStatus,
		reason string) corev1.NodeCondition {
		return corev1.NodeCondition{Type: kind, Status: status, Reason: reason,
			LastHeartbeatTime: now, LastTransitionTime: now}
	}
	return []corev1.NodeCondition{
		condition(corev1.NodeReady, corev1.ConditionTrue, "KubeletReady"),
		condition(corev1.NodeMemoryPressure, corev1.ConditionFalse, "KubeletHasSufficientMemory"),
		condition(corev1.NodeDiskPressure, corev1.ConditionFalse, "KubeletHasNoDiskPressure"),
		condition(corev1.NodePIDPressure, corev1.ConditionFalse, "KubeletHasSufficientPID"),
	}
}
