#===- common.sh - What the sub-commands of x share ------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Sourced with the repository as the working directory.
set -euo pipefail

root=$PWD
build=$root/build
python=$build/venv/bin/python
export PYTHONDONTWRITEBYTECODE=1
# A cache hit must not depend on the folder of the clone.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1

say() { printf '\n== %s\n' "$*"; }
die() {
  printf 'x: %s\n' "$*" >&2
  exit 1
}

# hash_of FILE... prints one hash of the files' contents and of this folder.
hash_of() { { pwd && cat "$@"; } | sha256sum | cut -d' ' -f1; }

# stamped NAME HASH: has step NAME been done with HASH?
stamped() { [ "$(cat "$build/stamps/$1" 2>/dev/null)" = "$2" ]; }
stamp() { mkdir -p "$build/stamps" && printf '%s\n' "$2" >"$build/stamps/$1"; }

# Jobs that fit: one a core, but no more than one for each 1.5 GiB of memory.
jobs() {
  local cores kib
  cores=$(nproc)
  kib=$(awk '/^MemTotal/ {print $2}' /proc/meminfo)
  local fit=$((kib / 1572864))
  [ "$fit" -ge 1 ] || fit=1
  echo $((cores < fit ? cores : fit))
}

# Installs the Debian packages that are missing.
need_packages() {
  if ! command -v dpkg-query >/dev/null; then
    echo "not a Debian system: utils/x/packages.txt lists what is needed"
    return
  fi
  local wanted missing as_root=()
  wanted=$(grep -v '^#' "$root/utils/x/packages.txt")
  # shellcheck disable=SC2086
  missing=$(comm -23 <(echo "$wanted" | sort) <(dpkg-query -W \
    -f '${db:Status-Abbrev} ${Package}\n' $wanted 2>/dev/null |
    sed -n 's/^ii  *//p' | sort -u))
  [ -n "$missing" ] || return 0
  say "installing Debian packages:" $missing
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || die "neither root nor sudo: install with apt-get: $(echo $missing)"
    as_root=(sudo)
  fi
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y
    -o DPkg::Lock::Timeout=600 -o Acquire::Retries=5 -o Dpkg::Use-Pty=0)
  # A third party's broken list must not stop us; the install tells.
  "${apt[@]}" update </dev/null || true
  # shellcheck disable=SC2086
  "${apt[@]}" install --no-install-recommends $missing </dev/null ||
    die "apt-get could not install the packages"
}

# Makes the Python environment in build/venv.
need_venv() {
  local lists=("$root/utils/x/requirements.txt" "$root/utils/x/constraints.txt")
  local hash
  hash=$(hash_of "${lists[@]}")-$(python3 -c 'import sys; print(sys.version_info[:2])')
  if [ -x "$python" ] && stamped venv "$hash"; then return; fi
  say "installing Python packages into build/venv (about 6 GB)"
  rm -rf "$build/venv"
  python3 -m venv "$build/venv"
  "$python" -m pip install --disable-pip-version-check --no-input --retries 10 \
    --progress-bar off -c "${lists[1]}" -r "${lists[0]}" </dev/null ||
    die "pip could not install the packages"
  stamp venv "$hash"
}

# need_build [TARGET...] configures if needed and builds.
need_build() {
  local hash
  hash=$(hash_of "$root/CMakePresets.json")
  if ! [ -f "$build/build.ninja" ] || ! stamped configure "$hash"; then
    say "configuring"
    # A cache that another generator or folder left behind would be refused.
    rm -rf "$build/CMakeCache.txt" "$build/CMakeFiles"
    (cd "$root" && cmake --preset release) || die "cmake failed"
    stamp configure "$hash"
  fi
  say "building with $(jobs) jobs"
  ninja -C "$build" -j "$(jobs)" "$@" || die "the build failed"
}

# All that the tests and the demo stand on.
need_all() {
  need_packages
  need_venv
  need_build "$@"
}
