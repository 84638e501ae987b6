#!/usr/bin/env python3
# ===- lint_lists.py - Lists of classes of operations ----------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts lists of three or more classes of operations, such as `isa<AddOp, SubOp, MulOp>`, to
which each new operation might have to be added. A trait or an interface beside the
definition of the operation, or overloads (VisitOp.h), serve better. There are few lists, and
each has a comment with its reason, on its lines or directly above its statement.

    lint_lists.py [ROOT]

Prints `file:line: message` for each finding; the exit status is 1 if there is one. See
docs/Architecture.md.
"""

import pathlib
import re
import sys

FOLDERS = ("include", "lib", "tools")
#: The number of classes that are a list, and the number of lists that are too many.
LONG, MANY = 3, 10
LIST = re.compile(r"\b(?:isa|cast|dyn_cast|isa_and_\w+|dyn_cast_\w+|Case)\s*<([^<>;{}()]*)>")


def has_reason(lines, first, last):
    """Whether there is a comment on lines `first` to `last`, counted from 0, or directly above
    the statement that they are part of."""
    if any("//" in line for line in lines[first : last + 1]):
        return True
    for line in reversed(lines[:first]):
        text = line.strip()
        if text.startswith("//"):
            return True
        if not text or text.endswith((";", "{", "}", ":")):
            return False
    return False


def find_lists(text):
    """The first line of each list in a source file, counted from 1, and whether it has a
    reason."""
    lines = text.split("\n")
    for match in LIST.finditer(text):
        names = [re.sub(r"//.*", "", name).strip() for name in match.group(1).split(",")]
        if sum(name.endswith("Op") for name in names) >= LONG:
            first = text.count("\n", 0, match.start())
            last = first + match.group(0).count("\n")
            yield first + 1, has_reason(lines, first, last)


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    found, count = [], 0
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in (".h", ".cpp"):
                continue
            for line, is_explained in find_lists(path.read_text()):
                count += 1
                if not is_explained:
                    name = path.relative_to(root).as_posix()
                    found.append(f"{name}:{line}: expected a comment with the reason of this list")
    if count >= MANY:
        found.append(f"{count} lists of classes of operations, expected fewer than {MANY}")
    print("\n".join(found + [f"lists: {len(found)} findings"]))
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
