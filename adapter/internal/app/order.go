package app

import (
	"errors"
	"fmt"
	"slices"

	"k8s.io/klog/v2"
	schedulerconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"

	"phalanx.dev/adapter/internal/config"
)

// point is one extension point with the plugins that really run there, in their order: what a
// configuration and its defaults become.
type point struct {
	name    string
	plugins []string
}

func pointsOf(p *schedulerconfig.Plugins) []point {
	var points []point
	for _, set := range []struct {
		name string
		schedulerconfig.PluginSet
	}{
		{"queueSort", p.QueueSort}, {"preFilter", p.PreFilter}, {"filter", p.Filter},
		{"postFilter", p.PostFilter}, {"preScore", p.PreScore}, {"score", p.Score},
		{"reserve", p.Reserve}, {"permit", p.Permit}, {"preBind", p.PreBind}, {"bind", p.Bind},
		{"postBind", p.PostBind},
	} {
		names := []string{}
		for _, plugin := range set.Enabled {
			names = append(names, plugin.Name)
		}
		points = append(points, point{set.name, names})
	}
	return points
}

// checkOrder refuses an order in which gangs would not be safe: a member whose slow work is not done
// would pass the barrier, or another plugin would bind it.
func checkOrder(profile string, points []point) error {
	var errs []error
	refuse := func(p point, expected string) {
		errs = append(errs, fmt.Errorf("profile %s: %s: got %q, expected %s", profile, p.name, p.plugins, expected))
	}
	for _, p := range points {
		at := slices.Index(p.plugins, config.PluginName)
		switch p.name {
		case "preFilter", "filter", "reserve", "permit":
			if at < 0 {
				refuse(p, config.PluginName+" among them")
			}
		case "preBind":
			if at < 0 || at != len(p.plugins)-1 {
				refuse(p, config.PluginName+" last: its barrier must come after all slow work")
			}
		case "postFilter":
			if at != 0 || slices.Contains(p.plugins, "DefaultPreemption") {
				refuse(p, config.PluginName+" first and no DefaultPreemption, which would take gangs apart")
			}
		case "bind":
			if at != 0 || len(p.plugins) != 1 {
				refuse(p, config.PluginName+" alone, since another binder would pass its barrier by")
			}
		}
	}
	return errors.Join(errs...)
}

// checkProfile logs what runs, for whoever upgrades, and checks it.
func checkProfile(logger klog.Logger, profile string, plugins *schedulerconfig.Plugins) error {
	points, effective := pointsOf(plugins), []any{"profile", profile}
	for _, p := range points {
		effective = append(effective, p.name, p.plugins)
	}
	logger.Info("Effective plugins", effective...)
	return checkOrder(profile, points)
}
