# ===- test_element_types.py - Arrays of every element type ----------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each element type through each way in: numpy, DLPack, torch, buffers and lists.

The model transposes, so that a wrong stride or a wrong element size shows, and keeps all bits.
"""

import itertools
import sys

import numpy as np
import pytest

import dyn

#: MLIR's name of each element type.
TYPES = {
    "bool": "i1", "i8": "i8", "i16": "i16", "i32": "i32", "i64": "i64",
    "u8": "ui8", "u16": "ui16", "u32": "ui32", "u64": "ui64",
    "f16": "f16", "bf16": "bf16", "f32": "f32", "f64": "f64",
}  # fmt: skip
IN_NUMPY = [name for name in TYPES if name != "bf16"]
INTEGERS = [name for name in IN_NUMPY if name[0] in "iu"]

ENTRY = """
func.func @{name}(%x: tensor<?x?x{type}, #dhlo.dims<m, n>> {{dhlo.name = "x"}})
    -> (tensor<?x?x{type}, #dhlo.dims<n, m>> {{dhlo.name = "y"}}) attributes {{dhlo.entry}} {{
  %0 = dhlo.transpose %x permutation = [1, 0]
      : (tensor<?x?x{type}, #dhlo.dims<m, n>>) -> tensor<?x?x{type}, #dhlo.dims<n, m>>
  return %0 : tensor<?x?x{type}, #dhlo.dims<n, m>>
}}
"""


@pytest.fixture(scope="module")
def artifact(build, tmp_path_factory):
    """An artifact with an entry for each element type, named like it."""
    compiler = build / "bin" / "dyn-compile"
    if not compiler.exists():
        pytest.skip("the compiler is not built")
    folder = tmp_path_factory.mktemp("types")
    entries = [ENTRY.format(name=name, type=TYPES[name]) for name in TYPES]
    (folder / "m.mlir").write_text("\n".join(["dhlo.dim @m\ndhlo.dim @n", *entries]))
    patch = pytest.MonkeyPatch()
    patch.setenv("DYN_COMPILE", str(compiler))
    try:
        dyn.compile(folder / "m.mlir", output=folder / "m.so")
    finally:
        patch.undo()
    return folder / "m.so"


@pytest.fixture
def transpose(artifact):
    """The entry of an element type."""
    return lambda name: dyn.load(artifact, entry=name)


def random_bits(name, shape=(5, 7)):
    """An array with any bits, NaNs, infinities and subnormal numbers included."""
    dtype = dyn.runtime.artifact._numpy_dtype(name)
    rng = np.random.default_rng(len(name))
    if name == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    bits = rng.integers(0, 256, (*shape[:-1], shape[-1] * dtype.itemsize), np.uint8)
    return bits.view(dtype)


def expect_bits(found, expected):
    """Expects the same type, shape and bits: NaNs differ from each other by value."""
    assert found.dtype == expected.dtype and found.shape == expected.shape
    assert np.ascontiguousarray(found).tobytes() == np.ascontiguousarray(expected).tobytes()


#: Views of an array whose elements are not consecutive in row-major order.
VIEWS = {
    "transposed": lambda x: x.T,
    "reversed": lambda x: x[::-1],
    "reversed columns": lambda x: x[:, ::-1],
    "every other row": lambda x: x[::2],
    "every other column": lambda x: x[:, 1::2],
    "repeated": lambda x: np.broadcast_to(x[:1], (3, x.shape[1])),
    "column-major": np.asfortranarray,
    "one row": lambda x: x[3:4],
    "one column": lambda x: x[:, 2:3],
}


@pytest.mark.parametrize("name", TYPES)
def test_all_bits_are_kept(transpose, name):
    x = random_bits(name)
    expect_bits(transpose(name)(x), x.T)


@pytest.mark.parametrize("name", TYPES)
def test_signatures_name_the_type(transpose, name):
    model = transpose(name)
    assert str(model.inputs[0]) == f"x: {name}[m, n]"
    assert str(model.outputs[0]) == f"y: {name}[n, m]"
    assert model.inputs[0].numpy_dtype == random_bits(name).dtype


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", ["bool", "i8", "u16", "bf16", "f32", "f64"])
def test_views_are_read_by_their_strides(transpose, name, view):
    """A size of element of each kind: a copy that assumed another one would mix elements."""
    x = VIEWS[view](random_bits(name))
    expect_bits(transpose(name)(x), x.T)


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (4, 0), (1, 1)])
def test_empty_and_single_elements(transpose, name, shape):
    x = random_bits(name, shape) if 0 not in shape else random_bits(name)[: shape[0], : shape[1]]
    result = transpose(name)(x)
    expect_bits(result, x.T)
    assert result.shape == shape[::-1]


@pytest.mark.parametrize("name", [name for name in IN_NUMPY if name not in ("bool", "i8", "u8")])
def test_other_byte_orders_are_converted(transpose, name):
    x = random_bits(name)
    swapped = x.astype(x.dtype.newbyteorder(">"))
    assert not swapped.dtype.isnative
    for view in (swapped, swapped[::2], swapped.T):
        expect_bits(transpose(name)(view), view.astype(x.dtype).T)


def test_unaligned_arrays(transpose):
    """Kernels assume the alignment of the element type; numpy reads fields at any address."""
    records = np.zeros((3, 4), np.dtype([("flag", "u1"), ("value", "<f8")]))
    records["value"] = np.arange(12).reshape(3, 4)
    assert not records["value"].flags.aligned
    expect_bits(transpose("f64")(records["value"]), np.arange(12.0).reshape(3, 4).T)


@pytest.mark.parametrize("given, wanted", itertools.permutations(["bool", "i8", "u8"], 2))
def test_types_of_one_size_are_not_confused(transpose, given, wanted):
    with pytest.raises(
        dyn.InvalidArgumentError,
        match=rf"^input 'x': expected {wanted}\[m, n\], got elements of {given}$",
    ):
        transpose(wanted)(random_bits(given))


@pytest.mark.parametrize("wanted", TYPES)
def test_no_type_is_converted(transpose, wanted):
    """An array has a type, which may be a mistake, and is not converted; a list has none."""
    model = transpose(wanted)
    for given in IN_NUMPY:
        # Bits of a bfloat16 are given as uint16.
        if given == wanted or (given, wanted) == ("u16", "bf16"):
            continue
        with pytest.raises(dyn.InvalidArgumentError, match=f"got elements of {given}$"):
            model(random_bits(given))


@pytest.mark.parametrize("dtype", ["c8", "c16", "O", "U3", "S2", "M8[s]", "m8[s]", "g", "V3"])
def test_types_that_no_model_has(transpose, dtype):
    x = np.zeros((2, 2), dtype)
    with pytest.raises((dyn.InvalidArgumentError, TypeError), match="^input 'x': expected "):
        transpose("f32")(x)


# ===----------------------------------------------------------------------===#
# Lists and numbers
# ===----------------------------------------------------------------------===#


@pytest.mark.parametrize("name", TYPES)
def test_lists_take_the_type_of_the_input(transpose, name):
    result = transpose(name)([[0, 1, 1], [1, 0, 1]])
    assert result.dtype == transpose(name).outputs[0].numpy_dtype
    assert result.astype(np.float64).tolist() == [[0, 1], [1, 0], [1, 1]]
    assert transpose(name)(((1,),)).shape == (1, 1)


@pytest.mark.parametrize("name", INTEGERS)
def test_limits_of_integers(transpose, name):
    info = np.iinfo(transpose(name).inputs[0].numpy_dtype)
    assert transpose(name)([[info.min, info.max]]).tolist() == [[info.min], [info.max]]
    for number in (info.min - 1, info.max + 1):
        with pytest.raises(OverflowError):
            transpose(name)([[number]])


@pytest.mark.parametrize("name", ["bool", *INTEGERS])
def test_floats_are_no_integers(transpose, name):
    """They would be truncated, or any other than 0 be True; the kind counts, not the value."""
    model = transpose(name)
    for number in (1.5, 2.0, float("nan"), np.float32(1)):
        for given in ([[1, number]], [[True], (number,)], [np.array([number, 1])]):
            with pytest.raises(TypeError, match="^input 'x': expected integers, got "):
                model(given)
    for given in (1.5, [["3"]], [[None]]):
        with pytest.raises(TypeError, match="^input 'x': expected integers, got "):
            model(given)
    # An empty list has no floats, and integers of numpy are integers.
    assert model([[], []]).shape == (0, 2)
    assert model([[np.int8(1), True, np.True_]]).astype(int).tolist() == [[1], [1], [1]]


def test_lists_of_halves(transpose, monkeypatch):
    """Without ml_dtypes the array that is passed has the bits, which are not the numbers."""
    numbers = [[1, 1.5, True, -0.0, 3.3895314e38, 3.4e38, float("inf"), 1.00390625, 1.01171875]]
    wanted = [0x3F80, 0x3FC0, 0x3F80, 0x8000, 0x7F7F, 0x7F80, 0x7F80, 0x3F80, 0x3F82]
    for module in (None, sys.modules.get("ml_dtypes")):
        monkeypatch.setitem(sys.modules, "ml_dtypes", module)
        assert transpose("bf16")(numbers).view(np.uint16)[:, 0].tolist() == wanted
        (bits,) = transpose("bf16")([[float("nan")]]).view(np.uint16)[0]
        assert bits & 0x7FFF > 0x7F80


def test_lists_that_are_no_arrays(transpose):
    with pytest.raises(ValueError, match="inhomogeneous"):
        transpose("f32")([[1, 2], [3]])
    with pytest.raises(ValueError, match="could not convert"):
        transpose("f32")([["a"]])
    with pytest.raises(dyn.InvalidArgumentError, match="expected rank 2, .*, got rank 1"):
        transpose("f32")([1, 2])
    with pytest.raises(dyn.InvalidArgumentError, match="expected rank 2, .*, got rank 0"):
        transpose("f32")(3)
    with pytest.raises(dyn.InvalidArgumentError, match="expected rank 2, .*, got rank 3"):
        transpose("f32")([[[1]]])


# ===----------------------------------------------------------------------===#
# Other libraries
# ===----------------------------------------------------------------------===#


class OnlyDlpack:
    """An array of which nothing but the protocol can be seen."""

    def __init__(self, array):
        self.array = array

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)


@pytest.mark.parametrize("name", IN_NUMPY)
def test_dlpack_of_every_type(transpose, name):
    x = random_bits(name)
    expect_bits(transpose(name)(OnlyDlpack(x)), x.T)
    expect_bits(transpose(name)(OnlyDlpack(x[:0])), x[:0].T)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", ["bool", "f16", "i32", "f64"])
def test_dlpack_with_strides_is_copied(transpose, name, view):
    """Strides of DLPack are numbers of elements, and also negative or 0."""
    x = VIEWS[view](random_bits(name))
    expect_bits(transpose(name)(OnlyDlpack(x)), x.T)


def test_dlpack_beyond_memory_is_not_copied(transpose):
    x = np.broadcast_to(np.zeros((), np.float64), (1 << 30, 1 << 29))
    with pytest.raises(MemoryError):
        transpose("f64")(OnlyDlpack(x))


class Raising:
    """An array whose producer raises an exception for each kind of call."""

    def __init__(self, plain, versioned):
        self.plain, self.versioned = plain, versioned

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, **options):
        raise self.versioned if options else self.plain


def test_exceptions_of_dlpack_are_passed_on(transpose):
    """With the input's name; KeyboardInterrupt in particular is not lost."""
    model = transpose("f32")
    for error in (RuntimeError("lost"), KeyboardInterrupt(), TypeError("no export"), MemoryError()):
        with pytest.raises(type(error)) as info:
            model(Raising(error, AssertionError("a second call")))
        assert info.value is error and info.value.__context__ is None
        assert getattr(error, "__notes__", None) in (None, ["input 'x': the array cannot be read"])
    # A producer may export the array if it is told the version.
    first, second = BufferError("read-only"), BufferError("on another device")
    with pytest.raises(BufferError) as info:
        model(Raising(first, second))
    assert info.value is second and second.__context__ is first
    # That it takes no version is no reason.
    with pytest.raises(BufferError) as info:
        model(Raising(first, TypeError("unexpected keyword argument 'max_version'")))
    assert info.value is first
    x = random_bits("f32")
    expect_bits(model(x), x.T)


def test_exceptions_of_attributes_are_passed_on(transpose):
    class Lost:
        @property
        def __array_struct__(self):
            raise RuntimeError("lost")

    with pytest.raises(RuntimeError, match="^lost"):
        transpose("f32")(Lost())


def test_dlpack_that_is_no_capsule(transpose):
    class NoCapsule(OnlyDlpack):
        def __dlpack__(self, **options):
            return 3

    x = random_bits("f32")
    with pytest.raises(TypeError, match="^input 'x': expected a contiguous array of numpy or"):
        transpose("f32")(NoCapsule(x))
    expect_bits(transpose("f32")(x), x.T)


@pytest.mark.parametrize("name", [name for name in TYPES if name not in ("u16", "u32", "u64")])
def test_torch_tensors_of_every_type(transpose, name):
    torch = pytest.importorskip("torch")
    if name == "bf16":
        bits = random_bits("i16")
        x = torch.from_numpy(bits).view(torch.bfloat16)
        result = transpose(name)(x)
        assert result.dtype == torch.bfloat16
        expect_bits(result.view(torch.int16).numpy(), bits.T)
        expect_bits(transpose(name)(x.t()).view(torch.int16).numpy(), bits)
        return
    x = random_bits(name)
    expect_bits(transpose(name)(torch.from_numpy(x)), x.T)
    expect_bits(transpose(name)(torch.from_numpy(x).t()), x)
    expect_bits(transpose(name)(torch.from_numpy(x)[::2, ::3]), x[::2, ::3].T)


def test_buffers(transpose):
    """bytes, bytearray, array.array and memoryview have a type and a shape."""
    assert transpose("u8")(memoryview(b"abcdef").cast("B", (2, 3))).tobytes() == b"adbecf"
    with pytest.raises(dyn.InvalidArgumentError, match="expected rank 2, .*, got rank 1"):
        transpose("u8")(bytearray(b"abc"))
    with pytest.raises(dyn.InvalidArgumentError, match="got elements of u8"):
        transpose("i8")(memoryview(b"abcdef").cast("B", (2, 3)))
    x = random_bits("f64")
    expect_bits(transpose("f64")(memoryview(x)), x.T)
    expect_bits(transpose("f64")(memoryview(x)[::2]), x[::2].T)
