# ===- recheck.py - Does a program fail as another one did? ----------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python recheck.py failure.json program.mlir

Exit status 1, which dyn-reduce treats as interesting, if the program fails as described in
failure.json: in that stage, at these sizes, in that build. For an invalid program the
status is 2."""

import dataclasses
import json
import pathlib
import re
import sys
import tempfile
import traceback

from differ import PLAIN, SIZES, Build, check
from program import Value

PORT = re.compile(
    r"tensor<((?:[\d?]+x)*)(\w+)(?:, #dhlo\.dims<([^>]*)>)?> \{dhlo\.name = \"([^\"]*)\"\}"
)


@dataclasses.dataclass
class Text:
    """A program that is given as text."""

    source: str

    def __post_init__(self):
        head = re.search(r"func\.func @main\((.*)\) -> \((.*)\) attributes", self.source)
        self.inputs, self.outputs = ([self.port(p) for p in PORT.findall(g)] for g in head.groups())

    @staticmethod
    def port(found):
        shape, dtype, names, name = found
        names = iter(names.split(", "))
        sizes = [next(names) if s == "?" else int(s) for s in shape.split("x")[:-1]]
        return Value(f"%{name}", tuple(sizes), dtype, True)

    def text(self):
        return self.source

    def input_shapes(self, sizes):
        return [(v.name[1:], tuple(sizes.get(s, s) for s in v.sizes), v.dtype) for v in self.inputs]


def describe(failure):
    """A failure as JSON."""
    build = failure.build and dataclasses.asdict(failure.build)
    return json.dumps({"stage": failure.stage, "sizes": failure.sizes, "build": build}, indent=2)


def fails_so(failure, source):
    """Whether a program fails as described."""
    builds = PLAIN
    if failure["build"]:
        known = failure["build"]
        builds = (Build(**{k: tuple(v) if isinstance(v, list) else v for k, v in known.items()}),)
    sizes = (failure["sizes"],) if failure["sizes"] else SIZES
    with tempfile.TemporaryDirectory() as folder:
        found = check(Text(source), folder, sizes, builds=builds)
    return found is not None and found.stage == failure["stage"]


def main():
    failure, program = map(pathlib.Path, sys.argv[1:])
    try:
        return int(fails_so(json.loads(failure.read_text()), program.read_text()))
    except Exception:  # noqa: BLE001
        traceback.print_exc()
        return 2


if __name__ == "__main__":
    sys.exit(main())
