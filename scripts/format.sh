#!/usr/bin/env bash
# format.sh: formats C++ and Go the way lint.sh wants it (only files of the repository).
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
# shellcheck source=scripts/lib/help.sh
source "$root/scripts/lib/help.sh"
"$root/scripts/setup.sh"
# shellcheck source=scripts/env.sh
source "$root/scripts/env.sh"
cd "$root"

files() { git ls-files -z -co --exclude-standard -- "$@"; }
files '*.cc' '*.h' | xargs -0 -r clang-format-14 -i
files '*.go' ':!:adapter/internal/gen' | xargs -0 -r "$(go env GOROOT)/bin/gofmt" -s -w
