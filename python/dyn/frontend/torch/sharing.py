# ===- sharing.py - One artifact for graphs that differ in sizes -----------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds an artifact that serves another graph of torch.compile.

PyTorch traces a model again if a dynamic size is 1, and also if a guard of its own fails.
An artifact has no such limits, so the new graph often is the old one with some sizes
substituted. This file decides whether it is, by substituting them: the known program,
imported with the sizes of the new one, must equal the new one, operation for operation,
with the same parameters. Then the new graph, for which PyTorch evaluated every `if` of the
model's Python, proves that the artifact is correct for its sizes.
"""

import dataclasses
import weakref

from dyn.frontend.torch.guards import are_broken, example_sizes, facts_of, guards_of
from dyn.frontend.torch.outlines import canonical
from dyn.frontend.torch.program import held_tensors, outline, tensor_inputs
from dyn.frontend.torch.sizes import evaluator, knowing, substituting, to_exprs
from dyn.frontend.torch.snapshot import Snapshot


class Shared:
    """A program, and the model compiled from it, for all graphs that use it."""

    def __init__(self, program, compiled):
        self._keep(program, Snapshot(held_tensors(program).values()))
        self.model = compiled(program)

    def _keep(self, program, weights):
        self.program = program
        self._weights = weights

    def is_current(self):
        """Whether the program's tensors are those that were compiled. Programs are compared
        by the addresses of their tensors, so others could be confused."""
        return self._weights.is_current()

    def become(self, other):
        """Takes the program and the model of another one."""
        self._keep(other.program, other._weights)
        self.model = other.model


class Programs:
    """The programs that were compiled from one piece of Python, and their models, as long
    as these are in use."""

    def __init__(self):
        self._known = weakref.WeakSet()

    def find(self, program, refused=()):
        """The :class:`Shared` of a known program of which `program` is a case, and the
        :class:`Case` that calls must satisfy. None and an empty case if there is none
        except those that `refused` the sizes."""
        for known in self._current():
            if known in refused:
                continue
            match = _match(program, known.program)
            if match is None or match.is_refused(program, known):
                continue
            if match.proves(program, known.program):
                return known, Case(match.equal, [])
            facts = match.facts(program)
            if facts and match.proves(program, known.program, facts):
                return known, Case(match.equal, [_fact(program, *fact) for fact in facts.items()])
        return None, Case([], [])

    def _current(self):
        return [known for known in list(self._known) if known.is_current()]

    def add(self, program, compiled):
        """The :class:`Shared` of a program, which the function `compiled` compiles to a
        model.

        The first call may have had sizes of 1, or equal ones that PyTorch identified: the
        program that was compiled for it is a case of a later, more general program, whose
        artifact replaces it.
        """
        shared = Shared(program, compiled)
        for known in self._current():
            match = _match(known.program, program)
            if match is None or match.equal or match.is_refused(known.program, shared):
                continue
            if not match.proves(known.program, program):
                continue
            known.become(shared)
        self._known.add(shared)
        return shared


@dataclasses.dataclass
class Case:
    """The conditions of an artifact on calls of a graph that it was not compiled from.
    Positions are pairs (tensor input, axis)."""

    #: Pairs of positions with equal sizes.
    equal: list
    #: Functions of sizes, with the positions of their arguments and their value.
    facts: list

    def has(self, shapes):
        """Whether inputs of these shapes satisfy the conditions."""
        return all(shapes[i][a] == shapes[j][b] for (i, a), (j, b) in self.equal) and all(
            function(*(shapes[i][axis] for i, axis in positions)) == value
            for function, positions, value in self.facts
        )


def _fact(program, expression, value):
    symbols = sorted(expression.free_symbols, key=str)
    positions = _positions(program)
    return (
        evaluator(symbols, expression),
        [positions[symbol] for symbol in symbols],
        int(value),
    )


def _positions(program):
    """By symbol: the position of an input's size that is the symbol."""
    positions = {}
    for i, tensor in enumerate(tensor_inputs(program)):
        for axis, size in enumerate(to_exprs(tensor.shape)):
            if size.is_Symbol:
                positions.setdefault(size, (i, axis))
    return positions


@dataclasses.dataclass
class _Match:
    """How the inputs of a program are a case of another's."""

    #: By symbol of the other: its size in the program.
    sizes: dict
    #: By symbol of the program: one that must be equal to it.
    same: dict
    #: The positions of such symbols.
    equal: list
    #: The other's guards.
    guards: list

    def is_refused(self, special, shared):
        """Whether the artifact of the other program, a :class:`Shared`, refuses the sizes that
        this program was made of."""
        examples = example_sizes(special)
        # Numbers have one symbol in both.
        sizes = examples | {symbol: size.xreplace(examples) for symbol, size in self.sizes.items()}
        return are_broken([*self.guards, *shared.model.demands], sizes)

    def facts(self, special):
        """PyTorch's guards on sizes of the program by which it simplified others:
        expressions with their values. Calls are checked for them."""
        known = _positions(special).keys()
        return {e: n for e, n in facts_of(special).items() if e.free_symbols <= known}

    def proves(self, special, general, facts=None):
        """Whether the program is the other one with sizes substituted, given the facts."""
        with knowing(facts):
            with substituting({**self.sizes, **self.same}):
                instance = outline(general, special)
            with substituting(self.same):
                return canonical(instance) == canonical(outline(special, special))


def _match(special, general):
    """None if the inputs differ in more than sizes."""
    known, new = tensor_inputs(general), tensor_inputs(special)
    if [_kind(x) for x in known] != [_kind(x) for x in new]:
        return None
    guards, ranges = guards_of(general)
    match, positions = _Match({}, {}, [], guards), {}
    for i, (x, y) in enumerate(zip(known, new)):
        for axis, (size, value) in enumerate(zip(to_exprs(x.shape), to_exprs(y.shape))):
            if not size.is_Symbol:
                continue
            if value.is_Integer and not _is_legal(ranges.get(size), int(value)):
                return None
            first = match.sizes.setdefault(size, value)
            position = positions.setdefault(size, (i, axis))
            if first == value or match.same.get(value) == first:
                continue
            if not (value.is_Symbol and first.is_Symbol):
                return None
            # The program has fewer conditions on its inputs.
            match.same[value] = first
            match.equal.append((position, (i, axis)))
    return match


def _is_legal(bounds, size):
    """Whether a program accepts a size. A minimum of 2 is PyTorch's assumption and no
    limit."""
    return bounds is None or bounds.lower <= 2 or bool(bounds.lower <= size)


def _kind(tensor):
    return tensor.dtype, tensor.dim()
