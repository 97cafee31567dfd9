package app

import (
	"strings"
	"testing"

	schedulerconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"
)

func set(names ...string) schedulerconfig.PluginSet {
	var s schedulerconfig.PluginSet
	for _, name := range names {
		s.Enabled = append(s.Enabled, schedulerconfig.Plugin{Name: name})
	}
	return s
}

func goodPlugins() *schedulerconfig.Plugins {
	return &schedulerconfig.Plugins{
		PreFilter:  set("NodeResourcesFit", "Phalanx"),
		Filter:     set("NodeResourcesFit", "Phalanx"),
		PostFilter: set("Phalanx", "DynamicResources"),
		Reserve:    set("VolumeBinding", "Phalanx"),
		Permit:     set("Phalanx"),
		PreBind:    set("VolumeBinding", "DynamicResources", "Phalanx"),
		Bind:       set("Phalanx"),
	}
}

func TestOrderOfTheChartIsAccepted(t *testing.T) {
	if err := checkOrder("p", pointsOf(goodPlugins())); err != nil {
		t.Error(err)
	}
}

func TestUnsafeOrdersAreRefused(t *testing.T) {
	for point, change := range map[string]func(*schedulerconfig.Plugins){
		"preBind":    func(p *schedulerconfig.Plugins) { p.PreBind = set("Phalanx", "VolumeBinding") },
		"bind":       func(p *schedulerconfig.Plugins) { p.Bind = set("Phalanx", "DefaultBinder") },
		"postFilter": func(p *schedulerconfig.Plugins) { p.PostFilter = set("DynamicResources", "Phalanx") },
		"permit":     func(p *schedulerconfig.Plugins) { p.Permit = set() },
		"filter":     func(p *schedulerconfig.Plugins) { p.Filter = set("NodeResourcesFit") },
		"preFilter":  func(p *schedulerconfig.Plugins) { p.PreFilter = set() },
		"reserve":    func(p *schedulerconfig.Plugins) { p.Reserve = set() },
	} {
		plugins := goodPlugins()
		change(plugins)
		err := checkOrder("train", pointsOf(plugins))
		if err == nil || !strings.Contains(err.Error(), "profile train: "+point+": got ") {
			t.Errorf("%s: error %v, expected one that names the profile and the point", point, err)
		}
	}
}

func TestPreemptionIsRefused(t *testing.T) {
	plugins := goodPlugins()
	plugins.PostFilter = set("Phalanx", "DynamicResources", "DefaultPreemption")
	err := checkOrder("p", pointsOf(plugins))
	if err == nil || !strings.Contains(err.Error(), "DefaultPreemption") {
		t.Errorf("error %v, expected one about DefaultPreemption", err)
	}
}
