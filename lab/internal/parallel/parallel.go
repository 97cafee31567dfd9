// Package parallel runs the same work for many items.
package parallel

import (
	"context"

	"golang.org/x/sync/errgroup"
)

// Do calls work for each item, with at most workers calls at a time. It returns
// the first error and starts no further call after it.
func Do[T any](ctx context.Context, workers int, items []T,
	work func(context.Context, T) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(workers)
	for _, item := range items {
		if ctx.Err() != nil {
			break
		}
		group.Go(func() error { return work(ctx, item) })
	}
	return group.Wait()
}
