package e2e

import (
	"fmt"
	"time"

	"phalanx.dev/lab/workload"
)

var inputStories = []story{
	{"bad-size", "smoke", 90 * time.Second, badSize},
	{"members-disagree", "smoke", time.Minute, membersDisagree},
	{"two-namespaces", "smoke", time.Minute, twoNamespaces},
}

// badSize: a gang size that can't be meant is told on the pod with the offending
// value, holds nothing, and disturbs nobody.
func badSize(e *env) {
	bad := map[string]string{"zero": "0", "negative": "-3", "word": "NaN", "huge": "10001", "empty": ""}
	var gangs []workload.Gang
	for name, size := range bad {
		gang := e.gang(name, 1, 1)
		gang.Labels = map[string]string{workload.SizeLabel: size}
		if size == "-3" { // not a label value: no author can get this far
			if err := e.CreatePods(e.ctx, 1, gang); err == nil {
				e.t.Errorf("the API server accepted the label value %q", size)
			}
			continue
		}
		e.must(e.CreatePods(e.ctx, 1, gang))
		gangs = append(gangs, gang)
	}
	e.start(e.gang("good", 2, 1))
	for _, gang := range gangs {
		e.eventually("a word about the size of "+gang.Name,
			e.told(gang, "gang-size", fmt.Sprintf("%q", gang.Labels[workload.SizeLabel])))
		e.must(e.unbound(gang)(e.ctx))
	}
	if err := e.phalanx.Brain.Err(); err != nil {
		e.t.Error(err)
	}
}

// membersDisagree: two members that name different sizes make an unclear gang. It
// says both values and waits, until the odd one goes.
func membersDisagree(e *env) {
	gang := e.gang("unclear", 2, 1)
	e.must(e.CreatePods(e.ctx, 1, gang))
	odd := e.gang("unclear", 3, 1)
	pod := odd.Pod(2)
	created, err := e.createPod(pod)
	e.must(err)
	e.eventually("a word about both sizes", e.told(gang, "2", "3"))
	e.start(e.gang("good", 2, 1))
	e.must(e.unbound(gang)(e.ctx))
	e.must(e.deletePod(created))
	_, err = e.createPod(gang.Pod(1))
	e.must(err)
	e.bound(gang)
}

// twoNamespaces: the same gang name in two namespaces means two gangs: half a gang
// here is not completed by half a gang there.
func twoNamespaces(e *env) {
	here, there := e.gang("twin", 2, 1), e.gang("twin", 2, 1)
	there.Namespace = e.addNamespace("elsewhere")
	e.must(e.CreatePods(e.ctx, 1, here, there))
	e.holds(quiet, e.unbound(here))
	e.must(e.unbound(there)(e.ctx))
	_, err := e.createPod(here.Pod(1))
	e.must(err)
	e.bound(here)
	e.must(e.unbound(there)(e.ctx))
	_, err = e.createPod(there.Pod(1))
	e.must(err)
	e.bound(there)
}
