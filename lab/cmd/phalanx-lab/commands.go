package main

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"phalanx.dev/lab/internal/labfile"
	"phalanx.dev/lab/internal/launch"
	"phalanx.dev/lab/world"
	"sigs.k8s.io/yaml"
)

func run(args []string) int {
	root := &cobra.Command{
		Use:   "phalanx-lab",
		Short: "A Kubernetes control plane with fake GPU nodes, for one machine",
		Long: `A Kubernetes control plane with fake GPU nodes, for one machine.

The components are in this binary too and take their usual arguments:
  etcd, kube-apiserver, kube-controller-manager, kube-scheduler, kubectl`,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(upCommand(), nodesCommand(), componentCommand())
	root.SetArgs(args)
	if err := root.Execute(); err != nil {
		fmt.Fprintln(os.Stderr, "phalanx-lab:", err)
		return 1
	}
	return 0
}

func upCommand() *cobra.Command {
	opts := launch.Options{}
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Run a lab in the foreground until it is interrupted",
		Long: `Run a lab in the foreground until SIGINT or SIGTERM.

Prints {"event":"ready",...} when everything can be used. DIR/kubeconfig is the
administrator's, DIR/lab.json says where everything is, DIR/logs has the logs.`,
		Example: "  phalanx-lab up --dir /tmp/lab --world lab/worlds/demo.yaml --scheduler stock\n" +
			"  KUBECONFIG=/tmp/lab/kubeconfig phalanx-lab kubectl get nodes",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, cancel := untilTold(opts.ExitWithParent)
			defer cancel()
			return launch.Run(ctx, opts, os.Stdout)
		},
	}
	opts.AddFlags(cmd.Flags())
	return cmd
}

func nodesCommand() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "nodes WORLD.yaml",
		Short: "Print the Node objects of a world",
		Args:  want(1, "WORLD.yaml"),
		RunE: func(_ *cobra.Command, args []string) error {
			w, err := world.Load(args[0])
			if err != nil {
				return err
			}
			return printNodes(w.Nodes(time.Now()), output)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "yaml", "`form`: yaml (a List) or name")
	return cmd
}

// want refuses another number of arguments with a word on what they are.
func want(count int, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != count {
			return fmt.Errorf("got %d arguments %q, want %s", len(args), args, what)
		}
		return nil
	}
}

func printNodes(nodes []*corev1.Node, output string) error {
	switch output {
	case "name":
		for _, node := range nodes {
			fmt.Println(node.Name)
		}
		return nil
	case "yaml":
		list := &metav1.List{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "List"}}
		for _, node := range nodes {
			list.Items = append(list.Items, runtime.RawExtension{Object: node})
		}
		text, err := yaml.Marshal(list)
		if err != nil {
			return err
		}
		_, err = os.Stdout.Write(text)
		return err
	}
	return fmt.Errorf("--output %q: want yaml or name", output)
}

func componentCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:       "component {start|stop|kill|restart} NAME --dir DIR",
		Short:     "End or start a component of a running lab",
		Args:      want(2, "an action and the NAME of a component"),
		ValidArgs: []string{"start", "stop", "kill", "restart"},
		RunE: func(cmd *cobra.Command, args []string) error {
			lab, err := labfile.Read(dir)
			if err != nil {
				return err
			}
			if lab, err = lab.Component(cmd.Context(), args[0], args[1]); err != nil {
				return err
			}
			for _, c := range lab.Components {
				fmt.Printf("%-25s pid %d\n", c.Name, c.Pid)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "`folder` of the lab")
	if err := cmd.MarkFlagRequired("dir"); err != nil {
		panic(err)
	}
	return cmd
}
