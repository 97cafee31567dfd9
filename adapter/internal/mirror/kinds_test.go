package mirror

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	pb "phalanx.dev/adapter/internal/gen/phalanx/v1alpha1"
)

var (
	groups  = schema.GroupVersionResource{Group: "scheduling.x-k8s.io", Version: "v1alpha1", Resource: "podgroups"}
	jobsets = schema.GroupVersionResource{Group: "jobset.x-k8s.io", Version: "v1alpha2", Resource: "jobsets"}
)

// apis is the discovery of an API server.
type apis struct {
	mu     sync.Mutex
	served map[schema.GroupVersionResource]bool
	broken bool
}

func (a *apis) set(change func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	change()
}

func (a *apis) ServerResourcesForGroupVersionWithContext(_ context.Context, gv string) (*metav1.APIResourceList, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.broken {
		return nil, errors.New("etcd is away")
	}
	list := &metav1.APIResourceList{GroupVersion: gv}
	for gvr, served := range a.served {
		if served && gvr.GroupVersion().String() == gv {
			list.APIResources = append(list.APIResources, metav1.APIResource{Name: gvr.Resource})
		}
	}
	if len(list.APIResources) == 0 {
		return nil, &apierrors.StatusError{ErrStatus: metav1.Status{Code: http.StatusNotFound, Reason: metav1.StatusReasonNotFound}}
	}
	return list, nil
}

func podGroup(name, uid string, min int64) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"minMember": min}}}
	u.SetGroupVersionKind(groups.GroupVersion().WithKind("PodGroup"))
	u.SetNamespace("team")
	u.SetName(name)
	u.SetUID(types.UID(uid))
	u.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: "kubectl"}})
	return u
}

// kindsRig has Kinds on a fake API server, and what the brain would know.
type kindsRig struct {
	*Kinds
	t      *testing.T
	ctx    context.Context
	apis   *apis
	client *dynamicfake.FakeDynamicClient
	packer *Packer
	known  map[string]*pb.Object // by UID
}

func newKindsRig(t *testing.T, served []schema.GroupVersionResource, objects ...runtime.Object) *kindsRig {
	t.Helper()
	r := &kindsRig{t: t, apis: &apis{served: map[schema.GroupVersionResource]bool{}}, known: map[string]*pb.Object{}}
	for _, gvr := range served {
		r.apis.served[gvr] = true
	}
	r.client = dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(),
		map[schema.GroupVersionResource]string{groups: "PodGroupList", jobsets: "JobSetList"}, objects...)
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	r.ctx = ctx
	r.Kinds = &Kinds{Discovery: r.apis, Client: r.client, Outbox: NewOutbox(), Every: time.Hour}
	r.packer = NewPacker(Wanted{}, nil, 1<<20)
	return r
}

// begin is what a session does after Welcome.
func (r *kindsRig) begin(kinds ...schema.GroupVersionResource) {
	var list []*pb.ObjectKind
	for _, gvr := range kinds {
		list = append(list, &pb.ObjectKind{Group: gvr.Group, Version: gvr.Version, Resource: gvr.Resource})
	}
	r.Want(r.ctx, list)
	r.Outbox.Open(r.all)
	r.take()
}

func (r *kindsRig) take() {
	for _, frame := range r.packer.Frames(r.Outbox) {
		for _, gone := range frame.GetChanges().GetRemovedObjects() {
			delete(r.known, gone.Uid)
		}
		for _, object := range frame.GetChanges().GetObjects() {
			r.known[object.Key.Uid] = object
		}
	}
}

func (r *kindsRig) eventually(what string, is func() bool) {
	r.t.Helper()
	for deadline := time.Now().Add(60 * time.Second); ; time.Sleep(2 * time.Millisecond) {
		r.take()
		if is() {
			return
		}
		if time.Now().After(deadline) {
			r.t.Fatalf("not in time: %s; known are %v", what, r.known)
		}
	}
}

func (r *kindsRig) create(u *unstructured.Unstructured) {
	r.t.Helper()
	if _, err := r.client.Resource(groups).Namespace("team").Create(r.ctx, u, metav1.CreateOptions{}); err != nil {
		r.t.Fatal(err)
	}
}

func (r *kindsRig) remove(name string) {
	r.t.Helper()
	if err := r.client.Resource(groups).Namespace("team").Delete(r.ctx, name, metav1.DeleteOptions{}); err != nil {
		r.t.Fatal(err)
	}
}

