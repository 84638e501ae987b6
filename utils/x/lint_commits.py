#!/usr/bin/env python3
# ===- lint_commits.py - Subjects and bodies of commits --------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the commits since a date: `[Area] Imperative subject` of at most 72 characters, an
empty line, and a body that says why.

    lint_commits.py [FOLDER]

Prints `hash: message` for each finding; the exit status is 1 if there is one. Merges are
not checked.
"""

import re
import subprocess
import sys

#: Older commits have other subjects.
SINCE = "2026-11-27T03:00:00Z"
LONGEST = 72
#: Commands; another one is added here when a subject needs it.
VERBS = """
    Accept Add Allocate Apply Ask Avoid Balance Bind Bound Build Cache Call Cancel Check Choose
    Clarify Compare Compile Compute Convert Convolve Copy Count Cut Decide Declare Decompose Delete
    Derive Describe Detect Divide Document Drop Emit Enable Evaluate Expect Expand Explain Export Extend Fail
    Find Fix Fold Fuse Generate Give Guard Guess Handle Hoist Import Infer Inline Insert Install Join
    Keep Launch Leave Let Lift Limit Link Lint List Load Lower Make Map Mark Match Measure Merge
    Move Multiply Name Note Order Pack Pad Parse Pass Place Plan Plot Predict Prefer Print
    Propagate Prove Publish Put Quantise Raise Read Recognize Record Reduce Refuse Regenerate Release
    Remove Rename Reorder Repeat Replace Report Require Resample Rescale Restore Return Reuse Rewrite
    Rotate Round Run Save Say Select Separate Serve Set Share Show Simplify Simulate Skip Sort Specify
    Speculate Speed Split Stack State Stop Store Sum Support Take Tell Test Tidy Tile Time Trace
    Track Transform Try Tune Unify Update Use Validate Verify Visit Wait Widen Write
""".split()
SUBJECT = re.compile(r"(?:\[[A-Z][\w/+-]*\])+ (\w+)\b.*[^.\s]")


def check_commit(subject, rest):
    """Findings of a commit, of its first line and the lines after it."""
    if len(subject) > LONGEST:
        yield f"expected a subject of at most {LONGEST} characters, found {len(subject)}"
    match = SUBJECT.fullmatch(subject)
    if not match:
        yield f"expected a subject such as '[Area] Add a thing', found {subject!r}"
    elif match.group(1) not in VERBS:
        yield f"expected a command, such as 'Add', found {match.group(1)!r}"
    if len(rest) < 2 or rest[0] or not rest[1]:
        yield "expected an empty line and a body that says why"


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else "."
    command = ["git", "-C", folder, "log", "--no-merges", f"--since={SINCE}", "--format=%h%n%B%x00"]
    log = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = []
    for commit in filter(str.strip, log.split("\0")):
        name, subject, *rest = commit.lstrip("\n").split("\n")
        found += [f"{name}: {finding}" for finding in check_commit(subject, rest)]
    print("\n".join(found + [f"commits: {len(found)} findings"]))
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
