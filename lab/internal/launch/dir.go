package launch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
	"phalanx.dev/lab/internal/labfile"
)

const lockName = "lock"

// folder is the lab's own folder; it is locked for as long as the lab runs.
type folder struct {
	path      string
	lock      *os.File
	temporary bool
}

// openFolder makes or takes over the folder of a lab. It refuses one that holds
// other things, and one in which a lab runs; what an ended lab left is removed.
func openFolder(path string) (*folder, error) {
	if path == "" {
		temporary, err := os.MkdirTemp("", "phalanx-lab-")
		if err != nil {
			return nil, err
		}
		return lockFolder(temporary, true)
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("--dir: %w", err)
	}
	if err := refuseForeign(path); err != nil {
		return nil, err
	}
	return lockFolder(path, false)
}

func refuseForeign(path string) error {
	entries, err := os.ReadDir(path)
	if err != nil {
		return fmt.Errorf("--dir: %w", err)
	}
	if len(entries) == 0 {
		return nil
	}
	if _, err := os.Stat(filepath.Join(path, lockName)); errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("--dir %s: the folder holds %q and is not that of a lab; name a new or an "+
			"empty one", path, entries[0].Name())
	}
	return nil
}

func lockFolder(path string, temporary bool) (*folder, error) {
	file, err := os.OpenFile(filepath.Join(path, lockName), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("--dir: %w", err)
	}
	if err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		file.Close()
		owner := "another process"
		if lab, err := labfile.Read(path); err == nil {
			owner = fmt.Sprintf("process %d", lab.Pid)
		}
		return nil, fmt.Errorf("--dir %s: a lab runs there already (%s)", path, owner)
	}
	f := &folder{path, file, temporary}
	return f, f.clear()
}

// clear removes what an earlier lab left, by the names that labs use.
func (f *folder) clear() error {
	for _, name := range []string{"etcd", "pki", "logs", "accounts", "kubeconfig", "kwok.yaml",
		"kube-scheduler.yaml", labfile.Name} {
		if err := os.RemoveAll(filepath.Join(f.path, name)); err != nil {
			return fmt.Errorf("--dir: %w", err)
		}
	}
	return nil
}

// close unlocks the folder, and removes it if asked and it is a temporary one.
func (f *folder) close(remove bool) error {
	defer f.lock.Close()
	if remove && f.temporary {
		return os.RemoveAll(f.path)
	}
	return nil
}
