#!/usr/bin/env bash
# bench_system.sh [--tiny] --json FILE NAME...: builds the real processes and runs benchmarks of
# test/bench/system on them; bench_system.sh --list names those. For scripts/bench.sh.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
cd "$root"
if [[ "${1:-}" == --list ]]; then
  printf '%s\n' rpc bind-throughput start
  exit
fi
scripts/build.sh cpp:phalanxd go lab tool:helm >&2
# shellcheck source=scripts/env.sh
source scripts/env.sh
go -C test/bench/system build -o "$root/build/bin/phalanx-bench" .
exec build/bin/phalanx-bench "$@"
