package config

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	schedulerconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
)

func load(t *testing.T, args string) (*schedulerconfig.KubeSchedulerConfiguration, error) {
	t.Helper()
	text := `{"apiVersion":"kubescheduler.config.k8s.io/v1","kind":"KubeSchedulerConfiguration","profiles":[
		{"schedulerName":"phalanx","pluginConfig":[{"name":"Phalanx","args":` + args + `}]}]}`
	object, err := runtime.Decode(scheme.Codecs.UniversalDecoder(), []byte(text))
	if err != nil {
		return nil, err
	}
	return object.(*schedulerconfig.KubeSchedulerConfiguration), nil
}

func TestArgsFromConfigurationFile(t *testing.T) {
	cfg, err := load(t, `{"brainSocket":"/tmp/b.sock","callTimeout":"20ms","heldResources":["example.com/npu"]}`)
	if err != nil {
		t.Fatal(err)
	}
	var object runtime.Object
	for _, pc := range cfg.Profiles[0].PluginConfig {
		if pc.Name == PluginName {
			object = pc.Args
		}
	}
	args, err := FromObject(object)
	if err != nil {
		t.Fatal(err)
	}
	if args.BrainSocket != "/tmp/b.sock" || args.CallTimeout.Duration != 20*time.Millisecond ||
		len(args.HeldResources) != 1 || args.MaxBindingsInFlight != 64 {
		t.Errorf("got %+v", args)
	}
}

func TestUnknownFieldIsRefused(t *testing.T) {
	if _, err := load(t, `{"brainSockt":"/tmp/b.sock"}`); err == nil || !strings.Contains(err.Error(), "brainSockt") {
		t.Errorf("got %v, want an error that names brainSockt", err)
	}
}

func TestDefaultsHoldGangsAndDevices(t *testing.T) {
	args, err := FromObject(nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(args.HeldLabelKeys) == 0 || len(args.HeldResources) == 0 {
		t.Errorf("defaults hold nothing: %+v", args)
	}
}

func TestBadValuesAreNamed(t *testing.T) {
	for field, args := range map[string]*PhalanxArgs{
		"brainSocket":         {BrainSocket: "relative.sock"},
		"maxBindingsInFlight": {MaxBindingsInFlight: -3},
		"callTimeout":         {CallTimeout: metav1.Duration{Duration: time.Hour}},
	} {
		if _, err := FromObject(args); err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: got %v, want an error that names it", field, err)
		}
	}
	long := &PhalanxArgs{BrainSocket: "/" + strings.Repeat("x", 107)}
	if _, err := FromObject(long); err == nil {
		t.Error("a socket path above 107 bytes was accepted")
	}
}
