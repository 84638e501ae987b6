#!/usr/bin/env python3
# ===- lint_tests.py - Check that everything has a test --------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds operations, passes, pipelines, options and messages that no test names.

- An operation must occur in an `ops` test of its dialect (round trip), and one of
  cell or dhlo in test/Interpreter too.
- A pass, a pipeline and each option of a pass or a tool must occur in a RUN line or
  in the arguments of a Python test.
- The longest fixed part of a message must occur in a test. A message that no test
  can provoke, such as one about a full disk, has a comment before it:
  `// No test: why`.

Prints `file:line: message` for each finding; the exit status is 1 if there is one.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TESTS = ("test/", "runtime/test/")
# Folders whose messages are checked. Statuses of the runtime are tested by their values.
HELD = ("lib/", "tools/", "include/")
SHORTEST = 6

OPERATION = re.compile(r'def (Cell|Dist|DL?HLO)_\w+Op\s*:\s*(?:Cell|Dist|DL?HLO)_\w*Op<"(\w+)"')
PASS = re.compile(r'def \w+\s*:\s*Pass<"([\w-]+)"')
PASS_OPTION = re.compile(r'Option<"\w+",\s*"([\w-]+)"')
PIPELINE = re.compile(r'add\("(dyn-[\w-]+)"|PassPipelineRegistration<[^>]*>\w*\(\s*"([\w-]+)"')
TOOL_OPTION = re.compile(r'cl::(?:opt|list|bits)<[^;]*?>\s*\w+\s*[({]\s*"([\w-]+)"', re.DOTALL)
# Functions that report an error to the user of the program.
REPORT = re.compile(r"\b(?:emitOpError|emitError|emitOptionalError|createStringError|error|fail)\(")
STATEMENT = re.compile(r'(?:"(?:[^"\\]|\\.)*"|[^;"])*', re.DOTALL)
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
EXEMPT = re.compile(r"//.*\bNo test: \S")
# Placeholders of printf and formatv.
HOLE = re.compile(r"%[-+ #0-9.*]*(?:ll|l|z|j)?[a-zA-Z]|\{\d*(?::[^}]*)?\}")


def read(name):
    try:
        return (ROOT / name).read_text()
    except UnicodeDecodeError:
        return ""


def tracked():
    listing = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    names = sorted(set(listing.stdout.splitlines()))
    return [name for name in names if (ROOT / name).is_file()]


def flatten(text):
    """The text of tests as messages read: single spaces, C++ literals joined, no
    escapes."""
    text = re.sub(r'"\s*\n?\s*f?"', "", text)
    text = re.sub(r"\{\{((?:\\.)+)\}\}", lambda m: m.group(1).replace("\\", ""), text)
    text = re.sub(r"\\(.)", r"\1", text)
    return re.sub(r"\s+", " ", text)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def check_operations(name, text, round_trips, interpreted):
    for match in OPERATION.finditer(text):
        op = f"{match.group(1).lower()}.{match.group(2)}"
        where = f"{name}:{line_of(text, match.start())}: {op}"
        word = re.compile(re.escape(op) + r"\b")
        if not word.search(round_trips):
            yield f"{where} is in no round trip"
        if op.startswith(("cell.", "dhlo.")) and not word.search(interpreted):
            yield f"{where} is in no test of the interpreter"


def check_commands(name, text, commands):
    patterns = []
    if name.endswith("Passes.td"):
        patterns = [
            (PASS, "pass", r"(?<![\w-])-{0,2}%s(?![\w-])"),
            (PASS_OPTION, "option", r"[{ =]%s="),
        ]
    elif name.startswith("lib/"):
        patterns = [(PIPELINE, "pipeline", r"(?<![\w-])-{0,2}%s(?![\w-])")]
    if name.startswith(("tools/", "lib/Driver/")):
        patterns.append((TOOL_OPTION, "option", r"(?<![\w-])--?%s(?![\w-])"))
    for pattern, what, use in patterns:
        for match in pattern.finditer(text):
            word = next(filter(None, match.groups()))
            if word == "O":  # A prefix: -O2.
                use = "-O[0-3]"
            if not re.search(use.replace("%s", re.escape(word)), commands):
                line = line_of(text, match.start())
                yield f"{name}:{line}: {what} '{word}' is in no command of a test"


def check_messages(name, text, tests):
    for match in REPORT.finditer(text):
        statement = STATEMENT.match(text, match.end()).group()
        statement = re.sub(r'"\s*\n\s*"', "", statement)
        parts = []
        for literal in LITERAL.findall(statement):
            literal = literal.replace('\\"', '"').replace("\\n", " ")
            parts += [re.sub(r"\s+", " ", part).strip() for part in HOLE.split(literal)]
        longest = max(parts, key=len, default="")
        if len(longest) < SHORTEST or longest in tests:
            continue
        before = "\n".join(text[: match.start()].split("\n")[-4:])
        if not EXEMPT.search(before):
            line = line_of(text, match.start())
            yield f"{name}:{line}: no test expects '{longest}'"


def main():
    names = tracked()
    tests = {name: read(name) for name in names if name.startswith(TESTS)}

    def joined(condition):
        return "\n".join(text for name, text in tests.items() if condition(name))

    round_trips = joined(lambda name: re.search(r"/Dialect/\w+/([\w-]+-)?ops\.mlir$", name))
    interpreted = joined(lambda name: name.startswith("test/Interpreter/"))
    commands = "\n".join(
        line
        for name, text in tests.items()
        for line in text.split("\n")
        if "RUN:" in line or name.endswith(".py")
    )
    everything = flatten(joined(lambda name: True))

    found = []
    for name in names:
        if name.startswith(TESTS) or not name.endswith((".td", ".cpp", ".h")):
            continue
        text = read(name)
        if name.endswith(".td"):
            found += check_operations(name, text, round_trips, interpreted)
        found += check_commands(name, text, commands)
        if name.startswith(HELD):
            found += check_messages(name, text, everything)
    print("\n".join(found + [f"lint: {len(found)} without a test"]))
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
