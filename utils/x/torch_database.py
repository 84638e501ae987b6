# ===- torch_database.py - Entries of PyTorch's operator database ----------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs entries of PyTorch's operator database (`op_db`) by torch.compile with dyn and
compares them with eager PyTorch: each at some of its samples, and then, with the same
compiled function, at larger sizes, at 1 and at 0 if eager PyTorch accepts these.

An entry is an operator and an element type, `softmax.with_dtype float32`. Its result is
that of its worst sample:

- ok: dyn runs it, at all sizes;
- not traced: PyTorch itself cannot make one graph of it, with any backend;
- refused: dyn names a feature that it does not support;
- internal, wrong: faults of dyn. Crashes and hangs are detected by the caller.
"""

import contextlib
import copy
import dataclasses
import io
import re
import sys
import warnings

import torch
from torch.testing._internal.common_device_type import toleranceOverride
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils import _pytree as pytree

import dyn
import dyn.frontend.torch

DTYPES = ("float32", "bfloat16", "int64", "bool", "complex64")

#: From best to worst.
STATUSES = ("ok", "not traced", "refused", "internal", "wrong", "hang", "crash")

#: Their results are uninitialised memory.
UNDEFINED = re.compile(r"(new_)?empty(_|$|\.)|_refs\.(new_)?empty")

#: It is not specified which of equal elements is selected: only values are compared.
VALUES_ALONE = ("kthvalue", "mode", "topk")

#: The same if a stable order is not requested: the selected elements are compared.
ORDERS = ("argsort", "sort")

#: Eigenvectors have any sign: as in the database's own tests, magnitudes are compared.
SIGNLESS = {"linalg.eigh": 1}

#: Where PyTorch does not define the results: windows that consist of padding, and sequences
#: that are not sorted after they are repeated.
UNDEFINED_AT = {
    ("bucketize", "larger"),
    ("max_pool2d_with_indices_backward", "1"),
    ("searchsorted", "larger"),
}

#: Options for fast compilation: only results are compared.
OPTIONS = {"isa": "v3", "threads": 1, "strict": True}


def operators():
    """The operators of the database by their full names."""
    return {op.full_name: op for op in op_db}


def entries(dtypes=DTYPES):
    """The names of all entries, type by type."""
    for dtype in dtypes:
        for name, op in sorted(operators().items()):
            if getattr(torch, dtype) in op.supported_dtypes("cpu"):
                yield f"{name} {dtype}"


@dataclasses.dataclass
class Result:
    """The outcome of an entry or a sample."""

    status: str
    detail: str = ""
    #: Numbers of samples and of other sizes that ran.
    samples: int = 0
    sizes: int = 0


# ----------------------------------------------------------------------------
# Samples
# ----------------------------------------------------------------------------


@dataclasses.dataclass
class Call:
    """A call of an operator: the arguments of a sample, or of one with other sizes."""

    args: tuple
    kwargs: dict

    def fresh(self):
        """The arguments, with tensors that a call may change."""
        return copy.deepcopy((self.args, self.kwargs))


def _samples(op, dtype, limit):
    """Some of an operator's samples, the first and the last among them."""
    torch.manual_seed(0)
    samples = list(op.sample_inputs("cpu", dtype, requires_grad=False))
    count = min(limit, len(samples))
    chosen = {round(i * (len(samples) - 1) / max(count - 1, 1)) for i in range(count)}
    for i in sorted(chosen):
        yield Call((samples[i].input, *samples[i].args), dict(samples[i].kwargs))


def _resized(call, change):
    """A call with tensors whose sizes `change` maps: elements are repeated, floats with a
    change of a few per cent so that they differ, or left out. None if no size changes."""
    changed = False

    def resize(x):
        nonlocal changed
        if not isinstance(x, torch.Tensor) or x.layout is not torch.strided:
            return x
        for axis, size in enumerate(x.shape):
            indices = torch.arange(change(size)) % max(size, 1)
            if size and len(indices) != size:
                x, changed = x.index_select(axis, indices), True
        if x.dtype.is_floating_point or x.dtype.is_complex:
            x = x * (1 + torch.rand(x.shape, dtype=x.dtype.to_real()) / 32) if changed else x
        return x

    args, kwargs = pytree.tree_map(resize, (call.args, call.kwargs))
    return Call(args, kwargs) if changed else None


#: Sizes of 1 are broadcast and stay. Equal sizes stay equal.
CHANGES = {
    "larger": lambda size: 2 * size + 1 if 1 < size < 100 else size,
    "1": lambda size: min(size, 1),
    "0": lambda size: 0 if size > 1 else size,
}


# ----------------------------------------------------------------------------
# Comparison
# ----------------------------------------------------------------------------


