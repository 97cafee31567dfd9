package plugin

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/rest"
	clienttesting "k8s.io/client-go/testing"
	st "k8s.io/kubernetes/pkg/scheduler/testing"
)

var podResource = v1.SchemeGroupVersion.WithResource("pods")

// api answers Bindings in turn; the last answer repeats.
type api struct {
	*fake.Clientset
	answers []func() error
	posts   int
}

func newAPI(pod *v1.Pod, answers ...func(*api) error) *api {
	a := &api{Clientset: fake.NewClientset()}
	if pod != nil {
		_ = a.Tracker().Add(pod)
	}
	for _, answer := range answers {
		a.answers = append(a.answers, func() error { return answer(a) })
	}
	a.PrependReactor("create", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
		a.posts++
		return true, &v1.Binding{}, a.answers[min(a.posts, len(a.answers))-1]()
	})
	return a
}

func pod() *st.PodWrapper { return st.MakePod().Name("p").UID("u").Namespace("ns") }

// Answers of the API server.
func created(a *api) error { return a.place("n1") }
func invalid(*api) error {
	return apierrors.NewInvalid(v1.SchemeGroupVersion.WithKind("Binding").GroupKind(), "p", nil)
}
func notFound(*api) error  { return apierrors.NewNotFound(podResource.GroupResource(), "p") }
func forbidden(*api) error { return apierrors.NewForbidden(podResource.GroupResource(), "p", nil) }
func conflict(*api) error  { return apierrors.NewConflict(podResource.GroupResource(), "p", nil) }
func tooMany(*api) error   { return apierrors.NewTooManyRequests("slow down", 0) }
func webhook(*api) error   { return apierrors.NewInternalError(errors.New("webhook is down")) }
func lostAfterCommit(a *api) error {
	_ = a.place("n1")
	return context.DeadlineExceeded
}
func lostBeforeCommit(*api) error { return context.DeadlineExceeded }

func (a *api) place(node string) error {
	return a.Tracker().Update(podResource, pod().Node(node).Obj(), "ns")
}

func TestOutcomeOfBinding(t *testing.T) {
	type answers = []func(*api) error
	for _, c := range []struct {
		name    string
		pod     *v1.Pod
		answers answers
		result  string
		node    string
		code    int32
		posts   int
	}{
		{"201", pod().Obj(), answers{created}, bound, "n1", 0, 1},
		{"409, bound as planned", pod().Node("n1").Obj(), answers{conflict}, bound, "n1", 0, 1},
		{"409, bound elsewhere: adopt it", pod().Node("n9").Obj(), answers{conflict}, bound, "n9", 0, 1},
		{"409, being deleted", pod().Terminating().Obj(), answers{conflict}, lost, "", 409, 1},
		{"409, another pod has the name", pod().UID("other").Obj(), answers{conflict}, lost, "", 409, 1},
		{"409 for a moment", pod().Obj(), answers{conflict, created}, bound, "n1", 0, 2},
		{"404", pod().Obj(), answers{notFound}, refused, "", 404, 1},
		{"403", pod().Obj(), answers{forbidden}, refused, "", 403, 1},
		{"422", pod().Obj(), answers{invalid}, refused, "", 422, 1},
		{"429, then 201", pod().Obj(), answers{tooMany, tooMany, created}, bound, "n1", 0, 3},
		{"500, then 201", pod().Obj(), answers{webhook, created}, bound, "n1", 0, 2},
		{"answer lost after the commit", pod().Obj(), answers{lostAfterCommit}, bound, "n1", 0, 1},
		{"answer lost before the commit", pod().Obj(), answers{lostBeforeCommit, created}, bound, "n1", 0, 2},
		{"answer lost, pod gone", nil, answers{lostBeforeCommit}, lost, "", 404, 1},
		{"answer lost, then refused", pod().Obj(), answers{lostBeforeCommit, invalid}, refused, "", 422, 2},
	} {
		a := newAPI(c.pod, c.answers...)
		o := newBinder(a, time.Minute).run(context.Background())
		if o.result != c.result || o.node != c.node || o.code != c.code || a.posts != c.posts {
			t.Errorf("%s: %+v after %d posts; want %s node %q code %d after %d", c.name, o, a.posts, c.result, c.node, c.code, c.posts)
		}
	}
}

