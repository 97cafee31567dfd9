package main

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestMain lets a benchmark start this program as its spinner or echo.
func TestMain(m *testing.M) {
	actAsCompanion()
	os.Exit(m.Run())
}

// runTiny runs one benchmark at its smallest size and returns its results. Without it a benchmark
// that is run by hand, now and then, would rot unnoticed.
func runTiny(t *testing.T, name string) map[string]result {
	t.Helper()
	if testing.Short() {
		t.Skip("starts real processes")
	}
	file := filepath.Join(t.TempDir(), "results.json")
	if err := command(t.Context(), []string{"--tiny", "--json", file, name}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	results := map[string]result{}
	for line := range strings.Lines(string(text)) {
		var r result
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if !strings.HasPrefix(r.Name, name+"/") || r.Value <= 0 || r.Unit == "" || r.Commit == "" {
			t.Errorf("a result of %s without meaning: %s", name, line)
		}
		results[r.Name] = r
	}
	return results
}

func expect(t *testing.T, results map[string]result, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, ok := results[name]; !ok {
			t.Errorf("no result is called %s", name)
		}
	}
}

func TestRPC(t *testing.T) {
	expect(t, runTiny(t, "rpc"), "rpc/cycle_p99_us", "rpc/cycle_p50_us", "rpc/echo_p99_us", "rpc/echo_p50_us")
}

func TestStart(t *testing.T) {
	expect(t, runTiny(t, "start"), "start/ready_s", "start/brain_ready_s")
}

func TestBindThroughput(t *testing.T) {
	results := runTiny(t, "bind-throughput")
	expect(t, results, "bind-throughput/stock", "bind-throughput/phalanx", "bind-throughput/raw",
		"bind-throughput/phalanx_over_raw", "bind-throughput/phalanx_50k_waiting")
	for name, baseline := range map[string]string{"phalanx": "stock", "phalanx_50k_waiting": "phalanx",
		"stock_50k_gated": "stock"} {
		r, base := results["bind-throughput/"+name], results["bind-throughput/"+baseline]
		if r.Baseline != base.Name || math.Abs(r.Ratio-r.Value/base.Value) > 1e-9 {
			t.Errorf("%+v has not the ratio to %+v", r, base)
		}
	}
}

func TestUnknownNamesAreRefused(t *testing.T) {
	for _, names := range [][]string{nil, {"rcp"}} {
		err := command(t.Context(), names)
		if err == nil || !strings.Contains(err.Error(), "rpc, bind-throughput, start") {
			t.Errorf("%q: %v, expected an error that names the benchmarks", names, err)
		}
	}
}

func TestPercentile(t *testing.T) {
	var values []float64
	for i := range 1000 {
		values = append(values, float64(i+1))
	}
	for perMille, want := range map[int]float64{500: 500, 990: 990, 1000: 1000, 0: 1} {
		if got := percentile(values, perMille); got != want {
			t.Errorf("%d of a thousand: %g, expected %g", perMille, got, want)
		}
	}
	if got := percentile([]float64{7}, 990); got != 7 {
		t.Errorf("of one value: %g", got)
	}
}

func TestMedian(t *testing.T) {
	values := []float64{9, 1, 5}
	if got := median(values); got != 5 || !slices.Equal(values, []float64{9, 1, 5}) {
		t.Errorf("median %g of %v, expected 5 of 9 1 5", got, values)
	}
}

func TestBaselineWithoutValueIsAnError(t *testing.T) {
	r := &report{done: map[string]float64{}}
	if err := r.add("b/new", 1, "s", "b/old"); err == nil || !strings.Contains(err.Error(), "b/old") {
		t.Errorf("%v, expected an error that names the baseline", err)
	}
}

func TestUsageOfThisProcess(t *testing.T) {
	before, err := usageOf(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	for start := time.Now(); time.Since(start) < 20*time.Second; {
		after, err := usageOf(os.Getpid())
		if err != nil {
			t.Fatal(err)
		}
		if after.cpuSeconds > before.cpuSeconds && after.peakMiB > 1 {
			return
		}
	}
	t.Error("20 s of work were not counted")
}

func TestEachReturnsTheFirstError(t *testing.T) {
	wrong := os.ErrInvalid
	calls := make(chan int, 1000)
	err := each(t.Context(), 1000, func(_ context.Context, i int) error {
		calls <- i
		if i == 3 {
			return wrong
		}
		return nil
	})
	if !errors.Is(err, wrong) || len(calls) == 1000 {
		t.Errorf("%v after %d calls, expected %v and an early end", err, len(calls), wrong)
	}
}

func TestNoTwoWaitingGangsInARowAreAlike(t *testing.T) {
	pods := 0
	for i := range 1000 {
		shape := tooBig(i)
		pods += shape.size
		if shape.size <= 32 || shape.size == tooBig(i+1).size {
			t.Fatalf("gang %d: %+v fits into a leaf of 32 hosts, or is like the next one", i, shape)
		}
	}
	if pods < 49_000 || pods > 51_000 {
		t.Errorf("1000 gangs have %d pods, expected about 50000", pods)
	}
}
