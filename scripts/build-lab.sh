#!/usr/bin/env bash
# Builds the lab: a Kubernetes control plane (etcd, kube-apiserver, controllers,
# kube-scheduler, kubectl and their launcher in one binary) and KWOK, the fake
# kubelets, which needs other versions of the same modules and so is a binary of
# its own. Usage: scripts/build-lab.sh [OUTPUT_FOLDER], default build/bin.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=scripts/lib/help.sh
source "$root/scripts/lib/help.sh"
output=${1:-$root/build/bin}
kubernetes=1.37.2

if [[ -f $root/scripts/env.sh ]]; then
  # shellcheck source=/dev/null
  source "$root/scripts/env.sh"
fi
if ! command -v go >/dev/null; then
  echo "build-lab: go is not on PATH; run scripts/setup.sh first" >&2
  exit 1
fi

# build FOLDER OUTPUT PACKAGE COLD_MINUTES [GO_BUILD_ARGUMENT...]
build() {
  local folder=$1 name=$2 package=$3 minutes=$4 start=$SECONDS
  shift 4
  echo "build-lab: $name (the first time about $minutes minutes on 2 cores, later seconds)"
  # -buildvcs=false: a new commit of ours is no reason to link again.
  (cd "$root/lab/$folder" && go build -buildvcs=false "$@" -o "$output/$name" "$package")
  echo "build-lab: $name done in $((SECONDS - start)) s"
}

mkdir -p "$output"
# Unstamped binaries call themselves v0.0.0-master, which kubectl can't parse.
version=k8s.io/component-base/version
stamps="-X $version.gitVersion=v$kubernetes -X $version.gitMajor=1 -X $version.gitMinor=37"
stamps+=" -X $version.gitTreeState=clean -X $version.gitCommit=modules"
build . phalanx-lab ./cmd/phalanx-lab 10 -ldflags "-s -w $stamps"
build kwok kwok sigs.k8s.io/kwok/cmd/kwok 2 -ldflags "-s -w"
