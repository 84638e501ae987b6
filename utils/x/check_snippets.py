#!/usr/bin/env python3
# ===- check_snippets.py - Run the snippets of a documentation page --------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the fenced blocks of a Markdown page in an empty folder, in order.

A block with `title=NAME` after its language is written to the file NAME. A block of the
language `console` is run: each line that starts with `$ ` is a shell command, and the lines
after it are the output that it must print. There a line `...` matches any number of lines;
`...` inside a line matches any text, and at its end the rest of the line. Runs of blanks
count as one. Other blocks are ignored. With --files the files are written to a folder, and
nothing is run.

Prints the first difference as `page:line: message` and exits with 1.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile


def blocks(text):
    """(first line's number, language, title, lines) of each fenced block."""
    start = language = title = None
    for number, line in enumerate(text.splitlines(), 1):
        fence = re.match(r"```(\w*)(?:\s+title=(\S+))?\s*$", line)
        if not fence:
            continue
        if start is None:
            start, (language, title) = number + 1, fence.groups()
        else:
            yield start, language, title, text.splitlines()[start - 1 : number - 1]
            start = None


def commands(first, lines):
    """(line's number, command, expected lines) of each command of a block."""
    found = []
    for number, line in enumerate(lines, first):
        if line.startswith("$ "):
            found.append((number, line[2:], []))
        elif found:
            found[-1][2].append((number, line))
    return found


def pattern(line):
    """The regular expression that must match a printed line."""
    words = (re.escape(word).replace(r"\.\.\.", ".*") for word in line.split())
    return re.compile(r"\s*" + r"\s+".join(words).replace(r"\s+.*", r"(\s.*)?") + r"\s*")


def mismatch(expected, printed):
    """The first expected line that `printed` lacks, as (number, line, where), or None.
    After `...` a line may be anywhere, else it must come next."""
    position, anywhere = 0, False
    for number, line in expected:
        if line.strip() == "...":
            anywhere = True
            continue
        at = position
        while at < len(printed) and not pattern(line).fullmatch(printed[at]):
            at = at + 1 if anywhere else len(printed)
        if at >= len(printed):
            return number, line, printed[position : position + 5]
        position, anywhere = at + 1, False
    if not anywhere and position < len(printed):
        number = expected[-1][0] if expected else None
        return number, "the end of the output", printed[position : position + 5]
    return None


def write_files(page, folder):
    """Writes the files of a page, and returns their names."""
    folder.mkdir(parents=True, exist_ok=True)
    names = []
    for _, _, title, lines in blocks(page.read_text()):
        if title:
            (folder / title).write_text("\n".join(lines) + "\n")
            names.append(title)
    return names


def check(page, folder):
    """Runs the page. Returns (number of commands, message or None)."""
    count = 0
    # `python` is the interpreter that runs this.
    path = [str(pathlib.Path(sys.executable).parent), os.environ.get("PATH", "")]
    environment = dict(os.environ, PATH=os.pathsep.join(path))
    for first, language, title, lines in blocks(page.read_text()):
        if title:
            (folder / title).write_text("\n".join(lines) + "\n")
        if language != "console":
            continue
        for number, command, expected in commands(first, lines):
            done = subprocess.run(
                command,
                shell=True,
                cwd=folder,
                env=environment,
                text=True,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
            )
            count += 1
            if done.returncode:
                what = f"'{command}' exits with {done.returncode}: {done.stdout[:2000]}"
                return count, f"{page}:{number}: {what}"
            difference = mismatch(expected, done.stdout.splitlines())
            if difference:
                at, line, printed = difference
                what = f"'{command}' does not print\n  {line.strip()}\nbut\n  "
                return count, f"{page}:{at or number}: {what}" + "\n  ".join(printed)
    return count, None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("--files", type=pathlib.Path, metavar="FOLDER")
    options = parser.parse_args()
    page = options.page
    if options.files:
        print(*write_files(page, options.files), sep="\n")
        return
    with tempfile.TemporaryDirectory() as folder:
        count, message = check(page, pathlib.Path(folder))
    if message:
        sys.exit(message)
    if not count:
        sys.exit(f"{page}: no command to run")
    print(f"{page.name}: {count} commands")


if __name__ == "__main__":
    main()
