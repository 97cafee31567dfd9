package app

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	pb "phalanx.dev/adapter/internal/gen/phalanx/v1alpha1"
)

// apiServer notes what is written and answers as it is told.
type apiServer struct {
	*httptest.Server
	mu       sync.Mutex
	requests []string // METHOD PATH?QUERY CONTENT-TYPE BODY
	answer   func(http.ResponseWriter)
}

const applied = `{"apiVersion":"phalanx.dev/v1alpha1","kind":"Gang","metadata":{"name":"g.label"}}`

func newAPIServer(t *testing.T) *apiServer {
	t.Helper()
	a := &apiServer{}
	a.answerStatus(http.StatusOK, applied)
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		a.mu.Lock()
		a.requests = append(a.requests, strings.TrimSpace(fmt.Sprintf("%s %s %s %s", r.Method, r.URL,
			r.Header.Get("Content-Type"), body)))
		answer := a.answer
		a.mu.Unlock()
		answer(w)
	}))
	t.Cleanup(a.Close)
	return a
}

func (a *apiServer) answerStatus(code int, body string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.answer = func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	}
}

func (a *apiServer) all() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]string(nil), a.requests...)
}

func (a *apiServer) client() dynamic.Interface {
	return dynamic.NewForConfigOrDie(&rest.Config{Host: a.URL})
}

func gangPatch(kind pb.Patch_Kind, subresource, body string) *pb.Patch {
	return &pb.Patch{Kind: kind, Subresource: subresource, Json: []byte(body), Target: &pb.Patch_Target{
		Group: "phalanx.dev", Version: "v1alpha1", Resource: "gangs", Namespace: "ns", Name: "g.label"}}
}

// newPatchWorld writes to an API server that notes it.
func newPatchWorld(t *testing.T, objects ...runtime.Object) (*world, *apiServer) {
	t.Helper()
	api := newAPIServer(t)
	return newWorldWith(t, around{client: api.client()}, objects...), api
}

// patch sends one and returns how it ended.
func (w *world) patch(p *pb.Patch) *pb.DirectiveResult {
	w.t.Helper()
	sequence := w.brain.send(&pb.SyncResponse{Message: &pb.SyncResponse_Patch{Patch: p}})
	return w.brain.await("result", func(r *pb.SyncRequest) bool {
		return r.GetDirectiveResult().GetSequence() == sequence
	}).GetDirectiveResult()
}

func TestPatchesAreTheRequestsTheyNameThemselves(t *testing.T) {
	w, api := newPatchWorld(t)
	pod := &pb.Patch{Kind: pb.Patch_KIND_STRATEGIC, Subresource: "status", Json: []byte(`{"status":{}}`),
		Target: &pb.Patch_Target{Version: "v1", Resource: "pods", Namespace: "ns", Name: "p"}}
	gone := gangPatch(pb.Patch_KIND_DELETE, "", "")
	gone.Target.Uid = "u-1"
	for _, c := range []struct {
		patch *pb.Patch
		want  []string // words of the request
	}{
		{gangPatch(pb.Patch_KIND_APPLY, "", `{"a":1}`), []string{"PATCH /apis/phalanx.dev/v1alpha1/namespaces/ns/gangs/g.label?",
			"fieldManager=phalanx", "force=true", "application/apply-patch+yaml", `{"a":1}`}},
		{gangPatch(pb.Patch_KIND_MERGE, "status", `{"status":{"ready":"1/2"}}`), []string{"PATCH /apis/phalanx.dev/v1alpha1/namespaces/ns/gangs/g.label/status?",
			"fieldManager=phalanx", "application/merge-patch+json", `{"status":{"ready":"1/2"}}`}},
		{pod, []string{"PATCH /api/v1/namespaces/ns/pods/p/status?", "application/strategic-merge-patch+json"}},
		{gone, []string{"DELETE /apis/phalanx.dev/v1alpha1/namespaces/ns/gangs/g.label", `"preconditions":{"uid":"u-1"}`}},
	} {
		if result := w.patch(c.patch); !result.Applied || result.KindMissing {
			t.Errorf("%v: result %v, want applied", c.patch, result)
		}
		all := api.all()
		for _, word := range c.want {
			if last := all[len(all)-1]; !strings.Contains(last, word) {
				t.Errorf("%v: the request was\n%s\nwithout %q", c.patch.Kind, last, word)
			}
		}
	}
}

