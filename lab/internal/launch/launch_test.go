package launch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/yaml"
)

func TestOptionsRefuse(t *testing.T) {
	for name, test := range map[string]struct {
		opts Options
		want string
	}{
		"scheduler": {Options{schedulerArg: "mine"}, `--scheduler "mine": want stock or none`},
		"without":   {Options{Without: []string{"etcd"}}, `--without "etcd": want kwok or`},
		"port":      {Options{Port: 70000}, `--port 70000: want 1 to 65535`},
		"timeout":   {Options{ReadyTimeout: -time.Second}, `--ready-timeout -1s: want a positive time`},
		"kwok":      {Options{KwokPath: "/no/kwok"}, `no executable at /no/kwok: build it with`},
		"world":     {Options{World: "/no/world", NodesOnlyAPI: true}, `/no/world`},
	} {
		if _, err := test.opts.complete(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want ...%s...", name, err, test.want)
		}
	}
}

func TestControllersOfTheLab(t *testing.T) {
	all := strings.Join(defaultControllers, ",")
	for name, test := range map[string]struct {
		opts Options
		want string
	}{
		"default": {Options{}, all},
		"added":   {Options{Controllers: []string{"+cronjob-controller"}}, all + ",cronjob-controller"},
		"chosen":  {Options{Controllers: []string{"job-controller"}}, "job-controller"},
	} {
		if got := test.opts.controllers(); got != test.want {
			t.Errorf("%s: got %s, want %s", name, got, test.want)
		}
	}
	bare := Options{NodesOnlyAPI: true}
	if strings.Contains(bare.controllers(), "node-lifecycle") {
		t.Error("nodes without heartbeats are watched for heartbeats: they will become NotReady")
	}
}

func TestHeartbeatsLeaveTimeForARenewal(t *testing.T) {
	for _, nodes := range []int{0, 52, 500, 5000, 50000} {
		beat := heartbeat(nodes)
		renewal := time.Duration(beat.lease) * time.Second / 4
		if beat.grace < 4*renewal || nodes > 0 && float64(nodes)/renewal.Seconds() > 50 {
			t.Errorf("%d nodes: renewed every %s, NotReady after %s", nodes, renewal, beat.grace)
		}
	}
}

func TestFolderOfALab(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "lab")
	first, err := openFolder(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := openFolder(path); err == nil || !strings.Contains(err.Error(), "a lab runs there already") {
		t.Errorf("a second lab in the same folder: %v", err)
	}
	stale := filepath.Join(path, "etcd", "member")
	if err := os.MkdirAll(stale, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := first.close(true); err != nil {
		t.Fatal(err)
	}
	second, err := openFolder(path)
	if err != nil {
		t.Fatalf("the folder of an ended lab is refused: %v", err)
	}
	defer second.close(false)
	if _, err := os.Stat(stale); !os.IsNotExist(err) {
		t.Errorf("the store of the ended lab is still there: %v", err)
	}
}

func TestAForeignFolderIsLeftAlone(t *testing.T) {
	path := t.TempDir()
	if err := os.WriteFile(filepath.Join(path, "thesis.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := openFolder(path); err == nil || !strings.Contains(err.Error(), "thesis.txt") {
		t.Errorf("got %v, want a refusal that names what is there", err)
	}
}

func TestATemporaryFolderIsRemoved(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	f, err := openFolder("")
	if err != nil {
		t.Fatal(err)
	}
	if err := f.close(true); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(f.path); !os.IsNotExist(err) {
		t.Errorf("%s is still there: %v", f.path, err)
	}
}

func TestSecretsAreForTheirOwnerOnly(t *testing.T) {
	s, err := newSecrets(filepath.Join(t.TempDir(), "pki"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(s.dir, "admin.kubeconfig")
	if err := s.writeKubeconfig(path, "https://127.0.0.1:1", "admin"); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(s.dir)
	if err != nil || len(files) != 6 {
		t.Fatalf("files: %v, %v", files, err)
	}
	for _, file := range files {
		info, err := file.Info()
		if err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v, %v", file.Name(), info.Mode(), err)
		}
	}
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil || config.BearerToken != s.tokenOfOwner["admin"] || config.Host != "https://127.0.0.1:1" {
		t.Errorf("kubeconfig: %+v, %v", config, err)
	}
}

func TestStagesAreWellFormed(t *testing.T) {
	names := map[string]bool{}
	for _, text := range strings.Split(stages, "\n---\n") {
		var stage struct {
			Kind     string
			Metadata struct{ Name string }
			Spec     struct {
				ResourceRef struct{ Kind string }
				Selector    struct {
					MatchExpressions []struct{ Key, Operator string }
				}
				Next map[string]any
			}
		}
		if err := yaml.Unmarshal([]byte(text), &stage); err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if stage.Kind != "Stage" || names[stage.Metadata.Name] || len(stage.Spec.Next) == 0 ||
			len(stage.Spec.Selector.MatchExpressions) == 0 || stage.Spec.ResourceRef.Kind == "" {
			t.Errorf("stage %q is not whole or not unique: %+v", stage.Metadata.Name, stage)
		}
		names[stage.Metadata.Name] = true
	}
	if !names["pod-run"] || !names["pod-delete"] || !names["node-up"] {
		t.Errorf("stages: %v", names)
	}
}
