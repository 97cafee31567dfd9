package app

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"text/template"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/component-base/featuregate"
	schedulerapp "k8s.io/kubernetes/cmd/kube-scheduler/app/config"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler"
	schedulerconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"sigs.k8s.io/yaml"
)

// chartProfile renders the profile of the Helm chart, as far as helm's functions are needed for it.
func chartProfile(t *testing.T) string {
	t.Helper()
	text := func(...any) string { return "" } // of templates that the profile does not use
	functions := template.FuncMap{
		"int":    func(v any) any { return v },
		"toYaml": func(v any) string { out, _ := yaml.Marshal(v); return strings.TrimSpace(string(out)) },
		"nindent": func(n int, s string) string {
			pad := "\n" + strings.Repeat(" ", n)
			return pad + strings.ReplaceAll(s, "\n", pad)
		},
	}
	for _, name := range []string{"default", "trunc", "trimSuffix", "contains", "quote", "replace", "fail", "include",
		"dict", "get", "list", "date", "regexMatch", "hasKey", "kindIs", "toDate", "dateModify"} {
		functions[name] = text
	}
	helpers, err := template.New("").Funcs(functions).ParseFiles("../../../deploy/helm/phalanx/templates/_helpers.tpl")
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]any{"accelerators": []string{"nvidia.com/gpu"},
		"scheduler": map[string]any{"scoreWeight": 20, "pluginArgs": map[string]any{}}}
	var out strings.Builder
	err = helpers.ExecuteTemplate(&out, "phalanx.profile", map[string]any{
		"schedulerName": "phalanx", "root": map[string]any{"Values": values}})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func names(set schedulerconfig.PluginSet) []string {
	var list []string
	for _, p := range set.Enabled {
		list = append(list, p.Name)
	}
	return list
}

// The order of plugins is correctness. A new minor of Kubernetes shows itself here first.
func TestEffectivePluginOrderOfTheChart(t *testing.T) {
	w := newWorld(t, gpuNode("n1"))
	effective := w.sched.Profiles["phalanx"].ListPlugins()
	for point, want := range map[string]struct{ got, want []string }{
		"preBind":    {names(effective.PreBind), []string{"VolumeBinding", "DynamicResources", "Phalanx"}},
		"bind":       {names(effective.Bind), []string{"Phalanx"}},
		"postFilter": {names(effective.PostFilter), []string{"Phalanx", "DynamicResources"}},
		"permit":     {names(effective.Permit), []string{"Phalanx"}},
		"reserve":    {names(effective.Reserve), []string{"VolumeBinding", "DynamicResources", "Phalanx"}},
		"postBind":   {names(effective.PostBind), []string{"Phalanx"}},
		"filter": {names(effective.Filter), []string{"NodeName", "NodeUnschedulable", "TaintToleration", "NodeAffinity", "NodePorts",
			"NodeResourcesFit", "VolumeRestrictions", "NodeVolumeLimits", "VolumeBinding", "VolumeZone",
			"PodTopologySpread", "InterPodAffinity", "DynamicResources", "NodeDeclaredFeatures", "Phalanx"}},
	} {
		if !slices.Equal(want.got, want.want) {
			t.Errorf("%s: %v\nwant %v", point, want.got, want.want)
		}
	}
	for _, set := range []schedulerconfig.PluginSet{effective.PostFilter, effective.Bind, effective.PreEnqueue} {
		for _, name := range names(set) {
			if name == "DefaultPreemption" || name == "DefaultBinder" || name == "GangScheduling" {
				t.Errorf("%s is on", name)
			}
		}
	}
}

// What we use of upstream's set-up, which no interface promises.
func TestUpstreamIsAsAssumed(t *testing.T) {
	var s scheduler.Scheduler
	var queueField queue.SchedulingQueue = s.SchedulingQueue
	var handler scheduler.FailureHandlerFn = s.FailureHandler
	var cc schedulerapp.Config
	if queueField != nil || handler != nil || cc.LeaderElection != nil {
		t.Error("the zero values are not zero")
	}
	var lock resourcelock.Interface
	for _, method := range []string{"Create", "Update", "Identity"} {
		if _, ok := reflect.TypeOf(&lock).Elem().MethodByName(method); !ok {
			t.Errorf("resourcelock.Interface has no %s", method)
		}
	}
	// Every way by which a pod can enter the queue. A new one needs a look at the decorator.
	got, entries := reflect.TypeOf(&queueField).Elem(), []string{}
	for i := range got.NumMethod() {
		if name := got.Method(i).Name; strings.HasPrefix(name, "Add") || strings.HasPrefix(name, "Update") || strings.HasPrefix(name, "Activate") {
			entries = append(entries, name)
		}
	}
	want := []string{"Activate", "Add", "AddAttemptedPodGroupIfNeeded", "AddCompositePodGroup", "AddNominatedPod", "AddPodGroup",
		"AddUnschedulablePodIfNotPresent", "Update", "UpdateCompositePodGroup", "UpdateNominatedPod", "UpdatePodGroup"}
	if !slices.Equal(entries, want) {
		t.Errorf("ways into the queue: %v\nwant %v", entries, want)
	}
}

// The queue that the scheduler uses is the decorator, and what it pops from is the real one.
func TestTheDecoratorIsInPlace(t *testing.T) {
	w := newWorld(t, gpuNode("n1"))
	if name := fmt.Sprintf("%T", w.sched.SchedulingQueue); name != "*queue.Queue" {
		t.Errorf("the scheduler's queue is a %s", name)
	}
	w.create(member("g1").Obj(), member("g2").Obj())
	w.eventually("the brain knows both", func() bool { return len(w.brain.pods(1)) == 2 })
	if pods, _ := w.sched.SchedulingQueue.PendingPods(); len(pods) != 0 {
		t.Errorf("%d held pods are in the real queue", len(pods))
	}
}

func TestGates(t *testing.T) {
	presetGates()
	if utilfeature.DefaultFeatureGate.Enabled(features.NominatedNodeNameForExpectation) {
		t.Error("NominatedNodeNameForExpectation is on")
	}
	if err := checkGates(utilfeature.DefaultFeatureGate); err != nil {
		t.Errorf("the defaults are refused: %v", err)
	}
	on := featuregate.NewFeatureGate()
	if err := on.Add(map[featuregate.Feature]featuregate.FeatureSpec{features.GenericWorkload: {Default: true}}); err != nil {
		t.Fatal(err)
	}
	if err := checkGates(on); err == nil || !strings.Contains(err.Error(), "GenericWorkload") {
		t.Errorf("got %v, want a refusal that names GenericWorkload", err)
	}
}

func TestCommandHasTheFlagsOfKubeScheduler(t *testing.T) {
	cmd := NewCommand()
	for _, flag := range []string{"config", "logging-format", "feature-gates", "secure-port", "leader-elect", "kubeconfig", "v"} {
		if cmd.Flags().Lookup(flag) == nil {
			t.Errorf("no flag --%s", flag)
		}
	}
}
