# ===- types.py - Element types of PyTorch, dhlo and artifacts -------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types."""

import torch

from dyn.errors import UnsupportedError

#: The types in dhlo.
MLIR_NAMES = {
    torch.bool: "i1",
    torch.int8: "i8",
    torch.int16: "i16",
    torch.int32: "i32",
    torch.int64: "i64",
    torch.uint8: "ui8",
    torch.uint16: "ui16",
    torch.uint32: "ui32",
    torch.uint64: "ui64",
    torch.float16: "f16",
    torch.bfloat16: "bf16",
    torch.float32: "f32",
    torch.float64: "f64",
}


def mlir_name(dtype):
    if dtype not in MLIR_NAMES:
        raise UnsupportedError(f"element type {dtype} is not supported")
    return MLIR_NAMES[dtype]


def is_float(dtype):
    return dtype.is_floating_point


def is_integer(dtype):
    return dtype is not torch.bool and not dtype.is_floating_point


def computed_in(dtype):
    """The type in which PyTorch computes on elements of a type, before it rounds once."""
    return torch.float32 if dtype in (torch.float16, torch.bfloat16) else dtype


def float_bounds(dtype, integer):
    """The smallest and largest numbers of a float type that an integer type can
    represent."""
    info = torch.iinfo(integer)
    high = torch.tensor(float(info.max), dtype=dtype).clamp(max=torch.finfo(dtype).max)
    if high.item() > info.max:
        high = torch.nextafter(high, torch.zeros_like(high))
    return max(float(info.min), torch.finfo(dtype).min), high.item()


def wrapped(number, dtype):
    """An integer as PyTorch converts it to an integer type: modulo 2^bits."""
    info = torch.iinfo(dtype)
    return (int(number) - info.min) % (info.max - info.min + 1) + info.min


def literal(value, dtype):
    """A number as an element of a dense attribute."""
    if dtype is torch.bool:
        return "true" if value else "false"
    if not is_float(dtype):
        return str(wrapped(value, dtype))
    value = float(value)
    if value != value or value in (float("inf"), float("-inf")):
        integer = {2: torch.int16, 4: torch.int32, 8: torch.int64}[dtype.itemsize]
        bits = torch.tensor(value, dtype=dtype).view(integer).item()
        return f"0x{bits % (1 << 8 * dtype.itemsize):0{2 * dtype.itemsize}X}"
    return decimal(value)


def decimal(value):
    """A finite number as a float literal, which has a point before its exponent."""
    text = repr(float(value))
    return text if "." in text else text.replace("e", ".0e")
