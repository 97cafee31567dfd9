// Package guide reads the shell blocks of a guide, so that a test types what its
// readers will type, and compares what comes back with what the guide shows.
//
// A block that is run says in which part of the tour, and may say more:
//
//	```sh test=install            once, and it must succeed
//	```sh test=install until=30s  again and again, until it succeeds and shows what it should
//	```sh test=install fails      it must not succeed
//
// A fence ```text shows right after it is what it prints, see Differs. A block that
// no test can run is ```sh not-run, and the paragraph before it says so to readers,
// with the reason: "Not run by the tests: ...".
package guide

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

// Block is one block of shell commands.
type Block struct {
	Line   int           // of its fence, from 1
	Part   string        // of the tour; "" = not run
	Until  time.Duration // how long it is tried; 0 = once
	Fails  bool
	Script string
	Shows  string // "" = whatever it prints
}

const (
	shellInfo  = "sh"
	showsInfo  = "text shows"
	notRunText = "Not run by the tests: "
)

// fence is one fenced block of any kind.
type fence struct {
	line   int
	info   string
	text   string
	before string // the paragraph above; "" right after another block
}

// Parse returns the shell blocks of a guide in their order. It is an error when one
// is not marked, or its marks say nothing.
func Parse(text string) ([]Block, error) {
	fences, err := split(text)
	if err != nil {
		return nil, err
	}
	var blocks []Block
	for i, f := range fences {
		words := strings.Fields(f.info)
		if f.info == showsInfo && (i == 0 || f.before != "" || !strings.HasPrefix(fences[i-1].info, shellInfo+" test=")) {
			return nil, fmt.Errorf("line %d: %q follows no block that is run", f.line, showsInfo)
		}
		if len(words) == 0 || words[0] != shellInfo {
			continue
		}
		block, err := read(f, words[1:])
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", f.line, err)
		}
		if i+1 < len(fences) && fences[i+1].info == showsInfo {
			block.Shows = fences[i+1].text
		}
		blocks = append(blocks, block)
	}
	return blocks, nil
}

func split(text string) ([]fence, error) {
	var fences []fence
	var open *fence
	var paragraph []string // the latest since the last fence
	gap := false           // it has ended
	for i, line := range strings.Split(text, "\n") {
		info, isFence := strings.CutPrefix(line, "```")
		switch {
		case isFence && open == nil:
			open = &fence{line: i + 1, info: strings.TrimSpace(info), before: strings.Join(paragraph, " ")}
		case isFence:
			fences = append(fences, *open)
			open, paragraph, gap = nil, nil, false
		case open != nil:
			open.text += line + "\n"
		case strings.TrimSpace(line) == "":
			gap = true
		case gap:
			paragraph, gap = []string{line}, false
		default:
			paragraph = append(paragraph, line)
		}
	}
	if open != nil {
		return nil, fmt.Errorf("line %d: the block does not end", open.line)
	}
	return fences, nil
}

func read(f fence, marks []string) (Block, error) {
	block := Block{Line: f.line, Script: f.text}
	for _, mark := range marks {
		name, value, _ := strings.Cut(mark, "=")
		switch name {
		case "test":
			block.Part = value
		case "until":
			until, err := time.ParseDuration(value)
			if err != nil || until <= 0 {
				return block, fmt.Errorf("%q: expected until=TIME", mark)
			}
			block.Until = until
		case "fails":
			block.Fails = true
		case "not-run":
			if !strings.HasPrefix(f.before, notRunText) {
				return block, fmt.Errorf("not-run: expected a paragraph %q with the reason before it", notRunText)
			}
			return block, nil
		default:
			return block, fmt.Errorf("%q: expected test=PART, until=TIME, fails or not-run", mark)
		}
	}
	if block.Part == "" {
		return block, fmt.Errorf("a shell block without test=PART, and without not-run")
	}
	return block, nil
}

var blanks = regexp.MustCompile(`\s+`)

// Differs tells which line that a guide shows is missing in what was printed, or "".
// The lines come in the order that is shown; others may lie between them. A run of
// blanks is like another one, and "..." stands for anything.
func Differs(shows, printed string) string {
	lines := strings.Split(printed, "\n")
	for shown := range strings.Lines(shows) {
		pattern := patternOf(shown)
		for len(lines) > 0 && !pattern.MatchString(squeeze(lines[0])) {
			lines = lines[1:]
		}
		if len(lines) == 0 {
			return strings.TrimRight(shown, "\n")
		}
		if squeeze(shown) != "..." {
			lines = lines[1:]
		}
	}
	return ""
}

func patternOf(shown string) *regexp.Regexp {
	parts := strings.Split(squeeze(shown), "...")
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	return regexp.MustCompile("^" + strings.Join(parts, ".*") + "$")
}

func squeeze(line string) string { return strings.TrimSpace(blanks.ReplaceAllString(line, " ")) }

var (
	inlineCommand = regexp.MustCompile("`((?:kubectl|helm|curl) [^`\\n]*)`")
	placeholder   = regexp.MustCompile(`[A-Z]{2,}`)
)

// Unrun returns the commands in a guide's sentences and tables that stand in none of
// the scripts; a word in capitals stands for any other.
func Unrun(text, scripts string) []string {
	var unrun []string
	for _, command := range inlineCommand.FindAllStringSubmatch(text, -1) {
		pattern := placeholder.ReplaceAllString(regexp.QuoteMeta(command[1]), `\S+`)
		if !regexp.MustCompile(pattern).MatchString(scripts) {
			unrun = append(unrun, command[1])
		}
	}
	return unrun
}
