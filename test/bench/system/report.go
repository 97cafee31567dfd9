package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// result is one line of the JSON file.
type result struct {
	Name     string  `json:"name"` // BENCH/CASE
	Value    float64 `json:"value"`
	Unit     string  `json:"unit"`
	Baseline string  `json:"baseline,omitempty"` // name of another result
	Ratio    float64 `json:"ratio,omitempty"`    // value / baseline's value
	Commit   string  `json:"commit"`
	Load     float64 `json:"load"`    // of the machine, one minute, when the benchmark began
	Machine  string  `json:"machine"` // as scripts/lib/bench.py writes it too
}

// report takes results. For one goroutine.
type report struct {
	file    *os.File // nil: text only
	commit  string
	machine string
	load    float64
	done    map[string]float64
}

func newReport(root, path string) (*report, error) {
	r := &report{done: map[string]float64{}}
	out, err := exec.Command("git", "-C", root, "describe", "--always", "--dirty", "--exclude=*").Output()
	if err != nil {
		return nil, fmt.Errorf("the commit of %s: %w", root, err)
	}
	r.commit = strings.TrimSpace(string(out))
	if r.machine, err = machine(); err != nil {
		return nil, err
	}
	if path != "" {
		r.file, err = os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	}
	return r, err
}

var (
	modelLine  = regexp.MustCompile(`(?m)^model name\s*:\s*(.*)$`)
	memoryLine = regexp.MustCompile(`(?m)^MemTotal:\s*(\d+) kB$`)
)

// machine names the processors and the memory of this machine.
func machine() (string, error) {
	cpus, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "", err
	}
	memory, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return "", err
	}
	model, size := "unknown", memoryLine.FindSubmatch(memory)
	if found := modelLine.FindSubmatch(cpus); found != nil {
		model = string(found[1])
	}
	if size == nil {
		return "", errors.New("/proc/meminfo has no MemTotal")
	}
	kib, err := strconv.ParseFloat(string(size[1]), 64)
	return fmt.Sprintf("%d x %s, %.0f GiB", runtime.NumCPU(), model, kib/(1<<20)), err
}

func (r *report) close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}

const (
	quietLoad = 0.1 // of each processor
	quietWait = 4 * time.Minute
)

// begin waits until the machine has come to rest, for so long at most, and notes its load.
func (r *report) begin(ctx context.Context, wait time.Duration) (err error) {
	for until := time.Now().Add(wait); ; {
		if r.load, err = loadNow(); err != nil {
			return err
		}
		if r.load <= quietLoad*float64(runtime.NumCPU()) || time.Now().After(until) {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(time.Second):
		}
	}
}

// loadNow is that of the last minute.
func loadNow() (float64, error) {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0, err
	}
	return strconv.ParseFloat(strings.Fields(string(text))[0], 64)
}

// note tells what is no result.
func (r *report) note(format string, args ...any) {
	fmt.Printf("# "+format+"\n", args...)
}

// add reports a value; baseline names an earlier result, or is empty.
func (r *report) add(name string, value float64, unit, baseline string) error {
	line := result{Name: name, Value: value, Unit: unit, Baseline: baseline, Commit: r.commit, Load: r.load,
		Machine: r.machine}
	text := fmt.Sprintf("%-40s %10.3f %s", name, value, unit)
	if baseline != "" {
		base, ok := r.done[baseline]
		if !ok || base == 0 {
			return fmt.Errorf("%s: its baseline %s has no value", name, baseline)
		}
		line.Ratio = value / base
		text += fmt.Sprintf(", %.2f x %s", line.Ratio, baseline)
	}
	r.done[name] = value
	fmt.Println(text)
	if r.file == nil {
		return nil
	}
	return json.NewEncoder(r.file).Encode(line)
}

// median of an odd number of values.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

// percentile returns the smallest value that at least p in a thousand do not exceed. sorted is not
// empty.
func percentile(sorted []float64, perMille int) float64 {
	return sorted[max(0, (len(sorted)*perMille+999)/1000-1)]
}
