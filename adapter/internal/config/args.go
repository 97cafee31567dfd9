// Package config holds what an admin can set for the plugin Phalanx: PhalanxArgs in the pluginConfig
// of a KubeSchedulerConfiguration.
package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	configv1 "k8s.io/kube-scheduler/config/v1"
	schedulerconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
)

// PluginName is the name of the plugin in a profile.
const PluginName = "Phalanx"

// PhalanxArgs are the arguments of the plugin. All profiles of one process must agree on them. A
// field that is left out, or 0, has its default.
type PhalanxArgs struct {
	metav1.TypeMeta `json:",inline"`

	// BrainSocket is the path of the Unix socket of phalanxd.
	BrainSocket string `json:"brainSocket,omitempty"`
	// CallTimeout bounds one call to the brain, which takes well below 1 ms where neither process has
	// to wait for a CPU. The scheduler does nothing else meanwhile.
	CallTimeout metav1.Duration `json:"callTimeout,omitempty"`
	// BrainGrace is how long members wait at a barrier for a brain that went away.
	BrainGrace metav1.Duration `json:"brainGrace,omitempty"`
	// PreparingDeadline is how long a prepared member waits for its siblings. In-tree PreBind
	// plugins may take 10 minutes, so it is longer by default.
	PreparingDeadline metav1.Duration `json:"preparingDeadline,omitempty"`
	// MaxBindingsInFlight bounds the Binding requests under way at a time, over all gangs.
	MaxBindingsInFlight int32 `json:"maxBindingsInFlight,omitempty"`
	// BindAttemptTimeout bounds one request of Bind.
	BindAttemptTimeout metav1.Duration `json:"bindAttemptTimeout,omitempty"`
	// BindDeadline is how long a Binding that fails for a moment (429, 5xx) is tried again.
	BindDeadline metav1.Duration `json:"bindDeadline,omitempty"`

	// A pod of ours that carries one of the keys, or requests one of the resources, is held until
	// the brain admits it. These apply until the brain has said what it wants; a trailing "*"
	// matches any rest.
	HeldLabelKeys      []string `json:"heldLabelKeys,omitempty"`
	HeldAnnotationKeys []string `json:"heldAnnotationKeys,omitempty"`
	HeldResources      []string `json:"heldResources,omitempty"`
}

// DeepCopyObject implements runtime.Object.
func (a *PhalanxArgs) DeepCopyObject() runtime.Object {
	out := *a
	out.HeldLabelKeys = slices.Clone(a.HeldLabelKeys)
	out.HeldAnnotationKeys = slices.Clone(a.HeldAnnotationKeys)
	out.HeldResources = slices.Clone(a.HeldResources)
	return &out
}

// Defaults fills in what was left out.
func Defaults(a *PhalanxArgs) {
	if a.BrainSocket == "" {
		a.BrainSocket = "/run/phalanx/private/phalanxd.sock"
	}
	if a.MaxBindingsInFlight == 0 {
		a.MaxBindingsInFlight = 64
	}
	for field, value := range map[*metav1.Duration]time.Duration{
		&a.CallTimeout:        250 * time.Millisecond,
		&a.BrainGrace:         10 * time.Second,
		&a.PreparingDeadline:  15 * time.Minute,
		&a.BindAttemptTimeout: time.Second,
		&a.BindDeadline:       10 * time.Second,
	} {
		if field.Duration == 0 {
			field.Duration = value
		}
	}
	if a.HeldLabelKeys == nil {
		a.HeldLabelKeys = []string{"phalanx.dev/gang", "phalanx.dev/gang-size",
			"scheduling.x-k8s.io/pod-group",
			"scheduling.sigs.k8s.io/pod-group", "pod-group.scheduling.sigs.k8s.io"}
	}
	if a.HeldResources == nil {
		a.HeldResources = []string{"nvidia.com/gpu*", "nvidia.com/mig-*", "amd.com/gpu*",
			"gpu.intel.com/*", "google.com/tpu", "habana.ai/gaudi*"}
	}
}

// Validate tells what can not be meant, with the field, the value and what was expected.
func Validate(a *PhalanxArgs) error {
	var errs []error
	if !filepath.IsAbs(a.BrainSocket) {
		errs = append(errs, fmt.Errorf("brainSocket: got %q, expected an absolute path", a.BrainSocket))
	}
	// The kernel keeps 108 bytes for the path of a Unix socket, the end mark included.
	if len(a.BrainSocket) > 107 {
		errs = append(errs, fmt.Errorf("brainSocket: got %d bytes, expected at most 107: %q",
			len(a.BrainSocket), a.BrainSocket))
	}
	if a.MaxBindingsInFlight < 1 || a.MaxBindingsInFlight > 1000 {
		errs = append(errs, fmt.Errorf("maxBindingsInFlight: got %d, expected 1 to 1000", a.MaxBindingsInFlight))
	}
	check := func(name string, d metav1.Duration, low, high time.Duration) {
		if d.Duration < low || d.Duration > high {
			errs = append(errs, fmt.Errorf("%s: got %v, expected %v to %v", name, d.Duration, low, high))
		}
	}
	check("callTimeout", a.CallTimeout, time.Millisecond, time.Second)
	check("brainGrace", a.BrainGrace, 100*time.Millisecond, 10*time.Minute)
	check("preparingDeadline", a.PreparingDeadline, time.Second, time.Hour)
	check("bindAttemptTimeout", a.BindAttemptTimeout, 100*time.Millisecond, 30*time.Second)
	check("bindDeadline", a.BindDeadline, time.Second, 5*time.Minute)
	return errors.Join(errs...)
}

// FromObject reads the arguments that the framework hands to the plugin; nil means defaults.
func FromObject(object runtime.Object) (*PhalanxArgs, error) {
	args := &PhalanxArgs{}
	if object != nil {
		given, ok := object.(*PhalanxArgs)
		if !ok {
			return nil, fmt.Errorf("arguments of %s: got %T, expected PhalanxArgs", PluginName, object)
		}
		args = given.DeepCopyObject().(*PhalanxArgs)
	}
	Defaults(args)
	if err := Validate(args); err != nil {
		return nil, fmt.Errorf("arguments of %s: %w", PluginName, err)
	}
	return args, nil
}

// The type stands for the internal and the v1 version at once: it is ours alone, so there is nothing
// to convert between.
func init() {
	add := func(s *runtime.Scheme) error {
		for _, gv := range []schema.GroupVersion{
			schedulerconfig.SchemeGroupVersion, configv1.SchemeGroupVersion,
		} {
			s.AddKnownTypeWithName(gv.WithKind(PluginName+"Args"), &PhalanxArgs{})
		}
		return nil
	}
	configv1.SchemeBuilder.Register(add) // for the scheme that converts plugin arguments, made later
	utilruntime.Must(add(scheme.Scheme))
}
