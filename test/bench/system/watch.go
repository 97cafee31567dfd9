package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// bindings watches pods of a run become bound.
type bindings struct{ watch.Interface }

// interval is from the first Binding to the last one.
type interval struct{ first, last time.Time }

// watchBindings begins with the present: the pods of earlier runs are gone, those of this one are
// not bound yet.
func (b *bindBench) watchBindings(ctx context.Context) (*bindings, error) {
	options := metav1.ListOptions{
		LabelSelector: fmt.Sprintf("%s=%d", runLabel, b.runs),
		FieldSelector: "spec.nodeName!=",
	}
	pods := b.client.CoreV1().Pods(metav1.NamespaceDefault)
	list, err := pods.List(ctx, options)
	if err != nil {
		return nil, err
	}
	if len(list.Items) > 0 {
		return nil, fmt.Errorf("%d pods are bound before the case begins", len(list.Items))
	}
	options.ResourceVersion = list.ResourceVersion
	w, err := pods.Watch(ctx, options)
	if err != nil {
		return nil, err
	}
	return &bindings{w}, nil
}

// await returns when n pods are bound.
func (b *bindings) await(ctx context.Context, n int) (interval, error) {
	var seen interval
	for bound := 0; bound < n; {
		select {
		case <-ctx.Done():
			return seen, fmt.Errorf("%d of %d pods are bound: %w", bound, n, context.Cause(ctx))
		case event, open := <-b.ResultChan():
			if !open {
				return seen, errors.New("the watch ended")
			}
			if event.Type == watch.Error {
				return seen, fmt.Errorf("watch: %v", event.Object)
			}
			// With this selector a pod is added when it gets its node.
			if _, pod := event.Object.(*corev1.Pod); !pod || event.Type != watch.Added {
				continue
			}
			seen.last = time.Now()
			if bound == 0 {
				seen.first = seen.last
			}
			bound++
		}
	}
	return seen, nil
}
