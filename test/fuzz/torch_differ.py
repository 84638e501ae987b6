# ===- torch_differ.py - PyTorch functions, compiled and eager -------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles random PyTorch functions, calls them at several sizes and compares with eager
PyTorch; reduces failures.

    python torch_differ.py [--seeds 0:200] [--way compile]

Several functions are compiled at once: single compilations would take most of the time. If
such a batch fails, each of its functions is tried alone.
"""

import argparse
import contextlib
import dataclasses
import linecache
import logging
import sys
import traceback
import typing

import torch
from torch.utils import _pytree as pytree
from torch_programs import ARGUMENTS, generate

import dyn
import dyn.frontend.torch

BATCH = 10  # functions that are compiled at once
CHEAP = {"isa": "v3", "options": ("-O0",)}
WAYS = ("torch.compile", "dyn.compile")


class Call(typing.NamedTuple):
    """Sizes, numbers, and the memory layout of tensors."""

    n: int
    m: int
    k: int
    t: float
    layout: str

    def __str__(self):
        return f"N={self.n}, M={self.m}, k={self.k}, t={self.t}, {self.layout}"


#: The first one is that of the export, in which numbers are constants.
CALLS = (
    Call(9, 7, 2, 0.75, "dense"),
    Call(12, 5, -2, 0.75, "strided"),
    Call(5, 8, 0, -1.5, "dense"),
)
SMALL = (
    Call(0, 3, 1, 0.75, "dense"),
    Call(1, 1, -1, 0.75, "strided"),
    Call(4, 0, 3, 0.75, "dense"),
)
HEADER = """import math

import torch
import torch.nn.functional as F
"""
#: PyTorch's messages where its own tracing fails, in dynamo, exports and decompositions.
UNTRACED = ("PyTorch cannot", "torch._dynamo.exc", "data-dependent", "Data-dependent")


def inputs(seed, call, way=None):
    """The arguments of a function. Floats are multiples of 1/4."""
    numbers, (n, m, k, t, layout) = torch.Generator().manual_seed(seed), call
    if way == "dyn.compile":
        k, t = CALLS[0].k, CALLS[0].t

    def draw(low, high, *sizes):
        return torch.randint(low, high, sizes, generator=numbers)

    def lay(x):
        if layout == "strided" and x.dim() == 2:
            return x.t().contiguous().t()
        return torch.stack([x, x], -1)[..., 0] if layout == "strided" else x

    x, y = (lay(draw(-8, 9, n, m) / 4) for _ in range(2))
    w, v = lay(draw(-4, 5, m, 3) / 4), lay(draw(-8, 9, n) / 4)
    ids, counts = lay(draw(-3, 5, n)), lay(draw(0, 4, m))
    return x, y, w, v, ids, counts, lay(draw(0, 2, n) > 0), k, t


@dataclasses.dataclass
class Failure:
    """A failure: refused, untraced (by PyTorch), failed or differs."""

    kind: str
    message: str

    @property
    def is_bad(self):
        return self.kind in ("failed", "differs")


def source(functions):
    """The functions and `batch`, which calls all of them."""
    names = [f"function{i}" for i in range(len(functions))]
    texts = [f.text(name) for f, name in zip(functions, names)]
    calls = "".join(f"{name}({', '.join(ARGUMENTS)}), " for name in names)
    return "\n\n".join(
        [HEADER, *texts, f"def batch({', '.join(ARGUMENTS)}):\n    return ({calls})\n"]
    )


def load(text):
    """The function `batch` of a text. PyTorch reads its lines."""
    name = f"<functions {abs(hash(text))}>"
    linecache.cache[name] = len(text), None, text.splitlines(True), name
    scope = {}
    exec(compile(text, name, "exec"), scope)
    return scope["batch"]


class Model(torch.nn.Module):
    """Wraps a function in a module, for dyn.compile."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *arguments):
        return self.function(*arguments)


def compiled(function, way, arguments):
    if way == "torch.compile":
        return torch.compile(
            function, backend="dyn", dynamic=True, fullgraph=True, options={**CHEAP, "strict": True}
        )
    return dyn.compile(Model(function), args=arguments, **CHEAP)


