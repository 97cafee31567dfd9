#!/usr/bin/env bash
# build.sh [cpp|go|lab|tools|all]...: builds parts of Phalanx into build/bin (all but tools when none
# is named). PHALANX_PRESET picks another CMake preset for cpp than `release`.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
"$root/scripts/setup.sh"
# shellcheck source=scripts/env.sh
source "$root/scripts/env.sh"
cd "$root"

say() { printf 'build: %s\n' "$*" >&2; }

build_cpp() {
  local preset="${PHALANX_PRESET:-release}"
  say "C++, preset $preset, $PHALANX_JOBS jobs (first time 5 to 10 minutes on 2 cores, then seconds)"
  cmake --preset "$preset" >"$root/.cache/configure-$preset.log" 2>&1 || {
    cat "$root/.cache/configure-$preset.log" >&2
    return 1
  }
  cmake --build --preset "$preset" -j "$PHALANX_JOBS"
}

build_go() {
  [[ -f adapter/go.mod ]] || return 0
  local dir
  for dir in adapter/cmd/*/; do
    [[ -d "$dir" ]] || continue
    say "Go, $(basename "$dir") (kube-scheduler compiles for about 6 minutes the first time)"
    (cd adapter && go build -o "$root/build/bin/$(basename "$dir")" "./cmd/$(basename "$dir")")
  done
}

build_lab() {
  [[ -x scripts/build-lab.sh ]] || return 0
  say "lab: etcd, kube-apiserver, controllers, KWOK (about 10 minutes the first time)"
  scripts/build-lab.sh
}

build_tools() {
  local dir name package
  for dir in scripts/tools/*/; do
    [[ -f "$dir/go.mod" ]] || continue
    name="$(basename "$dir")"
    package="$(cat "$dir/package")"
    say "tool $name ($(cat "$dir/duration"))"
    (cd "$dir" && go build -o "$root/build/bin/tools/$name" "$package")
  done
}

parts=("$@")
((${#parts[@]})) || parts=(cpp go lab)
for part in "${parts[@]}"; do
  start=$SECONDS
  case "$part" in
    cpp | go | lab | tools) "build_$part" ;;
    all) "$root/scripts/build.sh" cpp go lab tools ;;
    *)
      say "unknown part '$part', expected cpp, go, lab, tools or all"
      exit 2
      ;;
  esac
  say "$part done in $((SECONDS - start)) s"
done