def _tolerance(op, dtype):
    """The tolerance of the type, or a larger one of the database's own tests, except for
    bfloat16, where those are up to 0.6. Results outside of the type's tolerance must be as
    close to the results in f64 as PyTorch's are."""
    rtol, atol = torch.testing._comparison.default_tolerances(dtype)
    if dtype is torch.bfloat16:
        return {"rtol": rtol, "atol": atol}
    for decorator in op.decorators:
        for inner in getattr(decorator, "decorators", [decorator]):
            if isinstance(inner, toleranceOverride) and dtype in inner.d:
                rtol, atol = max(rtol, inner.d[dtype].rtol), max(atol, inner.d[dtype].atol)
    return {"rtol": rtol, "atol": atol}


def _difference(actual, expected, tolerance, compare=True):
    """The first difference of results, None if there is none."""
    actual, expected = pytree.tree_leaves(actual), pytree.tree_leaves(expected)
    if len(actual) != len(expected):
        return f"{len(actual)} results for {len(expected)}"
    for a, e in zip(actual, expected):
        if isinstance(e, (bool, int, float, complex, str)):
            if compare and repr(a) != repr(e):
                return f"{a!r} for {e!r}"
        elif not isinstance(e, torch.Tensor):
            continue
        elif a.shape != e.shape or a.dtype != e.dtype:
            return f"{a.dtype}{list(a.shape)} for {e.dtype}{list(e.shape)}"
        elif compare:
            try:
                # The results for integers may be floats.
                own = tolerance if any(tolerance.values()) else {}
                own = own if e.dtype.is_floating_point or e.dtype.is_complex else {}
                torch.testing.assert_close(a, e, equal_nan=True, check_stride=False, **own)
            except AssertionError as error:
                return str(error)
    return None


def _wide(tree):
    """Converts to double precision."""
    to = {torch.float32: torch.float64, torch.bfloat16: torch.float64,
          torch.complex64: torch.complex128}  # fmt: skip
    return pytree.tree_map(
        lambda x: x.to(to.get(x.dtype, x.dtype)) if isinstance(x, torch.Tensor) else x, tree
    )


def _apart(tree):
    """Floats, and the other values."""
    leaves = pytree.tree_leaves(tree)
    is_float = [
        isinstance(x, torch.Tensor) and (x.is_floating_point() or x.is_complex()) for x in leaves
    ]
    pairs = list(zip(leaves, is_float))
    return [x for x, is_float in pairs if is_float], [x for x, is_float in pairs if not is_float]


def _distance(tree, truth):
    """The maximum distance of floats from true ones."""
    distance = 0.0
    for x, t in zip(pytree.tree_leaves(tree), pytree.tree_leaves(truth)):
        if isinstance(t, torch.Tensor) and t.numel():
            apart = (x.to(t.dtype) - t).abs().nan_to_num(0.0, 0.0) if x.shape == t.shape else t
            distance = max(distance, float(apart.max()))
    return distance


def _is_as_near(run, call, actual, expected):
    """Whether results that differ from PyTorch's are about as close to those in f64."""
    floats, others = zip(*map(_apart, (actual, expected)))
    if not floats[1] or _difference(*others, {}):
        return False
    actual, expected = floats
    try:
        args, kwargs = _wide(call.fresh())
        truth = _apart(run(args, kwargs))[0]
    except Exception:
        return False
    # PyTorch's results may not be finite where those in f64 are.
    rounded = [t.to(e.dtype) for t, e in zip(truth, expected)]
    finite, *others = ([x.isfinite() for x in xs] for xs in (actual, expected, rounded))
    if all(_difference(finite, other, {}) for other in others):
        return False
    largest = max(
        (float(t.abs().nan_to_num(0.0, 0.0).max()) for t in truth if t.numel()), default=0.0
    )
    dtype = expected[0].dtype
    rounding = torch.finfo(dtype).eps * (8 if dtype.to_real() is torch.float32 else 1)
    return _distance(actual, truth) <= max(2 * _distance(expected, truth), rounding * largest)


# ----------------------------------------------------------------------------
# Runs
# ----------------------------------------------------------------------------


def _eager(run, call):
    """Results of PyTorch and the arguments after the call, None if it refuses them."""
    torch.manual_seed(1)
    try:
        args, kwargs = call.fresh()
        return run(args, kwargs), args, kwargs
    except Exception:
        return None


def _is_defined(name, results):
    """Whether a factorisation exists: otherwise its results are not specified."""
    return not name.endswith("_ex") or not any(results[-1].reshape(-1).tolist())


def _is_consistent(run, call, results):
    """Whether PyTorch computes results of the sizes that its meta function returns."""
    args, kwargs = pytree.tree_map(
        lambda x: x.to("meta") if isinstance(x, torch.Tensor) else x, call.fresh()
    )
    try:
        return _difference(run(args, kwargs), results, {}, compare=False) is None
    except Exception:
        return True


def _is_random(run, call, expected):
    args, kwargs = call.fresh()
    torch.manual_seed(2)
    return _difference(run(args, kwargs), expected[0], {}) is not None


