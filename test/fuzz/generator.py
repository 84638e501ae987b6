# ===- generator.py - Random programs of dhlo ------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random valid programs over all operations and element types, each legal for all N, M >= 0
and without a data error.

Discontinuous operations (rounding, comparing, sorting) only take *exact* values, on which
two correct implementations agree bit for bit: small multiples of 1/8 that were moved, added
or compared. The table (table.py) lists all that is made, and how often; its entries are
beside the functions of the classes below.
"""

from composites import Composites
from contractions import Contractions
from elements import Elements
from indices import Indices
from movement import Movement
from patterns import Patterns
from reductions import Reductions
from regions import Regions
from table import DTYPES, TABLE
from writer import Writer

PARTS = (Elements, Movement, Indices, Reductions, Contractions, Composites, Regions, Patterns)


class Generator(*PARTS, Writer):
    """Makes one program from a seed."""

    def __init__(self, seed, length=None):
        super().__init__(seed)
        self.program.outputs = self.build(length)
        self.program = self.program.without_unused()

    def build(self, length):
        """Makes inputs and statements. Returns the outputs."""
        for _ in range(self.rng.randint(1, 3)):
            self.add_input()
        for _ in range(length or self.rng.randint(1, 12)):
            self.add_statement()
        seen = {v.name for v in self.values}
        read = [s for s in self.program.statements if s.operands]
        made = [v for s in read for v in s.results if v.name in seen] or self.values[-1:]
        chosen = self.rng.sample(made[:-1], min(len(made) - 1, self.rng.randint(0, 3))) + made[-1:]
        # Types that numpy lacks cannot be read.
        return [self.convert(v, "f32") if v.dtype == "bf16" else v for v in chosen]


class SingleGenerator(Generator):
    """Makes one program from a seed: the operations of an entry of the table, on inputs of a
    type if the entry takes some."""

    SHAPES = ((4,), ("N", 3), ("N", "M"), (2, 4, "M"), ("N", 5, 2, 3))

    def __init__(self, seed, entry, dtype="f32"):
        self.entry, self.dtype = entry, dtype
        super().__init__(seed)

    def build(self, length):
        for sizes in self.rng.sample(self.SHAPES, 2):
            self.convert(
                self.given(sizes, "f32" if self.dtype == "bf16" else self.dtype), self.dtype
            )
        tries = (self.make(self.entry) for _ in range(20))
        y = next((y for y in tries if y), None)
        return [self.convert(y, "f32") if y.dtype == "bf16" else y] if y else []


def generate(seed, length=None):
    """The program of a seed."""
    return Generator(seed, length).program


def generate_single(seed, name):
    """A program of a seed with the operations of an entry of the table, of each type in
    turn."""
    entry = TABLE[name]
    dtypes = sorted(entry.types or DTYPES)
    return SingleGenerator(seed, entry, dtypes[seed % len(dtypes)]).program
