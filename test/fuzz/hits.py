# ===- hits.py - What random programs have met ------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the programs that hold each operation and each element type, and those in which
each pass changed something. The operations are those of ODS, the passes those that
`dyn-opt` has registered."""

import collections
import contextlib
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import tempfile

from program import DTYPES

# Writes a file, named for the pass, whenever a program is another after a pass.
TRACING = ("--mlir-disable-threading", "--mlir-print-ir-after-all", "--mlir-print-ir-after-change")
CHANGED = re.compile(r"[\d_]+_([a-z][\w-]*)\.mlir")
OPERATION = re.compile(r"(?<![#!.\w])((?:dhlo|cell)\.\w+)(?= |\()")
# Passes that change no program, and one of MLIR that no pipeline has.
LOOKING = re.compile(r".*-verify-.*|.*-print-.*|dlhlo-explain|dhlo-interpret|symbol-dce")


def known_operations():
    """Names of the operations of dhlo and cell, from what ODS made of them."""
    folder = pathlib.Path(os.environ["DYN_BUILD"]) / "include" / "dyn" / "Dialect"
    name = re.compile(r'StringLiteral\("((?:dhlo|cell)\.\w+)"\)')
    files = ("DHLO/IR/DHLOOps.h.inc", "Cell/IR/CellOps.h.inc")
    return sorted({n for file in files for n in name.findall((folder / file).read_text())})


def known_passes():
    """Names of the registered passes that change programs."""
    text = subprocess.run(["dyn-opt", "--help"], capture_output=True, check=True).stdout
    lines = text.decode(errors="replace").partition("Passes:\n")[2].partition("Pass Pipelines:")[0]
    names = re.findall(r"^ {6}--([\w-]+)", lines, re.MULTILINE)
    return sorted(name for name in names if not LOOKING.fullmatch(name))


@dataclasses.dataclass
class Coverage:
    """Numbers of programs by kind, operation, element type, and pass that changed them."""

    kinds: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    operations: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    types: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    passes: collections.Counter = dataclasses.field(default_factory=collections.Counter)

    def add_program(self, kind, text):
        self.kinds[kind] += 1
        self.operations.update(set(OPERATION.findall(text)))
        self.types.update(t for t in DTYPES if re.search(rf"[<x]{t}[>,]", text))

    @contextlib.contextmanager
    def tracing(self):
        """Options for a tool to write down which passes change a program. Counts them."""
        with tempfile.TemporaryDirectory() as folder:
            yield (*TRACING, f"--mlir-print-ir-tree-dir={folder}")
            names = (CHANGED.fullmatch(path.name) for path in pathlib.Path(folder).rglob("*.mlir"))
            self.passes.update({name.group(1) for name in names if name})

    def add(self, other):
        for field in dataclasses.fields(self):
            getattr(self, field.name).update(getattr(other, field.name))

    def counts(self):
        """As plain tables, which go to another process."""
        return {part.name: dict(getattr(self, part.name)) for part in dataclasses.fields(self)}

    @classmethod
    def of_counts(cls, counts):
        return cls(**{part: collections.Counter(table) for part, table in counts.items()})

    def lacking(self, least, passes=True):
        """A sentence on each operation, type and pass that too few programs met."""
        known = [("operation", known_operations(), self.operations), ("type", DTYPES, self.types)]
        known += [("pass", known_passes(), self.passes)] if passes else []
        return [
            f"{what} {name}: {counts[name]} programs, expected {least}"
            for what, names, counts in known
            for name in names
            if counts[name] < least
        ]

    def text(self):
        """A table, the rarest first."""
        known = (
            ("kinds", self.kinds, self.kinds),
            ("operations", known_operations(), self.operations),
            ("types", DTYPES, self.types),
            ("passes that changed something", known_passes(), self.passes),
        )
        lines = [f"{sum(self.kinds.values())} programs"]
        for title, names, counts in known:
            lines += ["", title]
            lines += [f"  {counts[n]:7}  {n}" for n in sorted(names, key=lambda n: (counts[n], n))]
        return "\n".join(lines) + "\n"

    def write(self, folder):
        """Writes `coverage.txt` and `coverage.json`."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "coverage.txt").write_text(self.text())
        (folder / "coverage.json").write_text(self.json())

    def json(self):
        names = {
            "kinds": self.kinds,
            "operations": known_operations(),
            "types": DTYPES,
            "passes": known_passes(),
        }
        table = {part: {n: getattr(self, part)[n] for n in known} for part, known in names.items()}
        return json.dumps(table, indent=2) + "\n"
