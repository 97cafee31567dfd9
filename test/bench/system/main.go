// Command phalanx-bench measures Phalanx as a whole: real processes, over their real interfaces.
//
//	phalanx-bench [--tiny] [--json FILE] NAME...
//
// Each result goes to the file as one line of JSON and to standard output as text, with the load of
// the machine. scripts/bench.sh builds what is measured and runs this. --tiny shrinks everything so
// far that it proves only that the benchmark works.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"phalanx.dev/lab/harness"
)

// bench is one benchmark.
type bench struct {
	name string
	run  func(context.Context, *setting) error
}

var benches = []bench{
	{"rpc", runRPC},
	{"bind-throughput", runBindThroughput},
	{"start", runStart},
}

// setting is what all benchmarks are told.
type setting struct {
	root   string // of the repository
	tiny   bool
	report *report
}

func (s *setting) program(name string) string { return filepath.Join(s.root, "build", "bin", name) }

// pick returns full, or small for a tiny run.
func pick[T any](s *setting, full, small T) T {
	if s.tiny {
		return small
	}
	return full
}

func main() {
	actAsCompanion()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := command(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "phalanx-bench:", err)
		os.Exit(1)
	}
}

// actAsCompanion does not return if this program was started as the spinner or the echo of a benchmark.
func actAsCompanion() {
	var err error
	switch {
	case len(os.Args) == 2 && os.Args[1] == spinArgument:
		err = spin()
	case len(os.Args) == 3 && os.Args[1] == echoArgument:
		err = serveEcho(os.Args[2])
	default:
		return
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "phalanx-bench %s: %v\n", os.Args[1], err)
		os.Exit(1)
	}
	os.Exit(0)
}

func command(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("phalanx-bench", flag.ContinueOnError)
	tiny := flags.Bool("tiny", false, "smallest size: shows that the benchmark works, measures nothing")
	file := flags.String("json", "", "file to append results to, one JSON object a line")
	if err := flags.Parse(args); err != nil {
		return err
	}
	chosen, err := choose(flags.Args())
	if err != nil {
		return err
	}
	root, err := repository()
	if err != nil {
		return err
	}
	report, err := newReport(root, *file)
	if err != nil {
		return err
	}
	s := &setting{root: root, tiny: *tiny, report: report}
	for _, b := range chosen {
		err := report.begin(ctx, pick(s, quietWait, 0))
		if err == nil {
			report.note("%s: load %.2f", b.name, report.load)
			err = b.run(ctx, s)
		}
		if err != nil {
			return errors.Join(fmt.Errorf("%s: %w", b.name, err), report.close())
		}
	}
	return report.close()
}

func choose(names []string) ([]bench, error) {
	var known []string
	for _, b := range benches {
		known = append(known, b.name)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("no benchmark is named, expected some of %s", strings.Join(known, ", "))
	}
	var chosen []bench
	for _, name := range names {
		i := slices.Index(known, name)
		if i < 0 {
			return nil, fmt.Errorf("no benchmark is called %q, expected one of %s", name, strings.Join(known, ", "))
		}
		chosen = append(chosen, benches[i])
	}
	return chosen, nil
}

func repository() (string, error) {
	chart, err := harness.FindInRepository(filepath.Join("deploy", "helm"))
	if err != nil {
		return "", fmt.Errorf("run it inside of the repository: %w", err)
	}
	return filepath.Dir(filepath.Dir(chart)), nil
}
