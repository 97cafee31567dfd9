// Command phalanx-demo shows Phalanx at work on a lab. scripts/demo.sh builds what
// it needs and runs it. Its last line is "demo: OK ..." or "demo: FAILED ...".
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"k8s.io/klog/v2"
	"phalanx.dev/lab/demo"
	"phalanx.dev/lab/harness"
)

func main() {
	keep := flag.Bool("keep", false, "leave everything running and return")
	stop := flag.Bool("stop", false, "stop what --keep has left running")
	detached := flag.Bool("detached", false, "be the process that stays (used by --keep itself)")
	colour := flag.Bool("colour", demo.Terminal(os.Stdout), "use colours")
	flag.Parse()
	// What the client library has to say about a request that ends with the demo.
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	if flag.NArg() > 0 {
		finish(fmt.Errorf("unexpected argument %q; the flags are --keep and --stop", flag.Arg(0)), "")
	}
	root, err := repository()
	if err != nil {
		finish(err, "")
	}
	// Under build/, so that the logs are there after a failure.
	dir := filepath.Join(root, "build", "demo")
	switch {
	case *stop:
		finish(stopKept(dir), "stopped")
	case *keep:
		os.Exit(detach(dir, *colour))
	case !*detached:
		if pid := keptPid(dir); pid != 0 {
			finish(stillRuns(pid), "")
		}
	}
	run(demo.Options{Root: root, Dir: dir, Out: os.Stdout, Colour: *colour}, *detached)
}

// repository is the folder above build/bin/phalanx-lab, seen from here.
func repository() (string, error) {
	lab, err := harness.FindInRepository(filepath.Join("build", "bin", "phalanx-lab"))
	if err != nil {
		return "", fmt.Errorf("%w; run scripts/demo.sh, which builds everything", err)
	}
	return filepath.Dir(filepath.Dir(filepath.Dir(lab))), nil
}

// run runs the demo and ends the process. Detached, it stays until it is told to
// stop.
func run(o demo.Options, stay bool) {
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	d, err := demo.Start(ctx, o)
	if err == nil {
		err = d.Tell(ctx)
	}
	if err != nil && ctx.Err() != nil {
		err = errors.New("interrupted")
	}
	took := fmt.Sprintf("all claims checked on the objects of the API server, %.0f s", d.Elapsed().Seconds())
	if err == nil && stay {
		d.ShowHowToUse()
		if err = writePid(o.Dir); err == nil {
			fmt.Println(lastLine(nil, took+"; it runs on, stop it with: scripts/demo.sh --stop"))
			silence()
			<-ctx.Done()
			os.Remove(pidFile(o.Dir))
		}
	}
	cancel() // from here on a second signal ends the process at once
	err = errors.Join(err, d.Stop())
	finish(err, took)
}

// finish prints the last line and ends the process.
func finish(err error, detail string) {
	fmt.Println(lastLine(err, detail))
	if err != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

const (
	okLine     = "demo: OK"
	failedLine = "demo: FAILED"
)

// lastLine keeps the verdict on one line: what an error quotes of logs goes above.
func lastLine(err error, detail string) string {
	if err == nil {
		return okLine + " (" + detail + ")"
	}
	first, rest, _ := strings.Cut(err.Error(), "\n")
	if rest != "" {
		rest += "\n"
	}
	return rest + failedLine + " " + first
}
