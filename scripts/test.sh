#!/usr/bin/env bash
# test.sh [fast|all]: installs, builds and runs every test but the long ones.
#
#   (none)  style, C++, scenarios, the campaign of faults, runtime under ThreadSanitizer, Go, end to end
#   fast    style, C++, scenarios and Go: what needs neither lab nor minutes
#   all     the long ones too, the whole-system benchmarks at tiny size, C++ again under
#           AddressSanitizer, Go with the race detector
#
# The last line is `N passed, N failed` over all of them; logs are in build/logs/test.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
# shellcheck source=scripts/lib/help.sh
source "$root/scripts/lib/help.sh"
mode="${1:-default}"
case "$mode" in
  default | fast | all) ;;
  *)
    echo "test: unknown mode '$mode', expected fast, all or nothing" >&2
    exit 2
    ;;
esac
"$root/scripts/setup.sh"
# shellcheck source=scripts/env.sh
source "$root/scripts/env.sh"
suites_logs="$root/build/logs/test"
# shellcheck source=scripts/lib/suites.sh
source "$root/scripts/lib/suites.sh"
cd "$root"
rm -rf "$suites_logs"
mkdir -p "$suites_logs"

# ThreadSanitizer needs a memory layout that some kernels' randomisation does not give.
no_aslr=()
setarch "$(uname -m)" -R true 2>/dev/null && no_aslr=(setarch "$(uname -m)" -R)

# ctest_suite PRESET ARGUMENT...: the tests of a preset that was built.
ctest_suite() {
  local preset="$1" report="$suites_logs/ctest-$1.xml" status=0
  shift
  rm -f "$report"
  "${no_aslr[@]}" ctest --preset "$preset" -j "$PHALANX_JOBS" --output-junit "$report" "$@" || status=$?
  python3 scripts/lib/counts.py ctest "$report" || return 1
  return "$status"
}

# go_suite DIR ARGUMENT...: the tests of a Go module.
go_suite() {
  local dir="$1" report="$suites_logs/go-${1//\//-}.json" status=0
  shift
  (cd "$dir" && go test -json "$@" ./...) >"$report" || status=$?
  # What the tests printed, for whoever reads the log.
  python3 scripts/lib/counts.py gotext "$report"
  python3 scripts/lib/counts.py go "$report" || return 1
  return "$status"
}

# tsan_suite: the runtime's tests under ThreadSanitizer; the rest of that preset is not built.
tsan_suite() {
  local targets=()
  [[ -d test/runtime ]] && targets+=(runtime_test)
  [[ -d test/unit/runtime ]] && targets+=(unit_runtime_test)
  cmake --preset tsan
  "${no_aslr[@]}" cmake --build --preset tsan -j "$PHALANX_JOBS" --target "${targets[@]}"
  ctest_suite tsan -R '^(unit/)?runtime/' -LE long
}

asan_suite() {
  cmake --preset asan-ubsan
  cmake --build --preset asan-ubsan -j "$PHALANX_JOBS"
  ctest_suite asan-ubsan -LE long
}

# The build is no test, but one that fails is a failure.
build_part() {
  local name="build-$1" log="$suites_logs/build-$1.log" start=$SECONDS
  printf '%-24s ' "$name"
  if scripts/build.sh "$1" >"$log" 2>&1 </dev/null; then
    printf '%4d s  built\n' "$((SECONDS - start))"
  else
    printf '%4d s  FAILED\n' "$((SECONDS - start))"
    grep -E 'error:|FAILED|Error' "$log" | head -n 20 | sed 's/^/    /' || true
    suites_fail "$name" "$log"
    return 1
  fi
}

go_arguments=(-short)
[[ "$mode" == all ]] && go_arguments=(-race)

suites_run style python3 scripts/lib/run_style.py

if build_part cpp; then
  if [[ "$mode" == all ]]; then
    suites_run cpp ctest_suite release
    suites_run cpp-asan-ubsan asan_suite
  else
    suites_run cpp ctest_suite release -LE long
  fi
  [[ "$mode" == fast ]] || suites_step faults build/bin/phalanx-sim faults --seeds 2000
  if [[ "$mode" != fast && (-d test/runtime || -d test/unit/runtime) ]]; then
    suites_run runtime-tsan tsan_suite
  fi
fi

if build_part go && [[ -f adapter/go.mod ]]; then
  suites_run adapter go_suite adapter "${go_arguments[@]}"
fi
if build_part lab && [[ -f lab/go.mod ]]; then
  # With the tag the harness's tests run real control planes.
  [[ "$mode" != all ]] || go_arguments+=(-tags lab)
  suites_run lab go_suite lab "${go_arguments[@]}"
fi
if [[ "$mode" == all ]]; then
  # The whole-system benchmarks at their smallest size; build.sh made what they run.
  build_part tool:helm && suites_run bench-system go_suite test/bench/system
fi
if [[ "$mode" != fast && -x scripts/e2e.sh ]]; then
  suites_run e2e scripts/e2e.sh "$([[ "$mode" == all ]] && echo all || echo smoke)"
fi
suites_end
