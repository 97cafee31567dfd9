package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

var imageStories = []story{{"image-libraries", "smoke", time.Minute, imageLibraries}}

var installed = regexp.MustCompile(`(?s)FROM debian:12-slim\nRUN apt-get update.*?--no-install-recommends (.*?)&& rm`)

// imageLibraries: the packages that the brain's image installs bring every library
// that phalanxd links. No image is built here, so nothing else would tell before the
// pod starts.
func imageLibraries(e *env) {
	text, err := os.ReadFile(filepath.Join(shared.root, "deploy", "images", "phalanxd.Dockerfile"))
	e.must(err)
	list := installed.FindStringSubmatch(string(text))
	if list == nil {
		e.t.Fatalf("phalanxd.Dockerfile installs nothing that looks like %s", installed)
	}
	needs := map[string][]string{}
	for line := range strings.Lines(e.output("dpkg-query", "-W", "-f", "${Package}\t${Pre-Depends},${Depends}\n")) {
		name, depends, _ := strings.Cut(line, "\t")
		for _, choice := range strings.FieldsFunc(depends, func(r rune) bool { return strings.ContainsRune(",|\n", r) }) {
			needed, _, _ := strings.Cut(strings.TrimSpace(choice), " ")
			needed, _, _ = strings.Cut(needed, ":")
			needs[name] = append(needs[name], needed)
		}
	}
	brought := map[string]bool{}
	for _, name := range strings.Fields(strings.ReplaceAll(list[1], "\\", " ")) {
		bring(name, needs, brought)
	}
	owners := e.owners(filepath.Join(shared.root, "build", "bin", "phalanxd"))
	for path, owner := range owners {
		if !brought[owner] {
			e.t.Errorf("%s is of package %q, which the image does not install", path, owner)
		}
	}
	if len(owners) < 10 {
		e.t.Errorf("phalanxd links %d libraries, expected more: %v", len(owners), owners)
	}
}

// bring adds a package and all that it needs.
func bring(name string, needs map[string][]string, brought map[string]bool) {
	if brought[name] {
		return
	}
	brought[name] = true
	for _, needed := range needs[name] {
		bring(needed, needs, brought)
	}
}

// owners returns the package of each library that a program links. dpkg knows a
// library by the path that its package has for it, which may be from the time before
// /lib became a link to /usr/lib.
func (e *env) owners(program string) map[string]string {
	e.t.Helper()
	owners, ask := map[string]string{}, []string{"-S"}
	for line := range strings.Lines(e.output("ldd", program)) {
		_, path, found := strings.Cut(line, " => ")
		if !found {
			continue // the kernel's own, and the loader
		}
		path, err := filepath.EvalSymlinks(strings.Fields(path)[0])
		e.must(err)
		owners[path] = ""
		ask = append(ask, path, strings.TrimPrefix(path, "/usr"))
	}
	// Its status is 1, since it does not know one of each two paths.
	out, _ := exec.CommandContext(e.ctx, "dpkg", ask...).Output()
	for line := range strings.Lines(string(out)) {
		owner, path, _ := strings.Cut(strings.TrimSpace(line), ": ")
		owner, _, _ = strings.Cut(owner, ":")
		for _, path := range []string{path, "/usr" + path} {
			if _, asked := owners[path]; asked {
				owners[path] = owner
			}
		}
	}
	return owners
}

func (e *env) output(name string, args ...string) string {
	e.t.Helper()
	out, err := exec.CommandContext(e.ctx, name, args...).Output()
	if err != nil {
		e.t.Fatalf("%s %s: %v", name, strings.Join(args, " "), err)
	}
	return string(out)
}
