#!/usr/bin/env bash
# e2e.sh [GROUP or STORY...]: end-to-end stories on the lab: a real control plane with make-believe GPU
# nodes, and Phalanx as its Helm chart describes it. Groups: smoke (what test.sh runs, under 4
# minutes), faults (what breaks while a gang starts), all (the default). `e2e.sh list` names the stories.
# The last line is "N passed, N failed".
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
# shellcheck source=scripts/lib/help.sh
source "$root/scripts/lib/help.sh"
cd "$root"

scripts/build.sh cpp:phalanxd go lab tool:helm
# shellcheck source=scripts/env.sh
source scripts/env.sh
(cd test/e2e && go test -c -o "$root/build/bin/phalanx-e2e" .)

stories=("$@")
((${#stories[@]})) || stories=(all)
# The logs of a story that fails are copied there.
export PHALANX_ARTIFACTS="${PHALANX_ARTIFACTS:-$root/build/logs/e2e}"
mkdir -p "$PHALANX_ARTIFACTS"
PHALANX_STORIES="${stories[*]}" exec build/bin/phalanx-e2e -test.v -test.timeout 45m
