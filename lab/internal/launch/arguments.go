package launch

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

//go:embed stages/stages.yaml
var stages string

// apiServerArguments are those of a kube-apiserver with RBAC that knows the
// static tokens and issues real tokens for service accounts.
func (l *Lab) apiServerArguments() []string {
	args := []string{
		"--etcd-servers=http://" + l.etcdPort.Address(),
		"--bind-address=127.0.0.1",
		fmt.Sprintf("--secure-port=%d", l.apiPort.Number),
		"--permit-port-sharing",
		"--advertise-address=127.0.0.1",
		"--endpoint-reconciler-type=none", // loopback can't be an endpoint of a service
		"--service-cluster-ip-range=" + serviceCIDR,
		"--tls-cert-file=" + l.secrets.cert,
		"--tls-private-key-file=" + l.secrets.key,
		"--cert-dir=" + l.secrets.dir,
		// Makes the ConfigMap kube-system/extension-apiserver-authentication, which the
		// HTTPS ports of schedulers and controllers ask for again and again until it exists.
		"--client-ca-file=" + l.secrets.ca,
		"--requestheader-client-ca-file=" + l.secrets.ca,
		"--requestheader-allowed-names=front-proxy-client",
		"--requestheader-username-headers=X-Remote-User",
		"--requestheader-group-headers=X-Remote-Group",
		"--requestheader-extra-headers-prefix=X-Remote-Extra-",
		"--token-auth-file=" + l.secrets.tokens,
		"--authorization-mode=RBAC",
		"--anonymous-auth=false",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + l.secrets.accountsKey,
		"--service-account-signing-key-file=" + l.secrets.accountsKey,
		"--shutdown-watch-termination-grace-period=0s",
	}
	if l.nodesStartUntainted() {
		args = append(args, "--disable-admission-plugins=TaintNodesByCondition")
	}
	return append(args, l.opts.APIServerArgs...)
}

// nodesStartUntainted is whether new nodes don't get the taint that a controller
// takes away when it finds them Ready: where that controller, or the heartbeats
// it wants, are missing, and in big worlds, where it takes a minute.
func (l *Lab) nodesStartUntainted() bool {
	return l.opts.NodesOnlyAPI || !l.opts.runs(controllerManager) || l.nodeCount() > smallWorld
}

func (l *Lab) managerArguments() []string {
	config := l.kubeconfigOf(controllerManager)
	args := []string{
		"--kubeconfig=" + config,
		"--authentication-kubeconfig=" + config,
		"--authorization-kubeconfig=" + config,
		"--bind-address=127.0.0.1",
		fmt.Sprintf("--secure-port=%d", l.managerPort.Number),
		"--permit-port-sharing",
		"--tls-cert-file=" + l.secrets.cert,
		"--tls-private-key-file=" + l.secrets.key,
		"--controllers=" + l.opts.controllers(),
		"--use-service-account-credentials=true",
		"--service-account-private-key-file=" + l.secrets.accountsKey,
		"--root-ca-file=" + l.secrets.ca,
		"--leader-elect=false",
		fmt.Sprintf("--node-monitor-grace-period=%s", heartbeat(l.nodeCount()).grace),
		// The default of 20 requests a second needs minutes to untaint 5,000 nodes.
		"--kube-api-qps=5000",
		"--kube-api-burst=10000",
	}
	return append(args, l.opts.ManagerArgs...)
}

func (l *Lab) kwokArguments() []string {
	return []string{
		"--kubeconfig=" + l.kubeconfigOf(kwok),
		"--config=" + filepath.Join(l.dir, "kwok.yaml"),
		"--manage-all-nodes=true",
		"--enable-crds=",
		"--cidr=10.128.0.0/9",
	}
}

func (l *Lab) schedulerArguments() []string {
	config := l.kubeconfigOf(scheduler)
	return []string{
		"--config=" + filepath.Join(l.dir, "kube-scheduler.yaml"),
		"--authentication-kubeconfig=" + config,
		"--authorization-kubeconfig=" + config,
		"--bind-address=127.0.0.1",
		fmt.Sprintf("--secure-port=%d", l.schedulerPort.Number),
		"--permit-port-sharing",
		"--tls-cert-file=" + l.secrets.cert,
		"--tls-private-key-file=" + l.secrets.key,
	}
}

// heartbeats say how often fake kubelets renew their leases.
type heartbeats struct {
	lease int           // seconds; KWOK renews after a quarter of it
	grace time.Duration // after which a silent node becomes NotReady
}

// smallWorld is the number of nodes up to which they behave as real ones do;
// bigger worlds make concessions to a small machine.
const smallWorld = 500

// heartbeat keeps to a kubelet's own rhythm (every 10 s, NotReady after 50 s) in
// small worlds, and to 50 renewals a second in others: heartbeats of 5,000 nodes
// every 10 s would take most of the machine.
func heartbeat(nodes int) heartbeats {
	interval := max(10, nodes/(smallWorld/10))
	return heartbeats{4 * interval, time.Duration(5*interval) * time.Second}
}

// writeConfigs writes the files that the components' arguments name.
func (l *Lab) writeConfigs() error {
	kwokConfig := fmt.Sprintf(`apiVersion: config.kwok.x-k8s.io/v1alpha1
kind: KwokConfiguration
options:
  podPlayStageParallelism: 16
  nodePlayStageParallelism: 16
  nodeLeaseParallelism: 16
  nodeLeaseDurationSeconds: %d
---
`, heartbeat(l.nodeCount()).lease)
	schedulerConfig := fmt.Sprintf(`apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: {leaderElect: false}
clientConnection: {kubeconfig: %q, qps: 5000, burst: 10000}
`, l.kubeconfigOf(scheduler))
	for name, text := range map[string]string{
		"kwok.yaml":           kwokConfig + stages,
		"kube-scheduler.yaml": schedulerConfig,
	} {
		if err := os.WriteFile(filepath.Join(l.dir, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return l.writeKubeconfigs()
}

func (l *Lab) writeKubeconfigs() error {
	for _, id := range identities {
		path := l.kubeconfigOf(id.name)
		if err := l.secrets.writeKubeconfig(path, l.apiURL(), id.name); err != nil {
			return fmt.Errorf("kubeconfig of %s: %w", id.name, err)
		}
	}
	return nil
}

// kubeconfigOf returns the path of an identity's kubeconfig; the administrator's
// is the one that users see.
func (l *Lab) kubeconfigOf(owner string) string {
	if owner == "admin" {
		return filepath.Join(l.dir, "kubeconfig")
	}
	return filepath.Join(l.secrets.dir, strings.ReplaceAll(owner, "/", "-")+".kubeconfig")
}

func (l *Lab) apiURL() string { return "https://" + l.apiPort.Address() }