func TestAKindThatIsThereIsInTheSnapshot(t *testing.T) {
	r := newKindsRig(t, []schema.GroupVersionResource{groups}, podGroup("train", "u1", 4))
	r.begin(groups, jobsets)
	object := r.known["u1"]
	if object == nil {
		t.Fatalf("the snapshot has %v, want the PodGroup", r.known)
	}
	if k := object.Key; k.Group != groups.Group || k.Version != "v1alpha1" || k.Resource != "podgroups" || k.Namespace != "team" || k.Name != "train" {
		t.Errorf("key %v", k)
	}
	if text := string(object.Json); !strings.Contains(text, `"minMember":4`) || strings.Contains(text, "managedFields") {
		t.Errorf("json %s, want minMember and no managedFields", text)
	}
}

func TestAKindThatComesLater(t *testing.T) {
	r := newKindsRig(t, nil)
	r.begin(groups) // returns although there is no such kind
	if len(r.known) != 0 {
		t.Fatalf("known are %v, want none", r.known)
	}
	r.apis.set(func() { r.apis.served[groups] = true })
	r.create(podGroup("train", "u1", 4))
	r.look(r.ctx)
	r.eventually("the object comes", func() bool { return r.known["u1"] != nil })
	r.create(podGroup("other", "u2", 2))
	r.eventually("what is made later comes too", func() bool { return r.known["u2"] != nil })
	r.remove("other")
	r.eventually("what is deleted goes", func() bool { return r.known["u2"] == nil })
}

func TestAKindThatGoesTakesItsObjectsAlong(t *testing.T) {
	r := newKindsRig(t, []schema.GroupVersionResource{groups}, podGroup("train", "u1", 4))
	r.begin(groups)
	r.apis.set(func() { r.apis.broken = true })
	r.look(r.ctx) // no answer is no answer: it goes on
	r.take()
	if r.known["u1"] == nil {
		t.Fatal("an API server that does not answer took the objects away")
	}
	r.apis.set(func() { r.apis.broken, r.apis.served[groups] = false, false })
	r.look(r.ctx)
	r.take()
	if len(r.known) != 0 {
		t.Errorf("known are %v, want none", r.known)
	}
	r.apis.set(func() { r.apis.served[groups] = true })
	r.look(r.ctx)
	r.eventually("it comes back", func() bool { return r.known["u1"] != nil })
}

func TestAKindThatIsNotWantedAnyMoreIsLetGo(t *testing.T) {
	r := newKindsRig(t, []schema.GroupVersionResource{groups}, podGroup("train", "u1", 4))
	r.begin(groups)
	r.Want(r.ctx, nil)
	r.take()
	if len(r.known) != 0 {
		t.Errorf("known are %v, want none", r.known)
	}
}

// The list of one kind is forbidden: the snapshot has the other, and does not wait.
func TestAForbiddenKindIsLeftOut(t *testing.T) {
	r := newKindsRig(t, []schema.GroupVersionResource{groups, jobsets}, podGroup("train", "u1", 4))
	forbid := func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewForbidden(jobsets.GroupResource(), "", errors.New("no rule"))
	}
	r.client.PrependReactor("list", "jobsets", forbid)
	r.client.PrependWatchReactor("jobsets", func(clienttesting.Action) (bool, watch.Interface, error) {
		return true, nil, apierrors.NewForbidden(jobsets.GroupResource(), "", errors.New("no rule"))
	})
	r.begin(groups, jobsets)
	if r.known["u1"] == nil || len(r.known) != 1 {
		t.Errorf("known are %v, want the PodGroup", r.known)
	}
	running, ok := r.running.Load(jobsets)
	if !ok || !running.(*kind).refused.Load() {
		t.Error("the kind that is forbidden is not noted as such")
	}
}

func TestAnObjectMadeAgainIsAnother(t *testing.T) {
	r := newKindsRig(t, []schema.GroupVersionResource{groups}, podGroup("train", "u1", 4))
	r.begin(groups)
	r.remove("train")
	r.create(podGroup("train", "u2", 8))
	r.eventually("the new one is known alone", func() bool { return r.known["u2"] != nil && len(r.known) == 1 })
}

func TestAnObjectThatIsTooLargeTravelsWithoutContent(t *testing.T) {
	big := podGroup("train", "u1", 4)
	big.SetAnnotations(map[string]string{"text": string(bytes.Repeat([]byte("x"), 2000))})
	if whole := Object(objectKey(groups, big), big, 4000); len(whole.Json) < 2000 {
		t.Errorf("%d bytes of JSON, want all", len(whole.Json))
	}
	if empty := Object(objectKey(groups, big), big, 1000); len(empty.Json) != 0 || empty.Key.Name != "train" {
		t.Errorf("%d bytes of JSON for key %v, want none", len(empty.Json), empty.Key)
	}
}
