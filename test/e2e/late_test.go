package e2e

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"phalanx.dev/lab/workload"
)

var lateStories = []story{
	{"shared-late-volume", "smoke faults", time.Minute, sharedLateVolume},
	{"shared-claim", "smoke faults", time.Minute, sharedClaim},
}

// sharing makes bare pods that share an object, and checks that they are refused for it.
func (e *env) sharing(gang workload.Gang, object string, use func(*corev1.PodSpec)) {
	e.t.Helper()
	for i := range gang.Size {
		pod := gang.Pod(i)
		use(&pod.Spec)
		_, err := e.createPod(pod)
		e.must(err)
	}
	e.eventually("the reason", e.told(gang, "more than one member waits for "+object))
	e.holds(quiet, e.unbound(gang))
	e.nothingHeld()
}

// sharedLateVolume: members that share a volume which is made on its first use would
// wait for each other at the first barrier for ever. They are refused with a reason
// until the volume is there, and other gangs run.
func sharedLateVolume(e *env) {
	volumes := e.lateVolumes()
	e.must(volumes.Claim(e.ctx, "data"))
	gang := e.gang("sharing", 3, 2)
	e.sharing(gang, "pvc/data", func(spec *corev1.PodSpec) { workload.UseClaim(spec, "data") })
	e.start(e.gang("other", 2, 1))
	e.must(volumes.Provide(e.ctx, "data"))
	e.whole(gang, e.bound(gang), true)
}

// sharedClaim: the same with a ResourceClaim that is not allocated. Members that have
// no such claim in common any more are started.
func sharedClaim(e *env) {
	claims := e.Client().ResourceV1().ResourceClaims(e.namespaces[0])
	_, err := claims.Create(e.ctx, &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: "gpus"},
		Spec: resourcev1.ResourceClaimSpec{Devices: resourcev1.DeviceClaim{
			Requests: []resourcev1.DeviceRequest{{Name: "gpu",
				Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: "nosuch.example.com"}}}}}},
		metav1.CreateOptions{})
	e.must(err)
	gang, name := e.gang("sharing", 2, 2), "gpus"
	e.sharing(gang, "claim/gpus", func(spec *corev1.PodSpec) {
		spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "gpus", ResourceClaimName: &name}}
	})
	for i := range gang.Size {
		e.must(e.deletePod(gang.Pod(i)))
	}
	e.eventually("the pods to be gone", func(ctx context.Context) error {
		members, err := e.Members(ctx, gang)
		if err == nil && len(members) > 0 {
			err = errors.New(members.Summary())
		}
		return err
	})
	e.must(e.CreatePods(e.ctx, gang.Size, gang))
	e.whole(gang, e.bound(gang), true)
	if got, err := claims.Get(e.ctx, name, metav1.GetOptions{}); err != nil || got.Status.Allocation != nil {
		e.t.Errorf("the claim is %v: %v; expected it untouched", got, fmt.Sprint(err))
	}
}
