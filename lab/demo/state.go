package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"phalanx.dev/lab/harness"
	"phalanx.dev/lab/install"
	"phalanx.dev/lab/workload"
)

// podLines is how much of a long listing is shown.
const podLines = 6

// showPods shows some of both gangs' pods as kubectl lists them.
func (d *Demo) showPods(ctx context.Context, selector string) error {
	out, err := d.cluster.Kubectl(ctx, "get", "pods", "-l", selector, "--sort-by=.spec.nodeName",
		"-o", "custom-columns=NAME:.metadata.name,GANG:.metadata.labels.phalanx\\.dev/gang,"+
			"PHASE:.status.phase,RANK:.metadata.annotations.phalanx\\.dev/rank,NODE:.spec.nodeName")
	if err != nil {
		return err
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) > 2*podLines {
		cut := fmt.Sprintf("... %d more", len(lines)-2*podLines)
		lines = slices.Concat(lines[:podLines], []string{cut}, lines[len(lines)-podLines:])
	}
	d.command("kubectl get pods -l '"+selector+"'", strings.Join(lines, "\n"))
	return nil
}

// describe shows the status and the events of a pod as kubectl describes it.
func (d *Demo) describe(ctx context.Context, pod *corev1.Pod) error {
	out, err := d.cluster.Kubectl(ctx, "describe", "pod", pod.Name)
	if err != nil {
		return err
	}
	keep, show := []string{"Name:", "Labels:", "Status:", "Node:", "Conditions:", "Events:"}, ""
	inSection := false
	for line := range strings.Lines(out) {
		if !strings.HasPrefix(line, " ") {
			inSection = slices.ContainsFunc(keep, func(k string) bool { return strings.HasPrefix(line, k) })
		}
		if inSection {
			show += line
		}
	}
	d.command("kubectl describe pod "+pod.Name+"    # parts of it", show)
	return nil
}

// showGangs shows both gangs as kubectl lists them, once their objects say what is
// true of them.
func (d *Demo) showGangs(ctx context.Context, winner, loser workload.Gang) error {
	var out string
	err := d.claim(ctx, "kubectl get gangs shows who runs, who waits, and why", func(ctx context.Context) error {
		return harness.Eventually(ctx, "both Gang objects", func(ctx context.Context) (err error) {
			if out, err = d.cluster.Kubectl(ctx, "get", "gangs"); err != nil {
				return err
			}
			for gang, words := range map[string][]string{winner.Name: {"Running", "12/12"}, loser.Name: {"Waiting", "0/12", "Capacity"}} {
				row := gangRow(out, gang)
				if missing := slices.IndexFunc(words, func(w string) bool { return !slices.Contains(row, w) }); missing >= 0 {
					return fmt.Errorf("the row of %s is %q, expected %s in it", gang, row, words[missing])
				}
			}
			return nil
		})
	})
	d.command("kubectl get gangs", out)
	return err
}

// gangRow are the words of a gang's line.
func gangRow(table, gang string) []string {
	for line := range strings.Lines(table) {
		if strings.HasPrefix(line, gang+".label ") {
			return strings.Fields(line)
		}
	}
	return nil
}

