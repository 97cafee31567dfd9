package harness

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

const accountTokenSeconds = 24 * 60 * 60

// ServiceAccountKubeconfig writes a kubeconfig with a fresh token of a service
// account that exists, and returns its path: whoever uses it has the account's
// rights and no more.
func (l *Lab) ServiceAccountKubeconfig(ctx context.Context, namespace, name string) (string, error) {
	seconds := int64(accountTokenSeconds)
	request := &authenticationv1.TokenRequest{
		Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &seconds},
	}
	request, err := l.client.CoreV1().ServiceAccounts(namespace).CreateToken(ctx, name, request,
		metav1.CreateOptions{})
	if err != nil {
		return "", fmt.Errorf("token of service account %s/%s: %w", namespace, name, err)
	}
	config, err := clientcmd.LoadFromFile(l.Kubeconfig())
	if err != nil {
		return "", err
	}
	user := namespace + "-" + name
	config.AuthInfos = map[string]*clientcmdapi.AuthInfo{user: {Token: request.Status.Token}}
	config.Contexts[config.CurrentContext].AuthInfo = user
	config.Contexts[config.CurrentContext].Namespace = namespace
	folder := filepath.Join(l.Dir(), "accounts")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	path := filepath.Join(folder, user+".kubeconfig")
	return path, clientcmd.WriteToFile(*config, path)
}
