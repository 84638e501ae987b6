# ===- slow_lines.py - The lines of dyn-run --stats on slow kernels --------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that exactly the kernels below a quarter of their roofline and above 2 % of the time
have a line, by the figures of the table before the lines. Prints how many rows it compared."""

import re
import sys

text = sys.stdin.read()
call = 1e3 * float(re.search(r"^time per call: ([\d.]+) ms", text, re.MULTILINE).group(1))
rows = re.findall(r"^ *([\d.]+) +\d+ +\S+ +\S+ +(\d+) %  (\S+) \(", text, re.MULTILINE)
slow = re.findall(r"^slow: (\S+) \(\w+\), \d+ % of the time at ([\d.]+) % of", text, re.MULTILINE)
compared = 0
for time, share, name in rows:
    # Figures are rounded. Of a call of less than 2 us, each kernel takes more than 2 %.
    of_time, share = float(time) / call if call >= 2 else 1, int(share)
    if share in (24, 25) or abs(of_time - 0.02) < 0.01:
        continue
    assert (name in dict(slow)) == (share < 25 and of_time > 0.02), text
    compared += 1
assert not slow or "were measured after the last call with" in text
print(compared, "rows")
