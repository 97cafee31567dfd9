// phalanx-scheduler is kube-scheduler with the plugin Phalanx.
package main

import (
	"os"

	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register" // for --logging-format=json
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"

	"phalanx.dev/adapter/internal/app"
)

func main() {
	os.Exit(cli.Run(app.NewCommand()))
}
