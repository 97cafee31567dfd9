package workload

import (
	"context"
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"phalanx.dev/lab/harness"
)

// selectedNode is what the scheduler writes on a claim when PreBind of its pod
// begins: from then on a provisioner makes the volume.
const selectedNode = "volume.kubernetes.io/selected-node"

const classLabel = "lab.phalanx.dev/class"

// LateVolumes is a storage class whose volumes are made when their first pod has a
// node, and its provisioner: PreBind of a pod takes until Provide is called.
type LateVolumes struct {
	Cluster
	Class     string
	Namespace string // of the claims
}

// NewLateVolumes makes the class, called like the namespace whose claims it serves.
func (c Cluster) NewLateVolumes(ctx context.Context, namespace string) (*LateVolumes, error) {
	v := &LateVolumes{c, "late-" + namespace, namespace}
	mode := storagev1.VolumeBindingWaitForFirstConsumer
	class := &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: v.Class},
		Provisioner: "lab.phalanx.dev/late", VolumeBindingMode: &mode}
	_, err := c.Client().StorageV1().StorageClasses().Create(ctx, class, metav1.CreateOptions{})
	return v, err
}

// Remove deletes the class, the claims that Claim made, and the volumes.
func (v *LateVolumes) Remove(ctx context.Context) error {
	ours := metav1.ListOptions{LabelSelector: classLabel + "=" + v.Class}
	return errors.Join(
		v.Client().StorageV1().StorageClasses().Delete(ctx, v.Class, metav1.DeleteOptions{}),
		v.Client().CoreV1().PersistentVolumeClaims(v.Namespace).DeleteCollection(ctx, metav1.DeleteOptions{}, ours),
		v.Client().CoreV1().PersistentVolumes().DeleteCollection(ctx, metav1.DeleteOptions{}, ours))
}

func claimSpec(class string) corev1.PersistentVolumeClaimSpec {
	return corev1.PersistentVolumeClaimSpec{
		StorageClassName: &class,
		AccessModes:      []corev1.PersistentVolumeAccessMode{corev1.ReadWriteMany},
		Resources: corev1.VolumeResourceRequirements{
			Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
	}
}

// Claim makes a claim of the class.
func (v *LateVolumes) Claim(ctx context.Context, name string) error {
	claim := &corev1.PersistentVolumeClaim{Spec: claimSpec(v.Class)}
	claim.Namespace, claim.Name = v.Namespace, name
	claim.Labels = map[string]string{classLabel: v.Class}
	_, err := v.Client().CoreV1().PersistentVolumeClaims(v.Namespace).Create(ctx, claim, metav1.CreateOptions{})
	return err
}

// UseClaim gives a pod the volume of a claim.
func UseClaim(spec *corev1.PodSpec, claim string) {
	spec.Volumes = append(spec.Volumes, corev1.Volume{Name: "data", VolumeSource: corev1.VolumeSource{
		PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim}}})
}

// claims lists those of the class without a volume whose names begin with one of
// the prefixes.
func (v *LateVolumes) claims(ctx context.Context, prefixes []string) ([]corev1.PersistentVolumeClaim, error) {
	list, err := v.Client().CoreV1().PersistentVolumeClaims(v.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	var found []corev1.PersistentVolumeClaim
	for _, claim := range list.Items {
		if *claim.Spec.StorageClassName != v.Class || claim.Spec.VolumeName != "" ||
			claim.DeletionTimestamp != nil {
			continue
		}
		for _, prefix := range prefixes {
			if strings.HasPrefix(claim.Name, prefix) {
				found = append(found, claim)
				break
			}
		}
	}
	return found, nil
}

// WaitWanted waits until n pods are in PreBind for volumes whose claims' names begin
// with the prefix.
func (v *LateVolumes) WaitWanted(ctx context.Context, prefix string, n int) error {
	return harness.Eventually(ctx, fmt.Sprintf("%d volumes of %s to be wanted", n, prefix),
		func(ctx context.Context) error {
			claims, err := v.claims(ctx, []string{prefix})
			wanted := 0
			for i := range claims {
				if claims[i].Annotations[selectedNode] != "" {
					wanted++
				}
			}
			if err == nil && wanted != n {
				err = fmt.Errorf("%d of %d claims are", wanted, len(claims))
			}
			return err
		})
}

// Provide makes the volumes of claims whose names begin with one of the prefixes.
func (v *LateVolumes) Provide(ctx context.Context, prefixes ...string) error {
	claims, err := v.claims(ctx, prefixes)
	if err != nil {
		return err
	}
	if len(claims) == 0 {
		return fmt.Errorf("no claim in %s waits for a volume and begins with one of %q", v.Namespace, prefixes)
	}
	for i := range claims {
		claim := &claims[i]
		volume := &corev1.PersistentVolume{
			ObjectMeta: metav1.ObjectMeta{Name: "pv-" + string(claim.UID),
				Labels: map[string]string{classLabel: v.Class}},
			Spec: corev1.PersistentVolumeSpec{
				Capacity: claim.Spec.Resources.Requests, AccessModes: claim.Spec.AccessModes,
				StorageClassName:              v.Class,
				PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimRetain,
				ClaimRef: &corev1.ObjectReference{APIVersion: "v1", Kind: "PersistentVolumeClaim",
					Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID},
				PersistentVolumeSource: corev1.PersistentVolumeSource{
					HostPath: &corev1.HostPathVolumeSource{Path: "/data"}},
			},
		}
		_, err := v.Client().CoreV1().PersistentVolumes().Create(ctx, volume, metav1.CreateOptions{})
		if err != nil {
			return fmt.Errorf("the volume of claim %s: %w", claim.Name, err)
		}
	}
	return nil
}
