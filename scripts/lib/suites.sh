# shellcheck shell=bash
# Runs suites and adds up their tests; sourced by test.sh, lint.sh and .ci/run. Logs go to the folder
# suites_logs, which the caller may set.
#
# A suite is a command whose last line is `N passed, N failed` with an optional `, N skipped`, and
# which may print `FAILED: name` lines. No such line, no tests at all, or an exit status that does not
# match the line counts as one failure more: a crash can't pass silently.

suites_logs="${suites_logs:-build/logs}"
suites_passed=0
suites_failed=0
suites_skipped=0
suites_failures=()
suites_tally='^([0-9]+) passed, ([0-9]+) failed(, ([0-9]+) skipped)?$'

# suites_fail NAME LOG: one more failure.
suites_fail() {
  suites_failed=$((suites_failed + 1))
  suites_failures+=("$1 (log: ${2#"$PWD"/})")
}

# suites_add NAME LOG STATUS: adds what the suite's log says.
suites_add() {
  local name="$1" log="$2" status="$3" last test
  last="$(grep -v '^[[:space:]]*$' "$log" | tail -n1 || true)"
  if ! [[ "$last" =~ $suites_tally ]]; then
    suites_fail "$name: ended with status $status and no count" "$log"
    return
  fi
  local passed="${BASH_REMATCH[1]}" failed="${BASH_REMATCH[2]}" skipped="${BASH_REMATCH[4]:-0}"
  suites_passed=$((suites_passed + passed))
  suites_failed=$((suites_failed + failed))
  suites_skipped=$((suites_skipped + skipped))
  while IFS= read -r test; do
    suites_failures+=("$name: ${test#FAILED: } (log: ${log#"$PWD"/})")
  done < <(grep '^FAILED: ' "$log" || true)
  if ((passed + failed == 0)); then
    suites_fail "$name: ran no test" "$log"
  elif ((status != 0 && failed == 0)); then
    suites_fail "$name: ended with status $status although no test failed" "$log"
  fi
}

# suites_run NAME COMMAND...: runs one suite; its output goes to a log of its own.
suites_run() {
  local name="$1" log="$suites_logs/$1.log" start=$SECONDS status=0
  shift
  mkdir -p "$suites_logs"
  printf '%-24s ' "$name"
  "$@" >"$log" 2>&1 </dev/null || status=$?
  printf '%4d s  %s\n' "$((SECONDS - start))" "$(grep -E "$suites_tally" "$log" | tail -n1 ||
    echo "no count, status $status")"
  suites_add "$name" "$log" "$status"
}

# suites_step NAME COMMAND...: one command that counts as one test.
suites_step() {
  local name="$1" log="$suites_logs/$1.log" start=$SECONDS status=0
  shift
  mkdir -p "$suites_logs"
  printf '%-24s ' "$name"
  "$@" >"$log" 2>&1 </dev/null || status=$?
  if ((status == 0)); then
    suites_passed=$((suites_passed + 1))
    printf '%4d s  ok\n' "$((SECONDS - start))"
  else
    suites_fail "$name" "$log"
    printf '%4d s  FAILED\n' "$((SECONDS - start))"
    tail -n 40 "$log" | sed 's/^/    /'
  fi
  return "$status"
}

# suites_end: lists failures by name, prints the count as the last line; its status says whether all
# passed.
suites_end() {
  local failure
  if ((${#suites_failures[@]})); then
    echo
    for failure in "${suites_failures[@]}"; do
      echo "FAILED: $failure"
    done
  fi
  ((suites_passed + suites_failed > 0)) || {
    echo "FAILED: no test at all was run"
    suites_failed=1
  }
  if ((suites_skipped)); then
    echo "$suites_passed passed, $suites_failed failed, $suites_skipped skipped"
  else
    echo "$suites_passed passed, $suites_failed failed"
  fi
  ((suites_failed == 0))
}
