# ===- sharing.py - One artifact for graphs that differ in sizes ----------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds an artifact that serves another graph of torch.compile.

PyTorch traces a model anew where a dynamic size is 1, and also where a guard of
its own fails. An artifact has no such limits, so the new graph often is the old
one with some sizes put in. Whether it is, is decided here by putting them in: the
program that is known, imported with the sizes of the new one, must be the new
one, operation for operation, with the same parameters. Then the new graph, for
which PyTorch evaluated every `if` of the model's Python, proves that the artifact
is right at its sizes.
"""

import dataclasses
import weakref

from dyn.frontend.torch.guards import are_broken, example_sizes, facts_of, guards_of
from dyn.frontend.torch.outlines import canonical
from dyn.frontend.torch.program import held_tensors, outline, tensor_inputs
from dyn.frontend.torch.sizes import evaluator, knowing, substituting, to_exprs
from dyn.frontend.torch.snapshot import Snapshot


class Shared:
    """A program, and the model that it became, for all graphs that use it."""

    def __init__(self, program, compiled):
        self._keep(program, Snapshot(held_tensors(program).values()))
        self.model = compiled(program)

    def _keep(self, program, weights):
        self.program = program
        self._weights = weights

    def is_current(self):
        """Whether the program's tensors are those that were compiled. Programs are
        compared by where their tensors are, which tells nothing of others."""
        return self._weights.is_current()

    def become(self, other):
        """Uses what another one has."""
        self._keep(other.program, other._weights)
        self.model = other.model


class Programs:
    """The programs that were compiled from one piece of Python, and what they
    became, for as long as that is in use."""

    def __init__(self):
        self._known = weakref.WeakSet()

    def find(self, program, refused=()):
        """The :class:`Shared` of a known program that `program` is a case of, and the
        :class:`Case` that calls must be. None and nothing, if there is no such program but
        those that `refused` the sizes."""
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
        """The :class:`Shared` of a program that the function `compiled` makes a model of.

        The first call may have had sizes of 1, or equal ones that PyTorch took for
        the same: what was compiled for it is a case of a later, more general
        program, whose artifact takes its place.
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
    """What an artifact asks of the calls of a graph that it was not made of. Places are
    pairs (tensor input, axis)."""

    #: Pairs of places whose sizes are equal.
    equal: list
    #: Functions of sizes, with the places of their arguments and their value.
    facts: list

    def has(self, shapes):
        """Whether inputs of these shapes are such a call."""
        return all(shapes[i][a] == shapes[j][b] for (i, a), (j, b) in self.equal) and all(
            function(*(shapes[i][axis] for i, axis in places)) == value
            for function, places, value in self.facts
        )


def _fact(program, expression, value):
    symbols = sorted(expression.free_symbols, key=str)
    places = _places(program)
    return (
        evaluator(symbols, expression),
        [places[symbol] for symbol in symbols],
        int(value),
    )


def _places(program):
    """By symbol: where an input has it as a size."""
    places = {}
    for i, tensor in enumerate(tensor_inputs(program)):
        for axis, size in enumerate(to_exprs(tensor.shape)):
            if size.is_Symbol:
                places.setdefault(size, (i, axis))
    return places


@dataclasses.dataclass
class _Match:
    """How the inputs of a program are a case of another's."""

    #: By symbol of the other: its size in the program.
    sizes: dict
    #: By symbol of the program: one that must be equal to it.
    same: dict
    #: The places of such symbols.
    equal: list

    def is_refused(self, special, shared):
        """Whether the artifact of another program, a :class:`Shared`, refuses the sizes that
        this program was made of."""
        examples = example_sizes(special)
        # Numbers have one symbol in both.
        sizes = examples | {symbol: size.xreplace(examples) for symbol, size in self.sizes.items()}
        guards, _ = guards_of(shared.program)
        return are_broken([*guards, *shared.model.demands], sizes)

    def facts(self, special):
        """What PyTorch guarded of sizes of the program, which it then simplified others by:
        expressions with their values. A call must tell whether it is so."""
        known = _places(special).keys()
        return {e: n for e, n in facts_of(special).items() if e.free_symbols <= known}

    def proves(self, special, general, facts=None):
        """Whether the program is the other one with sizes put in, if facts are so."""
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
    match, places = _Match({}, {}, []), {}
    _, ranges = guards_of(general)
    for i, (x, y) in enumerate(zip(known, new)):
        for axis, (size, value) in enumerate(zip(to_exprs(x.shape), to_exprs(y.shape))):
            if not size.is_Symbol:
                continue
            if value.is_Integer and not _is_legal(ranges.get(size), int(value)):
                return None
            first = match.sizes.setdefault(size, value)
            place = places.setdefault(size, (i, axis))
            if first == value or match.same.get(value) == first:
                continue
            if not (value.is_Symbol and first.is_Symbol):
                return None
            # The program asks less of its inputs.
            match.same[value] = first
            match.equal.append((place, (i, axis)))
    return match


def _is_legal(bounds, size):
    """Whether a program takes a size. One of at least 2 is any: so PyTorch assumes of all."""
    return bounds is None or bounds.lower <= 2 or bool(bounds.lower <= size)


def _kind(tensor):
    return tensor.dtype, tensor.dim()
