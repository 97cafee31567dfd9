package install

import (
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

// program is what a container runs, in the terms of this machine.
type program struct {
	path string
	args []string
}

// layout says where the volumes of the pod are on this machine.
type layout struct {
	bin    string            // folder of the executables
	mounts map[string]string // path in the container → folder here
}

// newLayout gives each volume that holds files of ours a folder: ConfigMaps below
// dir, and scratch space in a short path of its own (a Unix socket's may have 107
// bytes). The token's volume has none: the kubeconfig stands for it.
func newLayout(bin, dir, scratch string, d *appsv1.Deployment) (*layout, error) {
	l := &layout{bin: bin, mounts: map[string]string{}}
	folders := map[string]string{}
	for _, v := range d.Spec.Template.Spec.Volumes {
		switch {
		case v.ConfigMap != nil:
			folders[v.Name] = filepath.Join(dir, v.Name)
		case v.EmptyDir != nil:
			folders[v.Name] = filepath.Join(scratch, v.Name)
		}
	}
	for _, c := range d.Spec.Template.Spec.Containers {
		for _, m := range c.VolumeMounts {
			if folder := folders[m.Name]; folder != "" {
				l.mounts[m.MountPath] = folder
			}
		}
	}
	for _, folder := range folders {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// local puts this machine's folders into a text that names paths in the container.
func (l *layout) local(text string) string {
	for _, mount := range slices.Sorted(maps.Keys(l.mounts)) {
		// Only where a path begins, so that /run/phalanx is not found in /var/run/phalanx.
		begins := regexp.MustCompile(`(^|[\s"'=:,])` + regexp.QuoteMeta(mount) + `(/|$|[\s"',])`)
		folder := strings.ReplaceAll(l.mounts[mount], "$", "$$")
		text = begins.ReplaceAllString(text, "${1}"+folder+"${2}")
	}
	return text
}

// writeConfig writes the ConfigMap's files where the containers look for them.
func (l *layout) writeConfig(d *appsv1.Deployment, config *corev1.ConfigMap) error {
	for _, v := range d.Spec.Template.Spec.Volumes {
		if v.ConfigMap == nil || v.ConfigMap.Name != config.Name {
			continue
		}
		for _, c := range d.Spec.Template.Spec.Containers {
			for _, m := range c.VolumeMounts {
				if m.Name == v.Name {
					return l.writeFiles(l.mounts[m.MountPath], config)
				}
			}
		}
	}
	return fmt.Errorf("no container mounts the ConfigMap %s", config.Name)
}

func (l *layout) writeFiles(folder string, config *corev1.ConfigMap) error {
	for name, text := range config.Data {
		err := os.WriteFile(filepath.Join(folder, name), []byte(l.local(text)), 0o600)
		if err != nil {
			return err
		}
	}
	return nil
}

// programOf translates the container whose command is an executable of this name.
func (l *layout) programOf(name string, d *appsv1.Deployment) (program, error) {
	var commands []string
	for _, c := range d.Spec.Template.Spec.Containers {
		if len(c.Command) == 0 || path.Base(c.Command[0]) != name {
			commands = append(commands, fmt.Sprintf("%s: %q", c.Name, c.Command))
			continue
		}
		p := program{path: filepath.Join(l.bin, name)}
		for _, arg := range slices.Concat(c.Command[1:], c.Args) {
			p.args = append(p.args, l.local(arg))
		}
		if _, err := os.Stat(p.path); err != nil {
			return program{}, fmt.Errorf("container %s: %w; build it with scripts/build.sh", c.Name, err)
		}
		return p, nil
	}
	return program{}, fmt.Errorf("no container of the chart's pod runs %s, only %s", name,
		strings.Join(commands, ", "))
}
