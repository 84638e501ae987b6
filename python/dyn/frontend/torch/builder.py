# ===- builder.py - Builds the text of a dhlo program ----------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes dhlo operations as text and computes the sizes of their results.

A member that makes a tensor returns a :class:`Value`; its operands must have the types that
the operation requires, except those of elementwise members that broadcast. Sizes are sympy
expressions (see sizes.py).
"""

import contextlib
import dataclasses
import json

import sympy
import torch

from dyn.frontend.torch import scalars, types
from dyn.frontend.torch.registry import Refused
from dyn.frontend.torch.sizes import (
    floor_div,
    product,
    solve,
    static_value,
    to_expr,
    to_exprs,
)
from dyn.frontend.torch.weights import stored


@dataclasses.dataclass(frozen=True)
class Value:
    """A tensor of the program."""

    name: str
    sizes: tuple[sympy.Expr, ...]
    dtype: torch.dtype

    @property
    def rank(self):
        return len(self.sizes)

    def __str__(self):
        return self.name


@dataclasses.dataclass(frozen=True)
class Routes:
    """The routes of a router."""

    name: str
    cells: sympy.Expr
    paths: int
    rows: sympy.Expr

    def __str__(self):
        return self.name


@dataclasses.dataclass(frozen=True)
class Meta:
    """PyTorch's description of a result: its sizes and element type."""

    sizes: tuple[sympy.Expr, ...]
    dtype: torch.dtype

    @staticmethod
    def of(tensor):
        return Meta(to_exprs(tensor.shape), tensor.dtype)


#: Boolean operations for arithmetic on booleans.
_ON_BOOLEANS = {"add": "or", "mul": "and", "maximum": "or", "minimum": "and"}

#: The state of a builder that belongs to one region.
_REGIONAL = ("lines", "location", "routes", "nonzeros", "computed", "counted")