def _traced(run, call):
    """The results of PyTorch's own graph of a call, None if it makes none."""
    torch._dynamo.reset()
    args, kwargs = call.fresh()
    compiled = torch.compile(run, backend="aot_eager", dynamic=True, fullgraph=True)
    try:
        return compiled(args, kwargs), args, kwargs
    except Exception:
        return None


def _graphs():
    """The number of graphs that PyTorch has made; those of views alone need no artifact."""
    return torch._dynamo.utils.counters["stats"]["unique_graphs"]


def _is_traced(run, call):
    return _traced(run, call) is not None


def _reason(error):
    """An error of dyn's in a line, without code locations."""
    while getattr(error, "inner_exception", None) is not None:
        error = error.inner_exception
    text = re.sub(r" \([^()]* in \w+\)", "", str(error))
    lines = [line for line in text.splitlines() if line.strip()]
    return error, f"{'; '.join(lines)[:600]}"


def _found(x, results, dim=-1, **options):
    """The elements that an order selects, and the sorted order, in which each index occurs
    once."""
    *values, order = results if isinstance(results, tuple) else [results]
    if x.dim() == 0:
        return *values, order
    return *values, x.take_along_dim(order, dim), order.sort(dim).values


def run_sample(op, dtype, call):
    """The :class:`Result` of a sample and of calls with other sizes."""
    function, name = op.op, op.full_name

    def run(args, kwargs):
        results = function(*args, **kwargs)
        if name in ORDERS and not kwargs.get("stable"):
            return _found(args[0], results, *args[1:2], **kwargs)
        if name in SIGNLESS:
            return [x.abs() if i == SIGNLESS[name] else x for i, x in enumerate(results)]
        return results[0] if name in VALUES_ALONE else results

    expected = _eager(run, call)
    if expected is None:
        return None
    compare = not UNDEFINED.match(name) and not _is_random(run, call, expected)
    tolerance = _tolerance(op, dtype)
    torch._dynamo.reset()
    compiled = torch.compile(run, backend="dyn", dynamic=True, fullgraph=True, options=OPTIONS)
    calls = {"sample": call} | {key: _resized(call, c) for key, c in CHANGES.items()}
    result = Result("ok", samples=1)
    for key, other in calls.items():
        is_run = other is not None and (name, key) not in UNDEFINED_AT
        expected = _eager(run, other) if is_run else None
        if expected is None or not _is_defined(name, expected[0]):
            continue
        if key != "sample" and not _is_consistent(run, other, expected[0]):
            continue
        args, kwargs = other.fresh()
        before = _graphs()
        try:
            actual = compiled(args, kwargs)
        except Exception as error:
            if not _is_traced(run, other):
                if key != "sample":
                    continue
                return Result("not traced", str(error).strip().splitlines()[0][:200], 1)
            inner, reason = _reason(error)
            if isinstance(inner, dyn.UnsupportedError):
                return Result("refused", reason, 1, result.sizes)
            kind = type(inner).__name__
            if key != "sample" and isinstance(inner, (dyn.DataError, dyn.InvalidArgumentError)):
                return Result("refused", f"sizes that a guard excludes: {reason}", 1, result.sizes)
            return Result("internal", f"{key}: {kind}: {reason}", 1, result.sizes)
        if key == "sample" and _graphs() == before:
            return Result("not traced", "PyTorch makes no graph of it", 1)
        difference = _difference((actual, args, kwargs), expected, tolerance, compare)
        if difference and compare and _is_as_near(run, other, actual, expected[0]):
            difference = None
        if difference and (graph := _traced(run, other)) is not None:
            # For some operators eager PyTorch and its graphs differ.
            difference = _difference((actual, args, kwargs), graph, tolerance, compare)
        if difference:
            return Result("wrong", f"{key}: {' '.join(difference.split())}", 1, result.sizes)
        result.sizes += key != "sample"
    return result


def run_entry(name, limit=2):
    """The :class:`Result` of an entry."""
    operator, dtype = name.rsplit(" ", 1)
    op, dtype = operators()[operator], getattr(torch, dtype)
    total = Result("ok")
    torch._dynamo.config.recompile_limit = 64
    with torch.no_grad(), warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        for call in _samples(op, dtype, limit):
            result = run_sample(op, dtype, call)
            if result is None:
                continue
            total.samples += 1
            total.sizes += result.sizes
            if STATUSES.index(result.status) > STATUSES.index(total.status):
                total.status, total.detail = result.status, result.detail
    return total if total.samples else Result("not traced", "no sample that PyTorch runs")


def serve():
    """Runs the entries that lines of the input name, and writes a line for each."""
    import json

    out, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        name, limit = json.loads(line)
        try:
            result = run_entry(name, limit)
        except Exception as error:
            result = Result("internal", f"the harness: {type(error).__name__}: {error}"[:600])
        print(json.dumps(dataclasses.asdict(result)), file=out, flush=True)


if __name__ == "__main__":
    serve()
