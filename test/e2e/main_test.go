// Package e2e tells end-to-end stories: a real API server, controllers and fake
// kubelets, the stock scheduler, and Phalanx's two processes as the Helm chart
// describes them, under the rights of the chart's service account. Each story
// checks what is true on the API server's objects.
//
// scripts/e2e.sh runs it; PHALANX_STORIES names stories and groups.
package e2e

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// story is one test. Stories share a lab and follow each other; after a failure
// the next one gets a fresh lab.
type story struct {
	name  string
	group string // one or more; "smoke" runs with scripts/test.sh; every story is in "all"
	limit time.Duration
	tell  func(*env)
}

func (s story) in(names []string) bool {
	return slices.ContainsFunc(names, func(n string) bool {
		return n == s.name || n == "all" || slices.Contains(strings.Fields(s.group), n)
	})
}

var stories = slices.Concat(chartStories, gangStories, inputStories, objectStories, dialectStories, failureStories,
	faultStories, lateStories, readmeStories, guideStories, podStories, imageStories)

var passed, failed int

func TestMain(m *testing.M) {
	chosen := strings.Fields(os.Getenv("PHALANX_STORIES"))
	for _, name := range chosen {
		if name == "list" {
			list()
			return
		}
		if !slices.ContainsFunc(stories, func(s story) bool { return s.in([]string{name}) }) {
			fmt.Fprintf(os.Stderr, "e2e: no story or group is called %q; there are:\n", name)
			list()
			os.Exit(2)
		}
	}
	status := m.Run()
	stopLab()
	fmt.Printf("%d passed, %d failed\n", passed, failed)
	if failed > 0 {
		status = 1
	}
	os.Exit(status)
}

func list() {
	for _, s := range stories {
		fmt.Printf("%-24s %s\n", s.name, s.group)
	}
}

func TestStories(t *testing.T) {
	chosen := strings.Fields(os.Getenv("PHALANX_STORIES"))
	if len(chosen) == 0 {
		chosen = []string{"all"}
	}
	for _, s := range stories {
		if !s.in(chosen) {
			continue
		}
		if t.Run(s.name, func(t *testing.T) { run(t, s) }) {
			passed++
		} else {
			failed++
		}
	}
}

func run(t *testing.T, s story) {
	ctx, cancel := context.WithTimeoutCause(t.Context(), s.limit,
		fmt.Errorf("the story has no more than %s", s.limit))
	defer cancel()
	e := newEnv(ctx, t, s.name)
	defer e.leave()
	s.tell(e)
}
