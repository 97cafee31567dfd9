package workload

import (
	"context"
	"errors"
	"fmt"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"phalanx.dev/lab/harness"
)

// RefuseBindings makes an admission policy that refuses to bind pods of a namespace
// whose names begin with a prefix, and returns when the API server obeys it.
func (c Cluster) RefuseBindings(ctx context.Context, policy, namespace, prefix string) error {
	rule := admissionv1.NamedRuleWithOperations{RuleWithOperations: admissionv1.RuleWithOperations{
		Operations: []admissionv1.OperationType{admissionv1.Create},
		Rule: admissionv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"},
			Resources: []string{"pods/binding"}},
	}}
	api := c.Client().AdmissionregistrationV1()
	_, err := api.ValidatingAdmissionPolicies().Create(ctx, &admissionv1.ValidatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: policy},
		Spec: admissionv1.ValidatingAdmissionPolicySpec{
			MatchConstraints: &admissionv1.MatchResources{
				ResourceRules: []admissionv1.NamedRuleWithOperations{rule}},
			Validations: []admissionv1.Validation{{
				Expression: fmt.Sprintf("!object.metadata.name.startsWith('%s')", prefix),
				Message:    "this pod may not run here"}},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	_, err = api.ValidatingAdmissionPolicyBindings().Create(ctx, &admissionv1.ValidatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: policy},
		Spec: admissionv1.ValidatingAdmissionPolicyBindingSpec{
			PolicyName:        policy,
			ValidationActions: []admissionv1.ValidationAction{admissionv1.Deny},
			MatchResources: &admissionv1.MatchResources{NamespaceSelector: &metav1.LabelSelector{
				MatchLabels: map[string]string{corev1.LabelMetadataName: namespace}}},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	return harness.Eventually(ctx, "the policy "+policy+" to be in force", func(ctx context.Context) error {
		err := c.ProbeBinding(ctx, namespace, prefix+"probe")
		if err != nil && strings.Contains(err.Error(), policy) {
			return nil
		}
		return fmt.Errorf("a Binding is answered with: %w", err)
	})
}

// ProbeBinding is the answer to a dry run of a Binding of a pod that does not exist:
// admission comes before the pod is looked for.
func (c Cluster) ProbeBinding(ctx context.Context, namespace, pod string) error {
	binding := &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: pod},
		Target: corev1.ObjectReference{Kind: "Node", Name: "nosuch"}}
	return c.Client().CoreV1().Pods(namespace).Bind(ctx, binding,
		metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
}

// AllowBindings deletes a policy of RefuseBindings, and returns when the API server
// has forgotten it.
func (c Cluster) AllowBindings(ctx context.Context, policy, namespace, prefix string) error {
	api := c.Client().AdmissionregistrationV1()
	err := errors.Join(
		api.ValidatingAdmissionPolicyBindings().Delete(ctx, policy, metav1.DeleteOptions{}),
		api.ValidatingAdmissionPolicies().Delete(ctx, policy, metav1.DeleteOptions{}))
	if err != nil {
		return err
	}
	return harness.Eventually(ctx, "the policy "+policy+" to be gone", func(ctx context.Context) error {
		if err := c.ProbeBinding(ctx, namespace, prefix+"probe"); !apierrors.IsNotFound(err) {
			return fmt.Errorf("a Binding is answered with: %w", err)
		}
		return nil
	})
}