func status(code int, reason string) string {
	return fmt.Sprintf(`{"kind":"Status","apiVersion":"v1","status":"Failure","message":"no","reason":%q,"code":%d}`, reason, code)
}

func TestPatchResults(t *testing.T) {
	w, api := newPatchWorld(t)
	show := gangPatch(pb.Patch_KIND_MERGE, "status", "{}")
	for _, c := range []struct {
		name string
		code int
		body string
		want *pb.DirectiveResult
	}{
		{"no such object", 404, status(404, "NotFound"), &pb.DirectiveResult{Code: 404}},
		{"no such kind", 404, "404 page not found\n", &pb.DirectiveResult{Code: 404, KindMissing: true}},
		{"no right", 403, status(403, "Forbidden"), &pb.DirectiveResult{Code: 403}},
		{"another object of that name", 409, status(409, "Conflict"), &pb.DirectiveResult{Code: 409}},
		{"a server that is ill", 500, status(500, "InternalError"), &pb.DirectiveResult{Code: 500}},
	} {
		api.answerStatus(c.code, c.body)
		before := len(api.all())
		got := w.patch(show)
		if got.Applied || got.Code != c.want.Code || got.KindMissing != c.want.KindMissing || got.Message == "" {
			t.Errorf("%s: result %v, want %v with a message", c.name, got, c.want)
		}
		if requests := len(api.all()) - before; requests != 1 {
			t.Errorf("%s: %d requests, want one: the brain decides whether it is tried again", c.name, requests)
		}
	}
	if got := w.patch(gangPatch(pb.Patch_KIND_UNSPECIFIED, "", "{}")); got.Applied || !strings.Contains(got.Message, "expected APPLY") {
		t.Errorf("a patch of no kind: result %v, want a refusal that names the kinds", got)
	}
	api.answerStatus(404, status(404, "NotFound"))
	if got := w.patch(gangPatch(pb.Patch_KIND_DELETE, "", "")); !got.Applied {
		t.Errorf("deletion of what is gone: result %v, want applied", got)
	}
}

func TestOnlyALeaderPatches(t *testing.T) {
	w, api := newPatchWorld(t)
	w.clock.SetTime(time.Unix(1<<41, 0)) // later than any lease
	got := w.patch(gangPatch(pb.Patch_KIND_APPLY, "", "{}"))
	if got.Applied || got.Code != 0 || len(api.all()) != 0 {
		t.Errorf("result %v after requests %q, want a refusal without any", got, api.all())
	}
}

// A server that hangs keeps neither the stream nor more requests than a few.
func TestPatchesThatHangHoldNothingUp(t *testing.T) {
	w, api := newPatchWorld(t, gpuNode("n1"))
	release := make(chan struct{})
	api.mu.Lock()
	api.answer = func(http.ResponseWriter) { <-release }
	api.mu.Unlock()
	t.Cleanup(func() { close(release) })
	for range 20 {
		w.brain.send(&pb.SyncResponse{Message: &pb.SyncResponse_Patch{Patch: gangPatch(pb.Patch_KIND_APPLY, "", "{}")}})
	}
	w.create(member("g1").Obj())
	w.knows("g1", 1, func(p map[string]*pb.Pod) bool { return p["g1"] != nil })
	w.brain.admit(7, map[string]string{"g1": "n1"})
	w.brain.release(7, pb.Release_STAGE_PREPARE)
	w.brain.awaitFact("g1", 7, pb.MemberFact_STATE_PREPARED)
	if n := len(api.all()); n > 4 {
		t.Errorf("%d requests are under way, want at most 4", n)
	}
}
