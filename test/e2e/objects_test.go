package e2e

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"phalanx.dev/lab/harness"
	"phalanx.dev/lab/workload"
)

var objectStories = []story{
	{"gang-objects", "smoke", 2 * time.Minute, gangObjects},
	{"gang-explained", "smoke", time.Minute, gangExplained},
	{"members-told", "smoke", 2 * time.Minute, membersTold},
	{"gang-object-deleted", "smoke", 2 * time.Minute, gangObjectDeleted},
	{"gang-object-collected", "smoke", 2 * time.Minute, gangObjectCollected},
}

// gangColumns is what `kubectl get gangs` shows.
var gangColumns = []string{"NAME", "OWNER", "QUEUE", "STATE", "READY", "GPUS", "PRIORITY", "POSITION",
	"ETA", "WAITING", "WAITED", "REASON"}

// table asks for the story's gangs as a user does, and cuts the API server's table
// at the columns of its header. The rows are by name.
func (e *env) table(ctx context.Context) (map[string]map[string]string, error) {
	out, err := e.Kubectl(ctx, "get", "gangs", "-n", e.namespaces[0])
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimRight(out, "\n"), "\n")
	rows := map[string]map[string]string{}
	if !strings.HasPrefix(lines[0], "NAME") {
		return rows, nil // "No resources found"
	}
	header := strings.Fields(lines[0])
	if !slices.Equal(header, gangColumns) {
		return nil, harness.Hopeless(fmt.Errorf("kubectl get gangs has the columns %q, expected %q", header, gangColumns))
	}
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, column := range header {
			from, to := strings.Index(lines[0], column), len(line)
			if i+1 < len(header) {
				to = min(strings.Index(lines[0], header[i+1]), len(line))
			}
			row[column] = strings.TrimSpace(line[min(from, len(line)):to])
		}
		rows[row["NAME"]] = row
	}
	return rows, nil
}

// shows is a check that the row of an object has these cells.
func (e *env) shows(object string, cells map[string]string) func(context.Context) error {
	return func(ctx context.Context) error {
		rows, err := e.table(ctx)
		if err != nil {
			return err
		}
		row, found := rows[object]
		if !found {
			return fmt.Errorf("kubectl get gangs shows %d rows and no %s", len(rows), object)
		}
		for column, want := range cells {
			if row[column] != want {
				return fmt.Errorf("%s of %s is %q, expected %q; the row is %q", column, object, row[column], want, row)
			}
		}
		return nil
	}
}

// gangObjects: `kubectl get gangs` shows where each gang stands and why, from its
// first pod to its end; the object goes with its Job.
func gangObjects(e *env) {
	running, waiting := e.inRack(e.gang("running", 12, 4), firstRack), e.inRack(e.gang("waiting", 12, 4), firstRack)
	e.start(running)
	e.must(e.Create(e.ctx, waiting))
	e.eventually("the row of the running gang", e.shows("running.label", map[string]string{
		"OWNER": "Job/running", "QUEUE": "", "STATE": "Running", "READY": "12/12", "GPUS": "48", "PRIORITY": "0",
		"POSITION": "", "ETA": "", "WAITING": "", "REASON": ""}))
	e.eventually("the row of the waiting gang", e.shows("waiting.label", map[string]string{
		"OWNER": "Job/waiting", "STATE": "Waiting", "READY": "0/12", "GPUS": "48", "POSITION": "1", "ETA": "unknown",
		"WAITED": "", "REASON": "Capacity"}))
	rows, err := e.table(e.ctx)
	e.must(err)
	for object, column := range map[string]string{"running.label": "WAITED", "waiting.label": "WAITING"} {
		if _, err := time.ParseDuration(rows[object][column]); err != nil {
			e.t.Errorf("%s of %s is %q, expected a duration", column, object, rows[object][column])
		}
	}
	wide, err := e.Kubectl(e.ctx, "get", "gangs", "-n", e.namespaces[0], "-o", "wide")
	e.must(err)
	if !containsAll(wide, []string{"MESSAGE", "6 of 12 members placeable"}) {
		e.t.Errorf("kubectl get gangs -o wide says no numbers:\n%s", wide)
	}
	e.must(e.Finish(e.ctx, running))
	e.bound(waiting)
	e.eventually("both rows", func(ctx context.Context) error {
		if err := e.shows("running.label", map[string]string{"STATE": "Finished", "READY": "0/12"})(ctx); err != nil {
			return err
		}
		return e.shows("waiting.label", map[string]string{"STATE": "Running", "READY": "12/12", "POSITION": "", "REASON": ""})(ctx)
	})
	_, err = e.Kubectl(e.ctx, "delete", "job", "running", "-n", e.namespaces[0])
	e.must(err)
	e.eventually("the object to go with its Job", e.noObject("running.label"))
}

