// Package app is the process phalanx-scheduler: upstream's set-up, with our queue, failure handler,
// lease and plugin put in before it runs.
package app

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/tools/cache"
	cliflag "k8s.io/component-base/cli/flag"
	"k8s.io/component-base/cli/globalflag"
	basecompatibility "k8s.io/component-base/compatibility"
	"k8s.io/component-base/featuregate"
	"k8s.io/component-base/logs"
	logsapi "k8s.io/component-base/logs/api/v1"
	"k8s.io/component-base/version/verflag"
	"k8s.io/klog/v2"
	upstream "k8s.io/kubernetes/cmd/kube-scheduler/app"
	"k8s.io/kubernetes/cmd/kube-scheduler/app/options"
	"k8s.io/kubernetes/pkg/features"

	"phalanx.dev/adapter/internal/config"
)

// drainWithin is how long Bindings under way may take after SIGTERM, before the lease is let go.
const drainWithin = 5 * time.Second

// NewCommand makes the command; its flags are those of kube-scheduler.
func NewCommand() *cobra.Command {
	presetGates()
	opts := options.NewOptions()
	cmd := &cobra.Command{
		Use:  "phalanx-scheduler",
		Long: "phalanx-scheduler is kube-scheduler with the plugin Phalanx, which starts gangs as phalanxd plans them.",
		PersistentPreRunE: func(*cobra.Command, []string) error {
			return opts.ComponentGlobalsRegistry.Set()
		},
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			verflag.PrintAndExitIfRequested()
			return run(cmd, opts)
		},
		SilenceUsage: true,
	}
	flags := opts.Flags
	verflag.AddFlags(flags.FlagSet("global"))
	globalflag.AddGlobalFlags(flags.FlagSet("global"), cmd.Name(), logs.SkipLoggingConfigurationFlags())
	for _, set := range flags.FlagSets {
		cmd.Flags().AddFlagSet(set)
	}
	cliflag.SetUsageAndHelpFunc(cmd, *flags, 100)
	return cmd
}

// presetGates changes defaults of this binary; a flag may still set the first.
// NominatedNodeNameForExpectation costs one PATCH for each member that waits at a barrier.
func presetGates() {
	gates := utilfeature.DefaultMutableFeatureGate
	if err := gates.OverrideDefault(features.NominatedNodeNameForExpectation, false); err != nil {
		klog.Background().Error(err, "Cannot preset a feature gate")
	}
}

// checkGates refuses what would take gangs out of our hands.
func checkGates(gates featuregate.FeatureGate) error {
	if gates.Enabled(features.GenericWorkload) {
		return fmt.Errorf("feature gate %s: got true, expected false: the scheduler's own gang cycle would place members apart from their plan",
			features.GenericWorkload)
	}
	return nil
}

func run(cmd *cobra.Command, opts *options.Options) error {
	gates := opts.ComponentGlobalsRegistry.FeatureGateFor(basecompatibility.DefaultKubeComponent)
	if err := logsapi.ValidateAndApply(opts.Logs, gates); err != nil {
		return err
	}
	if err := checkGates(gates); err != nil {
		return err
	}
	cliflag.PrintFlags(cmd.Flags())
	if opts.InformerName == nil {
		name, err := cache.NewInformerName("kube-scheduler")
		if err != nil {
			return err
		}
		opts.InformerName = name
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	stop := make(chan os.Signal, 2)
	signal.Notify(stop, syscall.SIGTERM, os.Interrupt)
	return serve(ctx, cancel, opts, stop)
}

// serve runs the scheduler until it fails, or until a signal asks it to end.
func serve(ctx context.Context, cancel context.CancelFunc, opts *options.Options, stop <-chan os.Signal) error {
	a := newAdapter()
	completed, scheduler, err := upstream.Setup(ctx, opts, upstream.WithPlugin(config.PluginName, a.factory))
	if err != nil {
		return err
	}
	if err := a.attach(ctx, completed, scheduler); err != nil {
		return err
	}
	asked := make(chan struct{})
	go func() {
		select {
		case <-ctx.Done():
			return
		case <-stop:
		}
		close(asked)
		a.drain(ctx, drainWithin)
		cancel()
		<-stop
		os.Exit(1) // asked twice
	}()
	err = upstream.Run(ctx, completed, scheduler)
	select {
	case <-asked:
		return nil
	default:
		return err
	}
}
