package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"phalanx.dev/lab/guide"
	"phalanx.dev/lab/harness"
	"phalanx.dev/lab/install"
	"sigs.k8s.io/yaml"
)

var guideStories = []story{{"guides", "smoke", 6 * time.Minute, guides}}

// tour is the order in which a reader would come by the parts of the guides.
var tour = []struct{ file, part string }{
	{"install.md", "install"}, {"author.md", "author"}, {"dialects.md", "alias"}, {"operator.md", "operator"},
	{"inspect.md", "inspect"}, {"topology.md", "topology"}, {"queues.md", "queues"}, {"install.md", "upgrade"}, {"install.md", "uninstall"},
}

// reader types what the guides say, in a lab of its own that has no Phalanx yet.
type reader struct {
	*env
	lab     *harness.Lab
	root    string // of the repository, where the commands are typed
	home    string // their $HOME, and where their stand-ins are
	phalanx *install.Phalanx
	runs    string           // the pod template of which phalanx is
	began   map[string]int64 // where in the log of a program its latest process began
}

// guides: every command of the install, author, dialects, operator, inspect, topology and queues guide does
// what the guide says, in the order of the tour.
func guides(e *env) {
	r := newReader(e)
	defer r.leave()
	blocks := r.read()
	for _, stop := range tour {
		for _, block := range blocks[stop.file] {
			if block.Part == stop.part {
				r.follow(stop.file, block)
			}
		}
	}
}

// read reads the guides and checks that nothing in them is left out: each block
// belongs to a stop of the tour or says why not, and each command in a sentence
// stands in some block.
func (r *reader) read() map[string][]guide.Block {
	r.t.Helper()
	blocks, texts, scripts := map[string][]guide.Block{}, "", ""
	for _, stop := range tour {
		if blocks[stop.file] != nil {
			continue
		}
		text, err := os.ReadFile(filepath.Join(r.root, "docs", "guides", stop.file))
		r.must(err)
		texts += string(text)
		if blocks[stop.file], err = guide.Parse(string(text)); err != nil {
			r.t.Fatalf("%s: %v", stop.file, err)
		}
	}
	for file, all := range blocks {
		for _, block := range all {
			if !slices.ContainsFunc(tour, func(stop struct{ file, part string }) bool {
				return block.Part == "" || stop.file == file && stop.part == block.Part
			}) {
				r.t.Fatalf("%s:%d: no stop of the tour is called %q", file, block.Line, block.Part)
			}
			if block.Part != "" {
				scripts += block.Script
			}
		}
	}
	if unrun := guide.Unrun(texts, scripts); len(unrun) > 0 {
		r.t.Fatalf("no block of the guides has the commands %q", unrun)
	}
	return blocks
}

func newReader(e *env) *reader {
	r := &reader{env: e, root: shared.root, home: e.t.TempDir()}
	var err error
	r.lab, err = harness.Start(e.ctx, harness.Options{StockScheduler: true,
		World:  filepath.Join(r.root, "lab", "worlds", "demo.yaml"),
		Binary: filepath.Join(r.root, "build", "bin", "phalanx-lab")})
	e.must(err)
	r.standIns()
	return r
}

func (r *reader) leave() {
	if r.t.Failed() && r.phalanx != nil {
		for _, p := range []*harness.Program{r.phalanx.Brain, r.phalanx.Scheduler} {
			r.t.Logf("the end of %s:\n%s", p.Log(), tail(p.LogText(), 25))
		}
	}
	if artifacts := os.Getenv("PHALANX_ARTIFACTS"); r.t.Failed() && artifacts != "" {
		to := filepath.Join(artifacts, r.namespaces[0]+"-lab")
		err := os.CopyFS(to, os.DirFS(filepath.Join(r.lab.Dir(), "logs")))
		r.t.Logf("all logs of the guides' lab are in %s (%v)", to, err)
	}
	r.stopPod()
	if err := r.lab.Stop(); err != nil {
		r.t.Errorf("stop the guides' lab: %v", err)
	}
}

// follow runs one block and compares what it prints with what the guide shows.
func (r *reader) follow(file string, block guide.Block) {
	r.t.Helper()
	began := time.Now()
	for {
		printed, err := r.run(block.Script)
		missing := guide.Differs(block.Shows, printed)
		if (err != nil) == block.Fails && missing == "" {
			break
		}
		if time.Since(began) < block.Until {
			time.Sleep(200 * time.Millisecond)
			continue
		}
		if missing != "" {
			missing = fmt.Sprintf("\nthe guide shows %q", missing)
		}
		r.t.Fatalf("%s:%d: %s\nended with: %v%s\nprinted:\n%s", file, block.Line, block.Script, err, missing,
			printed)
	}
	r.t.Logf("%s:%d ok, %.1f s", file, block.Line, time.Since(began).Seconds())
	r.runPod()
}