def attempt(functions, way, seed, calls=CALLS + SMALL):
    """How functions fail together, None if they do not, and the number of compared
    calls."""
    text = source(functions)
    function, compared = load(text), 0
    torch._dynamo.reset()
    run = None
    for number, call in enumerate(calls):
        arguments = inputs(seed + number, call, way)
        mine, theirs = copies(arguments), copies(arguments)
        try:
            expected = function(*theirs)
        except Exception:
            continue
        try:
            run = run or compiled(function, way, copies(arguments))
            actual = run(*mine)
        except Exception as error:
            if run and way == "dyn.compile" and is_guard(error):
                continue
            return classify(error, call), compared
        message = difference((actual, mine), (expected, theirs))
        if message:
            return Failure("differs", f"{call}: {message}"), compared
        compared += 1
    return None, compared


def copies(arguments):
    """Copies of the arguments, which a function may change, with the same strides."""
    return tuple(
        torch.empty_strided(a.shape, a.stride(), dtype=a.dtype).copy_(a)
        if isinstance(a, torch.Tensor) else a
        for a in arguments
    )  # fmt: skip


def is_guard(error):
    """Whether a call violated a guard on which PyTorch relied when it exported a program: a
    relation between sizes of inputs."""
    if isinstance(error, dyn.InvalidArgumentError):
        return "expected" in str(error)
    return isinstance(error, dyn.DataError) and "arguments_" in str(error)


def classify(error, call):
    """Classifies an error: as a failure of dyn, or as one outside of its scope."""
    chain = [error]
    while (
        inner := getattr(chain[-1], "inner_exception", None) or chain[-1].__cause__
    ) and inner not in chain:
        chain.append(inner)
    own = next((e for e in chain if isinstance(e, dyn.Error)), None)
    text = f"{call}: {type(own or error).__name__}: {own or error}"
    kinds = [f"{type(e).__module__}.{type(e).__name__}: {e}" for e in chain]
    if isinstance(own, dyn.UnsupportedError):
        return Failure("untraced" if "PyTorch cannot" in str(own) else "refused", text)
    if own is None and any(word in kind for kind in kinds for word in UNTRACED):
        return Failure("untraced", text)
    trace = "".join(traceback.format_exception(chain[-1])[-4:])
    return Failure("failed", f"{text}\n{trace if own is None else ''}")


def difference(actual, expected):
    """Where results differ in structure, type, sizes or elements; None if they do not."""
    actual, expected = pytree.tree_leaves(actual), pytree.tree_leaves(expected)
    if len(actual) != len(expected):
        return f"{len(actual)} results, expected {len(expected)}"
    for i, (a, b) in enumerate(zip(actual, expected)):
        if not isinstance(b, torch.Tensor):
            if type(a) is not type(b) or abs(a - b) > 1e-6 * abs(b):
                return f"result {i}: {a!r}, expected {b!r}"
        elif a.shape != b.shape or a.dtype != b.dtype:
            return f"result {i}: {a.dtype}{list(a.shape)}, expected {b.dtype}{list(b.shape)}"
        elif not torch.allclose(a.double(), b.double(), 1e-4, 1e-5, equal_nan=True):
            return f"result {i}: {a}, expected {b}"
    return None


def reduce(functions, failure, way, seed, calls):
    """Functions of fewer statements that fail in the same way, and how."""
    progress = True
    while progress:
        progress = False
        for i, function in enumerate(functions):
            for statement in reversed(function.statements):
                less = function.without(statement)
                fewer = [*functions[:i], *filter(None, [less]), *functions[i + 1 :]]
                if not fewer:
                    continue
                found, _ = attempt(fewer, way, seed, calls)
                if found and found.kind == failure.kind:
                    functions, failure, progress = fewer, found, True
                    break
            if progress:
                break
    return functions, failure


