package components

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/pflag"
	"go.etcd.io/etcd/client/pkg/v3/transport"
	"go.etcd.io/etcd/server/v3/embed"
)

const (
	etcdReadyTimeout = 30 * time.Second
	// 5,000 nodes with 100,000 pods stay far below this; etcd's default of
	// 2 GiB turns the store read-only in the middle of a long benchmark.
	etcdQuotaBytes = 8 << 30
)

// runEtcd runs one etcd member without fsync until SIGTERM or SIGINT: fast, and
// durable over the death of the process, though not of the machine.
func runEtcd(args []string) int {
	flags := pflag.NewFlagSet("etcd", pflag.ContinueOnError)
	dataDir := flags.String("data-dir", "", "folder of the store (required)")
	listen := flags.String("listen", "127.0.0.1:2379", "host:port for clients, plain HTTP")
	if err := flags.Parse(args); err != nil {
		return etcdFailed(2, err)
	}
	if *dataDir == "" || flags.NArg() > 0 {
		return etcdFailed(2, fmt.Errorf("want --data-dir DIR [--listen HOST:PORT] and no other "+
			"argument, got %q", args))
	}
	if _, _, err := net.SplitHostPort(*listen); err != nil {
		return etcdFailed(2, fmt.Errorf("--listen %q: want HOST:PORT: %w", *listen, err))
	}
	return serveEtcd(etcdConfig(*dataDir, *listen))
}

func etcdConfig(dataDir, listen string) *embed.Config {
	cfg := embed.NewConfig()
	client := url.URL{Scheme: "http", Host: listen}
	// A single member talks to no peer, but etcd insists on listening for one.
	peer := url.URL{Scheme: "http", Host: "127.0.0.1:0"}
	cfg.Dir = dataDir
	cfg.ListenClientUrls, cfg.AdvertiseClientUrls = []url.URL{client}, []url.URL{client}
	cfg.ListenPeerUrls, cfg.AdvertisePeerUrls = []url.URL{peer}, []url.URL{peer}
	cfg.InitialCluster = cfg.InitialClusterFromName(cfg.Name)
	cfg.UnsafeNoFsync = true
	cfg.QuotaBackendBytes = etcdQuotaBytes
	cfg.LogLevel = "warn"
	// The launcher keeps the port reserved with a socket of its own.
	cfg.SocketOpts = transport.SocketOpts{ReusePort: true}
	return cfg
}

func serveEtcd(cfg *embed.Config) int {
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT)
	etcd, err := embed.StartEtcd(cfg)
	if err != nil {
		return etcdFailed(1, err)
	}
	defer etcd.Close()
	select {
	case <-etcd.Server.ReadyNotify():
	case <-time.After(etcdReadyTimeout):
		return etcdFailed(1, fmt.Errorf("not ready after %s", etcdReadyTimeout))
	case <-stop:
		return 0
	}
	select {
	case err := <-etcd.Err():
		return etcdFailed(1, err)
	case <-stop:
		return 0
	}
}

func etcdFailed(status int, err error) int {
	fmt.Fprintln(os.Stderr, "phalanx-lab etcd:", err)
	return status
}
