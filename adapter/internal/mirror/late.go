package mirror

import (
	"strings"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/client-go/informers"
	corelisters "k8s.io/client-go/listers/core/v1"
	resourcelisters "k8s.io/client-go/listers/resource/v1"
	storagelisters "k8s.io/client-go/listers/storage/v1"
	"k8s.io/component-helpers/storage/volume"
)

// Listers answers Late from the informers that the scheduler's own plugins use.
type Listers struct {
	volumes corelisters.PersistentVolumeClaimLister
	bound   corelisters.PersistentVolumeLister
	classes storagelisters.StorageClassLister
	claims  resourcelisters.ResourceClaimLister
}

// NewListers asks the factory for the informers; it has not been started.
func NewListers(factory informers.SharedInformerFactory) *Listers {
	return &Listers{
		volumes: factory.Core().V1().PersistentVolumeClaims().Lister(),
		bound:   factory.Core().V1().PersistentVolumes().Lister(),
		classes: factory.Storage().V1().StorageClasses().Lister(),
		claims:  factory.Resource().V1().ResourceClaims().Lister(),
	}
}

// Tied implements Late. A volume that was not seen yet ties nothing: the plan may be refused once.
func (l *Listers) Tied(namespace, key string) *v1.NodeSelector {
	name, ok := strings.CutPrefix(key, volumePrefix)
	if !ok {
		return nil
	}
	claim, err := l.volumes.PersistentVolumeClaims(namespace).Get(name)
	if err != nil || claim.Spec.VolumeName == "" {
		return nil
	}
	volume, err := l.bound.Get(claim.Spec.VolumeName)
	if err != nil || volume.Spec.NodeAffinity == nil {
		return nil
	}
	return volume.Spec.NodeAffinity.Required
}

// Pending implements Late. A claim that was not seen yet is not pending: no plugin lets its pod pass,
// and the pod is sent again when the claim comes.
func (l *Listers) Pending(namespace, key string) bool {
	if name, ok := strings.CutPrefix(key, claimPrefix); ok {
		claim, err := l.claims.ResourceClaims(namespace).Get(name)
		return err == nil && claim.Status.Allocation == nil
	}
	claim, err := l.volumes.PersistentVolumeClaims(namespace).Get(strings.TrimPrefix(key, volumePrefix))
	if err != nil || claim.Status.Phase == v1.ClaimBound || claim.Spec.VolumeName != "" {
		return false
	}
	// Unbound claims of other binding modes are not late: the scheduler refuses their pod until they
	// are bound. An unseen class counts as late, since nothing tells when it comes.
	class, err := l.classes.Get(volume.GetPersistentVolumeClaimClass(claim))
	return err != nil || class.VolumeBindingMode != nil &&
		*class.VolumeBindingMode == storagev1.VolumeBindingWaitForFirstConsumer
}
