# ===- common.sh - What the sub-commands of x share ------------------------===#
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

# What a command stands on: `demo` for the compiler, the package and the demo, `all` for
# the tests and the work on dyn as well.

# need_packages [demo|wheel|all] installs the Debian packages that are missing.
need_packages() {
  local lists=("$root/utils/x/packages-demo.txt")
  case ${1:-all} in
  wheel) lists+=("$root/utils/x/packages-wheel.txt") ;;
  all) lists+=("$root/utils/x/packages.txt") ;;
  esac
  if ! command -v dpkg-query >/dev/null; then
    echo "not a Debian system: what is needed is listed in ${lists[*]#"$root/"}"
    return
  fi
  local wanted missing as_root=()
  wanted=$(cat "${lists[@]}" | grep -v '^#')
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

# need_venv [demo|all] makes the Python environment in build/venv, or brings it up to
# the lists of packages.
need_venv() {
  local lists=("$root/utils/x/constraints.txt" "$root/utils/x/requirements-demo.txt")
  local ask='import sys; print(sys.version_info[:2])' size="1 GB" options=()
  local version demo all list
  version=$(python3 -c "$ask")
  demo=$(hash_of "${lists[@]}")-$version
  all=$(hash_of "${lists[@]}" "$root/utils/x/requirements.txt")-$version
  if [ -x "$python" ]; then
    if stamped venv "$all"; then return; fi
    if [ "${1:-all}" = demo ] && stamped venv-demo "$demo"; then return; fi
  fi
  if [ "${1:-all}" != demo ]; then
    lists+=("$root/utils/x/requirements.txt")
    size="6 GB"
  fi
  say "installing Python packages into build/venv (about $size)"
  if [ "$("$python" -c "$ask" 2>/dev/null)" != "$version" ]; then
    rm -rf "$build/venv"
    python3 -m venv "$build/venv"
  fi
  for list in "${lists[@]:1}"; do options+=(-r "$list"); done
  "$python" -m pip install --disable-pip-version-check --no-input --retries 10 \
    --progress-bar off -c "${lists[0]}" "${options[@]}" </dev/null ||
    die "pip could not install the packages"
  stamp venv-demo "$demo"
  if [ "${1:-all}" != demo ]; then stamp venv "$all"; fi
}

# need_zoo_venv makes the environment of `x bench zoo` in build/zoo/venv: that of build/venv
# with the packages of its list.
need_zoo_venv() {
  local venv=$build/zoo/venv list=$root/utils/x/requirements-zoo.txt hash base
  hash=$(hash_of "$list")-$(cat "$build/stamps/venv")
  if [ -x "$venv/bin/python" ] && stamped venv-zoo "$hash"; then return; fi
  say "installing Python packages into build/zoo/venv (about 50 MB)"
  rm -rf "$venv"
  "$python" -m venv "$venv"
  base=$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  echo "$base" >"$("$venv/bin/python" -c \
    'import sysconfig; print(sysconfig.get_path("purelib"))')/base.pth"
  "$venv/bin/python" -m pip install --disable-pip-version-check --no-input --retries 10 \
    --progress-bar off --no-deps -r "$list" </dev/null ||
    die "pip could not install the packages"
  stamp venv-zoo "$hash"
}

# need_configured [demo|all] configures. The demo's tree has no tests, and gets them
# without that what has been built is built again.
need_configured() {
  local hash tests=ON
  hash=$(hash_of "$root/CMakePresets.json")
  if [ -f "$build/build.ninja" ]; then
    if stamped configure "$hash"; then return; fi
    if [ "${1:-all}" = demo ] && stamped configure "$hash-demo"; then return; fi
  fi
  say "configuring"
  # A cache that another generator or folder left behind would be refused.
  stamped configure "$hash-demo" || rm -rf "$build/CMakeCache.txt" "$build/CMakeFiles"
  [ "${1:-all}" != demo ] || tests=OFF
  (cd "$root" && cmake --preset release "-DBUILD_TESTING=$tests") || die "cmake failed"
  if [ "${1:-all}" = demo ]; then hash+=-demo; fi
  stamp configure "$hash"
}

# need_build [TARGET...] builds.
need_build() {
  say "building with $(jobs) jobs"
  ninja -C "$build" -j "$(jobs)" "$@" || die "the build failed"
}

# All that the tests stand on.
need_all() {
  need_packages
  need_venv
  need_configured
  need_build "$@"
}

# What the demo stands on.
need_demo() {
  need_packages demo
  need_venv demo
  need_configured demo
  need_build dyn-compile dyn_native
}
