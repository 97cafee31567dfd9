package guide

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"
)

// guides are those whose every command is run.
var guides = []string{"install.md", "author.md", "operator.md"}

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
		"```sh test=a untill=3s\nls\n```\n":                        "expected test=PART",
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

func TestOurGuidesAreMarked(t *testing.T) {
	for name, text := range ours(t) {
		blocks, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if len(blocks) < 5 {
			t.Errorf("%s has %d shell blocks, expected more", name, len(blocks))
		}
	}
}

func ours(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, name := range guides {
		text, err := os.ReadFile(filepath.Join("..", "..", "docs", "guides", name))
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(text)
	}
	return texts
}

var (
	inlineCommand = regexp.MustCompile("`((?:kubectl|helm|curl) [^`\n]*)`")
	placeholder   = regexp.MustCompile(`[A-Z]{2,}`)
)

// A command in a sentence or a table is one that readers type, too: some block of the
// guides has it, with a real word for each that is in capitals.
func TestInlineCommandsAreInBlocks(t *testing.T) {
	var scripts, texts string
	for _, text := range ours(t) {
		blocks, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range blocks {
			if block.Part != "" {
				scripts += block.Script
			}
		}
		texts += text
	}
	found := inlineCommand.FindAllStringSubmatch(texts, -1)
	if len(found) < 5 {
		t.Errorf("found %d commands in the text, expected more", len(found))
	}
	for _, command := range found {
		pattern := placeholder.ReplaceAllString(regexp.QuoteMeta(command[1]), `\S+`)
		if !regexp.MustCompile(pattern).MatchString(scripts) {
			t.Errorf("no block of the guides runs %s", command[1])
		}
	}
}