// noObject is a check that there is no object of this name.
func (e *env) noObject(object string) func(context.Context) error {
	return func(ctx context.Context) error {
		rows, err := e.table(ctx)
		if err == nil && rows[object] != nil {
			err = fmt.Errorf("it is there: %q", rows[object])
		}
		return err
	}
}

// gangExplained: `kubectl explain` and `kubectl describe` tell a user what the
// fields mean and what the gang waits for; `kubectl wait` takes its conditions.
func gangExplained(e *env) {
	for field, words := range map[string][]string{
		"gang":                 {"start together or not at all"},
		"gang.status.position": {"integer", "ordered before it"},
		"gang.status.eta":      {"basis", "unknown: nothing can be said"},
	} {
		// What a new kind means is published some seconds after it is served.
		e.eventually("kubectl explain "+field, func(ctx context.Context) error {
			out, err := e.Kubectl(ctx, "explain", field)
			if text := strings.Join(strings.Fields(out), " "); err == nil && !containsAll(text, words) {
				err = fmt.Errorf("it says nothing of %q:\n%s", words, out)
			}
			return err
		})
	}
	gang := e.gang("half", 2, 1)
	e.must(e.CreatePods(e.ctx, 1, gang))
	e.eventually("the row", e.shows("half.label", map[string]string{"OWNER": "", "STATE": "Waiting", "REASON": "MembersMissing",
		"POSITION": ""}))
	out, err := e.Kubectl(e.ctx, "describe", "gang", "half", "-n", e.namespaces[0]) // by its prefix
	e.must(err)
	if !containsAll(out, []string{"1 of 2 members are there", "MembersMissing", "Complete", "Waiting Since"}) {
		e.t.Errorf("kubectl describe gang half:\n%s", out)
	}
	_, err = e.createPod(gang.Pod(1))
	e.must(err)
	_, err = e.Kubectl(e.ctx, "wait", "gang/half.label", "--for=condition=Ready", "--timeout=30s", "-n", e.namespaces[0])
	e.must(err)
}

// waitsFor returns the events and the condition by which pods know that they wait.
func (e *env) waitsFor(ctx context.Context, pod *corev1.Pod) (events []string, condition *corev1.PodCondition, err error) {
	all, err := e.Events(ctx, pod)
	for _, event := range all {
		if event.Reason == "WaitingForGang" {
			events = append(events, event.Message)
		}
	}
	for i := range pod.Status.Conditions {
		if c := &pod.Status.Conditions[i]; c.Type == corev1.PodScheduled {
			condition = c
		}
	}
	return events, condition, err
}

// toldOnce is a check that every member has one event and one condition, which say
// where to look.
func (e *env) toldOnce(g workload.Gang) func(context.Context) error {
	return func(ctx context.Context) error {
		members, err := e.Members(ctx, g)
		if err != nil {
			return err
		}
		if len(members) != g.Size {
			return fmt.Errorf("%d of %d members are there", len(members), g.Size)
		}
		command := fmt.Sprintf("kubectl -n %s describe gang %s.label", e.namespaces[0], g.Name)
		for i := range members {
			pod := &members[i]
			events, condition, err := e.waitsFor(ctx, pod)
			if err != nil {
				return err
			}
			if len(events) != 1 || !strings.Contains(events[0], command) {
				return fmt.Errorf("events of %s are %q, expected one that says %q", pod.Name, events, command)
			}
			if condition == nil || condition.Status != corev1.ConditionFalse || condition.Reason != "WaitingForGang" ||
				!strings.Contains(condition.Message, command) {
				return fmt.Errorf("condition PodScheduled of %s is %v, expected False, WaitingForGang, and %q", pod.Name, condition, command)
			}
		}
		return nil
	}
}

