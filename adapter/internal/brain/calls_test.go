package brain

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestEachCodeMeansOneThing(t *testing.T) {
	for code := codes.Canceled; code <= codes.Unauthenticated; code++ {
		want := Hold
		switch code {
		case codes.ResourceExhausted, codes.Aborted:
			want = Retry
		case codes.InvalidArgument, codes.OutOfRange, codes.Unimplemented, codes.PermissionDenied, codes.Unauthenticated:
			want = Reject
		}
		if got := ActionOf(status.Error(code, "")); got != want {
			t.Errorf("%v: action %d, want %d", code, got, want)
		}
	}
	if got := ActionOf(errors.New("not a status")); got != Hold {
		t.Errorf("an error without code: action %d, want Hold", got)
	}
}

func TestBreaker(t *testing.T) {
	var b breaker
	now := time.Unix(1000, 0)
	fail := func() { b.note(true, now) }
	fail()
	if !b.allow(now) {
		t.Error("open after one failure")
	}
	fail()
	if b.allow(now) || b.allow(now.Add(restFirst-1)) {
		t.Error("not open after two failures")
	}
	now = now.Add(restFirst)
	if !b.allow(now) {
		t.Error("no probe after the rest")
	}
	if b.allow(now) {
		t.Error("two probes at a time")
	}
	fail()
	if b.allow(now.Add(restFirst)) {
		t.Error("the second rest is not longer than the first")
	}
	for range 20 {
		now = now.Add(restMost)
		if !b.allow(now) {
			t.Fatalf("a rest is longer than %v", restMost)
		}
		fail()
	}
	now = now.Add(restMost)
	b.allow(now)
	b.note(false, now)
	if !b.allow(now) {
		t.Error("not closed after an answer")
	}
}

func TestCodeOf(t *testing.T) {
	gone := apierrors.NewNotFound(schema.GroupResource{Resource: "pods"}, "p")
	for _, c := range []struct {
		err  error
		want int32
	}{{nil, 201}, {gone, 404}, {fmt.Errorf("wrapped: %w", gone), 404}, {errors.New("connection lost"), 0}} {
		if got := CodeOf(c.err); got != c.want {
			t.Errorf("%v: %d, want %d", c.err, got, c.want)
		}
	}
}
