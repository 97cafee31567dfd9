package guide

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestBlocksAndWhatTheyShow(t *testing.T) {
	got, err := Parse("# Title\n\n```sh test=a until=30s\nls\npwd\n```\n\n```text shows\n/\n```\n\n" +
		"Words.\n\n```yaml\nkind: Job\n```\n\n```sh test=b fails\nfalse\n```\n\n" +
		"Not run by the tests: no engine.\n\n```sh not-run\ndocker build .\n```\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []Block{
		{Line: 3, Part: "a", Until: 30 * time.Second, Script: "ls\npwd\n", Shows: "/\n"},
		{Line: 18, Part: "b", Fails: true, Script: "false\n"},
		{Line: 24, Script: "docker build .\n"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nexpected %+v", got, want)
	}
}

// A command that nobody runs must not slip in.
func TestUnmarkedBlocksAreRefused(t *testing.T) {
	for text, why := range map[string]string{
		"```sh\nls\n```\n":                                         "without test=PART",
		"Words.\n\n```sh not-run\nls\n```\n":                       "expected a paragraph",
		"```sh test=a until=soon\nls\n```\n":                       "until=TIME",
		"```sh test=a deadline=3s\nls\n```\n":                      "expected test=PART",
		"```sh test=a\nls\n":                                       "does not end",
		"```text shows\nx\n```\n":                                  "follows no block",
		"```sh test=a\nls\n```\n\nWords.\n\n```text shows\nx\n```": "follows no block",
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: error %v, expected one that says %q", text, err, why)
		}
	}
}

func TestDiffers(t *testing.T) {
	printed := "NAME   STATUS   AGE\na      Ready    12s\nb      Ready    13s\n"
	for shows, want := range map[string]string{
		"":                                 "",
		"NAME STATUS AGE\nb Ready ...\n":   "",
		"...\na Ready ...\n...\n":          "",
		"b Ready ...\na Ready ...\n":       "a Ready ...",
		"a  Ready":                         "a  Ready",
		"a .* 12s\n":                       "a .* 12s",
		"c ...\n":                          "c ...",
		"NAME STATUS AGE\na Ready 12s\n\n": "",
	} {
		if got := Differs(shows, printed); got != want {
			t.Errorf("%q: %q is missing, expected %q", shows, got, want)
		}
	}
}

func TestCommandsInSentences(t *testing.T) {
	text := "Look with `kubectl get pods -l gang=GANG -o wide`, not with `kubectl logs`, and see `file`.\n"
	got := Unrun(text, "kubectl get pods -l gang=train -o wide | tail -n 1\n")
	if want := []string{"kubectl logs"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, expected %q", got, want)
	}
}
