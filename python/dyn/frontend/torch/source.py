# ===- source.py - Where in the user's Python a node comes from ------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Locations: the line of Python and the module that a node of a graph is from."""

import dataclasses
import os
import re

import torch

from dyn import routing

_FRAME = re.compile(
    r'^\s*File "(?P<file>.+)", line (?P<line>\d+), in (?P<function>.+)$', re.MULTILINE
)

#: Files that are not the user's: PyTorch, and functions that models call to route.
_LIBRARIES = (
    os.path.dirname(torch.__file__) + os.sep,
    os.path.dirname(routing.__file__) + os.sep,
)


@dataclasses.dataclass(frozen=True)
class Source:
    """The origin of a node of a graph."""

    file: str | None
    line: int
    function: str
    #: Path of the module, such as "encoder.layer.0.attention".
    module: str

    def __str__(self):
        """The text in messages: "model.py:12 in forward"."""
        if self.file is None:
            return self.module or "unknown source"
        return f"{os.path.basename(self.file)}:{self.line} in {self.function}"

    def moved(self, old, new):
        """The same in another module, if it is in the module `old`."""
        if self.module != old and not self.module.startswith(old + "."):
            return self
        return dataclasses.replace(self, module=new + self.module[len(old) :])

    def location(self):
        """A location of MLIR: the module's path around the line."""
        position = "unknown"
        if self.file is not None:
            position = f"{_quoted(self.file)}:{self.line}:1"
        return f"loc({_quoted(self.module)}({position}))" if self.module else f"loc({position})"


def source_of(node):
    """The :class:`Source` of a node: the innermost frame outside of libraries."""
    module = ""
    stack = node.meta.get("nn_module_stack")
    if stack:
        module = _module_path(list(stack.values())[-1][0])
    frames = list(_FRAME.finditer(node.meta.get("stack_trace") or ""))
    own = [frame for frame in frames if not frame["file"].startswith(_LIBRARIES)] or frames
    if not own:
        return Source(None, 0, "", module)
    frame = own[-1]
    return Source(frame["file"], int(frame["line"]), frame["function"].strip(), module)


def _module_path(path):
    """A path of plain names: torch.compile writes ``L['self']._modules['a'].b``."""
    path = re.sub(r"^L\[['\"]\w+['\"]\]\.?", "", path)
    path = re.sub(r"\.?_modules\[['\"](\w+)['\"]\]", r".\1", path)
    return "" if path.startswith("_empty_nn_module_stack") else path.strip(".")


def _quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
