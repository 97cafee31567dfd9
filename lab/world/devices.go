package world

import (
	"slices"
	"strings"
)

// device is what GPU Feature Discovery says about a product.
type device struct {
	family       string // nvidia.com/gpu.family
	major, minor string // compute capability
	memoryMiB    string // per device, as the driver reports it
}

var devices = map[string]device{
	"NVIDIA-A100-SXM4-40GB": {"ampere", "8", "0", "40960"},
	"NVIDIA-A100-SXM4-80GB": {"ampere", "8", "0", "81920"},
	"NVIDIA-H100-80GB-HBM3": {"hopper", "9", "0", "81559"},
	"NVIDIA-H200":           {"hopper", "9", "0", "143771"},
	"NVIDIA-B200":           {"blackwell", "10", "0", "183359"},
	"NVIDIA-GB200":          {"blackwell", "10", "0", "189471"},
	"NVIDIA-GB300":          {"blackwell", "10", "3", "284208"},
}

func knownProducts() string {
	names := make([]string, 0, len(devices))
	for name := range devices {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}
