// Package labfile is the description of a running lab, as the launcher writes it
// to DIR/lab.json and as other programs read it.
package labfile

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// Name is the file's name inside the lab's folder.
const Name = "lab.json"

// Lab says where everything is. The file is readable by its owner only: it
// holds the token of the control address.
type Lab struct {
	Pid        int         `json:"pid"` // of the launcher
	Dir        string      `json:"dir"`
	Kubeconfig string      `json:"kubeconfig"` // cluster admin
	CA         string      `json:"ca"`
	APIServer  string      `json:"apiServer"`
	Control    string      `json:"control"` // http://127.0.0.1:port
	Token      string      `json:"controlToken"`
	World      string      `json:"world,omitempty"`
	Nodes      int         `json:"nodes"`
	Components []Component `json:"components"` // in the order of their start
}

// Component is one process of the lab.
type Component struct {
	Name string `json:"name"`
	Pid  int    `json:"pid"` // 0 while it is stopped
	Log  string `json:"log"`
	URL  string `json:"url,omitempty"`
}

// Write replaces the file in l.Dir as a whole, so that a reader never sees half.
func (l *Lab) Write() error {
	data, err := json.MarshalIndent(l, "", "  ")
	if err != nil {
		return err
	}
	path := filepath.Join(l.Dir, Name)
	if err := os.WriteFile(path+".new", append(data, '\n'), 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// Read reads the description of the lab in dir.
func Read(dir string) (*Lab, error) {
	path := filepath.Join(dir, Name)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("no lab runs in %s: %w", dir, err)
	}
	lab := &Lab{}
	if err := json.Unmarshal(data, lab); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return lab, nil
}
