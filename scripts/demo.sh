#!/usr/bin/env bash
# demo.sh [--keep | --stop]: shows Phalanx at work on this machine: installs what is missing, builds,
# starts a Kubernetes control plane with make-believe GPU nodes, runs Phalanx as its Helm chart does,
# and checks what it shows. --keep leaves it all running, --stop ends that.
# The last line is "demo: OK ..." or "demo: FAILED ...".
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
# shellcheck source=scripts/lib/help.sh
source "$root/scripts/lib/help.sh"
cd "$root"

fail() {
  printf 'demo: FAILED %s\n' "$*"
  exit 1
}

case "${1:-}" in
  "" | --keep | --stop) ;;
  *) fail "unknown argument '$1', expected --keep or --stop" ;;
esac
(($# <= 1)) || fail "one argument at most, got $#: $*"

if [[ "${1:-}" == --stop ]]; then
  [[ -x build/bin/phalanx-demo ]] || fail "nothing is built here, so no demo can run"
  exec build/bin/phalanx-demo --stop
fi

build() {
  printf 'demo: building what is not built yet: phalanxd, phalanx-scheduler, a control plane, helm.\n'
  printf 'demo: about 25 minutes the first time on 2 cores, most of it Kubernetes; then seconds.\n'
  scripts/build.sh cpp:phalanxd go lab tool:helm &&
    (
      source scripts/env.sh
      cd lab && go build -o ../build/bin/phalanx-demo ./cmd/phalanx-demo
    )
}

build || fail "the build failed, see the lines above; the same command tries it again"
exec build/bin/phalanx-demo "$@"