// brainGang is what the demo reads of a gang in /api/v1/gangs.
type brainGang struct {
	Name   string `json:"name"`
	Phase  string `json:"phase"`
	Bound  int    `json:"bound"`
	Size   int    `json:"size"`
	Reason struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"reason"`
}

// gangs asks the brain for all gangs, by name.
func (d *Demo) gangs(ctx context.Context) (map[string]brainGang, error) {
	page, err := install.Fetch(ctx, d.phalanx.BrainURL+"/api/v1/gangs", "")
	if err != nil {
		return nil, err
	}
	var answer struct {
		Gangs []brainGang `json:"gangs"`
	}
	if err := json.Unmarshal(page, &answer); err != nil {
		return nil, fmt.Errorf("%s/api/v1/gangs: %w", d.phalanx.BrainURL, err)
	}
	gangs := map[string]brainGang{}
	for _, g := range answer.Gangs {
		gangs[g.Name] = g
	}
	return gangs, nil
}

// showBrain shows what the brain says about both gangs, once it says why one waits.
func (d *Demo) showBrain(ctx context.Context, winner, loser workload.Gang) error {
	var text string
	err := d.claim(ctx, "the brain explains why "+loser.Name+" waits, with numbers", func(ctx context.Context) error {
		return harness.Eventually(ctx, "the brain's reason", func(ctx context.Context) error {
			gangs, err := d.gangs(ctx)
			if err != nil {
				return err
			}
			text = ""
			for _, name := range []string{winner.Name, loser.Name} {
				g := gangs[name]
				line := fmt.Sprintf("%s: %s, %d of %d bound  %s", name, g.Phase, g.Bound, g.Size, g.Reason.Message)
				text += strings.TrimSpace(line) + "\n"
			}
			if reason := gangs[loser.Name].Reason.Message; !strings.Contains(reason, "6 of 12") {
				return fmt.Errorf("it is %q, expected one that says 6 of 12", reason)
			}
			return nil
		})
	})
	d.command("curl "+d.phalanx.BrainURL+"/api/v1/gangs    # parts of it", text)
	return err
}

// samples are metrics by name and labels.
type samples map[string]float64

// metrics reads the brain's own metrics; buckets of histograms are left out.
func (d *Demo) metrics(ctx context.Context) (samples, error) {
	page, err := install.Fetch(ctx, d.phalanx.BrainURL+"/metrics", "")
	if err != nil {
		return nil, err
	}
	read := samples{}
	for line := range strings.Lines(string(page)) {
		line = strings.TrimSpace(line)
		cut := strings.LastIndexByte(line, ' ')
		if !strings.HasPrefix(line, "phalanx_") || cut < 0 || strings.Contains(line[:cut], "_bucket{") {
			continue
		}
		value, err := strconv.ParseFloat(line[cut+1:], 64)
		if err != nil {
			return nil, fmt.Errorf("%s/metrics: line %q: %w", d.phalanx.BrainURL, line, err)
		}
		read[line[:cut]] = value
	}
	return read, nil
}

// showMetrics shows which metrics the stories have moved.
func (d *Demo) showMetrics(ctx context.Context) error {
	d.title("Metrics that moved")
	now, err := d.metrics(ctx)
	if err != nil {
		return err
	}
	rows := [][]string{{"before", "now", "metric"}}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if now[name] != d.before[name] {
			rows = append(rows, []string{number(d.before[name]), number(now[name]), name})
		}
	}
	d.table(rows)
	return d.claim(ctx, "Prometheus would see the stories", func(context.Context) error {
		if len(rows) == 1 {
			return fmt.Errorf("no phalanx_ metric of %s/metrics has changed", d.phalanx.BrainURL)
		}
		return nil
	})
}

func number(value float64) string { return strconv.FormatFloat(value, 'g', 6, 64) }

// ShowHowToUse says where everything is and how to try a job of one's own.
func (d *Demo) ShowHowToUse() {
	kubeconfig := d.cluster.Kubeconfig()
	d.title("It runs on: try it")
	d.say("the brain:   %s/metrics /api/v1/gangs /api/v1/nodes /api/v1/topology", d.phalanx.BrainURL)
	d.say("the logs:    %s/logs", d.cluster.Dir())
	d.say("kubectl, with a job of your own (schedulerName: phalanx):")
	d.say("")
	d.say("  export KUBECONFIG=%s", kubeconfig)
	d.say("  build/bin/phalanx-lab kubectl apply -f deploy/examples/gang.yaml")
	d.say("  build/bin/phalanx-lab kubectl get pods -o wide")
	d.say("  build/bin/phalanx-lab kubectl annotate pods -l phalanx.dev/gang=my-gang %s=0   # they succeed",
		workload.RunSeconds)
	d.say("")
	d.say("stop everything: scripts/demo.sh --stop")
}
