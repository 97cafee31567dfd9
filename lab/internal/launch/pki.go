package launch

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

const (
	certLifetime = 365 * 24 * time.Hour
	serviceIP    = "10.0.0.1" // first of serviceCIDR: the service "kubernetes"
	serviceCIDR  = "10.0.0.0/24"
)

// identity is someone the API server knows by a static token.
type identity struct {
	name, user, groups string
}

// The controllers' own service accounts do the work of the controller manager
// (--use-service-account-credentials), so its user needs no more than its role.
var identities = []identity{
	{"admin", "admin", "system:masters"},
	{"kube-controller-manager", "system:kube-controller-manager", ""},
	{"kube-scheduler", "system:kube-scheduler", ""},
	{"kwok", "lab:kwok", "system:masters"},
}

// secrets are the files that prove who is who in one lab.
type secrets struct {
	dir          string
	caPEM        []byte
	ca, cert     string // certificate files
	key          string // of the serving certificate
	accountsKey  string // signs and checks service account tokens
	tokens       string // --token-auth-file
	tokenOfOwner map[string]string
}

// newSecrets makes a certificate authority, a serving certificate for loopback,
// the key of the service accounts and the tokens, all in dir.
func newSecrets(dir string) (*secrets, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	s := &secrets{
		dir: dir, ca: filepath.Join(dir, "ca.crt"), cert: filepath.Join(dir, "serving.crt"),
		key: filepath.Join(dir, "serving.key"), accountsKey: filepath.Join(dir, "accounts.key"),
		tokens: filepath.Join(dir, "tokens.csv"), tokenOfOwner: map[string]string{},
	}
	if err := s.writeCertificates(); err != nil {
		return nil, fmt.Errorf("certificates: %w", err)
	}
	accounts, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	if err := writeKey(s.accountsKey, accounts); err != nil {
		return nil, fmt.Errorf("service account key: %w", err)
	}
	return s, s.writeTokens()
}

func (s *secrets) writeCertificates() error {
	caKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	authority := certificate(1, "phalanx-lab-ca")
	authority.IsCA, authority.BasicConstraintsValid = true, true
	authority.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	if s.caPEM, err = sign(authority, authority, caKey, caKey); err != nil {
		return err
	}
	servingKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	serving := certificate(2, "127.0.0.1")
	serving.KeyUsage = x509.KeyUsageDigitalSignature
	serving.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	serving.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1), net.ParseIP(serviceIP)}
	serving.DNSNames = []string{"localhost", "kubernetes.default.svc"}
	servingPEM, err := sign(serving, authority, servingKey, caKey)
	if err != nil {
		return err
	}
	if err := os.WriteFile(s.ca, s.caPEM, 0o600); err != nil {
		return err
	}
	if err := os.WriteFile(s.cert, servingPEM, 0o600); err != nil {
		return err
	}
	return writeKey(s.key, servingKey)
}

func certificate(serial int64, name string) *x509.Certificate {
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: big.NewInt(serial),
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    now.Add(-time.Minute),
		NotAfter:     now.Add(certLifetime),
	}
}

func sign(cert, parent *x509.Certificate, key, parentKey *ecdsa.PrivateKey) ([]byte, error) {
	der, err := x509.CreateCertificate(rand.Reader, cert, parent, &key.PublicKey, parentKey)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), nil
}

func writeKey(path string, key *ecdsa.PrivateKey) error {
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return err
	}
	block := pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der})
	return os.WriteFile(path, block, 0o600)
}

func (s *secrets) writeTokens() error {
	var lines strings.Builder
	for _, id := range identities {
		token, err := randomToken()
		if err != nil {
			return err
		}
		s.tokenOfOwner[id.name] = token
		fmt.Fprintf(&lines, "%s,%s,%s,%q\n", token, id.user, id.user, id.groups)
	}
	return os.WriteFile(s.tokens, []byte(lines.String()), 0o600)
}

func randomToken() (string, error) {
	raw := make([]byte, 16)
	if _, err := rand.Read(raw); err != nil {
		return "", fmt.Errorf("random token: %w", err)
	}
	return hex.EncodeToString(raw), nil
}

// writeKubeconfig writes the file by which owner reaches the API server.
func (s *secrets) writeKubeconfig(path, server, owner string) error {
	const name = "phalanx-lab"
	config := clientcmdapi.NewConfig()
	config.Clusters[name] = &clientcmdapi.Cluster{
		Server: server, CertificateAuthorityData: s.caPEM,
	}
	config.AuthInfos[owner] = &clientcmdapi.AuthInfo{Token: s.tokenOfOwner[owner]}
	config.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: owner}
	config.CurrentContext = name
	return clientcmd.WriteToFile(*config, path)
}
