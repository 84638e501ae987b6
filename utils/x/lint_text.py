#!/usr/bin/env python3
# ===- lint_text.py - Check rules that a compiler does not check -----------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks tracked files for licence banners, length, diagnostics and words.

Prints `file:line: message` for each finding; the exit status is 1 if there is
one. Needs nothing but Python and git.
"""

import pathlib
import re
import subprocess
import sys

from lint_words import CODE, check_file

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPDX = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
BANNERED = {".cpp", ".cc", ".c", ".h", ".td", ".py", ".sh"}
LONGEST = 900

# Hand-written pages; those of operators are printed by the front ends.
PAGE = re.compile(r"README\.md|docs/(?:rfcs/)?(?!\w*Operators)[\w-]+\.md")
# Paths that exist on one machine only.
MACHINE = re.compile(r"(?<![\w.])/(work|farm|home/\w+|tmp/setup)/")
TODO = re.compile(r"\b(TODO|FIXME|XXX)\b(?!\(\w+, #\d+\))")
# The first literal of a diagnostic.
MESSAGE = re.compile(r'emit(?:Op)?Error\((?:[^"();]*)\)?\s*(?:<<\s*)?"((?:[^"\\]|\\.)*)"(\s*[;)])?')


def tracked():
    listing = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in sorted(set(listing.stdout.splitlines())):
        path = ROOT / name
        if path.is_file() and path.suffix not in (".png", ".onnx", ".npz", ".npy"):
            yield name, path


def is_banner(line, name):
    """Whether a line is the first of a banner, or of one after `#!`."""
    pattern = rf"(//|# |/\*)===- {re.escape(name)} - \S.* -+===(//|#|\*/)"
    return len(line) == 80 and re.fullmatch(pattern, line) is not None


def check_passes(name, text):
    """Passes of TableGen have names that end in Pass, and a capital begins a summary."""
    for match in re.finditer(r"^def (\w+) *: *Pass<", text, re.MULTILINE):
        if not match.group(1).endswith("Pass"):
            line = text.count("\n", 0, match.start()) + 1
            yield f"{name}:{line}: expected a name that ends in Pass, found {match.group(1)}"
    for match in re.finditer(r'let summary = "([^"]*)"', text):
        if not re.fullmatch(r"[A-Z].*[^.]", match.group(1)):
            line = text.count("\n", 0, match.start()) + 1
            yield f"{name}:{line}: expected a summary like `Do a thing`, found `{match.group(1)}`"


def check_diagnostics(name, text):
    """Messages start in lower case and end without a full stop."""
    for match in MESSAGE.finditer(text):
        message, last = match.group(1), match.group(2)
        line = text.count("\n", 0, match.start()) + 1
        # Names of formats and types keep their capitals.
        if re.match(r"[A-Z][a-z]", message):
            yield f"{name}:{line}: message starts with a capital: {message[:40]!r}"
        if last and message.endswith("."):
            yield f"{name}:{line}: message ends with a full stop: {message[-40:]!r}"


def check(name, path):
    try:
        text = path.read_text()
    except UnicodeDecodeError:
        return
    lines = text.split("\n")
    if re.fullmatch(r"test/(?!.*/Inputs/).*_[^/]*\.(mlir|test)", name):
        yield f"{name}:1: expected hyphens in the name of a test"
    if path.suffix in BANNERED:
        head = "\n".join(lines[:8])
        if SPDX not in head:
            yield f"{name}:1: no licence banner ({SPDX})"
        elif not any(is_banner(line, path.name) for line in lines[:2]):
            yield f"{name}:1: expected a first line `===- {path.name} - Purpose ---===` of 80 columns"
        if len(lines) > LONGEST:
            yield f"{name}:{LONGEST}: {len(lines)} lines, more than {LONGEST}: split it"
    if name.endswith("Passes.td"):
        yield from check_passes(name, text)
    if path.suffix in (".cpp", ".h"):
        yield from check_diagnostics(name, text)
    if PAGE.fullmatch(name) or path.suffix in (*CODE, ".py"):
        yield from check_file(name, text)
    if name == "utils/x/lint_text.py":
        return
    for number, line in enumerate(lines, 1):
        if MACHINE.search(line):
            yield f"{name}:{number}: path of one machine: {line.strip()[:60]!r}"
        if path.suffix in BANNERED and TODO.search(line):
            yield f"{name}:{number}: mark without owner and issue: {line.strip()[:60]!r}"


def main():
    found = [finding for item in tracked() for finding in check(*item)]
    print("\n".join(found + [f"lint: {len(found)} findings"]))
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
