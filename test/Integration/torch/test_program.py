# ===- test_program.py - Programs of torch.export in dhlo ------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The output of the importer: sizes, conditions, weights, locations, ports."""

import inspect
import json
import pathlib
import re
import subprocess
import sys
import types

import numpy as np
import pytest

torch = pytest.importorskip("torch")
sys.path.insert(0, str(pathlib.Path(__file__).parent / "Inputs"))

import dyn
from closeness import assert_close
from dyn.frontend.torch import to_dhlo
from dyn.frontend.torch.exporting import normalize
from torch.export import Dim


class Scale(torch.nn.Module):
    def forward(self, x):
        return x * 2


class Tied(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = torch.nn.Embedding(50, 8)
        self.head = torch.nn.Linear(8, 50, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, ids):
        return self.head(self.embed(ids))


@pytest.fixture
def text(tmp_path):
    """text(model, ...) is the model's program in dhlo."""

    def write(model, *args, **options):
        path = tmp_path / "model.mlir"
        to_dhlo(model, path, args=args, **options)
        return path.read_text()

    return write


def test_sizes_have_the_users_names(text):
    batch = Dim("batch", max=64)
    program = text(Scale(), torch.ones(3, 4), dynamic_shapes={"x": {0: batch}})
    assert "dhlo.dim @batch in [0, 64]" in program
    assert '%arg0: tensor<?x4xf32, #dhlo.dims<batch>> {dhlo.name = "x"}' in program


def test_dims_narrow_sizes(text):
    program = text(Scale(), torch.ones(3, 4), dims={"x_d0": (1, 8), "x_d1": 4})
    assert "dhlo.dim @x_d0 in [1, 8]" in program and "dhlo.dim @x_d1 in [4, 4]" in program
    with pytest.raises(dyn.InvalidArgumentError, match="no size 'y': expected one of 'x_d0'"):
        text(Scale(), torch.ones(3, 4), dims={"y": 1})


def test_transforms_along_inner_axes_are_scheduled(tmp_path):
    class Spectrum(torch.nn.Module):
        def forward(self, x):
            return torch.fft.irfft2(torch.fft.rfft2(x), s=x.shape[2:])

    path, sizes = tmp_path / "model.mlir", {0: Dim.DYNAMIC}
    to_dhlo(Spectrum(), path, args=(torch.ones(2, 3, 16, 8),), dynamic_shapes={"x": sizes})
    command = ["dyn-compile", str(path), "--explain=json"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    kernels = json.loads(done.stdout)["kernels"]
    assert any(kernel["kind"] == "contraction" for kernel in kernels)
    slow = [k["slow"] for k in kernels if k.get("slow", {}).get("by_element")]
    assert not [s for s in slow if "dot_general" in s["operation"]]


def test_equal_sizes_share_a_symbol(text):
    class Add(torch.nn.Module):
        def forward(self, x, y):
            return x + y

    rows = {0: Dim.DYNAMIC}
    program = text(Add(), torch.ones(3), torch.ones(3), dynamic_shapes={"x": rows, "y": rows})
    assert program.count("dhlo.dim ") == 1


def test_tied_weights_are_written_once(text, tmp_path):
    program = text(Tied(), torch.tensor([[1, 2, 3]]))
    weights = re.findall(r'weight <"model.safetensors", offset = (\d+), length = 1600', program)
    assert len(set(weights)) == 1
    assert (tmp_path / "model.safetensors").stat().st_size < 2000


def test_locations_are_lines_and_modules(text):
    program = text(Tied(), torch.tensor([[1, 2, 3]]))
    location = r'dhlo\.gather .* loc\("embed"\(".*test_program\.py":(\d+):1\)\)'
    line = int(re.search(location, program).group(1))
    assert "self.head(self.embed(ids))" in pathlib.Path(__file__).read_text().split("\n")[line - 1]


@pytest.mark.parametrize("large", [True, False])
def test_conditions_name_what_is_wrong(large):
    """Guards between sizes that PyTorch recorded are checked by each call."""

    class Branch(torch.nn.Module):
        def forward(self, x, y):
            return x.sum() if x.shape[0] > 2 * y.shape[0] else y.sum()

    sizes = {"x": {0: Dim.DYNAMIC}, "y": {0: Dim.DYNAMIC}}
    few, many = (torch.ones(3), torch.ones(9))
    right, wrong = ((many, few), (few, many)) if large else ((few, many), (many, few))
    model = dyn.compile(Branch(), args=right, dynamic_shapes=sizes)
    assert model(*right) == 9
    with pytest.raises(dyn.Error, match="x_d0"):
        model(*wrong)


def test_what_pytorch_found_equal_is_checked():
    class Fold(torch.nn.Module):
        def forward(self, x, y):
            return x.view(y.shape[0], -1)

    sizes = {"x": {0: Dim.DYNAMIC}, "y": {0: Dim.DYNAMIC}}
    model = dyn.compile(Fold(), args=(torch.ones(6, 2), torch.ones(3)), dynamic_shapes=sizes)
    assert model(torch.ones(12, 2), torch.ones(4)).shape == (4, 6)
    with pytest.raises(dyn.DataError, match=r"dhlo.bind at 'Eq\(Mod\("):
        model(torch.ones(5, 2), torch.ones(3))


def test_values_of_a_mask_are_counted():
    class Put(torch.nn.Module):
        def forward(self, x, values):
            x = x.clone()
            x[x > 0] = values
            return x

    x = torch.tensor([1.0, -1, 2, 3])
    sizes = {"x": {0: Dim.DYNAMIC}, "values": {0: Dim.DYNAMIC}}
    model = dyn.compile(Put(), args=(x, torch.ones(3)), dynamic_shapes=sizes)
    assert model(x, torch.tensor([7.0, 8, 9])).tolist() == [7, -1, 8, 9]
    for count in (2, 4):
        with pytest.raises(dyn.DataError, match="as many values as true elements .*test_program"):
            model(x, torch.ones(count))


@pytest.mark.parametrize(
    "function,message",
    [(torch.linalg.inv, "not singular"), (torch.linalg.cholesky, "positive definite")],
)
def test_matrices_without_a_solution(function, message):
    class Solve(torch.nn.Module):
        def forward(self, x):
            return function(x)

    x = torch.eye(3).repeat(2, 1, 1)
    model = dyn.compile(Solve(), args=(x,), dynamic_shapes={"x": {0: Dim.DYNAMIC}})
    assert_close(model(x), x, "identity")
    x[1, 2, 2] = 0
    with pytest.raises(dyn.DataError, match=message):
        model(x)


def test_data_errors_name_the_line():
    class Tokens(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.words = torch.nn.Embedding(4, 3)

        def forward(self, ids):
            return self.words.weight[ids]  # the line

    code = inspect.getsource(Tokens).splitlines()
    first = inspect.getsourcelines(Tokens)[1]
    (line,) = (first + i for i, text in enumerate(code) if "# the line" in text)
    ids = torch.tensor([0, 3, 1])
    model = torch.nn.Sequential(Tokens())
    model = dyn.compile(model, args=(ids,), dynamic_shapes=({0: Dim.DYNAMIC},))
    model(ids)
    location = rf"'0 \(test_program\.py:{line}\)'"
    with pytest.raises(dyn.DataError, match=location + ": index out of range"):
        model(torch.tensor([0, 4]))


def test_what_pytorch_took_for_granted_is_a_condition():
    """It assumes that a dynamic size is neither 0 nor 1."""

    class Last(torch.nn.Module):
        def forward(self, x):
            return x[:, -1]

    sizes = {"x": {0: Dim.DYNAMIC, 1: Dim.DYNAMIC}}
    model = dyn.compile(Last(), args=(torch.ones(3, 4),), dynamic_shapes=sizes)
    assert model(torch.ones(0, 1)).shape == (0,) and model(torch.ones(1, 1)) == 1
    with pytest.raises(dyn.InvalidArgumentError, match="expected x_d1 of at least 1, got 0"):
        model(torch.ones(2, 0))


def test_a_slice_needs_its_first_element():
    """That the second slice is not empty is what PyTorch assumed for the first one."""

    class Slices(torch.nn.Module):
        def forward(self, x):
            return x[::2], x[3:]

    model = dyn.compile(Slices(), args=(torch.ones(9),), dynamic_shapes={"x": {0: Dim.DYNAMIC}})
    assert [x.shape for x in model(torch.ones(3))] == [(2,), (0,)]
    with pytest.raises(dyn.InvalidArgumentError, match="expected x_d0 of at least 3, got 2"):
        model(torch.ones(2))


def test_squeeze_keeps_what_is_dynamic():
    class Squeeze(torch.nn.Module):
        def forward(self, x):
            return x.squeeze(0), x.squeeze()

    model = dyn.compile(Squeeze(), args=(torch.ones(3, 4),), dynamic_shapes=({0: Dim.DYNAMIC},))
    for rows in (0, 2):
        assert [part.shape for part in model(torch.ones(rows, 4))] == [(rows, 4)] * 2
    with pytest.raises(dyn.DataError, match=r"squeeze of a size other than 1 \(test_program"):
        model(torch.ones(1, 4))


def test_assertions_on_data():
    class Positive(torch.nn.Module):
        def forward(self, x):
            torch._assert((x > 0).all(), "expected positive numbers")
            torch.ops.aten._assert_async(x.sum() < 9)
            return x + 1

    model = dyn.compile(Positive(), args=(torch.ones(3),))
    assert model(torch.ones(4)).tolist() == [2] * 4
    with pytest.raises(dyn.DataError, match=r"expected positive numbers \(test_program"):
        model(torch.tensor([1.0, -1.0]))
    with pytest.raises(dyn.DataError, match="an assertion of the model"):
        model(torch.tensor([5.0, 6.0]))


def test_sizes_that_follow_from_others():
    class Halves(torch.nn.Module):
        def forward(self, x):
            return x.view(-1, 2).sum(1)

    half = Dim("half", max=50)
    model = dyn.compile(Halves(), args=(torch.ones(6),), dynamic_shapes={"x": {0: 2 * half}})
    assert_close(model(torch.ones(10)), torch.full((5,), 2.0), "halves")
    with pytest.raises(dyn.InvalidArgumentError, match="multiple of 2"):
        model(torch.ones(5))


@pytest.mark.parametrize("rest", [-1, 1])
def test_sizes_that_follow_from_others_by_a_sum(rest):
    class Pairs(torch.nn.Module):
        def forward(self, x):
            return x[:-1].view(-1, 2).sum(1)

    half = Dim("half", min=1, max=50)
    model = dyn.compile(Pairs(), args=(torch.ones(7),), dynamic_shapes={"x": {0: 2 * half + rest}})
    assert model(torch.ones(9)).shape == (4,)
    with pytest.raises(dyn.DataError, match=r"Eq\(Mod\("):
        model(torch.ones(8))


def test_sizes_of_inputs_that_are_numbers():
    class Times(torch.nn.Module):
        def forward(self, x, n):
            return x * n

    sizes = {"x": {0: Dim.DYNAMIC}, "n": Dim.DYNAMIC}
    model = dyn.compile(Times(), args=(torch.ones(3), 4), dynamic_shapes=sizes)
    assert model(torch.ones(2), 7).tolist() == [7, 7]


@pytest.mark.parametrize("size", [4, 40])
def test_buffers_that_are_conjugated_when_they_are_read(size):
    class Conjugate(torch.nn.Module):
        def __init__(self):
            super().__init__()
            numbers = torch.complex(torch.ones(size), torch.ones(size)).conj()
            self.register_buffer("numbers", numbers)
            self.register_buffer("negative", numbers.imag)

        def forward(self, x):
            return torch.view_as_real(self.numbers * x), self.negative * x

    model, x = Conjugate(), torch.arange(float(size))
    assert_close(dyn.compile(model, args=(x,))(x), model(x), "conjugate")


def test_autocast_around_the_compilation():
    model, x = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Softmax(-1)), torch.randn(3, 4)
    with torch.autocast("cpu", torch.bfloat16):
        compiled = dyn.compile(model, args=(x,))
        expected = model(x).detach()
    assert_close(compiled(x), expected, "autocast")
    assert "forward" not in vars(model)


def test_functions_that_pytorch_traces_through():
    """Operators that torch.vmap leaves in a program are decomposed."""

    class Dots(torch.nn.Module):
        def forward(self, x, y):
            return torch.vmap(lambda a, b: (a * b).sum() / a.norm())(x, y)

    x = torch.randn(3, 4)
    assert_close(dyn.compile(Dots(), args=(x, x + 1))(x, x + 1), Dots()(x, x + 1), "vmap")


def test_structures_of_arguments_and_results():
    class Nested(torch.nn.Module):
        def forward(self, pair, factor, *, extra):
            return {"sum": pair[0] + pair[1], "list": [extra * factor, None, pair[0].shape[0]]}

    arguments = ((torch.ones(3), torch.ones(3)), 2)
    model = dyn.compile(Nested(), args=arguments, kwargs={"extra": torch.ones(2)})
    result = model((torch.ones(5), torch.ones(5)), 2, extra=torch.ones(2))
    assert_close(result["sum"], torch.full((5,), 2.0), "sum")
    assert result["list"][1:] == [None, 5]
    assert [port.name for port in model.artifact.outputs] == ["sum", "list_0", "list_2"]
    with pytest.raises(dyn.InvalidArgumentError, match="constant of the program: expected 2"):
        model((torch.ones(5), torch.ones(5)), 3, extra=torch.ones(2))
    with pytest.raises(dyn.InvalidArgumentError, match="expected arguments of the structure"):
        model(torch.ones(5), 2, extra=torch.ones(2))


def test_numpy_in_numpy_out():
    model = dyn.compile(Scale(), args=(torch.ones(3),))
    result = model(np.ones(5, np.float32))
    assert isinstance(result, np.ndarray) and result.tolist() == [2] * 5
    assert isinstance(model(torch.ones(2)), torch.Tensor)


def test_bfloat16():
    model = dyn.compile(Scale(), args=(torch.ones(3, dtype=torch.bfloat16),))
    assert_close(model(torch.ones(5).bfloat16()), torch.full((5,), 2.0).bfloat16(), "bf16")


def test_inputs_that_change():
    class Count(torch.nn.Module):
        def forward(self, x):
            x.add_(1)
            return x * 2

    model = dyn.compile(Count(), args=(torch.ones(3),))
    x = torch.zeros(5)
    assert model(x).tolist() == [2] * 5 and x.tolist() == [1] * 5


def test_exported_programs_and_output(tmp_path):
    program = torch.export.export(Scale(), (torch.ones(3),), dynamic_shapes={"x": {0: Dim.DYNAMIC}})
    model = dyn.compile(program, tmp_path / "scale.so")
    assert model(torch.ones(4)).tolist() == [2] * 4
    assert dyn.load(tmp_path / "scale.so")(x=np.ones(2, np.float32)).tolist() == [2, 2]
    with pytest.raises(dyn.InvalidArgumentError, match="an exported program has its arguments"):
        dyn.compile(program, args=(torch.ones(3),))


class Steps(torch.nn.Module):
    """In eager form, except for `add`."""

    def __init__(self, add):
        super().__init__()
        self.norm, self.add = torch.nn.BatchNorm1d(3), add

    def forward(self, x):
        y = self.add(self.norm(x).contiguous(), 1)
        return torch.min(torch.where(x > 0, y, 0.0), x.expand_as(y)).to(torch.float64)


@pytest.mark.parametrize("add, is_normal", [(torch.add, True), (torch.Tensor.add_, False)])
def test_programs_are_traced_again_if_something_changes_in_place(add, is_normal):
    model, x = Steps(add).eval(), torch.randn(5, 3)
    program = torch.export.export(model, (x,), dynamic_shapes={"x": {0: Dim.DYNAMIC}})
    assert (normalize(program) is program) == is_normal
    assert_close(dyn.compile(program)(x), model(x).detach(), "result")


def test_rows_cannot_be_repeated_less_than_never():
    class Repeat(torch.nn.Module):
        def forward(self, x, times):
            return torch.repeat_interleave(x, times, 0)

    model = dyn.compile(Repeat(), args=(torch.arange(3), torch.tensor([2, 0, 1])))
    assert model(torch.arange(2), torch.tensor([1, 2])).tolist() == [0, 1, 1]
    with pytest.raises(dyn.DataError, match="negative .*: got -1"):
        model(torch.arange(3), torch.tensor([3, -1, 2]))


def test_values_read_from_data():
    class Repeat(torch.nn.Module):
        def forward(self, n):
            count = n.item()
            torch._check(count >= 0)
            torch._check(count <= 100)
            return torch.ones(count)

    model = dyn.compile(Repeat(), args=(torch.tensor(4),))
    assert model(torch.tensor(7)).shape == (7,) and model(torch.tensor(0)).shape == (0,)


@pytest.mark.parametrize(
    "relation, values",
    [("Or(x > 3, Eq(y, 0))", {(4, 1): 1, (3, 1): 0, (3, 0): 1}),
     ("Not(Eq(x, y))", {(2, 2): 0, (2, 3): 1}),
     ("And(x < y, Ne(x, 0))", {(0, 1): 0, (1, 2): 1, (2, 1): 0})],
)  # fmt: skip
def test_truth_of_guards(relation, values):
    """Guards that are not simple relations are numbers, 1 if they are true."""
    import sympy
    from dyn.frontend.torch.guards import _range

    x, y = sympy.symbols("x y", integer=True, nonnegative=True)
    names = {"x": x, "y": y, "Or": sympy.Or, "And": sympy.And, "Not": sympy.Not}
    number, low, high = _range(sympy.sympify(relation, locals=names, evaluate=False))
    for (first, second), truth in values.items():
        value = number.subs({x: first, y: second})
        assert (low <= value and (high is None or value <= high)) == bool(truth)


def test_sizes_that_differ_at_all_sizes():
    import sympy
    from dyn.frontend.torch.sizes import Symbols
    from torch.utils._sympy.value_ranges import ValueRanges

    x = sympy.Symbol("x", integer=True, positive=True)
    symbols = Symbols({x: ValueRanges(2, 9)})
    assert symbols.holds(sympy.Ne(x, -1, evaluate=False)) and symbols.holds(sympy.Ne(10, x))
    assert not symbols.holds(sympy.Ne(x, 1)) and not symbols.holds(sympy.Ne(x, 4))
    y = sympy.Symbol("y", integer=True)
    symbols = Symbols({x: ValueRanges(0, 9), y: ValueRanges(-9, 9)})
    assert symbols.holds(sympy.Ne(3 * x * y + 6 * y, 1))
    assert not symbols.holds(sympy.Ne(3 * x * y, 6)) and not symbols.holds(sympy.Ne(2 * x + y, 1))


@pytest.mark.parametrize(
    "text, is_never_less",
    [("-x + 2 * ceil(x, 2)", True), ("-x + 2 * ceil(x, 2) - 1", False),
     ("x - 3 * ceil(x, 3) + 2", True), ("x - 3 * ceil(x, 3) + 1", False),
     ("3 * floor(x, 3) - x + 2", True), ("3 * floor(x, 3) - x + 1", False),
     ("x - 3 * floor(x, 3)", True), ("x - 3 * floor(x, 3) - 1", False),
     ("x - 3 * floor(x, 2)", False), ("x + y", False)],
)  # fmt: skip
def test_the_greater_of_zero_and_what_is_never_less(text, is_never_less):
    """The padding of layers that pad for strides is nested maxima."""
    import sympy
    from dyn.frontend.torch.sizes import to_expr
    from torch.utils._sympy import functions

    x, y = sympy.symbols("x y", integer=True)
    names = {
        "x": x, "y": y, "floor": lambda a, n: functions.FloorDiv(a, n),
        "ceil": lambda a, n: functions.CeilToInt(functions.IntTrueDiv(a, n)),
    }  # fmt: skip
    number = eval(text, names)
    found = to_expr(functions.Max(0, number))
    assert (found == to_expr(number)) == is_never_less
    if is_never_less:
        quotients = names | {"floor": lambda a, n: a // n, "ceil": lambda a, n: -(-a // n)}
        assert min(eval(text, quotients | {"x": i}) for i in range(-20, 20)) == 0


def test_guards_of_products():
    """That a product of sizes is not 0 is stated of its factors; a size is never
    negative."""
    import sympy
    from dyn.frontend.torch.guards import _is_of_no_size, _of_factors
    from torch.utils._sympy import functions

    x, y = sympy.symbols("x y", integer=True, positive=True)
    factors = _of_factors(sympy.Ne(3 * x * (y - 1), 0))
    assert set(factors) - {sympy.true} == {sympy.Ne(x, 0), sympy.Ne(y - 1, 0)} - {sympy.true}
    product = sympy.Ge(functions.FloorDiv(x - 9, 2) * y, 0, evaluate=False)
    assert _is_of_no_size(product) and _is_of_no_size(sympy.Ne(x - 2, -1))
    assert not _is_of_no_size(sympy.Ne(x - 2, 1))
    assert not _is_of_no_size(sympy.Ge(x - 5, 0, evaluate=False))
    assert not _is_of_no_size(sympy.Ge(9, x * y, evaluate=False))


@pytest.mark.parametrize(
    "relation, location, is_about_strides",
    [("1 < x * y", "_ops.py", True), ("x * (y - 1) >= x", "_ops.py", True),
     ("Ne(x, y)", "_ops.py", True), ("Ne(x, 1)", "_ops.py", False),
     ("x < y + 1", "_ops.py", False), ("2 * x < y", "_ops.py", False),
     ("Eq(x * y, y)", "_ops.py", False), ("1 < x * y", "model.py", False),
     ("Eq(4 * Max(1, x - 2), 4 * (x - 2))", "is_contiguous _prims.py", True),
     ("Eq(x - 2, 1)", "is_contiguous _prims.py", False),
     ("Eq(4 * Max(1, x - 2), 4 * (x - 2))", "_ops.py", False)],
)  # fmt: skip
def test_guards_about_strides(relation, location, is_about_strides):
    """Comparisons of PyTorch's own code to lay out views are no conditions of a call."""
    import sympy
    from dyn.frontend.torch.guards import _is_about_strides

    x, y = sympy.symbols("x y", integer=True, positive=True)
    names = {"x": x, "y": y, "Ne": sympy.Ne, "Max": sympy.Max}
    name, _, file = location.rpartition(" ")
    frame = types.SimpleNamespace(name=name or "__call__", filename=f"torch/{file}")
    relation = sympy.sympify(relation, locals=names, evaluate=False)
    assert _is_about_strides(frame, relation) == is_about_strides
