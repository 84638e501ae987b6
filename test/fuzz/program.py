# ===- program.py - Programs as lists of statements ------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A `Program` is a list of statements in order, each with the values that it reads and
makes. Sizes are integers or names of symbols: `N` and `M` are bound by the inputs, others
are declared as expressions over them, or bound by operations.
"""

import dataclasses
import re

import numpy as np

FLOATS = ("f32", "f32", "f32", "f16", "bf16", "f64")
INTS = ("i64", "i32", "i8", "ui8", "i16", "ui16", "ui32", "ui64")
# Types by their names in programs. For bf16, numpy has only the bytes.
DTYPES = {
    "f32": np.float32,
    "f64": np.float64,
    "f16": np.float16,
    "bf16": np.uint16,
    "i64": np.int64,
    "i32": np.int32,
    "i16": np.int16,
    "i8": np.int8,
    "ui64": np.uint64,
    "ui32": np.uint32,
    "ui16": np.uint16,
    "ui8": np.uint8,
    "i1": np.bool_,
}
SYMBOL = re.compile(r"\b[dk]\d+\b")  # except N and M
BINDER = re.compile(r"(?:\bbinds? \[?|\bresult_dims \[)@(k\d+)")
WEIGHTS_FILE, WEIGHTS = "weights.bin", 6000


def weight_range(dtype, sizes):
    """The tensor in the weights file: offset and length in bytes."""
    at = 8 * WEIGHTS * list(DTYPES).index(dtype)
    return at, int(np.prod(sizes)) * np.dtype(DTYPES[dtype]).itemsize


def write_weights(folder):
    """Writes the file: small numbers of each type, floats as multiples of 1/8."""
    numbers = np.arange(WEIGHTS) * 7 % 33 - 16
    with open(folder / WEIGHTS_FILE, "wb") as file:
        for name, dtype in DTYPES.items():
            if name == "bf16":
                part = ((numbers / 8).astype(np.float32).view(np.uint32) >> 16).astype(dtype)
            elif name == "i1":
                part = numbers % 2 == 1
            else:
                part = (numbers / 8 if name.startswith("f") else numbers).astype(dtype)
            file.write(part.tobytes().ljust(8 * WEIGHTS, b"\0"))


@dataclasses.dataclass
class Value:
    """A tensor: its name, sizes, element type, and whether it is exact."""

    name: str
    sizes: tuple
    dtype: str
    exact: bool
    depth: int = 0  # number of nested additions, which bounds exact values
    is_tensor = True

    def __str__(self):
        return self.name

    def type(self):
        return type_of(self.sizes, self.dtype)


@dataclasses.dataclass
class Statement:
    """A line of text, and the values that it reads and makes."""

    text: str
    operands: list
    results: list


def type_of(sizes, dtype):
    """A tensor type as text."""
    shape = "".join(f"{size if isinstance(size, int) else '?'}x" for size in sizes)
    names = [size for size in sizes if not isinstance(size, int)]
    encoding = f", #dhlo.dims<{', '.join(names)}>" if names else ""
    return f"tensor<{shape}{dtype}{encoding}>"


def typed(value):
    return value.type()


def is_float(value):
    return value.dtype in FLOATS


@dataclasses.dataclass
class Program:
    """Inputs, statements and outputs, printable as a module."""

    inputs: list = dataclasses.field(default_factory=list)
    statements: list = dataclasses.field(default_factory=list)
    outputs: list = dataclasses.field(default_factory=list)
    # Name -> expression, or "" for one that an operation binds.
    symbols: dict = dataclasses.field(default_factory=dict)

    def without_unused(self):
        """The program without values, and sizes, that the outputs do not need."""
        kept = self.needed_for(self.outputs, self.statements)
        needed = {value.name for value in self.outputs}
        needed |= {value.name for statement in kept for value in statement.operands}
        used = [value for value in self.inputs if value.name in needed]
        return Program(used, kept, self.outputs, self.symbols)

    def needed_for(self, results, statements):
        """The statements that results need, for their values or sizes. Others have no
        meaning: a compiler removes them, and with them their data errors."""
        needed, sizes = {value.name for value in results}, set()
        kept = []
        for value in results:
            sizes |= self.sizes_in(typed(value))
        for statement in reversed(statements):
            binds = sizes.intersection(BINDER.findall(statement.text))
            if binds or any(value.name in needed for value in statement.results):
                kept.append(statement)
                needed |= {value.name for value in statement.operands}
                sizes |= self.sizes_in(statement.text)
        return kept[::-1]

    def sizes_in(self, text):
        """Symbols in a text, and those that their definitions use."""
        sizes = set(SYMBOL.findall(text))
        for name in reversed(list(self.symbols)):
            if name in sizes:
                sizes |= set(SYMBOL.findall(self.symbols[name]))
        return sizes

    def dtypes(self):
        """Element types of inputs and outputs."""
        return {value.dtype for value in self.inputs + self.outputs}

    def text(self):
        """The module. Symbols that no input binds are bound by one more input."""
        body = "\n".join("  " + statement.text for statement in self.statements)
        free = {s for value in self.inputs for s in value.sizes if s in ("N", "M")}
        inputs = list(self.inputs)
        inputs += [Value(f"%bind{s}", (s,), "i8", True) for s in "NM" if s not in free]
        arguments = ", ".join(
            f'{v.name}: {typed(v)} {{dhlo.name = "{v.name[1:]}"}}' for v in inputs
        )
        results = ", ".join(
            f'{typed(v)} {{dhlo.name = "{v.name[1:].replace("#", "_")}"}}' for v in self.outputs
        )
        everything = body + arguments + results
        dims = "dhlo.dim @N in [0, ?]\ndhlo.dim @M in [0, ?]\n"
        needed = self.sizes_in(everything)
        dims += "".join(
            f"dhlo.dim @{name} = {expr}\n" if expr else f"dhlo.dim @{name}\n"
            for name, expr in self.symbols.items()
            if name in needed
        )
        returned = ", ".join(v.name for v in self.outputs)
        types = ", ".join(typed(v) for v in self.outputs)
        return (
            f"{dims}func.func @main({arguments}) -> ({results}) attributes {{dhlo.entry}} {{\n"
            f"{body}\n  return {returned} : {types}\n}}\n"
        )

    def input_shapes(self, sizes):
        """Name, shape and type of each input at the sizes {"N": n, "M": m}."""
        free = {s for value in self.inputs for s in value.sizes if s in ("N", "M")}
        inputs = list(self.inputs)
        inputs += [Value(f"%bind{s}", (s,), "i8", True) for s in "NM" if s not in free]
        return [
            (v.name[1:], tuple(sizes.get(size, size) for size in v.sizes), v.dtype) for v in inputs
        ]
