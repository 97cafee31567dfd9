#!/usr/bin/env bash
# record.sh: records the conversations of test/contract/recordings anew, between the adapter on a fake
# API server and phalanxd as it is built here. Read the difference before you commit it: what changes
# in a recording changes in the contract.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
# shellcheck source=scripts/lib/help.sh
source "$root/scripts/lib/help.sh"
"$root/scripts/build.sh" cpp:phalanxd
# shellcheck source=scripts/env.sh
source "$root/scripts/env.sh"
mkdir -p "$root/test/contract/recordings"
cd "$root/adapter"
PHALANX_RECORD=1 PHALANXD="$root/build/bin/phalanxd" go test -count=1 -run '^TestContract$' ./internal/app
git -C "$root" --no-pager diff --stat -- test/contract/recordings
