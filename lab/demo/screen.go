package demo

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// screen prints the demo. Colours only for a terminal, and not if NO_COLOR is set.
type screen struct {
	out    io.Writer
	colour bool
}

func newScreen(out io.Writer, colour bool) *screen { return &screen{out, colour} }

// Terminal reports whether colours make sense on a file.
func Terminal(file *os.File) bool {
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("NO_COLOR") == ""
}

const (
	bold   = "1"
	dim    = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
	blue   = "34"
)

func (s *screen) paint(colour, text string) string {
	if !s.colour || colour == "" {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

func (s *screen) title(format string, args ...any) {
	fmt.Fprintf(s.out, "\n%s\n", s.paint(bold, "== "+fmt.Sprintf(format, args...)))
}

func (s *screen) say(format string, args ...any) {
	fmt.Fprintf(s.out, "   "+format+"\n", args...)
}

// quote shows what a program printed.
func (s *screen) quote(text string) {
	for line := range strings.Lines(text) {
		fmt.Fprintf(s.out, "   %s\n", s.paint(dim, "| "+strings.TrimRight(line, "\n")))
	}
}

// command shows what a user would type, and what it printed.
func (s *screen) command(line, output string) {
	fmt.Fprintf(s.out, "   %s\n", s.paint(blue, "$ "+line))
	s.quote(output)
}

// checked says that a claim was checked, and how that ended.
func (s *screen) checked(claim string, err error) {
	if err != nil {
		fmt.Fprintf(s.out, "   %s %s\n", s.paint(red, "FAILED"), claim)
		return
	}
	fmt.Fprintf(s.out, "   %s %s\n", s.paint(green, "ok"), claim)
}

// table prints rows of cells in columns.
func (s *screen) table(rows [][]string) {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], len([]rune(cell)))
		}
	}
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			line += cell + strings.Repeat(" ", widths[i]-len([]rune(cell))+3)
		}
		s.say("%s", strings.TrimRight(line, " "))
	}
}
