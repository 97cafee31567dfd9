package e2e

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	admissionapi "k8s.io/api/admission/v1"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// bindGate is an admission webhook that answers Bindings of the story's pods as the
// story says.
type bindGate struct {
	e        *env
	mu       sync.Mutex
	code     int32    // of refusals
	prefixes []string // of the names of pods that are refused
}

// newBindGate starts the webhook; it refuses nothing yet.
func newBindGate(e *env) *bindGate {
	e.t.Helper()
	g := &bindGate{e: e}
	certificate, authority := selfSigned(e)
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{certificate}})
	e.must(err)
	server := &http.Server{Handler: g, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			e.t.Errorf("the webhook: %v", err)
		}
	}()
	name := "gate." + e.namespaces[0] + ".example.com"
	hooks := e.Client().AdmissionregistrationV1().ValidatingWebhookConfigurations()
	e.after = append(e.after, func(ctx context.Context) error {
		return errors.Join(hooks.Delete(ctx, name, metav1.DeleteOptions{}), server.Close())
	})
	none, fail, seconds := admissionv1.SideEffectClassNone, admissionv1.Fail, int32(5)
	url := "https://" + listener.Addr().String()
	_, err = hooks.Create(e.ctx, &admissionv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Webhooks: []admissionv1.ValidatingWebhook{{
			Name: name, SideEffects: &none, FailurePolicy: &fail, TimeoutSeconds: &seconds,
			AdmissionReviewVersions: []string{"v1"},
			ClientConfig:            admissionv1.WebhookClientConfig{URL: &url, CABundle: authority},
			NamespaceSelector: &metav1.LabelSelector{
				MatchLabels: map[string]string{corev1.LabelMetadataName: e.namespaces[0]}},
			Rules: []admissionv1.RuleWithOperations{{
				Operations: []admissionv1.OperationType{admissionv1.Create},
				Rule: admissionv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"},
					Resources: []string{"pods/binding"}},
			}},
		}},
	}, metav1.CreateOptions{})
	e.must(err)
	g.set(http.StatusServiceUnavailable, "probe")
	e.eventually("the webhook to be in force", func(ctx context.Context) error {
		if err := e.ProbeBinding(ctx, e.namespaces[0], "probe"); !apierrors.IsServiceUnavailable(err) {
			return fmt.Errorf("a Binding is answered with: %w", err)
		}
		return nil
	})
	g.open()
	return g
}

func selfSigned(e *env) (tls.Certificate, []byte) {
	e.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	e.must(err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true,
		BasicConstraintsValid: true, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	e.must(err)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key},
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

// set refuses the Bindings of pods whose names begin with one of the prefixes. 503 is
// tried again for a while, 403 is final.
func (g *bindGate) set(code int32, prefixes ...string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.code, g.prefixes = code, prefixes
}

func (g *bindGate) open() { g.set(0) }

func (g *bindGate) answer(pod string) *admissionapi.AdmissionResponse {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, prefix := range g.prefixes {
		if strings.HasPrefix(pod, prefix) {
			reason := metav1.StatusReasonForbidden
			if g.code == http.StatusServiceUnavailable {
				reason = metav1.StatusReasonServiceUnavailable
			}
			return &admissionapi.AdmissionResponse{Result: &metav1.Status{Status: metav1.StatusFailure,
				Code: g.code, Reason: reason, Message: "the gate is closed for " + pod}}
		}
	}
	return &admissionapi.AdmissionResponse{Allowed: true}
}

func (g *bindGate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var review admissionapi.AdmissionReview
	if err := json.NewDecoder(r.Body).Decode(&review); err != nil || review.Request == nil {
		http.Error(w, "not an AdmissionReview", http.StatusBadRequest)
		return
	}
	review.Response = g.answer(review.Request.Name)
	review.Response.UID = review.Request.UID
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(review) // the API server may have given up
}
