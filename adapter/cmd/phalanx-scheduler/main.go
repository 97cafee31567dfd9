// phalanx-scheduler is kube-scheduler with the plugin Phalanx.
package main

import (
	"os"
	"runtime/debug"

	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register" // for --logging-format=json
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"

	"phalanx.dev/adapter/internal/app"
)

// gcPercent lets the heap grow to three times what is live between collections, not to twice that: most
// of it is the mirror of the cluster, which is marked anew each time. GOGC and GOMEMLIMIT set it otherwise.
const gcPercent = 200

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	os.Exit(cli.Run(app.NewCommand()))
}