def report(functions, failure, way, seed):
    """A failure as a Python program that reproduces it."""
    comment = failure.message.strip().replace("\n", "\n# ")
    return (
        f"# {way}, inputs of seed {seed}, {failure.kind} at {comment}\n{source(functions)}\n\n"
        f'if __name__ == "__main__":\n    from torch_differ import show\n\n'
        f"    show(batch, {way!r}, {seed})\n"
    )


def show(function, way, seed):
    """Calls a function as :func:`attempt` does, and prints the differences."""
    with configuring():
        _show(function, way, seed)


def _show(function, way, seed):
    run = None
    for number, call in enumerate(CALLS + SMALL):
        arguments = inputs(seed + number, call, way)
        expected = function(*copies(arguments))
        run = run or compiled(function, way, copies(arguments))
        print(f"{call}:", difference(run(*arguments), expected) or "equal")


@dataclasses.dataclass
class Result:
    """For some functions: the number of compared ones, and reports of others."""

    compared: int = 0
    refused: list = dataclasses.field(default_factory=list)
    untraced: list = dataclasses.field(default_factory=list)
    failed: list = dataclasses.field(default_factory=list)

    def add(self, functions, failure, way, seed):
        text = report(functions, failure, way, seed)
        getattr(
            self, {"refused": "refused", "untraced": "untraced"}.get(failure.kind, "failed")
        ).append(text)


def check(seeds, way, calls=CALLS + SMALL, whole=False):
    """The :class:`Result` of the functions of some seeds, compiled together."""
    result, functions = Result(), [generate(seed) for seed in seeds]
    failure, compared = attempt(functions, way, seeds[0], calls)
    if failure is None and compared:
        result.compared += len(functions)
        return result
    alone = []
    for function in functions:
        found, compared = attempt([function], way, seeds[0], calls)
        if found is None:
            result.compared += bool(compared)
            continue
        alone.append(found)
        smaller = [function]
        if found.is_bad and not whole:
            smaller, found = reduce(smaller, found, way, seeds[0], calls)
        result.add(smaller, found, way, seeds[0])
    if failure and not alone:
        # They fail only together.
        result.add(*reduce(functions, failure, way, seeds[0], calls), way, seeds[0])
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", default="0:100", help="first and last seed, the last excluded")
    parser.add_argument("--way", choices=WAYS, default=WAYS[0], help="how they are compiled")
    parser.add_argument("--verbose", action="store_true", help="print what is refused, too")
    parser.add_argument("--whole", action="store_true", help="do not reduce what fails")
    parser.add_argument("--batch", type=int, default=BATCH, help="functions at once")
    arguments = parser.parse_args()
    first, last = map(int, arguments.seeds.split(":"))
    total = Result()
    for seed in range(first, last, arguments.batch):
        seeds = range(seed, min(seed + arguments.batch, last))
        with configuring():
            result = check(seeds, arguments.way, whole=arguments.whole)
        total.compared += result.compared
        for name in ("failed", "refused", "untraced"):
            reports = getattr(result, name)
            getattr(total, name).extend(reports)
            if name == "failed" or arguments.verbose:
                print("\n".join(reports), flush=True)
        print(seeds, {n: len(getattr(total, n)) for n in ("failed", "refused", "untraced")},
              file=sys.stderr, flush=True)  # fmt: skip
    print(f"{total.compared} compared, {len(total.refused)} refused, "
          f"{len(total.untraced)} not traced, {len(total.failed)} failed")  # fmt: skip
    return int(bool(total.failed))


@contextlib.contextmanager
def configuring():
    """Within a ``with`` block PyTorch makes one graph of each function."""
    level = logging.getLogger("torch").level
    logging.getLogger("torch").setLevel(logging.CRITICAL)
    config = torch._dynamo.config
    options = {"capture_dynamic_output_shape_ops": True, "capture_scalar_outputs": True}
    try:
        with config.patch(**options, recompile_limit=64), torch.no_grad():
            yield
    finally:
        torch._dynamo.reset()
        logging.getLogger("torch").setLevel(level)


if __name__ == "__main__":
    sys.exit(main())
