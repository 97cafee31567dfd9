package launch

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"phalanx.dev/lab/world"
)

// The components, in the order in which they start.
const (
	etcd              = "etcd"
	apiServer         = "kube-apiserver"
	controllerManager = "kube-controller-manager"
	scheduler         = "kube-scheduler"
	kwok              = "kwok"
)

// Options are the settings of one lab.
type Options struct {
	Dir            string // "" = a new temporary folder, removed at the end
	World          string // "" = no nodes
	StockScheduler bool
	Without        []string
	Controllers    []string
	APIServerArgs  []string
	ManagerArgs    []string
	NodesOnlyAPI   bool
	Port           int
	KwokPath       string
	ReadyTimeout   time.Duration
	ExitWithParent bool
	KeepDir        bool

	self         string // the executable that has all components but KWOK in it
	schedulerArg string
}

// AddFlags describes the options on the command line.
func (o *Options) AddFlags(flags *pflag.FlagSet) {
	flags.StringVar(&o.Dir, "dir", "", "`folder` for the lab: new, empty, or of a lab that has ended "+
		"(default: a temporary one, removed at the end)")
	flags.StringVar(&o.World, "world", "", "YAML `file` that describes the nodes (default: no nodes)")
	flags.StringVar(&o.schedulerArg, "scheduler", "none", "`which` scheduler to run: stock "+
		"(kube-scheduler for the pods of default-scheduler) or none")
	flags.StringSliceVar(&o.Without, "without", nil, "`components` to leave out: kwok (means "+
		"--nodes-only-api), kube-controller-manager")
	flags.StringSliceVar(&o.Controllers, "controllers", nil, "`controllers` to run instead of the "+
		"default set; +NAME adds to the set")
	flags.StringArrayVar(&o.APIServerArgs, "apiserver-arg", nil, "further `argument` of "+
		"kube-apiserver (repeatable)")
	flags.StringArrayVar(&o.ManagerArgs, "controller-manager-arg", nil, "further `argument` of "+
		"kube-controller-manager (repeatable)")
	flags.BoolVar(&o.NodesOnlyAPI, "nodes-only-api", false, "no fake kubelets: nodes are bare API "+
		"objects that stay Ready, bound pods stay Pending")
	flags.IntVar(&o.Port, "port", 0, "`port` of the API server on 127.0.0.1 (default: a free one)")
	flags.StringVar(&o.KwokPath, "kwok", "", "`path` of the kwok binary (default: beside this one)")
	flags.DurationVar(&o.ReadyTimeout, "ready-timeout", 0, "give up when not ready after this `time` "+
		"(default: 3m, and 1 s more per 20 nodes)")
	flags.BoolVar(&o.ExitWithParent, "exit-with-parent", false, "stop when standard input, if it is "+
		"a pipe, is closed, or the parent process ends")
	flags.BoolVar(&o.KeepDir, "keep-dir", false, "keep the temporary folder")
}

// complete checks the options, fills in what follows from others, and loads the
// world.
func (o *Options) complete() (*world.World, error) {
	switch o.schedulerArg {
	case "", "none":
	case "stock":
		o.StockScheduler = true
	default:
		return nil, fmt.Errorf("--scheduler %q: want stock or none", o.schedulerArg)
	}
	for _, name := range o.Without {
		if name != kwok && name != controllerManager {
			return nil, fmt.Errorf("--without %q: want kwok or kube-controller-manager", name)
		}
	}
	if slices.Contains(o.Without, kwok) {
		o.NodesOnlyAPI = true
	}
	if o.Port < 0 || o.Port > 65535 {
		return nil, fmt.Errorf("--port %d: want 1 to 65535, or 0 for a free one", o.Port)
	}
	if o.ReadyTimeout < 0 {
		return nil, fmt.Errorf("--ready-timeout %s: want a positive time", o.ReadyTimeout)
	}
	if err := o.findBinaries(); err != nil {
		return nil, err
	}
	if o.World == "" {
		return &world.World{}, nil
	}
	return world.Load(o.World)
}

func (o *Options) readyTimeout(nodes int) time.Duration {
	if o.ReadyTimeout > 0 {
		return o.ReadyTimeout
	}
	return 3*time.Minute + time.Duration(nodes)*time.Second/20
}

func (o *Options) findBinaries() (err error) {
	if o.self, err = os.Executable(); err != nil {
		return fmt.Errorf("find own executable: %w", err)
	}
	if o.NodesOnlyAPI {
		return nil
	}
	if o.KwokPath == "" {
		o.KwokPath = filepath.Join(filepath.Dir(o.self), kwok)
	}
	info, err := os.Stat(o.KwokPath)
	if err != nil || info.IsDir() || info.Mode()&0o111 == 0 {
		return fmt.Errorf("no executable at %s: build it with scripts/build-lab.sh, name it with "+
			"--kwok, or do without fake kubelets (--nodes-only-api)", o.KwokPath)
	}
	return nil
}

func (o *Options) runs(name string) bool {
	switch name {
	case kwok:
		return !o.NodesOnlyAPI
	case scheduler:
		return o.StockScheduler
	}
	return !slices.Contains(o.Without, name)
}

// defaultControllers are those that jobs, their pods and their nodes need.
var defaultControllers = []string{
	"clusterrole-aggregation-controller", "daemonset-controller", "deployment-controller",
	"disruption-controller", "ephemeral-volume-controller", "garbage-collector-controller",
	"job-controller", "namespace-controller", "node-lifecycle-controller",
	"persistentvolume-binder-controller", "persistentvolume-protection-controller",
	"persistentvolumeclaim-protection-controller", "pod-garbage-collector-controller",
	"replicaset-controller", "resourceclaim-controller", "resourcequota-controller",
	"serviceaccount-controller", "serviceaccount-token-controller", "statefulset-controller",
	"taint-eviction-controller", "ttl-after-finished-controller",
	"validatingadmissionpolicy-status-controller",
}

func (o *Options) controllers() string {
	var chosen, added []string
	for _, name := range o.Controllers {
		if extra, ok := strings.CutPrefix(name, "+"); ok {
			added = append(added, extra)
		} else {
			chosen = append(chosen, name)
		}
	}
	if len(chosen) == 0 {
		chosen = slices.Clone(defaultControllers)
	}
	if o.NodesOnlyAPI { // nobody sends heartbeats: they would make all nodes NotReady
		chosen = slices.DeleteFunc(chosen, func(name string) bool {
			return name == "node-lifecycle-controller" || name == "taint-eviction-controller"
		})
	}
	return strings.Join(append(chosen, added...), ",")
}
