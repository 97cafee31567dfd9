// Package held decides which pods of ours stay outside the scheduler's queue until the brain admits
// them.
package held

import (
	"strings"
	"sync/atomic"

	v1 "k8s.io/api/core/v1"
)

// Rules name the keys and resources that make a pod held; a trailing "*" matches any rest.
type Rules struct {
	LabelKeys      []string
	AnnotationKeys []string
	Resources      []string
}

// Classifier holds the rules in force. Safe for use by many goroutines.
type Classifier struct {
	rules atomic.Pointer[Rules]
}

// NewClassifier begins with the rules of the configuration, so that nothing leaks into the queue
// before the brain has spoken.
func NewClassifier(rules Rules) *Classifier {
	c := &Classifier{}
	c.Set(rules)
	return c
}

// Set puts other rules in force. The queue has to look at its pods again afterwards.
func (c *Classifier) Set(rules Rules) { c.rules.Store(&rules) }

// Held tells whether the pod needs to be admitted. Other pods are loose.
func (c *Classifier) Held(pod *v1.Pod) bool {
	rules := c.rules.Load()
	for key := range pod.Labels {
		if Match(rules.LabelKeys, key) {
			return true
		}
	}
	for key := range pod.Annotations {
		if Match(rules.AnnotationKeys, key) {
			return true
		}
	}
	return anyContainer(pod, func(list v1.ResourceList) bool {
		for name, quantity := range list {
			if !quantity.IsZero() && Match(rules.Resources, string(name)) {
				return true
			}
		}
		return false
	})
}

func anyContainer(pod *v1.Pod, wanted func(v1.ResourceList) bool) bool {
	for _, containers := range [][]v1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range containers {
			if wanted(containers[i].Resources.Requests) || wanted(containers[i].Resources.Limits) {
				return true
			}
		}
	}
	return false
}

// Match tells whether one of the patterns names key.
func Match(patterns []string, key string) bool {
	for _, pattern := range patterns {
		if prefix, any := strings.CutSuffix(pattern, "*"); pattern == key || any && strings.HasPrefix(key, prefix) {
			return true
		}
	}
	return false
}
