# ===- torch_programs.py - Random functions of PyTorch ---------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random PyTorch functions of a few statements whose sizes are data-dependent: masks,
indices, sets, repetitions, numbers read from tensors, and slices by such numbers. Each is
legal at all sizes.

All functions have the same arguments (ARGUMENTS). A size is a number or a name; sizes with
the same name are equal. Comparisons take only *exact* values, as in generator.py: multiples
of 1/4 that were moved, added or compared.
"""

import contextlib
import dataclasses
import random

ARGUMENTS = ("x", "y", "w", "v", "ids", "counts", "flags", "k", "t")


#: Makers that are chosen more often.
OFTEN = {"make_mask": 3, "make_selection": 4, "make_positions": 2, "make_back": 3, "make_set": 2}
OFTEN |= {"make_repetition": 2, "make_number": 3, "make_slice": 3, "make_view": 4}
OFTEN |= {"make_change": 3, "make_copy": 2, "make_binary": 3, "make_unary": 2}


@dataclasses.dataclass(frozen=True)
class Tensor:
    """A variable that is a tensor."""

    name: str
    sizes: tuple
    kind: str = "float"  # or int, bool
    exact: bool = True
    own: bool = False  # whether it may be changed in place

    @property
    def rank(self):
        return len(self.sizes)


@dataclasses.dataclass(frozen=True)
class Number:
    """A variable that is a Python number: at least `low`, if that is known."""

    name: str
    low: int = None
    kind: str = "int"


INPUTS = (
    Tensor("x", ("N", "M")),
    Tensor("y", ("N", "M")),
    Tensor("w", ("M", 3)),
    Tensor("v", ("N",)),
    Tensor("ids", ("N",), "int"),
    Tensor("counts", ("M",), "int"),
    Tensor("flags", ("N",), "bool"),
    Number("k"),
    Number("t", kind="float"),
)


@dataclasses.dataclass
class Statement:
    """A line of Python, and the variables that it reads, makes or changes."""

    text: str
    reads: tuple
    makes: tuple
    changes: tuple = ()


@dataclasses.dataclass
class Function:
    """Statements in order. It returns the variables that none of them reads."""

    statements: list

    def results(self):
        read = {name for s in self.statements for name in s.reads}
        made = [name for s in self.statements for name in s.makes]
        changed = {name for s in self.statements for name in s.changes}
        found = [name for name in made if name not in read or name in changed]
        return found or made[-1:]

    def text(self, name="function"):
        lines = [f"    {s.text}" for s in self.statements]
        results = "".join(f"{r}, " for r in self.results())
        head = f"def {name}({', '.join(ARGUMENTS)}):"
        return "\n".join([head, *lines, f"    return ({results})", ""])

    def without(self, statement):
        """The function without a statement and all that depend on it; None if nothing is
        left."""
        lost, kept = set(), []
        for s in self.statements:
            if s is statement or lost.intersection((*s.reads, *s.changes)):
                lost.update(s.makes)
            else:
                kept.append(s)
        return Function(kept) if any(s.makes for s in kept) else None


class _NoVariable(Exception):
    """There is no variable that a statement could read."""


class Generator:
    """Makes one function from a seed."""

    def __init__(self, seed, length=None):
        self.rng = random.Random(seed)
        self.values = list(INPUTS)
        self.statements = []
        self.count = 0
        self.masks = []  # their texts and operands
        makers = [name for name in dir(self) if name.startswith("make_")]
        weights = [OFTEN.get(name, 1) for name in makers]
        length = length or self.rng.randint(3, 9)
        while len(self.statements) < length:
            with contextlib.suppress(_NoVariable):
                getattr(self, self.rng.choices(makers, weights)[0])()

    # Variables

    def fresh(self, prefix="a"):
        self.count += 1
        return f"{prefix}{self.count}"

    def pick(self, test=lambda v: True):
        """A variable that passes a test, often a late one."""
        found = [v for v in self.values if test(v)]
        if not found:
            raise _NoVariable
        return self.rng.choice(found[-4:] if self.rng.random() < 0.6 else found)

    def tensor(self, kind=None, rank=None, exact=False, test=lambda v: True):
        return self.pick(
            lambda v: (
                isinstance(v, Tensor)
                and kind in (None, v.kind)
                and rank in (None, v.rank)
                and (v.exact or not exact)
                and test(v)
            )
        )

    def number(self, low=None, kind="int"):
        """The name of a number, or a literal."""
        with contextlib.suppress(_NoVariable):
            found = self.pick(
                lambda v: (
                    isinstance(v, Number)
                    and v.kind == kind
                    and (low is None or (v.low is not None and v.low >= low))
                )
            )
            if self.rng.random() < 0.7:
                return found.name
        least = -2 if low is None else low
        return str(self.rng.randint(least, 3) if kind == "int" else self.rng.choice([0.5, -1.5]))

    def emit(self, text, *operands, makes=(), changes=()):
        names = (*(o.name if isinstance(o, (Tensor, Number)) else o for o in operands),)
        reads = tuple(n for n in dict.fromkeys(names) if n.isidentifier() and n not in ARGUMENTS)
        made = tuple(m.name for m in makes)
        self.statements.append(Statement(text, reads, made, tuple(c.name for c in changes)))
        self.values.extend(makes)

    def let(self, expression, *operands, sizes, kind="float", exact=None, own=False):
        """A new tensor: exact if its operands are."""
        if exact is None:
            exact = all(o.exact for o in operands if isinstance(o, Tensor))
        made = Tensor(self.fresh(), tuple(sizes), kind, exact, own)
        self.emit(f"{made.name} = {expression}", *operands, makes=[made])
        return made

    # Elements

    def make_unary(self):
        a = self.tensor("float")
        operation = self.rng.choice(
            ["-{a}", "{a}.abs()", "torch.relu({a})", "{a}.clamp(min={n})", "{a} * {n}",
             "{a} + {n}", "{n} - {a}", "{a} + {f}", "torch.add({a}, {a}, alpha={n})"]
        )  # fmt: skip
        n, f = self.number(), self.number(kind="float")
        self.let(operation.format(a=a.name, n=n, f=f), a, n, f, sizes=a.sizes)

    def make_inexact(self):
        a = self.tensor("float", test=lambda v: v.rank > 0)
        operation = self.rng.choice(
            ["torch.sigmoid({a})", "{a}.softmax(-1)", "torch.tanh({a} / 4)", "{a} * ({n} / 3)",
             "{a} * (({n}) ** 2 + 0.3)", "{a} * math.sqrt({s} + 1)"]
        )  # fmt: skip
        n = self.number()
        text = operation.format(a=a.name, n=n, s=f"{a.name}.shape[0]")
        self.let(text, a, n, sizes=a.sizes, exact=False)

    def make_binary(self):
        a = self.tensor("float")
        b = self.tensor("float", test=lambda v: fits(a.sizes, v.sizes))
        operation = self.rng.choice(
            ["{a} + {b}", "{a} - {b}", "torch.maximum({a}, {b})", "torch.minimum({a}, {b})"]
        )
        sizes = together(a.sizes, b.sizes)
        self.let(operation.format(a=a.name, b=b.name), a, b, sizes=sizes)

    def make_integers(self):
        a, n = self.tensor("int"), self.number()
        operation = self.rng.choice(
            ["{a} + {n}", "{a} * {n}", "{a}.clamp(min={n})", "{a} % 3", "{a} // 2", "-{a}"]
        )
        self.let(operation.format(a=a.name, n=n), a, n, sizes=a.sizes, kind="int")

    def make_where(self):
        mask = self.tensor("bool")
        a = self.tensor("float", test=lambda v: fits(mask.sizes, v.sizes))
        n = self.number()
        sizes = together(mask.sizes, a.sizes)
        text = f"torch.where({mask.name}, {a.name}, {n})"
        self.let(text, mask, a, n, sizes=sizes)

    # Masks

    def mask_text(self):
        """A comparison, or an earlier one again: then it has the same count."""
        if self.masks and self.rng.random() < 0.4:
            return self.rng.choice(self.masks)
        a = self.tensor(exact=True, test=lambda v: v.kind != "bool" and v.rank > 0)
        comparison = self.rng.choice(
            ["{a} > 0", "{a} >= {n}", "{a} != 0", "{a} == {a}", "{a} > 99", "{a} > {n} / 2"]
        )
        n = self.number()
        return comparison.format(a=a.name, n=n), a, n

    def make_mask(self):
        text, a, n = self.mask_text()
        self.masks.append((text, a, n))
        self.let(text, a, n, sizes=a.sizes, kind="bool", exact=True)

    def make_logic(self):
        a = self.tensor("bool")
        b = self.tensor("bool", test=lambda v: v.sizes == a.sizes)
        text = self.rng.choice(["~{a}", "{a} & {b}", "{a} | {b}", "{a} ^ {b}"])
        self.let(text.format(a=a.name, b=b.name), a, b, sizes=a.sizes, kind="bool")

    def count_of(self, mask):
        """The size that counts a mask: equal masks have the same."""
        changes = 0
        for s in self.statements:
            if s.makes == (mask.name,):
                return f"count({s.text.partition(' = ')[2]}, {changes})"
            changes += bool(s.changes)
        return f"count({mask.name})"

    def some_mask(self, test=lambda v: True):
        return self.tensor("bool", test=lambda v: v.rank > 0 and test(v))

    def make_selection(self):
        mask = self.some_mask()
        a = self.tensor(test=lambda v: v.sizes[: mask.rank] == mask.sizes)
        form = self.rng.choice(["{a}[{m}]", "{a}[{m}]", "{a}[torch.nonzero({m}, as_tuple=True)]"])
        sizes = (self.count_of(mask), *a.sizes[mask.rank :])
        if a.sizes == mask.sizes and self.rng.random() < 0.4:
            form = "{a}.masked_select({m})"
        self.let(form.format(a=a.name, m=mask.name), a, mask, sizes=sizes, kind=a.kind)

    def make_positions(self):
        mask = self.some_mask()
        axis = self.rng.randrange(mask.rank)
        form = self.rng.choice(["torch.nonzero({m})[:, {i}]", "torch.where({m})[{i}]"])
        sizes = (self.count_of(mask),)
        self.let(form.format(m=mask.name, i=axis), mask, sizes=sizes, kind="int", exact=True)

    def make_back(self):
        """Writes elements that a mask selected back to their positions."""
        mask = self.some_mask(lambda v: v.rank == 1)
        count = self.count_of(mask)
        try:
            rows = self.tensor("float", test=lambda v: v.rank > 0 and v.sizes[0] == count)
        except _NoVariable:
            a = self.tensor("float", test=lambda v: v.sizes[:1] == mask.sizes)
            rows = self.let(f"{a.name}[{mask.name}]", a, mask, sizes=(count, *a.sizes[1:]))
        inner = [f"{rows.name}.shape[{i}]" for i in range(1, rows.rank)]
        shape = ", ".join([f"{mask.name}.shape[0]", *inner])
        form = self.rng.choice(
            ["torch.zeros({s}).index_copy(0, torch.nonzero({m})[:, 0], {r})",
             "torch.ones({s}).index_add(0, torch.nonzero({m})[:, 0], {r})",
             "torch.zeros({s}).index_put(({m},), {r})"]
        )  # fmt: skip
        text = form.format(s=shape, m=mask.name, r=rows.name)
        self.let(text, mask, rows, sizes=(*mask.sizes, *rows.sizes[1:]), own=True)

    def make_parts(self):
        """All rows, those of a mask first."""
        mask = self.some_mask(lambda v: v.rank == 1)
        a = self.tensor(test=lambda v: v.sizes[:1] == mask.sizes)
        text = f"torch.cat([{a.name}[{mask.name}], {a.name}[~{mask.name}]])"
        self.let(text, a, mask, sizes=(f"parts({mask.sizes[0]})", *a.sizes[1:]), kind=a.kind)

    # Sets and repetitions

    def make_set(self):
        a = self.tensor("int", exact=True, test=lambda v: v.rank > 0)
        count = self.fresh("u")
        form = self.rng.randrange(4)
        if form == 0:
            self.let(f"torch.unique({a.name})", a, sizes=(count,), kind="int")
        elif form == 1:
            values, inverse = self.fresh(), self.fresh()
            makes = [Tensor(values, (count,), "int"), Tensor(inverse, a.sizes, "int")]
            text = f"{values}, {inverse} = torch.unique({a.name}, return_inverse=True)"
            self.emit(text, a, makes=makes)
        elif form == 2:
            values, numbers = self.fresh(), self.fresh()
            makes = [Tensor(values, (count,), "int"), Tensor(numbers, (count,), "int")]
            text = f"{values}, {numbers} = torch.unique_consecutive({a.name}, return_counts=True)"
            self.emit(text, a, makes=makes)
        elif a.rank == 1:
            text = f"torch.bincount({a.name}.abs() % 5)"
            self.let(text, a, sizes=(count,), kind="int")

    def make_repetition(self):
        counts = self.tensor("int", rank=1, exact=True)
        a = self.tensor(test=lambda v: v.sizes[:1] == counts.sizes)
        size = f"repeated({counts.name})"
        text = f"torch.repeat_interleave({a.name}, {counts.name}.abs() % 4, dim=0)"
        self.let(text, a, counts, sizes=(size, *a.sizes[1:]), kind=a.kind)
        if self.rng.random() < 0.5:
            text = f"torch.repeat_interleave({counts.name}.abs() % 4)"
            self.let(text, counts, sizes=(size,), kind="int")

    # Numbers

    def make_number(self):
        a = self.tensor("int", exact=True, test=lambda v: v.rank > 0)
        name = self.fresh("n")
        form, low = self.rng.choice(
            [("{a}.sum().item()", None), ("{a}.abs().sum().item()", 0), ("({a} > 0).sum().item()", 0),
             ("{a}.numel()", 0), ("{a}.shape[0]", 0)]
        )  # fmt: skip
        number = Number(name, low)
        self.emit(f"{name} = {form.format(a=a.name)}", a, makes=[number])
        if low == 0 and "item" in form and self.rng.random() < 0.5:
            self.emit(f"torch._check({name} >= 0)", name)

    def make_arithmetic(self):
        n, m = self.number(), self.number()
        name = self.fresh("n")
        form = self.rng.choice(["{n} + {m}", "{n} * 2", "{n} - {m}", "max({n}, {m})", "-({n})"])
        self.emit(f"{name} = {form.format(n=n, m=m)}", n, m, makes=[Number(name)])

    def make_float(self):
        n, f, name = self.number(), self.number(kind="float"), self.fresh("f")
        form = self.rng.choice(["{n} / 4", "{f} * 2", "{f} + {n}", "{n} * 0.5"])
        number = Number(name, kind="float")
        self.emit(f"{name} = {form.format(n=n, f=f)}", n, f, makes=[number])

    def make_filled(self):
        n = self.number()
        a = self.tensor("float")
        form = self.rng.choice(["torch.full_like({a}, {n})", "torch.full({a}.shape, {n} / 2)"])
        self.let(form.format(a=a.name, n=n), a, n, sizes=a.sizes, own=True, exact=True)

    def make_range(self):
        n = self.number(low=0)
        sizes = (f"range({n})",)
        self.let(f"torch.arange({n})", n, sizes=sizes, kind="int", exact=True)

    # Parts

    def make_slice(self):
        a = self.tensor(test=lambda v: v.rank > 0)
        axis = self.rng.randrange(a.rank)
        low, any_ = self.number(low=0), self.number()
        step = self.rng.choice(["", "", "::2", "1::3"])
        part = step or self.rng.choice(
            ["1:", ":-1", ":2", "-2:", f":{low}", f"{low}:", f"{any_}:", f":{any_}", ":0", "2:1"]
        )
        where = ", ".join([*[":"] * axis, part])
        sizes = list(a.sizes)
        sizes[axis] = {":0": 0, "2:1": 0}.get(part, f"slice({a.sizes[axis]}, {part})")
        self.let(f"{a.name}[{where}]", a, low, any_, sizes=sizes, kind=a.kind)

    def make_select(self):
        a = self.tensor(test=lambda v: v.rank > 1 and isinstance(v.sizes[-1], int))
        if a.sizes[-1] > 0:
            i = self.rng.choice([0, -1, a.sizes[-1] - 1])
            self.let(f"{a.name}[..., {i}]", a, sizes=a.sizes[:-1], kind=a.kind)

    def make_gather(self):
        a = self.tensor(test=lambda v: v.rank > 0)
        index = self.tensor("int", rank=1, exact=True)
        # With one row more, so that each index is legal.
        rows = f"torch.cat([{a.name}, {a.name}.new_ones({', '.join(['1', *shape(a)[1:]])})])"
        form = self.rng.choice(["{r}[{i}]", "{r}.index_select(0, {i})"])
        index_text = f"({index.name} % ({a.name}.shape[0] + 1))"
        text = form.format(r=rows, i=index_text)
        self.let(text, a, index, sizes=(*index.sizes, *a.sizes[1:]), kind=a.kind)

    # Views

    def make_view(self):
        a = self.tensor()
        first, rest, last = a.sizes[:1], a.sizes[1:], a.sizes[-1:]
        forms = {
            "{a}.unsqueeze(0)": (1, *a.sizes),
            "{a}.unsqueeze(-1)": (*a.sizes, 1),
            "{a}.reshape(-1)": a.sizes if a.rank == 1 else (f"all{a.sizes}",),
            "{a}.expand(3, *{a}.shape)": (3, *a.sizes),
            "{a}.unsqueeze(0).expand(v.shape[0], *{a}.shape)": ("N", *a.sizes),
            "{a}.repeat(2, *[1] * {a}.dim())": (2, *a.sizes),
        }
        if a.rank > 1:
            forms["{a}.transpose(0, -1)"] = (*last, *a.sizes[1:-1], *first)
            forms["{a}.flatten(0, 1)"] = (f"all{a.sizes[:2]}", *a.sizes[2:])
            forms["{a}.unflatten(0, (1, -1))"] = (1, *a.sizes)
            forms["{a}.movedim(0, -1)"] = (*rest, *first)
        if a.rank == 2:
            forms["{a}.reshape({a}.shape[1], {a}.shape[0])"] = a.sizes[::-1]
            forms["{a}.t()"] = a.sizes[::-1]
            forms["{a}.t().reshape(-1)"] = (f"all{a.sizes}",)
        if first == (1,):
            forms["{a}.squeeze(0)"] = rest
            forms["{a}.reshape({a}.shape[1:])"] = rest
        text = self.rng.choice(list(forms))
        if len(forms[text]) <= 4:
            self.let(text.format(a=a.name), a, sizes=forms[text], kind=a.kind)

    def make_joined(self):
        a = self.tensor(test=lambda v: v.rank > 0)
        b = self.tensor(a.kind, a.rank, test=lambda v: v.sizes[1:] == a.sizes[1:])
        size = f"({a.sizes[0]} + {b.sizes[0]})"
        text = f"torch.cat([{a.name}, {b.name}])"
        self.let(text, a, b, sizes=(size, *a.sizes[1:]), kind=a.kind)

    def make_stack(self):
        a = self.tensor()
        b = self.tensor(a.kind, test=lambda v: v.sizes == a.sizes)
        if a.rank < 4:
            self.let(f"torch.stack([{a.name}, {b.name}])", a, b, sizes=(2, *a.sizes), kind=a.kind)

    def make_turned(self):
        a, n = self.tensor(test=lambda v: v.rank > 0), self.number()
        form = self.rng.choice(["{a}.flip(0)", "{a}.roll({n}, 0)", "{a}.roll(1, -1)"])
        self.let(form.format(a=a.name, n=n), a, n, sizes=a.sizes, kind=a.kind)

    def make_triangle(self):
        a, n = self.tensor("float", test=lambda v: v.rank > 1), self.number()
        form = self.rng.choice(["{a}.tril({n})", "{a}.triu({n})"])
        self.let(form.format(a=a.name, n=n), a, n, sizes=a.sizes)

    def make_padded(self):
        a, n = self.tensor("float", test=lambda v: v.rank > 0), self.number(low=0)
        size = f"({a.sizes[-1]} + {n} + 1)"
        text = f"F.pad({a.name}, ({n}, 1), value={self.number(kind='float')})"
        self.let(text, a, n, *find_names(text), sizes=(*a.sizes[:-1], size))

    # Reductions

    def make_sum(self):
        a = self.tensor(exact=True, test=lambda v: v.rank > 0)
        axis = self.rng.randrange(a.rank)
        keep = self.rng.random() < 0.4
        one = (1,) if keep else ()
        sizes = (*a.sizes[:axis], *one, *a.sizes[axis + 1 :])
        kind = {"float": "float"}.get(a.kind, "int")
        self.let(f"{a.name}.sum({axis}, keepdim={keep})", a, sizes=sizes, kind=kind)

    def make_truth(self):
        a = self.tensor("bool", test=lambda v: v.rank > 0)
        form = self.rng.choice(["{a}.any({i})", "{a}.all({i})"])
        axis = self.rng.randrange(a.rank)
        sizes = a.sizes[:axis] + a.sizes[axis + 1 :]
        self.let(form.format(a=a.name, i=axis), a, sizes=sizes, kind="bool")

    def make_total(self):
        a = self.tensor("float", test=lambda v: v.rank > 0)
        form = self.rng.choice(["{a}.sum()", "{a}.sum() / {a}.shape[0]", "{a}.mean(0)"])
        sizes = a.sizes[1:] if "mean" in form else ()
        self.let(form.format(a=a.name), a, sizes=sizes, exact=False)

    def make_running(self):
        a = self.tensor(exact=True, test=lambda v: v.rank > 0 and v.kind != "bool")
        self.let(f"{a.name}.cumsum(0)", a, sizes=a.sizes, kind=a.kind, exact=a.kind == "int")

    def make_sorted(self):
        a = self.tensor(exact=True, test=lambda v: v.rank > 0 and v.kind != "bool")
        text = f"torch.sort({a.name}, dim=-1, stable=True)[{self.rng.randrange(2)}]"
        kind = "int" if text.endswith("[1]") else a.kind
        self.let(text, a, sizes=a.sizes, kind=kind)

    def make_projection(self):
        a = self.tensor("float", test=lambda v: v.rank > 0 and v.sizes[-1] == "M")
        self.let(f"{a.name} @ w", a, sizes=(*a.sizes[:-1], 3), exact=False)

    # Changes in place

    def make_copy(self):
        a = self.tensor("float", test=lambda v: v.rank > 0)
        self.let(f"{a.name}.clone()", a, sizes=a.sizes, own=True)

    def make_change(self):
        a = self.tensor("float", test=lambda v: v.own and v.rank > 0)
        n = self.number()
        forms = [
            ("{a}.add_({n})", ()),
            ("{a}[1:] = {n}", ()),
            ("{a}[::2] += 1", ()),
            ("{a}.mul_({n})", ()),
        ]
        forms += [("{a}[..., :1] = {n}", ())]
        with contextlib.suppress(_NoVariable):
            mask = self.tensor("bool", test=lambda v: v.rank > 0 and v.sizes == a.sizes[: v.rank])
            forms += [(f"{{a}}[{mask.name}] = {{n}}", (mask,))] * 2
            forms += [(f"{{a}}[{mask.name}] += 1", (mask,))] * 2
        with contextlib.suppress(_NoVariable):
            row = self.tensor("float", exact=True, test=lambda v: v.sizes == a.sizes[1:])
            forms += [(f"{{a}}[1:3] = {row.name}", (row,))]
        text, others = self.rng.choice(forms)
        self.emit(text.format(a=a.name, n=n), a, n, *others, changes=[a])

    def make_input_change(self):
        if self.rng.random() < 0.2:
            self.emit("y.add_(1)", changes=[INPUTS[1]])


def shape(a):
    """The text of each size."""
    return [f"{a.name}.shape[{i}]" for i in range(a.rank)]


def find_names(text):
    """Names of variables in a text."""
    cleaned = "".join(c if c.isalnum() or c == "_" else " " for c in text)
    return [word for word in cleaned.split() if word[0] in "anuf" and word[1:].isdigit()]


def together(left, right):
    """The sizes of two tensors that broadcast."""
    rank = max(len(left), len(right))
    left, right = ((1,) * (rank - len(s)) + tuple(s) for s in (left, right))
    return tuple(r if l == 1 else l for l, r in zip(left, right))


def fits(left, right):
    """Whether two tensors broadcast."""
    return all(1 in pair or pair[0] == pair[1] for pair in zip(left[::-1], right[::-1]))


def generate(seed, length=None):
    """The function of a seed."""
    return Function(Generator(seed, length).statements)
