# shellcheck shell=bash
# Sourced by every script, after setup.sh has run. Sets PHALANX_ROOT and the search path of tools;
# nothing in it depends on the machine.

PHALANX_ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
export PHALANX_ROOT
PHALANX_GO_MIN=1.26

# phalanx_go_ok GO: whether this program is a Go of at least PHALANX_GO_MIN. GOTOOLCHAIN=local, since
# an old Go would otherwise answer for the one it is about to download.
phalanx_go_ok() {
  local have
  have="$(cd / && GOTOOLCHAIN=local "$1" env GOVERSION 2>/dev/null)" || return 1
  [[ "$(printf '%s\n' "$PHALANX_GO_MIN" "${have#go}" | sort -V | head -n1)" == "$PHALANX_GO_MIN" ]]
}

# A Go on the PATH wins. Else the one that setup.sh put into the project's virtual environment.
if ! phalanx_go_ok go; then
  for phalanx_go_dir in "$PHALANX_ROOT"/.venv/lib/python3*/site-packages/go/bin; do
    [[ -x "$phalanx_go_dir/go" ]] && PATH="$phalanx_go_dir:$PATH"
  done
  unset phalanx_go_dir
fi
export PATH="$PHALANX_ROOT/build/bin/tools:$PATH"

# A clone may belong to another user than the one who builds (containers), where stamping fails.
case " ${GOFLAGS:-} " in
  *" -buildvcs="*) ;;
  *) export GOFLAGS="${GOFLAGS:+$GOFLAGS }-buildvcs=false" ;;
esac
export GOTOOLCHAIN="${GOTOOLCHAIN:-local}"

# The same keys as in cmake/PhalanxCompiler.cmake, for compilers started by hand.
export CCACHE_BASEDIR="$PHALANX_ROOT" CCACHE_NOHASHDIR=1

PHALANX_JOBS="$(nproc)"
export PHALANX_JOBS