func newBinder(a *api, within time.Duration) *binder {
	return &binder{client: a, leading: func() bool { return true }, attempt: time.Second, deadline: time.Now().Add(within),
		binding: &v1.Binding{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "p", UID: "u"}, Target: v1.ObjectReference{Name: "n1"}}}
}

// The fake client does not look at options.
func TestDryRunIsSentAsOne(t *testing.T) {
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Method+" "+r.URL.String())
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		_, _ = w.Write([]byte(`{"kind":"Status","apiVersion":"v1","status":"Success"}`))
	}))
	defer server.Close()
	b := newBinder(newAPI(nil), time.Minute)
	b.client = kubernetes.NewForConfigOrDie(&rest.Config{Host: server.URL})
	b.options.DryRun = []string{metav1.DryRunAll}
	o := b.run(context.Background())
	if o.result != bound || len(asked) != 1 || asked[0] != "POST /api/v1/namespaces/ns/pods/p/binding?dryRun=All" {
		t.Errorf("%+v after %q", o, asked)
	}
}

func TestWebhookThatStaysBrokenIsARefusal(t *testing.T) {
	var b *binder
	a := newAPI(pod().Obj(), webhook, func(a *api) error {
		b.deadline = time.Now().Add(-time.Second) // time is up
		return webhook(a)
	})
	b = newBinder(a, time.Hour)
	if o := b.run(context.Background()); o.result != refused || o.code != 500 || a.posts != 2 {
		t.Errorf("%+v after %d posts, want a refusal with 500 after 2", o, a.posts)
	}
}

func TestLostLeaseEndsTheAttempts(t *testing.T) {
	a := newAPI(pod().Obj(), tooMany)
	b := newBinder(a, time.Hour)
	b.leading = func() bool { return false }
	if o := b.run(context.Background()); o.result != refused || a.posts != 1 {
		t.Errorf("%+v after %d posts, want no second one", o, a.posts)
	}
}

// While the API server does not tell, Bind does not say that the pod is unbound.
func TestUnknownOutcomeWaitsForAnAnswer(t *testing.T) {
	a := newAPI(pod().Obj(), lostAfterCommit)
	asked := 0
	a.PrependReactor("get", "pods", func(clienttesting.Action) (bool, runtime.Object, error) {
		asked++
		return asked < 4, nil, apierrors.NewServiceUnavailable("starting")
	})
	if o := newBinder(a, 0).run(context.Background()); o.result != bound || asked != 4 {
		t.Errorf("%+v after %d questions, want bound after 4", o, asked)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if o := newBinder(newAPI(pod().Obj(), lostBeforeCommit), time.Hour).run(ctx); o.result != cancelled {
		t.Errorf("%+v, want %s", o, cancelled)
	}
}

func TestGateLetsGangsThroughInOrder(t *testing.T) {
	g := NewBindGate(1)
	if err := g.Enter(context.Background(), 1); err != nil {
		t.Fatal(err)
	}
	passed := make(chan uint64, 3)
	for i, order := range []uint64{3, 2, 2} {
		go func() {
			if g.Enter(context.Background(), order) == nil {
				passed <- order
				g.Leave()
			}
		}()
		waitFor(t, func() bool { g.mu.Lock(); defer g.mu.Unlock(); return len(g.waiting) == i+1 })
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := g.Enter(ctx, 0); err == nil {
		t.Error("entered with a context that has ended")
	}
	g.Leave()
	for _, want := range []uint64{2, 2, 3} {
		if got := <-passed; got != want {
			t.Errorf("gang %d passed, want %d", got, want)
		}
	}
	waitFor(t, func() bool { g.mu.Lock(); defer g.mu.Unlock(); return g.free == 1 })
}

func waitFor(t *testing.T, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(90 * time.Second); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it did not happen within 90 s")
		}
	}
}
