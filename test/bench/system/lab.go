package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"phalanx.dev/lab/harness"
	"phalanx.dev/lab/install"
)

const labReady = 6 * time.Minute

// cluster is a lab with bare nodes: no fake kubelet touches a pod that was bound, and the only
// controllers are those without which no pod can be created.
type cluster struct {
	*harness.Lab
	client kubernetes.Interface // without a limit, in protobuf
	folder string
}

func startCluster(ctx context.Context, s *setting) (*cluster, error) {
	folder, err := os.MkdirTemp("", "phalanx-bench-")
	if err != nil {
		return nil, err
	}
	c := &cluster{folder: folder}
	worldFile := filepath.Join(s.root, "lab", "worlds", "hgx-5000.yaml")
	if s.tiny {
		worldFile = filepath.Join(folder, "tiny.yaml")
		if err := os.WriteFile(worldFile, []byte(tinyWorld), 0o600); err != nil {
			return nil, errors.Join(err, os.RemoveAll(folder))
		}
	}
	c.Lab, err = harness.Start(ctx, harness.Options{
		World: worldFile, Binary: s.program("phalanx-lab"), Dir: filepath.Join(folder, "lab"), ReadyTimeout: labReady,
		Args: []string{"--nodes-only-api", "--controllers=serviceaccount-controller,namespace-controller," +
			"clusterrole-aggregation-controller,garbage-collector-controller"},
	})
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	config := c.Config()
	config.ContentType = "application/vnd.kubernetes.protobuf"
	config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	if c.client, err = kubernetes.NewForConfig(config); err == nil {
		err = c.awaitAccount(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, c.stop())
	}
	return c, nil
}

// awaitAccount waits for the account without which the namespace takes no pods.
func (c *cluster) awaitAccount(ctx context.Context) error {
	return harness.Eventually(ctx, "the service account", func(ctx context.Context) error {
		_, err := c.client.CoreV1().ServiceAccounts(metav1.NamespaceDefault).Get(ctx, "default", metav1.GetOptions{})
		return err
	})
}

// stop ends the lab. Its logs are kept in $PHALANX_ARTIFACTS, a new folder, if that is set.
func (c *cluster) stop() error {
	err := c.Stop()
	if kept := os.Getenv("PHALANX_ARTIFACTS"); kept != "" {
		err = errors.Join(err, os.CopyFS(kept, os.DirFS(filepath.Join(c.Dir(), "logs"))))
	}
	return errors.Join(err, os.RemoveAll(c.folder))
}

// installPhalanx installs the chart with its own settings, but for the lease: nobody else stands by.
// At the smallest size, which tests run on busy machines, a call to the brain may take longer.
func (c *cluster) installPhalanx(ctx context.Context, s *setting) (*install.Phalanx, error) {
	set := []string{"scheduler.leaderElection.enabled=false"}
	if s.tiny {
		set = append(set, "scheduler.pluginArgs.callTimeout=1s")
	}
	return install.Install(ctx, c.Lab, install.Options{Root: s.root, Set: set})
}

const requestWorkers = 16

// each calls do for 0 to n-1 from 16 workers, and returns the first error.
func each(ctx context.Context, n int, do func(context.Context, int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next, done := make(chan int), make(chan struct{})
	for range requestWorkers {
		go func() {
			defer func() { done <- struct{}{} }()
			for i := range next {
				if err := do(ctx, i); err != nil {
					cancel(err)
				}
			}
		}()
	}
	for i := 0; i < n && ctx.Err() == nil; i++ {
		next <- i
	}
	close(next)
	for range requestWorkers {
		<-done
	}
	return context.Cause(ctx)
}

// create creates pods, in about this order.
func (c *cluster) create(ctx context.Context, pods []*corev1.Pod) error {
	return each(ctx, len(pods), func(ctx context.Context, i int) error {
		_, err := c.client.CoreV1().Pods(pods[i].Namespace).Create(ctx, pods[i], metav1.CreateOptions{})
		if err != nil {
			return fmt.Errorf("create the pod %s: %w", pods[i].Name, err)
		}
		return nil
	})
}

// remove deletes pods at once, and returns when they are gone.
func (c *cluster) remove(ctx context.Context, pods []*corev1.Pod) error {
	now := metav1.NewDeleteOptions(0)
	return each(ctx, len(pods), func(ctx context.Context, i int) error {
		return c.client.CoreV1().Pods(pods[i].Namespace).Delete(ctx, pods[i].Name, *now)
	})
}
