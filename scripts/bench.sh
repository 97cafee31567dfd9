#!/usr/bin/env bash
# bench.sh [NAME…] [--json FILE]: builds and runs benchmarks (test/bench/NAME_bench.cc, and those of
# the whole system in test/bench/system), all of them when none is named. Each case appends one JSON
# object, one a line, to FILE (build/bench.json): name (BENCH/CASE), value, unit, baseline (a case),
# ratio (value / baseline), commit. Ends with a table of what was measured, and the load of the machine.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
# shellcheck source=scripts/lib/help.sh
source "$root/scripts/lib/help.sh"
usage() {
  echo "bench: $1; usage: bench.sh [NAME…] [--json FILE], NAME of: $(known | tr '\n' ' ')" >&2
  exit 2
}
known() {
  find "$root/test/bench" -maxdepth 1 -name '*_bench.cc' -printf '%f\n' | sed 's/_bench\.cc$//' | sort
  "$root/scripts/lib/bench_system.sh" --list
}

names=()
json="$root/build/bench.json"
while (($#)); do
  case "$1" in
    --json)
      (($# > 1)) || usage "--json expects a file"
      json="$(realpath -m "$2")"
      shift
      ;;
    -*) usage "unknown option '$1'" ;;
    *)
      known | grep -xF -e "$1" >/dev/null || usage "there is no benchmark '$1'"
      names+=("$1")
      ;;
  esac
  shift
done
((${#names[@]})) || mapfile -t names < <(known)

cd "$root"
mkdir -p build/logs/bench "$(dirname "$json")"
results=()
system=()
for name in "${names[@]}"; do
  [[ -f "test/bench/${name}_bench.cc" ]] || {
    system+=("$name")
    continue
  }
  scripts/build.sh "cpp:${name}_bench" >"build/logs/bench/build.log" 2>&1 || {
    cat build/logs/bench/build.log >&2
    exit 1
  }
  echo "bench: $name, log in build/logs/bench/$name.log, load $(cut -d' ' -f1-3 /proc/loadavg)" >&2
  result="build/logs/bench/$name.json"
  rm -f "$result"
  "build/bin/bench/${name}_bench" --benchmark_out="$result" --benchmark_out_format=json \
    >"build/logs/bench/$name.log" 2>&1 || {
    cat "build/logs/bench/$name.log" >&2
    exit 1
  }
  results+=("$result")
done
# The table of the C++ benchmarks; those of the whole system print theirs as they go.
((${#results[@]} == 0)) || python3 scripts/lib/bench.py "$json" "${results[@]}"
((${#system[@]} == 0)) || scripts/lib/bench_system.sh --json "$json" "${system[@]}"
