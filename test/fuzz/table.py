# ===- table.py - The table of the generator -------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of the generator: an entry for each operation, and for each group of operations
that passes match. An entry stands beside its function, as a decorator:

    @makes("sort", exact=True, where=has_axes)
    def make_sort(self, x):

The element types are those of the dialect's definition unless the entry has others.
"""

import dataclasses
from collections.abc import Callable

from dialect import operations
from program import FLOATS, INTS

DTYPES = (*dict.fromkeys(FLOATS), *INTS, "i1")


@dataclasses.dataclass(frozen=True)
class Entry:
    """A way to make some operations: `write(generator, operand)`, or `write(generator)` if it
    takes no types and so chooses its operands itself. It returns a value, or None if it
    cannot make them now."""

    name: str
    operations: tuple  # some only in some programs
    write: Callable
    types: tuple  # element types that the operand may have
    exact: bool = False  # whether the operand must be exact
    where: Callable = lambda value: True  # a further condition on it
    inexact: bool = False  # whether floats are inexact afterwards
    weight: int = 2  # how often, relative to others

    def accepts(self, value):
        fits = value.dtype in self.types and (value.exact or not self.exact)
        return fits and self.where(value)


#: All entries by name.
TABLE = {}


def add_entry(entry):
    assert entry.name not in TABLE, entry.name
    TABLE[entry.name] = entry


def makes(*names, types=None, **more):
    """Adds the function to the table, as what makes these operations."""

    def add(function):
        own = operations()[names[0]].types if types is None else types
        name = function.__name__.removeprefix("make_")
        add_entry(Entry(name, names, function, tuple(own), **more))
        return function

    return add


def pattern(**more):
    """Adds a function that makes a pattern of several operations of other entries."""
    return makes(types=more.pop("types", ()), **{"weight": 4, **more})


# Conditions on operands.


def has_axes(value):
    return bool(value.sizes)


def has_two_axes(value):
    return len(value.sizes) > 1


def has_room(value):
    """Whether another axis may be added."""
    return len(value.sizes) < 4


def fixed_axes(value):
    """Axes of a static size of two or more."""
    return [i for i, size in enumerate(value.sizes) if isinstance(size, int) and size > 1]


def has_fixed_last(value):
    return has_axes(value) and isinstance(value.sizes[-1], int)
