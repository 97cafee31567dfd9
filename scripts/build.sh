#!/usr/bin/env bash
# build.sh [cpp|cpp:TARGET|go|lab|tools|tool:NAME|all]...: builds parts of Phalanx into build/bin; all
# but tools when none is named. PHALANX_PRESET picks another CMake preset for cpp than `release`.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
# shellcheck source=scripts/lib/help.sh
source "$root/scripts/lib/help.sh"
"$root/scripts/setup.sh"
# shellcheck source=scripts/env.sh
source "$root/scripts/env.sh"
cd "$root"

say() { printf 'build: %s\n' "$*" >&2; }

# build_cpp [TARGET]: everything, or one target and what it needs.
build_cpp() {
  local preset="${PHALANX_PRESET:-release}" target=()
  [[ -z "${1:-}" ]] || target=(--target "$1")
  say "C++, preset $preset, $PHALANX_JOBS jobs (first time 3 to 10 minutes on 2 cores, then seconds)"
  cmake --preset "$preset" >"$root/.cache/configure-$preset.log" 2>&1 || {
    cat "$root/.cache/configure-$preset.log" >&2
    return 1
  }
  cmake --build --preset "$preset" -j "$PHALANX_JOBS" "${target[@]}"
}

# Kubernetes code takes itself for v0.0.0-master unless the version is linked in.
kubernetes_stamp() {
  local have minor
  have="$(awk '$1 == "k8s.io/kubernetes" {print $2; exit}' "$root/adapter/go.mod")"
  minor="${have#v1.}"
  printf -- '-X k8s.io/component-base/version.%s=%s ' gitVersion "$have" gitMajor 1 gitMinor "${minor%%.*}"
}

build_go() {
  [[ -f adapter/go.mod ]] || return 0
  local dir
  for dir in adapter/cmd/*/; do
    [[ -d "$dir" ]] || continue
    say "Go, $(basename "$dir") (kube-scheduler compiles for about 8 minutes the first time)"
    (cd adapter && go build -ldflags "$(kubernetes_stamp)" -o "$root/build/bin/$(basename "$dir")" \
      "./cmd/$(basename "$dir")")
  done
}

build_lab() {
  [[ -x scripts/build-lab.sh ]] || return 0
  say "lab: etcd, kube-apiserver, controllers, KWOK (about 9 minutes the first time)"
  scripts/build-lab.sh
}

# How long a tool compiles for the first time on 2 cores.
tool_duration() {
  case "$1" in
    protoc-gen-go) echo "20 s" ;;
    helm) echo "2 minutes" ;;
    *) echo "2 to 4 minutes" ;;
  esac
}

# build_tool NAME: the programs that scripts/tools/NAME/go.mod lists as tools, into build/bin/tools.
build_tool() {
  local dir="scripts/tools/$1"
  [[ -f "$dir/go.mod" ]] || {
    say "no tool '$1', expected one of: $(cd scripts/tools && ls)"
    return 2
  }
  say "tool $1 (first time about $(tool_duration "$1") on 2 cores)"
  mkdir -p build/bin/tools
  (cd "$dir" && go build -o "$root/build/bin/tools/" tool)
}

build_tools() {
  local dir
  for dir in scripts/tools/*/; do
    build_tool "$(basename "$dir")"
  done
}

parts=("$@")
((${#parts[@]})) || parts=(cpp go lab)
for part in "${parts[@]}"; do
  start=$SECONDS
  case "$part" in
    cpp | go | lab | tools) "build_$part" ;;
    cpp:*) build_cpp "${part#cpp:}" ;;
    tool:*) build_tool "${part#tool:}" ;;
    all) "$root/scripts/build.sh" cpp go lab tools ;;
    *)
      say "unknown part '$part', expected cpp, cpp:TARGET, go, lab, tools, tool:NAME or all"
      exit 2
      ;;
  esac
  say "$part done in $((SECONDS - start)) s"
done