class Builder:
    """Builds the body of a function.

    While an operator is built, `out` is the :class:`Meta` of its result (a tuple if there
    are several, PyTorch's own value if it is not a tensor), and `arguments` its tensors and
    numbers as PyTorch represents them.
    """

    def __init__(self, symbols, weights):
        self.symbols = symbols
        self.weights = weights
        self.lines = []
        self.location = "loc(unknown)"
        #: Routes that operators share in this region, by their inputs.
        self.routes = {}
        #: The indices of true elements that were computed in this region, by mask.
        self.nonzeros = {}
        #: The operations of this region, by their text: common subexpressions are computed
        #: once, so that equal masks are one value, and their counts one size.
        self.computed = {}
        #: The size that a scalar was bound to in this region, by the scalar's name.
        self.counted = {}
        #: By symbol: the scalar that a number was read from.
        self.numbers = {}
        self.out = None
        self.arguments = ()
        self._count = self._streams = 0

    # ------------------------------------------------------------------------
    # Text
    # ------------------------------------------------------------------------

    def type(self, sizes, dtype):
        """A tensor type in dhlo."""
        extents, names = [], []
        for size in sizes:
            value = static_value(size)
            extents.append("?" if value is None else str(value))
            if value is None:
                names.append(self.symbols.dim(size))
        text = "x".join([*extents, types.mlir_name(dtype)])
        return f"tensor<{text}, #dhlo.dims<{', '.join(names)}>>" if names else f"tensor<{text}>"

    def type_of(self, value):
        if isinstance(value, Routes):
            cells, rows = map(self.symbols.text, (value.cells, value.rows))
            return f"!cell.routes<{cells}, {value.paths}, {rows}>"
        return self.type(value.sizes, value.dtype)

    def line(self, text):
        """Adds an operation without a result."""
        self.lines.append(f"  {text} {self.location}")

    @contextlib.contextmanager
    def region(self):
        """Within a ``with`` block lines are added to the list that it returns."""
        outer = {name: vars(self)[name] for name in _REGIONAL}
        self.lines, self.routes, self.nonzeros, self.computed, self.counted = [], {}, {}, {}, {}
        try:
            yield self.lines
        finally:
            vars(self).update(outer)

    def value(self, sizes, dtype):
        """A name for a result that the caller writes by :meth:`line`."""
        self._count += 1
        return Value(f"%{self._count - 1}", to_exprs(sizes), dtype)

    def same(self, text, sizes, dtype):
        """An operation whose text contains only the type of its result."""
        sizes = to_exprs(sizes)
        return self._compute(f"dhlo.{text} : {self.type(sizes, dtype)}", sizes, dtype)

    def call(self, text, operands, sizes, dtype, dialect="dhlo"):
        """An operation whose text contains its function type."""
        result = Value("", to_exprs(sizes), dtype)
        text = f"{dialect}.{text} : {self.signature(operands, [result])}"
        return self._compute(text, result.sizes, dtype)

    def _compute(self, text, sizes, dtype):
        """The result of an operation without effects, which is emitted once per region."""
        if text not in self.computed:
            result = self.value(sizes, dtype)
            self.line(f"{result} = {text}")
            self.computed[text] = result
        return self.computed[text]

    def signature(self, operands, results):
        inputs = ", ".join(self.type_of(operand) for operand in operands)
        outputs = ", ".join(self.type_of(result) for result in results)
        return f"({inputs}) -> " + (outputs if len(results) == 1 else f"({outputs})")

    # ------------------------------------------------------------------------
    # Constants
    # ------------------------------------------------------------------------

    def scalar(self, number, dtype):
        """A scalar: a Python number or an expression of sizes."""
        if isinstance(number, sympy.Basic) and not number.is_number:
            return scalars.compute(self, number, dtype)
        return self.same(f"constant dense<{types.literal(number, dtype)}>", (), dtype)

    @property
    def draws(self):
        """Whether random numbers are drawn."""
        return self._streams > 0

    def stream(self):
        """A new stream of independent random numbers."""
        self._streams += 1
        return self._streams - 1

    def full(self, number, sizes, dtype):
        return self.broadcast_to(self.scalar(number, dtype), sizes)

    def iota(self, axis, sizes, dtype, start=0, step=1):
        start, step = self.symbols.texts([start]), self.symbols.texts([step])
        return self.same(f"iota axis = {axis} start = {start} step = {step}", sizes, dtype)

    def tensor(self, tensor):
        """A constant of the program: in the weights' file, or inline if it is small."""
        reference = None if is_small(tensor) else self.weights.reference(tensor)
        tensor = stored(tensor)
        if reference is not None:
            return self.same(reference, tensor.shape, tensor.dtype)
        return self.elements(tensor)

    def elements(self, tensor):
        """A constant that is part of the program's text, by its bytes if it is large."""
        if not is_small(tensor):
            text = f'"0x{tensor.contiguous().numpy().tobytes().hex().upper()}"'
            return self.same(f"constant dense<{text}>", tensor.shape, tensor.dtype)
        elements = [types.literal(e, tensor.dtype) for e in tensor.flatten().tolist()]
        text = _nested(elements, list(tensor.shape))
        return self.same(f"constant dense<{text}>", tensor.shape, tensor.dtype)

    # ------------------------------------------------------------------------
    # Elementwise
    # ------------------------------------------------------------------------

    def unary(self, name, x):
        if x.dtype is torch.bool and name in ("abs", "sign"):
            return x
        return self.same(f"{name} {x}", x.sizes, x.dtype)

    def predicate(self, name, x):
        return self.call(f"{name} {x}", [x], x.sizes, torch.bool)

    def binary(self, name, x, y):
        """Broadcasts; a number is converted to a scalar of the other's element type."""
        x, y = self._pair(x, y)
        name = _ON_BOOLEANS.get(name, name) if x.dtype is torch.bool else name
        return self.same(f"{name} {x}, {y}", x.sizes, x.dtype)

    def compare(self, direction, x, y):
        """Broadcasts like :meth:`binary`."""
        x, y = self._pair(x, y)
        written = f"{self.type_of(x)} -> {self.type(x.sizes, torch.bool)}"
        return self._compute(f"dhlo.compare {direction} {x}, {y} : {written}", x.sizes, torch.bool)

    def select(self, predicate, x, y):
        """Broadcasts like :meth:`binary`."""
        x, y = self._pair(x, y)
        sizes = self.broadcast_sizes(predicate.sizes, x.sizes)
        predicate, x, y = (self.broadcast_to(v, sizes) for v in (predicate, x, y))
        written = f"{self.type_of(predicate)}, {self.type_of(x)}"
        return self._compute(f"dhlo.select {predicate}, {x}, {y} : {written}", sizes, x.dtype)

    def convert(self, x, dtype):
        if x.dtype == dtype:
            return x
        return self.call(f"convert {x}", [x], x.sizes, dtype)

    def _pair(self, x, y):
        if not isinstance(x, Value):
            x = self.scalar(x, y.dtype)
        if not isinstance(y, Value):
            y = self.scalar(y, x.dtype)
        sizes = self.broadcast_sizes(x.sizes, y.sizes)
        return self.broadcast_to(x, sizes), self.broadcast_to(y, sizes)

    # ------------------------------------------------------------------------
    # Data movement
    # ------------------------------------------------------------------------

    @staticmethod
    def broadcast_sizes(left, right):
        """The broadcast sizes of two tensors. PyTorch has proved that neither of two
        different symbolic sizes is 1."""
        rank = max(len(left), len(right))
        left = (sympy.Integer(1),) * (rank - len(left)) + tuple(left)
        right = (sympy.Integer(1),) * (rank - len(right)) + tuple(right)
        return tuple(r if a == 1 or r.is_Integer and r != 1 else a for a, r in zip(left, right))

    def broadcast_to(self, x, sizes):
        """Broadcasts to these sizes, with axes aligned at the end."""
        shift = len(sizes) - x.rank
        return self.broadcast(x, range(shift, len(sizes)), sizes)

    def broadcast(self, x, axes, sizes):
        """Axis i of `x` becomes axis `axes[i]`."""
        sizes = to_exprs(sizes)
        if x.sizes == sizes:
            return x
        return self.call(f"broadcast {x} axes = {list(axes)}", [x], sizes, x.dtype)

    def reshape(self, x, sizes):
        sizes = to_exprs(sizes)
        return x if x.sizes == sizes else self.call(f"reshape {x}", [x], sizes, x.dtype)

    def unsqueeze(self, x, axis):
        axis = self.axis(axis, x.rank + 1)
        return self.reshape(x, x.sizes[:axis] + (1,) + x.sizes[axis:])

    def squeeze(self, x, axes):
        return self.reshape(x, [s for i, s in enumerate(x.sizes) if i not in axes])

    def transpose(self, x, permutation):
        permutation = [self.axis(p, x.rank) for p in permutation]
        if permutation == list(range(x.rank)):
            return x
        sizes = [x.sizes[p] for p in permutation]
        return self.call(f"transpose {x} permutation = {permutation}", [x], sizes, x.dtype)

    def swap(self, x, first, second):
        """Exchanges two axes."""
        permutation = list(range(x.rank))
        first, second = self.axis(first, x.rank), self.axis(second, x.rank)
        permutation[first], permutation[second] = second, first
        return self.transpose(x, permutation)

    def slice(self, x, axis, start, count, stride=1):
        """`count` elements from `start` along an axis."""
        stride = to_expr(stride)
        if not stride.is_Integer:
            return self.gather(x, self.iota(0, [count], torch.int64, start, stride), axis)
        sizes, starts, strides = list(x.sizes), [0] * x.rank, [1] * x.rank
        sizes[axis], starts[axis], strides[axis] = to_expr(count), start, stride
        if start == 0 and stride == 1 and tuple(sizes) == x.sizes:
            return x
        # PyTorch's assumptions on a size become conditions on calls.
        last = start + (sizes[axis] - 1) * stride
        self.symbols.is_at_least(start, 0)
        self.symbols.is_at_least(x.sizes[axis] - last, 1)
        text = f"slice {x} starts = {self.symbols.texts(starts)} strides = {strides}"
        return self.call(text, [x], sizes, x.dtype)

    def pad(self, x, low, high, value=0, mode="constant"):
        """Adds a number of elements before and after each axis."""
        if all(width == 0 for width in (*low, *high)):
            return x
        sizes = [to_expr(a + s + z) for a, s, z in zip(low, x.sizes, high)]
        fill = self.scalar(value, x.dtype)
        text = f"pad {x}, {fill} {mode} low = {self.symbols.texts(low)} "
        text += f"high = {self.symbols.texts(high)}"
        return self.call(text, [x, fill], sizes, x.dtype)

    def concat(self, parts, axis):
        if len(parts) == 1:
            return parts[0]
        sizes = list(parts[0].sizes)
        sizes[axis] = sum(part.sizes[axis] for part in parts)
        text = f"concat {', '.join(map(str, parts))} axis = {axis}"
        return self.call(text, parts, sizes, parts[0].dtype)

    def reverse(self, x, axes):
        axes = sorted(self.axis(a, x.rank) for a in axes)
        return self.same(f"reverse {x} axes = {axes}", x.sizes, x.dtype) if axes else x

    def gather(self, x, indices, axis, batch=0):
        indices = self.indices(indices)
        sizes = x.sizes[:axis] + indices.sizes[batch:] + x.sizes[axis + 1 :]
        text = f"gather {x}, {indices} axis = {axis} batch = {batch}"
        return self.call(text, [x, indices], sizes, x.dtype)

    def scatter_elements(self, x, index, updates, kind, axis):
        """`x` with updates of its type at the indices, along an axis."""
        return self._scatter("scatter_elements", x, index, updates, kind, f" axis = {axis}")

    def scatter_nd(self, x, vectors, updates, kind):
        """`x` with updates of its type at the index vectors along the last axis."""
        return self._scatter("scatter_nd", x, vectors, updates, kind)

    def _scatter(self, name, x, indices, updates, kind, rest=""):
        """On booleans, a sum is the maximum and a multiplication the minimum."""
        if x.dtype is torch.bool and kind != "replace":
            wide, updates = (self.convert(v, torch.uint8) for v in (x, updates))
            kind = {"add": "max", "mul": "min"}.get(kind, kind)
            wide = self._scatter(name, wide, indices, updates, kind, rest)
            return self.convert(wide, torch.bool)
        text = f"{name} {x}, {indices}, {updates} {kind}{rest}"
        return self.call(text, [x, indices, updates], x.sizes, x.dtype)

    # ------------------------------------------------------------------------
    # Data-dependent sizes
    # ------------------------------------------------------------------------

    def found(self, size=None, hint="count"):
        """A symbol for a number that an operation computes: PyTorch's size, if that is an
        unbound symbol, else a new one, which :meth:`matched` compares with PyTorch's."""
        if size is not None and size.is_Symbol and not self.symbols.is_bound(size):
            return size
        return sympy.Dummy(hint, integer=True, nonnegative=True)

    def bind(self, symbol, value, hint=None):
        """Binds a symbol to a scalar: a negative one is an error of the call. Symbols bound
        to the same scalar are one size."""
        hint = hint or symbol.name
        known = self.counted.setdefault(value.name, symbol)
        if known is not symbol:
            self.symbols.define(symbol, known, hint)
            return
        name = self.symbols.bind(symbol, hint)
        self.line(f"dhlo.bind @{name} = {value} : {self.type_of(value)}")

    def know(self, symbol, value, hint=None):
        """Associates a scalar with an integer of PyTorch. One that PyTorch knows to be at
        least 0 is a size; another one becomes a size if it is used as such, and the
        difference of two sizes if it is part of a size expression."""
        value, hint = self.indices(value), hint or symbol.name
        self.numbers[symbol] = value
        if self.symbols.is_natural(symbol):
            self.bind(symbol, value, hint)
            return
        lines, index, location = self.lines, len(self.lines), self.location
        lines.append("")

        @contextlib.contextmanager
        def there():
            """Lines are added where the number is read."""
            with self.region() as added:
                self.location = location
                yield
            lines[index] = "\n".join(filter(None, [lines[index], *added]))

        def bind():
            with there():
                self.bind(symbol, value, hint)

        def split():
            parts = [sympy.Dummy(f"{hint}_{sign}", integer=True) for sign in ("above", "below")]
            with there():
                negated = self.binary("sub", 0, value)
                for part, number in zip(parts, (value, negated)):
                    self.bind(part, self.binary("maximum", number, 0))
            return parts

        self.symbols.offer(symbol, hint, bind, split)

    def matched(self, value, sizes):
        """A value with PyTorch's sizes, which differ if the number of elements is
        data-dependent: an unbound symbol is defined as the value's own size, and if PyTorch
        derived another expression, calls are checked."""
        sizes = to_exprs(sizes)
        if value.rank != len(sizes):
            raise Refused(f"expected {len(sizes)} axes, found {value.rank}")
        for size, own in zip(sizes, value.sizes):
            self._match(size, own)
            if size != own and size.is_Integer and own.is_Integer:
                raise Refused(f"expected sizes {list(sizes)}, found {list(value.sizes)}")
        return self.reshape(value, sizes)

    def _match(self, size, own):
        """Defines the unbound symbol of a size by the value's own size."""
        missing = [s for s in size.free_symbols if not self.symbols.is_bound(s)]
        if not missing:
            return
        solved = solve(size, missing[0], own) if len(missing) == 1 else None
        if solved is None:
            raise Refused(f"expected a size that follows from what the data tell, found {size}")
        self.symbols.define(missing[0], solved, missing[0].name)

    def check(self, predicate, condition):
        """A false scalar is an error of the call, which names the condition."""
        self.check_zero(self.convert(self.unary("not", predicate), torch.int64), condition)

    def check_zero(self, value, condition):
        """A scalar integer other than 0 is an error of the call, which names the
        condition."""
        name = self.symbols.bind(sympy.Dummy("condition"), "condition_0", (0, 0))
        position = self.location.removeprefix("loc(").removesuffix(")")
        location = f"loc({json.dumps(condition)}({position}))"
        self.lines.append(f"  dhlo.bind @{name} = {value} : {self.type_of(value)} {location}")

    def indices(self, x):
        """Converts to an index type if necessary."""
        return x if x.dtype in (torch.int32, torch.int64) else self.convert(x, torch.int64)

    # ------------------------------------------------------------------------
    # Reductions and contractions
    # ------------------------------------------------------------------------

    def reduce(self, kind, x, axes, keepdim=False):
        axes = sorted(axes)
        kept = [s for i, s in enumerate(x.sizes) if i not in axes]
        result = x
        if axes:
            result = self.call(f"reduce {kind} {x} axes = {axes}", [x], kept, x.dtype)
        if keepdim:
            ones = [1 if i in axes else s for i, s in enumerate(x.sizes)]
            result = self.reshape(result, ones)
        return result

    def cumulative(self, kind, x, axis):
        return self.same(f"cumulative {kind} {x} axis = {axis}", x.sizes, x.dtype)

    def count(self, x, axes):
        """The number of elements along axes: a number or an expression."""
        return product([x.sizes[a] for a in axes])

    def mean(self, x, axes, keepdim=False):
        """Of 16-bit floats, neither the sum nor the count need be representable."""
        wide = self.convert(x, types.computed_in(x.dtype))
        total = self.reduce("sum", wide, axes, keepdim)
        result = self.binary("div", total, self.scalar(self.count(x, axes), wide.dtype))
        return self.convert(result, x.dtype)

    def dot(self, x, y, batch, x_axes, y_axes, dtype=None):
        """A contraction of pairs of axes; the first `batch` axes are batch axes. Bytes may
        have results of another type, int32."""
        sizes = [s for i, s in enumerate(x.sizes) if i not in x_axes]
        sizes += [s for i, s in enumerate(y.sizes) if i >= batch and i not in y_axes]
        text = f"dot_general {x}, {y} batch = {batch} "
        text += f"lhs_contract = {list(x_axes)} rhs_contract = {list(y_axes)}"
        return self.call(text, [x, y], sizes, dtype or x.dtype)

    def along(self, x, axis, matrix):
        """Multiplies the vectors along an axis by a matrix [to, from]."""
        # A contraction over an axis between others has no schedule on a CPU.
        last = x.rank - 1
        x = self.transpose(x, [*range(axis), *range(axis + 1, x.rank), axis])
        dot = self.dot(x, matrix, 0, [last], [1])
        return self.transpose(dot, [*range(axis), last, *range(axis, last)])

    def grouped_dot(self, x, matrices, ends):
        """Rows of x, each multiplied by the matrix of its group: row i is in the first
        group whose end is above i."""
        start = self.full(0, [sympy.Integer(1)], torch.int64)
        offsets = self.concat([start, self.convert(ends, torch.int64)], 0)
        return self.grouped_dot_at(x, matrices, offsets)

    def grouped_dot_at(self, x, matrices, offsets):
        """Rows of x, each multiplied by the matrix of its group: group g has the rows from
        offsets[g] up to offsets[g + 1]."""
        text = f"grouped_dot {x}, {matrices}, {offsets}"
        sizes = [*x.sizes[:-1], matrices.sizes[2]]
        return self.call(text, [x, matrices, offsets], sizes, x.dtype)

    def route(self, operands, arguments, lines, routes, key, capacity=None):
        """A router with this region, which computes `lines` of `arguments`; its result is
        `routes`. Returns the offsets of the rows of each path."""
        names = ", ".join(map(str, operands))
        types = ", ".join(map(self.type_of, operands))
        capacity = "" if capacity is None else f" capacity = <{self.symbols.text(capacity)}>"
        self.line(
            f"{routes} = cell.route({names}){capacity} key = {json.dumps(key)} "
            f": ({types}) -> {self.type_of(routes)} {{\n{self.block(arguments, lines)}  }}"
        )
        offsets = self.value([routes.paths + 1], torch.int64)
        self.line(
            f"{offsets} = cell.offsets {routes} : {self.type_of(routes)} -> {self.type_of(offsets)}"
        )
        return offsets

    def choose(self, choices, weights=None, priorities=None):
        """The terminator of a router's region."""
        if choices.dtype not in (torch.bool, torch.int32, torch.int64):
            choices = self.convert(choices, torch.int64)
        parts = [f"cell.choose {choices}"]
        for name, x in (("weights", weights), ("priorities", priorities)):
            if x is not None:
                parts.append(f"{name}({x} : {self.type_of(x)})")
        self.line(" ".join(parts) + f" : {self.type_of(choices)}")

    def block(self, arguments, lines):
        """The text of a region's block."""
        if not arguments:
            return "".join(f"  {line}\n" for line in lines)
        heads = ", ".join(f"{x}: {self.type_of(x)}" for x in arguments)
        return f"  ^bb0({heads}):\n" + "".join(f"  {line}\n" for line in lines)

    def attention(self, query, key, value, mask, scale, causal):
        """Attention of [B, H, S, D] each, with a mask of that rank or None."""
        operands, text = [query, key, value], f"attention {query}, {key}, {value}"
        if mask is not None:
            operands.append(mask)
            text += f" mask {mask}"
        text += f" scale = {types.decimal(scale)}{' causal' if causal else ''}"
        return self.call(text, operands, [*query.sizes[:3], value.sizes[3]], query.dtype)

    def softmax(self, x, axis, log=False):
        """The softmax of a scalar is that of a vector with one element."""
        if x.rank == 0:
            whole = self.softmax(self.reshape(x, [1]), 0, log)
            return self.reshape(whole, [])
        axis = self.axis(axis, x.rank)
        return self.same(f"softmax {x} axis = {axis}{' log' if log else ''}", x.sizes, x.dtype)

    def window(self, kind, x, window, strides, dilations, low, high):
        """A reduction of windows; lists have an element for each axis."""
        sizes = [
            floor_div(s + a + z - d * (w - 1) - 1, t) + 1
            for s, w, t, d, a, z in zip(x.sizes, window, strides, dilations, low, high)
        ]
        text = f"reduce_window {kind} {x} window = {list(window)} strides = {list(strides)} "
        text += f"dilations = {list(dilations)} low = {self.symbols.texts(low)} "
        text += f"high = {self.symbols.texts(high)}"
        return self.call(text, [x], sizes, x.dtype)

    # ------------------------------------------------------------------------
    # Arguments
    # ------------------------------------------------------------------------

    @staticmethod
    def axis(axis, rank):
        """An axis, counted from the end if negative. A scalar has axis 0."""
        axis, rank = int(axis), max(rank, 1)
        if not -rank <= axis < rank:
            raise Refused(f"expected an axis in [{-rank}, {rank - 1}], found {axis}")
        return axis % rank

    def axes(self, axes, rank):
        """Axes as ascending numbers; None and an empty list mean all of them."""
        if axes is None or axes == []:
            return list(range(rank))
        axes = [axes] if isinstance(axes, (int, sympy.Integer)) else axes
        return sorted({self.axis(a, rank) for a in axes}) if rank else []

    def out_sizes(self):
        """The sizes of the first result."""
        return (self.out[0] if isinstance(self.out, tuple) else self.out).sizes

    def common_dtype(self):
        """The element type that PyTorch promotes two arguments to."""
        kinds = {torch.SymInt: 0, torch.SymFloat: 0.0}
        x, y = (kinds.get(type(a), a) for a in self.arguments)
        return torch.result_type(x, y)

    def promote(self, x):
        """A tensor or number in the element type of the result."""
        return self.typed(x, self.out.dtype)

    def typed(self, x, dtype):
        """A tensor or number in an element type."""
        return self.convert(x, dtype) if isinstance(x, Value) else self.scalar(x, dtype)


def retyped(meta, change):
    """PyTorch's description of results, with their element types mapped by a function."""
    if isinstance(meta, tuple):
        return tuple(retyped(m, change) for m in meta)
    return Meta(meta.sizes, change(meta.dtype)) if isinstance(meta, Meta) else meta


def is_small(tensor):
    """Whether a constant is part of the program's text."""
    numbers = tensor.numel() * (2 if tensor.is_complex() else 1)
    return 0 < numbers <= 16


def _nested(elements, sizes):
    """Elements as nested lists, `[[a, b], [c, d]]`."""
    if not sizes:
        return elements[0]
    step = len(elements) // sizes[0]
    rows = [elements[i * step : (i + 1) * step] for i in range(sizes[0])]
    return "[" + ", ".join(_nested(row, sizes[1:]) for row in rows) + "]"
