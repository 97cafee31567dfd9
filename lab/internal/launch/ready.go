package launch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"phalanx.dev/lab/internal/parallel"
)

const (
	nodeLeases    = "kube-node-lease"
	createWorkers = 32
	pollInterval  = 100 * time.Millisecond
	// Listing 5,000 nodes costs the API server tens of milliseconds.
	bigPollInterval = time.Second
)

// bringUp starts the components and returns when all of the lab can be used.
func (l *Lab) bringUp(ctx context.Context) error {
	timeout := l.opts.readyTimeout(l.nodeCount())
	ctx, cancel := context.WithTimeoutCause(ctx, timeout,
		fmt.Errorf("not ready after %s (--ready-timeout)", timeout))
	defer cancel()
	if err := l.start(ctx, etcd); err != nil {
		return err
	}
	if err := l.waitFor(ctx, "etcd to answer", pollInterval, l.etcdHealthy); err != nil {
		return err
	}
	if err := l.start(ctx, apiServer); err != nil {
		return err
	}
	if err := l.waitFor(ctx, "kube-apiserver to be ready", pollInterval, l.apiReady); err != nil {
		return err
	}
	l.say("API server ready")
	// Before those who watch nodes start: a list is cheaper than many events.
	if err := l.createNodes(ctx); err != nil {
		return err
	}
	l.say(fmt.Sprintf("%d nodes created", l.nodeCount()))
	for _, c := range l.components[2:] {
		if err := l.start(ctx, c.name); err != nil {
			return err
		}
	}
	return l.waitForTheRest(ctx)
}

// say tells a person how far the start has come.
func (l *Lab) say(what string) {
	fmt.Fprintf(os.Stderr, "phalanx-lab: %5.1f s  %s\n", time.Since(l.started).Seconds(), what)
}

func (l *Lab) waitForTheRest(ctx context.Context) error {
	if !l.opts.runs(controllerManager) {
		if err := l.createDefaultServiceAccount(ctx); err != nil {
			return err
		}
	}
	err := l.waitFor(ctx, "the service account default/default", pollInterval, l.defaultAccount)
	if err != nil {
		return err
	}
	interval := pollInterval
	if l.nodeCount() > 1000 {
		interval = bigPollInterval
	}
	err = l.waitFor(ctx, "all nodes to be Ready and without taints", interval, l.nodesReady)
	if err != nil || !l.opts.runs(kwok) {
		return err
	}
	return l.waitFor(ctx, "kwok to take over all nodes", interval, l.nodesLeased)
}

// waitFor calls check until it returns nil. When ctx ends first the error says
// what was awaited, why it ended, and what check said last.
func (l *Lab) waitFor(ctx context.Context, what string, interval time.Duration,
	check func(context.Context) error) error {
	for {
		last := check(ctx)
		if last == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w; last: %w", what, context.Cause(ctx), last)
		case <-time.After(interval):
		}
	}
}

func (l *Lab) etcdHealthy(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet,
		"http://"+l.etcdPort.Address()+"/health", nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return errors.New(response.Status)
	}
	return nil
}

func (l *Lab) apiReady(ctx context.Context) error {
	if err := l.client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error(); err != nil {
		return err
	}
	for _, name := range []string{metav1.NamespaceDefault, nodeLeases} {
		_, err := l.client.CoreV1().Namespaces().Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
	}
	return nil
}

// createDefaultServiceAccount stands in for the controller when there is none:
// without the account no pod can be created.
func (l *Lab) createDefaultServiceAccount(ctx context.Context) error {
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "default"}}
	_, err := l.client.CoreV1().ServiceAccounts(metav1.NamespaceDefault).Create(ctx, account,
		metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("create the service account default/default: %w", err)
	}
	return nil
}

func (l *Lab) defaultAccount(ctx context.Context) error {
	_, err := l.client.CoreV1().ServiceAccounts(metav1.NamespaceDefault).Get(ctx, "default",
		metav1.GetOptions{})
	return err
}

// createNodes creates all nodes with their status, many at a time.
func (l *Lab) createNodes(ctx context.Context) error {
	var created atomic.Int64
	err := parallel.Do(ctx, createWorkers, l.nodes, func(ctx context.Context, n *corev1.Node) error {
		_, err := l.client.CoreV1().Nodes().Create(ctx, n, metav1.CreateOptions{})
		if err == nil {
			created.Add(1)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("create nodes (%d of %d created): %w", created.Load(), l.nodeCount(), err)
	}
	return nil
}

// nodesReady checks that the nodes are Ready and carry no taint of the system's.
func (l *Lab) nodesReady(ctx context.Context) error {
	fromCache := metav1.ListOptions{ResourceVersion: "0"}
	nodes, err := l.client.CoreV1().Nodes().List(ctx, fromCache)
	if err != nil {
		return err
	}
	usable := 0
	for i := range nodes.Items {
		if nodeUsable(&nodes.Items[i]) {
			usable++
		}
	}
	if usable < l.nodeCount() {
		return fmt.Errorf("%d of %d are", usable, l.nodeCount())
	}
	return nil
}

func nodeUsable(node *corev1.Node) bool {
	for _, taint := range node.Spec.Taints {
		cordoned := taint.Key == corev1.TaintNodeUnschedulable && node.Spec.Unschedulable
		if strings.HasPrefix(taint.Key, "node.kubernetes.io/") && !cordoned {
			return false
		}
	}
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}

// nodesLeased checks that KWOK holds a lease for each node: it does nothing for
// the pods of a node before that.
func (l *Lab) nodesLeased(ctx context.Context) error {
	if l.nodeCount() == 0 {
		return nil
	}
	list, err := l.client.CoordinationV1().Leases(nodeLeases).List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return err
	}
	leases := len(list.Items)
	if list.RemainingItemCount != nil {
		leases += int(*list.RemainingItemCount)
	}
	if leases < l.nodeCount() {
		return fmt.Errorf("%d of %d have a lease", leases, l.nodeCount())
	}
	return nil
}
