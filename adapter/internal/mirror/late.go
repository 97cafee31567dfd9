package mirror

import (
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
	classes storagelisters.StorageClassLister
	claims  resourcelisters.ResourceClaimLister
}

// NewListers asks the factory for the informers; it has not been started.
func NewListers(factory informers.SharedInformerFactory) *Listers {
	return &Listers{
		volumes: factory.Core().V1().PersistentVolumeClaims().Lister(),
		classes: factory.Storage().V1().StorageClasses().Lister(),
		claims:  factory.Resource().V1().ResourceClaims().Lister(),
	}
}

// ClaimPending implements Late. A claim that is not there yet is made from a template.
func (l *Listers) ClaimPending(namespace, name string) bool {
	claim, err := l.claims.ResourceClaims(namespace).Get(name)
	return err != nil || claim.Status.Allocation == nil
}

// VolumePending implements Late. Unbound claims of other binding modes are not late: the scheduler
// refuses their pod until they are bound. What has not been seen yet counts as late: that costs a gang
// its first barrier, where the contrary could let its members wait for each other.
func (l *Listers) VolumePending(namespace, name string) bool {
	claim, err := l.volumes.PersistentVolumeClaims(namespace).Get(name)
	if err != nil {
		return true
	}
	if claim.Status.Phase == v1.ClaimBound || claim.Spec.VolumeName != "" {
		return false
	}
	class, err := l.classes.Get(volume.GetPersistentVolumeClaimClass(claim))
	return err != nil || class.VolumeBindingMode != nil &&
		*class.VolumeBindingMode == storagev1.VolumeBindingWaitForFirstConsumer
}
