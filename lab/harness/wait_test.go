package harness

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// What the check said before time ran out is what a reader needs; that its own call was
// cut off is not.
func TestEventuallyTellsWhatWasWrongNotThatTimeIsOver(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 3*pollInterval)
	defer cancel()
	wrong := errors.New("5 of 12 pods")
	calls := 0
	err := Eventually(ctx, "pods", func(ctx context.Context) error {
		if calls++; calls == 1 {
			return wrong
		}
		<-ctx.Done()
		return ctx.Err()
	})
	if !errors.Is(err, wrong) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, expected both %q and the end of the time", err, wrong)
	}
}

func TestEventuallyTellsTheErrorOfACheckThatNeverAnswered(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	refused := errors.New("connection refused")
	err := Eventually(ctx, "pods", func(ctx context.Context) error {
		<-ctx.Done()
		return refused
	})
	if !errors.Is(err, refused) || !strings.Contains(err.Error(), "in vain for pods") {
		t.Errorf("got %v, expected %q and what was awaited", err, refused)
	}
}
