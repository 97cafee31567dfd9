// Package components links the programs of a Kubernetes control plane into one
// binary. Each runs as a process of its own (`phalanx-lab kube-apiserver ...`),
// so that one can be killed without the others; they share a file because
// linking four of them separately costs minutes and about 600 MB of disk.
package components

import (
	"os"

	"github.com/spf13/cobra"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"          // --logging-format=json
	_ "k8s.io/component-base/metrics/prometheus/clientgo" // rest_client_* metrics
	_ "k8s.io/component-base/metrics/prometheus/version"  // kubernetes_build_info
	kubectl "k8s.io/kubectl/pkg/cmd"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

var commands = map[string]func() *cobra.Command{
	"kube-apiserver":          apiserver.NewAPIServerCommand,
	"kube-controller-manager": controllermanager.NewControllerManagerCommand,
	"kube-scheduler":          func() *cobra.Command { return scheduler.NewSchedulerCommand() },
	"kubectl":                 kubectl.NewDefaultKubectlCommand,
}

// Run runs the component called name with args and returns its exit status.
// known is false, and nothing runs, when there is no such component.
func Run(name string, args []string) (status int, known bool) {
	if name == "etcd" {
		return runEtcd(args), true
	}
	newCommand, known := commands[name]
	if !known {
		return 0, false
	}
	// The commands read os.Args in places (kubectl's plugin lookup, version
	// banners), so it has to look as if the program had been started directly.
	os.Args = append([]string{name}, args...)
	return cli.Run(newCommand()), true
}
