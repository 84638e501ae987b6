# ===- lint.sh - x lint: check names, licence banners and words ------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# x lint [--tidy]: the text rules, what has no test, and with --tidy also clang-tidy (slow).
source utils/x/common.sh
status=0
python3 utils/x/lint_text.py || status=1
python3 utils/x/lint_tests.py || status=1
python3 utils/x/lint_layers.py || status=1
python3 utils/x/lint_lists.py || status=1
python3 utils/x/lint_commits.py || status=1
if [ "${1:-}" = --tidy ]; then
  [ -f "$build/compile_commands.json" ] || die "nothing configured yet: ./x build"
  mapfile -t sources < <(git ls-files 'lib/*.cpp' 'tools/*.cpp' 'runtime/*.cpp')
  # GCC's precompiled header means nothing to clang.
  database=$(mktemp -d)
  trap 'rm -rf "$database"' EXIT
  sed -E 's/-include [^ ]*cmake_pch[^ ]*//; s/-Winvalid-pch//' \
    "$build/compile_commands.json" >"$database/compile_commands.json"
  printf '%s\n' "${sources[@]}" | xargs -P "$(jobs)" -n 4 \
    "$(command -v clang-tidy-22 || echo /usr/lib/llvm-22/bin/clang-tidy)" \
    -p "$database" --quiet || status=1
fi
exit $status
