# ===- dialect.py - The dialect as its definition files have it ------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations of dhlo with the element types and the keywords that they take, read from the
definition files of the dialect, so that the generator repeats none of them."""

import dataclasses
import functools
import pathlib
import re

FOLDER = pathlib.Path(__file__).parents[2] / "include" / "dyn" / "Dialect" / "DHLO" / "IR"
FAMILY = re.compile(r'^include ".*/(\w+)\.td"', re.M)
OPERATION = re.compile(r'^def DHLO_\w+Op : DHLO_(\w*)Op<"(\w+)"(?:, DHLO_(\w*Tensor)\b)?', re.M)
TENSOR = re.compile(r"\bDHLO_(\w*Tensor)>?:\$")
ELEMENTS = re.compile(r"^def DHLO_(\w+) : (?:AnyTypeOf|DHLO_TensorOf)<\[([^]]*)\]", re.M)
ENUM = re.compile(r'DHLO_Enum<"(\w+)", "[^"]*", \[(.*?)\]>;', re.S)


@dataclasses.dataclass(frozen=True)
class Operation:
    """An operation. `form` is "Unary", "Binary" or "Predicate" for those that share an
    assembly format, else empty."""

    name: str
    form: str
    types: tuple  # element types of its first tensor
    keywords: tuple = ()  # of its enumerations and flags


def read(name):
    return (FOLDER / f"{name}.td").read_text()


@functools.cache
def element_types():
    """Names of constraints, with the element types that they allow."""
    found = {}
    for name, parts in ELEMENTS.findall(read("DHLOBase")):
        parts = [part.strip() for part in parts.split(",")]
        lists = (found.get(part.removeprefix("DHLO_"), (part.lower(),)) for part in parts)
        found[name] = tuple(dtype for dtypes in lists for dtype in dtypes)
    return found


@functools.cache
def enumerations():
    """Names of enumerations, with their keywords."""
    cases = re.compile(r'I32EnumAttrCase<"\w+", \d+, "(\w+)">')
    return {name: tuple(cases.findall(text)) for name, text in ENUM.findall(read("DHLOAttrs"))}


def keywords_of(text):
    """Those of the enumerations and flags among an operation's arguments."""
    arguments = text.partition("let arguments")[2].partition(";")[0]
    arguments += read_variables() if "ConvolutionAttributes" in arguments else ""
    enums = re.findall(r"DHLO_(\w+)Attr:\$", arguments)
    words = [word for name in enums for word in enumerations().get(name, ())]
    return tuple(words + re.findall(r"UnitAttr:\$(\w+)", arguments))


def read_variables():
    """Arguments that both convolutions have."""
    return read("DHLOContractionOps").partition("defvar ")[2].partition(";")[0]


@functools.cache
def operations():
    """All operations by name, in the order of their definition: seeds depend on it."""
    found = {}
    for family in FAMILY.findall(read("DHLOOps")):
        text = read(family)
        for head in OPERATION.finditer(text):
            form, name, tensor = head.groups()
            body = text[head.start() : text.index("\n}\n", head.start())]
            tensor = tensor or ("FloatTensor" if form == "Predicate" else "")
            tensor = tensor or next(iter(TENSOR.findall(body)), "")
            types = element_types().get(tensor, ())
            found[name] = Operation(name, form, types, keywords_of(body))
    return found
