package world

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/yaml"
)

const (
	maxHosts   = 100_000 // hosts of a world
	maxPerHost = 1_000   // devices or pods of a host
)

// fieldError is a value that is not what was expected.
func fieldError(field string, got any, want string) error {
	return fmt.Errorf("%s: got %#v, want %s", field, got, want)
}

// refuseZeros finds numbers written as 0, which would otherwise be taken for
// absent and silently become the default.
func refuseZeros(data []byte) error {
	var raw struct {
		Groups []map[string]any `json:"groups"`
	}
	if err := yaml.Unmarshal(data, &raw); err != nil {
		return err
	}
	for i, group := range raw.Groups {
		for _, field := range slices.Sorted(maps.Keys(group)) {
			if group[field] == float64(0) {
				return fieldError(fmt.Sprintf("groups[%d].%s", i, field), 0,
					"a positive number, or leave the field out for its default")
			}
		}
	}
	return nil
}

func (w *World) validate() error {
	if len(w.Groups) == 0 {
		return fieldError("groups", len(w.Groups), "at least one group of hosts")
	}
	prefixes := map[string]int{}
	hosts := 0
	for i := range w.Groups {
		g, at := &w.Groups[i], fmt.Sprintf("groups[%d]", i)
		if err := g.validate(at); err != nil {
			return err
		}
		if first, taken := prefixes[g.Prefix]; taken {
			return fieldError(at+".prefix", g.Prefix,
				fmt.Sprintf("a prefix that groups[%d] does not use", first))
		}
		prefixes[g.Prefix] = i
		if hosts += g.HostCount(); hosts > maxHosts {
			return fieldError(at, hosts, fmt.Sprintf("at most %d hosts in all groups", maxHosts))
		}
	}
	return nil
}

func (g *Group) validate(at string) error {
	var shape error
	switch g.Kind {
	case NVL72:
		shape = g.validateNVL72(at)
	case HGX:
		shape = g.validateHGX(at)
	case CPU:
		shape = g.validateCPU(at)
	default:
		shape = fieldError(at+".kind", string(g.Kind), "nvl72, hgx or cpu")
	}
	if shape != nil {
		return shape
	}
	if problems := validation.IsDNS1123Subdomain(g.Prefix); len(problems) > 0 {
		return fieldError(at+".prefix", g.Prefix, problems[0])
	}
	if err := g.validateHost(at); err != nil {
		return err
	}
	return g.validateMetadata(at)
}

func (g *Group) validateNVL72(at string) error {
	if err := mustBeUnset(at, g.Kind, map[string]int{
		"hosts": g.Hosts, "hostsPerLeaf": g.HostsPerLeaf, "leafsPerSpine": g.LeafsPerSpine,
	}); err != nil {
		return err
	}
	if err := inRange(at+".racks", g.Racks, 1, maxHosts); err != nil {
		return err
	}
	if err := inRange(at+".hostsPerRack", g.HostsPerRack, 1, maxHosts); err != nil {
		return err
	}
	if err := inRange(at+".racksPerSpine", g.RacksPerSpine, 1, maxHosts); err != nil {
		return err
	}
	if g.Partitions < 1 || g.HostsPerRack%g.Partitions != 0 {
		return fieldError(at+".partitions", g.Partitions,
			fmt.Sprintf("a divisor of hostsPerRack, which is %d", g.HostsPerRack))
	}
	return g.validateDevices(at)
}

func (g *Group) validateHGX(at string) error {
	if err := mustBeUnset(at, g.Kind, map[string]int{
		"racks": g.Racks, "hostsPerRack": g.HostsPerRack, "partitions": g.Partitions,
		"racksPerSpine": g.RacksPerSpine,
	}); err != nil {
		return err
	}
	if err := inRange(at+".hosts", g.Hosts, 1, maxHosts); err != nil {
		return err
	}
	if err := inRange(at+".hostsPerLeaf", g.HostsPerLeaf, 1, maxHosts); err != nil {
		return err
	}
	if err := inRange(at+".leafsPerSpine", g.LeafsPerSpine, 1, maxHosts); err != nil {
		return err
	}
	return g.validateDevices(at)
}

func (g *Group) validateCPU(at string) error {
	if err := mustBeUnset(at, g.Kind, map[string]int{
		"racks": g.Racks, "hostsPerRack": g.HostsPerRack, "partitions": g.Partitions,
		"racksPerSpine": g.RacksPerSpine, "hostsPerLeaf": g.HostsPerLeaf,
		"leafsPerSpine": g.LeafsPerSpine, "devicesPerHost": g.DevicesPerHost,
	}); err != nil {
		return err
	}
	if g.Product != "" {
		return fieldError(at+".product", g.Product, "nothing: cpu hosts have no devices")
	}
	return inRange(at+".hosts", g.Hosts, 1, maxHosts)
}

func (g *Group) validateDevices(at string) error {
	if _, known := devices[g.Product]; !known {
		return fieldError(at+".product", g.Product, "one of "+knownProducts())
	}
	return inRange(at+".devicesPerHost", g.DevicesPerHost, 1, maxPerHost)
}

func (g *Group) validateHost(at string) error {
	for field, value := range map[string]string{"cpu": g.CPU, "memory": g.Memory} {
		quantity, err := resource.ParseQuantity(value)
		if err != nil || quantity.Sign() <= 0 {
			return fieldError(at+"."+field, value, "a positive quantity such as 144 or 960Gi")
		}
	}
	return inRange(at+".pods", g.Pods, 1, maxPerHost)
}

func (g *Group) validateMetadata(at string) error {
	if problems := validation.IsValidLabelValue(g.Zone); len(problems) > 0 {
		return fieldError(at+".zone", g.Zone, problems[0])
	}
	for key, value := range g.Labels {
		field := fmt.Sprintf("%s.labels[%s]", at, key)
		if problems := validation.IsQualifiedName(key); len(problems) > 0 {
			return fieldError(field, key, "a label key: "+problems[0])
		}
		if problems := validation.IsValidLabelValue(value); len(problems) > 0 {
			return fieldError(field, value, problems[0])
		}
	}
	for i, taint := range g.Taints {
		if _, err := parseTaint(taint); err != nil {
			return fieldError(fmt.Sprintf("%s.taints[%d]", at, i), taint, err.Error())
		}
	}
	return nil
}

// parseTaint reads KEY[=VALUE]:EFFECT; the error says what was expected.
func parseTaint(text string) (corev1.Taint, error) {
	const form = "KEY[=VALUE]:EFFECT with effect NoSchedule, PreferNoSchedule or NoExecute"
	keyValue, effect, found := strings.Cut(text, ":")
	key, value, _ := strings.Cut(keyValue, "=")
	switch corev1.TaintEffect(effect) {
	case corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule,
		corev1.TaintEffectNoExecute:
	default:
		found = false
	}
	if !found || len(validation.IsQualifiedName(key)) > 0 ||
		len(validation.IsValidLabelValue(value)) > 0 {
		return corev1.Taint{}, errors.New(form)
	}
	return corev1.Taint{Key: key, Value: value, Effect: corev1.TaintEffect(effect)}, nil
}

func inRange(field string, got, low, high int) error {
	if got < low || got > high {
		return fieldError(field, got, fmt.Sprintf("a whole number from %d to %d", low, high))
	}
	return nil
}

func mustBeUnset(at string, kind Kind, fields map[string]int) error {
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		if value := fields[field]; value != 0 {
			return fieldError(at+"."+field, value,
				fmt.Sprintf("nothing: groups of kind %s have no such field", kind))
		}
	}
	return nil
}
