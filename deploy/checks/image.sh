#!/usr/bin/env bash
# Builds the worker's image, localhost/tidings:test, where no registry is reached: deploy/Dockerfile as it is, on a Debian
# made from its packages and with the toolchain that is on the PATH. Takes the folder that the images are kept in; the two
# files that lead buildah and podman there, containers.conf and storage.conf, are written into it.
set -euo pipefail
kept="$(mkdir -p "$1" && cd "$1" && pwd)"
cd "$(dirname "$0")/../.."

# crun fails where control groups are of both versions, and nothing but podman's own defaults needs systemd.
cat > "$kept/containers.conf" <<END
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
[containers]
default_ulimits = ["nofile=1024:4096", "nproc=4096:4096"]
END
# Without a mount of its own the folder can be deleted like any other.
cat > "$kept/storage.conf" <<END
[storage]
driver = "overlay"
graphroot = "$kept/images"
runroot = "$kept/run"
[storage.options.overlay]
skip_mount_home = "true"
END
export CONTAINERS_CONF="$kept/containers.conf" CONTAINERS_STORAGE_CONF="$kept/storage.conf"

toolchain="$(cd "$(dirname "$(readlink -f "$(command -v swift)")")/.." && pwd)"
if [ "$toolchain" = /usr ]; then
  echo "image: the toolchain is spread over /usr; one with a folder of its own, such as /opt/swift, can be lent to a build" >&2
  exit 1
fi

if ! podman image exists localhost/tidings/debian; then
  echo "image: making a Debian from its packages" >&2
  mmdebstrap --quiet --variant=minbase --include=ca-certificates bookworm "$kept/debian.tar"
  podman import --quiet "$kept/debian.tar" localhost/tidings/debian >/dev/null
  podman import --quiet --change "ENV PATH=$toolchain/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" \
    "$kept/debian.tar" localhost/tidings/swift >/dev/null
  rm "$kept/debian.tar"
fi

echo "image: building (the first time takes about four minutes)" >&2
log="$kept/build.log"
buildah build --layers --force-rm --isolation chroot --pull=never --volume "$toolchain:$toolchain:ro" \
  --build-arg SWIFT_IMAGE=localhost/tidings/swift --build-arg RUNTIME_IMAGE=localhost/tidings/debian \
  --file deploy/Dockerfile --tag localhost/tidings:test . >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