// membersTold: `kubectl describe pod` on a member that waits says so, once, also
// after both programs were started again; a gang that starts at once tells nobody.
// What is said of waiting is taken back by the bind.
func membersTold(e *env) {
	blocker := e.inRack(e.gang("blocker", 16, 4), firstRack)
	for _, pod := range e.start(blocker) {
		events, condition, err := e.waitsFor(e.ctx, &pod)
		e.must(err)
		if len(events) > 0 || condition == nil || condition.Status != corev1.ConditionTrue {
			e.t.Errorf("%s started at once and has events %q and condition %v", pod.Name, events, condition)
		}
	}
	gang := e.inRack(e.gang("waiting", 3, 4), firstRack)
	e.must(e.Create(e.ctx, gang))
	e.eventually("every member to be told once", e.toldOnce(gang))
	members, err := e.Members(e.ctx, gang)
	e.must(err)
	out, err := e.Kubectl(e.ctx, "describe", "pod", members[0].Name, "-n", e.namespaces[0])
	e.must(err)
	if !containsAll(out, []string{"WaitingForGang", "2 of 3 members placeable", "describe gang waiting.label"}) {
		e.t.Errorf("kubectl describe pod %s:\n%s", members[0].Name, out)
	}
	e.phalanx.Brain.Kill()
	e.must(e.phalanx.StartBrain(e.ctx))
	e.must(e.phalanx.WaitReady(e.ctx))
	e.must(e.restartScheduler(e.ctx))
	e.must(e.phalanx.WaitReady(e.ctx))
	e.holds(8*time.Second, e.toldOnce(gang))
	e.must(e.Finish(e.ctx, blocker))
	for _, pod := range e.bound(gang) {
		if _, condition, _ := e.waitsFor(e.ctx, &pod); condition == nil || condition.Status != corev1.ConditionTrue {
			e.t.Errorf("%s is bound, and its condition is %v", pod.Name, condition)
		}
	}
}

// gangObjectDeleted: a user deletes the object; the gang does not notice, and has
// one again when there is something to say.
func gangObjectDeleted(e *env) {
	blocker := e.inRack(e.gang("blocker", 16, 4), firstRack)
	e.start(blocker)
	gang := e.inRack(e.gang("waiting", 4, 4), firstRack)
	e.must(e.Create(e.ctx, gang))
	e.eventually("its object", e.shows("waiting.label", map[string]string{"STATE": "Waiting", "REASON": "Capacity"}))
	_, err := e.Kubectl(e.ctx, "delete", "gang", "waiting.label", "-n", e.namespaces[0])
	e.must(err)
	e.must(e.Finish(e.ctx, blocker))
	e.bound(gang)
	e.eventually("its object again", e.shows("waiting.label", map[string]string{"STATE": "Running", "READY": "4/4",
		"OWNER": "Job/waiting"}))
}

// gangObjectCollected: pods without a controller own their gang's object, so it goes
// with the last of them, even while there is no brain to clean up.
func gangObjectCollected(e *env) {
	gang := e.gang("bare", 3, 1)
	e.must(e.CreatePods(e.ctx, 3, gang))
	members := e.bound(gang)
	e.eventually("its object", e.shows("bare.label", map[string]string{"OWNER": "", "STATE": "Running", "READY": "3/3"}))
	e.phalanx.Brain.Kill()
	e.must(e.deletePod(&members[0]))
	e.holds(quiet, e.shows("bare.label", map[string]string{"STATE": "Running"}))
	e.must(e.deletePod(&members[1]))
	e.must(e.deletePod(&members[2]))
	e.eventually("the object to go with its pods", e.noObject("bare.label"))
	e.must(e.phalanx.StartBrain(e.ctx))
	e.must(e.phalanx.WaitReady(e.ctx))
	e.holds(quiet, e.noObject("bare.label"))
}

// crds is the folder of the chart with the definitions of our kinds.
func crds() string {
	return filepath.Join(shared.root, "deploy", "helm", "phalanx", "files", "crds")
}