func (r *reader) run(script string) (string, error) {
	cmd := exec.CommandContext(r.ctx, "bash", "-euo", "pipefail", "-c", script)
	cmd.Dir = r.root
	cmd.WaitDelay = 5 * time.Second
	cmd.Env = append(os.Environ(), "HOME="+r.home, "KUBECONFIG="+r.lab.Kubeconfig(),
		"PATH="+r.home+":"+os.Getenv("PATH"))
	if r.phalanx != nil {
		cmd.Env = append(cmd.Env, "BRAIN="+strings.TrimPrefix(r.phalanx.BrainURL, "http://"),
			"SCHEDULER="+strings.TrimPrefix(r.phalanx.SchedURL, "https://"),
			fmt.Sprintf("BRAIN_LOG=%d", r.began["phalanxd"]),
			fmt.Sprintf("SCHEDULER_LOG=%d", r.began["phalanx-scheduler"]))
	}
	printed, err := cmd.CombinedOutput()
	return string(printed), err
}

// standIns puts kubectl, helm and curl on the path. A lab has no kubelet, so what
// would go through one is done by the stand-ins: logs are those of the processes
// that stand for the pod, and ports that are forwarded are theirs.
func (r *reader) standIns() {
	lab := filepath.Join(r.root, "build", "bin", "phalanx-lab")
	for name, text := range map[string]string{
		"helm": fmt.Sprintf("exec %q \"$@\"\n", filepath.Join(r.root, "build", "bin", "tools", "helm")),
		"curl": `exec /usr/bin/curl --connect-to "127.0.0.1:8473:$BRAIN" ` +
			`--connect-to "127.0.0.1:10259:$SCHEDULER" "$@"` + "\n",
		"kubectl": fmt.Sprintf(`log() {
  case " $* " in
  *" --previous "*) head -c "$2" "$1" ;;
  *) tail -c "+$(($2 + 1))" "$1" ;;
  esac
}
case " $* " in
*" port-forward "*) exit 0 ;;
*" logs "*" -c brain "*) log %[2]q/logs/phalanxd.log "$BRAIN_LOG" "$@" && exit ;;
*" logs "*" -c scheduler "*) log %[2]q/logs/phalanx-scheduler.log "$SCHEDULER_LOG" "$@" && exit ;;
esac
exec %[1]q kubectl "$@"
`, lab, r.lab.Dir()),
	} {
		r.must(os.WriteFile(filepath.Join(r.home, name), []byte("#!/bin/bash\n"+text), 0o755))
	}
}

// runPod does what a kubelet would do for the Deployment's pod: its processes run
// while it exists, and a changed template means new ones.
func (r *reader) runPod() {
	r.t.Helper()
	const namespace, name = "phalanx-system", "phalanx"
	deployment, err := r.lab.Client().AppsV1().Deployments(namespace).Get(r.ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		r.stopPod()
		return
	}
	r.must(err)
	template, err := yaml.Marshal(deployment.Spec.Template)
	r.must(err)
	if r.runs == string(template) {
		return
	}
	r.stopPod()
	values, err := r.run("helm -n phalanx-system get values phalanx -o yaml")
	r.must(err)
	file := filepath.Join(r.home, "values.yaml")
	r.must(os.WriteFile(file, []byte(values), 0o600))
	phalanx, err := install.Adopt(r.ctx, r.lab, install.Options{Root: r.root, File: file})
	r.must(err)
	r.phalanx, r.runs = phalanx, string(template)
	r.began = map[string]int64{}
	for _, name := range []string{"phalanxd", "phalanx-scheduler"} {
		if info, err := os.Stat(r.lab.LogOf(name)); err == nil {
			r.began[name] = info.Size()
		}
	}
	r.must(phalanx.Start(r.ctx))
}

func (r *reader) stopPod() {
	if r.phalanx == nil {
		return
	}
	for _, p := range []*harness.Program{r.phalanx.Scheduler, r.phalanx.Brain} {
		if p != nil && !p.Stop() {
			r.t.Errorf("%s did not end by itself", p.Name())
		}
	}
	if err := r.phalanx.Remove(); err != nil {
		r.t.Error(err)
	}
	r.phalanx, r.runs = nil, ""
}
