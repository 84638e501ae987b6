# ===- test.sh - x test: build everything and run all tests ----------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
source utils/x/common.sh
# The last line always is the sum, also of a build that failed.
trap '[ $? -eq 0 ] || [ -n "${ran:-}" ] || echo "0 passed, 1 failed"' EXIT
need_all
status=0
ran=1
"$python" utils/x/run_tests.py "$@" || status=$?
exit $status
