#!/usr/bin/env bash
# Installs what is missing on Debian 12, given a Swift toolchain. `setup.sh` for building and running, `setup.sh test`
# also for the tests. Does nothing where everything is there.
set -euo pipefail
cd "$(dirname "$0")/.."

build_packages=(
  binutils gcc g++ git libc6-dev pkg-config ca-certificates
  libxml2-dev libgumbo-dev libicu-dev libuchardet-dev libcurl4-openssl-dev libsqlite3-dev libmicrohttpd-dev
  libssl-dev libyaml-dev librdkafka-dev zlib1g-dev libbrotli-dev libjemalloc-dev
  libncurses6 # the toolchain's own need; its others are among these
)
test_packages=(python3 python3-venv chromium curl sqlite3 openssl procps kcat buildah podman runc mmdebstrap)

install_missing() {
  local missing=()
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "setup: run this as root once, to install: ${missing[*]}" >&2; exit 1; }
    as_root=(sudo)
  fi
  echo "setup: installing ${missing[*]}" >&2
  "${as_root[@]}" apt-get update -qq
  DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

command -v swift >/dev/null || { echo "setup: no Swift toolchain: 'swift' has to be on the PATH, 6.2 or later" >&2; exit 1; }
install_missing "${build_packages[@]}"

if [ "${1:-}" = test ]; then
  install_missing "${test_packages[@]}"
  # Kubernetes' own package of it does as well.
  command -v kubectl >/dev/null || install_missing kubernetes-client
  # The tests' Python tools live in an environment of their own, pinned.
  wanted=.build/python/requirements.installed
  if ! cmp -s deploy/checks/requirements.txt "$wanted"; then
    python3 -m venv .build/python
    .build/python/bin/pip install --quiet --disable-pip-version-check --requirement deploy/checks/requirements.txt
    cp deploy/checks/requirements.txt "$wanted"
  fi
fi
