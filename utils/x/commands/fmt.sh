# ===- fmt.sh - x fmt: format C++ and Python files -------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# x fmt [--check] [FILE...]: all tracked and new files, or those given.
source utils/x/common.sh
check=
if [ "${1:-}" = --check ]; then
  check=1
  shift
fi
if [ $# -gt 0 ]; then
  files=("$@")
else
  mapfile -t files < <(git ls-files --cached --others --exclude-standard)
fi
cxx=() py=()
for file in "${files[@]}"; do
  [ -f "$file" ] || continue
  case $file in
    *.cpp | *.cc | *.c | *.h) cxx+=("$file") ;;
    *.py) py+=("$file") ;;
  esac
done
status=0
if [ ${#cxx[@]} -gt 0 ]; then
  formatter=$(command -v clang-format-22 || echo /usr/lib/llvm-22/bin/clang-format)
  if [ -n "$check" ]; then
    "$formatter" --dry-run --Werror "${cxx[@]}" || status=1
  else
    "$formatter" -i "${cxx[@]}"
  fi
fi
ruff=$build/venv/bin/ruff
if [ ${#py[@]} -gt 0 ]; then
  if [ ! -x "$ruff" ]; then
    echo "fmt: no ruff, leaving Python files (./x build installs it)" >&2
  else
    "$ruff" format --no-cache ${check:+--check} "${py[@]}" || status=1
  fi
fi
exit $status
