# ===- outlines.py - Canonical texts of programs ---------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The canonical form of a program's text."""

import re

_RESULTS = re.compile(r"^  (%\w+(?:, %\w+)*) = ")
_DERIVED = re.compile(r"^dhlo\.dim @(\w+) = ")
_NAME = re.compile(r"[%@]\w+")


def canonical(text):
    """The text without locations and dead code; values, and sizes that follow from others,
    are numbered by their first use."""
    text = re.sub(r" loc\(.*\)$", "", text, flags=re.MULTILINE)
    lines = _without_dead(text.splitlines())
    # The importer declares sizes when it encounters them, dead ones included.
    derived = [line for line in lines if _DERIVED.match(line)]
    others = [line for line in lines if not _DERIVED.match(line)]
    sizes = {"@" + _DERIVED.match(line)[1] for line in derived}
    names = {}
    for name in _NAME.findall("\n".join(others + derived)):
        if name[0] == "%" or name in sizes:
            names.setdefault(name, f"{name[0]}_{len(names)}")

    def renamed(line):
        return _NAME.sub(lambda match: names.get(match[0], match[0]), line)

    return "\n".join(sorted(map(renamed, derived)) + [*map(renamed, others)])


def _without_dead(lines):
    """The only effects of a program are its results and bindings of sizes: lines that
    define neither stay. Lines of regions, which are indented more, stay too."""
    live, used = [], set()
    for line in reversed(lines):
        defined = _RESULTS.match(line) or _DERIVED.match(line)
        if defined:
            sign = "@" if line.startswith("dhlo.dim") else ""
            if used.isdisjoint(sign + name for name in defined[1].split(", ")):
                continue
        used.update(_NAME.findall(line))
        live.append(line)
    return live[::-1]
