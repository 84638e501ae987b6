# ===- likeness.py - Branches that are equal but for weights ---------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decides which branches of a switch compute the same function of their rows and their
weights, so that one of them is traced for all.

Two modules do so if their classes are the same, and so is everything that their code can
read of them, except the elements of tensors. A *description* contains that: attributes,
submodules, sizes of parameters and which of them are one, and the globals, closures and
attributes of classes that its code names. Descriptions are equal only if all of this is
known to be equal. If something is not known, such as an object of a class in C, or a tensor
that is not a parameter, a module has no description.

Code may also change what it reads: count its calls, or append to a list. Then the
description differs after the trace, and the trace stands for no other branch.
"""

import contextlib
import contextvars
import dis
import enum
import functools
import types

import torch
from torch.fx.experimental import proxy_tensor

from dyn.routing.router import Router

#: Python modules whose functions have no state that results depend on.
_TRUSTED = ("torch", "dyn.routing", "math", "operator", "functools", "itertools", "typing",
            "collections", "dataclasses", "enum", "builtins", "abc")  # fmt: skip
#: Members of modules besides their own attributes: hooks, which must be empty.
_OF_MODULES = frozenset(vars(torch.nn.Module()))
_DESCRIBED = {"_parameters", "_buffers", "_modules", "_non_persistent_buffers_set", "training"}
_PLAIN = (bool, int, str, bytes, complex, type(None), type(Ellipsis), torch.dtype, torch.device,
          torch.layout, torch.memory_format)  # fmt: skip

#: Methods of modules that calls do not reach.
_BEFORE_CALLS = {"__init__", "__repr__", "extra_repr", "reset_parameters"}

_enabled = contextvars.ContextVar("tracing_once", default=False)


@contextlib.contextmanager
def tracing_once():
    """Within a ``with`` block, torch.export traces one of several structurally equal
    branches. Only the importer can read the result: PyTorch cannot run it."""
    token = _enabled.set(True)
    try:
        yield
    finally:
        _enabled.reset(token)


def is_tracing_once():
    # torch.compile traces Python itself, and must not read the context variable.
    return (
        torch.compiler.is_compiling()
        and not torch.compiler.is_dynamo_compiling()
        and _enabled.get()
    )


def describe(branch):
    """The description of a branch, which can be compared, and its tensors in the order in
    which the description numbers them. None and [], if it has none."""
    description = _Description()
    try:
        if isinstance(branch, torch.nn.Module):
            return description.module(branch), description.tensors
    except _Unknown:
        pass
    return None, []


class _Unknown(Exception):
    """Something may differ that cannot be compared."""


class _Description:
    def __init__(self):
        self.tensors = []
        #: Numbers of tensors, modules and objects by identity, in the order of visits.
        self._numbers = {}
        #: Keeps numbered objects alive.
        self._kept = []
        self._code = set()

    def _visit(self, x):
        """The number of an object, and whether it is new."""
        is_new = id(x) not in self._numbers
        if is_new:
            self._kept.append(x)
        return self._numbers.setdefault(id(x), len(self._numbers)), is_new

    # ------------------------------------------------------------------------
    # Modules
    # ------------------------------------------------------------------------

    def module(self, module):
        if module is None:
            return None
        # While PyTorch traces, a module may be a proxy that has the attributes.
        kind, attributes = _class_of(module), vars(module)
        number, is_new = self._visit(attributes)
        if not is_new:
            return number
        if isinstance(module, Router):
            raise _Unknown  # may take replayed choices, see replaying.py
        for name in _OF_MODULES - _DESCRIBED:
            if attributes.get(name):
                raise _Unknown  # a hook
        own = {n: x for n, x in attributes.items() if n not in _OF_MODULES}
        if any(callable(getattr(kind, name, None)) for name in own):
            raise _Unknown  # a method of the instance alone
        return (
            number,
            kind,
            attributes["training"],
            tuple(sorted(attributes["_non_persistent_buffers_set"])),
            self._named(own, self.value),
            self._named(attributes["_parameters"], self.tensor),
            self._named(attributes["_buffers"], self.tensor),
            self._named(attributes["_modules"], self.module),
            self._class(kind),
        )

    @staticmethod
    def _named(items, describe):
        return tuple((name, describe(x)) for name, x in items.items())

    def tensor(self, tensor):
        if tensor is None:
            return None
        number, is_new = self._visit(tensor)
        if is_new:
            self.tensors.append(tensor)
        sizes = tuple(tensor.shape), tensor.stride()
        if not all(type(n) is int for part in sizes for n in part):
            raise _Unknown
        return number, type(tensor), tensor.dtype, tensor.device, *sizes

    # ------------------------------------------------------------------------
    # Attributes
    # ------------------------------------------------------------------------

    def value(self, x):
        kind = type(x)
        if kind in _PLAIN:
            return kind, x
        if kind is float:
            return kind, x.hex()  # distinguishes zeros by sign, and a NaN is equal to itself
        if isinstance(x, type):
            return kind, id(x), self._class(x)
        if isinstance(x, (enum.Enum, torch._ops.OpOverload, torch._ops.OpOverloadPacket)):
            return kind, id(x)
        if isinstance(x, types.BuiltinFunctionType) and (
            x.__self__ is None or isinstance(x.__self__, types.ModuleType)
        ):
            self._trust(x.__module__)
            return kind, id(x)
        if kind is types.FunctionType:
            return kind, id(x), self._function(x)
        if kind is types.ModuleType:
            self._trust(x.__name__)
            return kind, id(x)
        if kind is functools.partial:
            return kind, *map(self.value, (x.func, x.args, x.keywords))
        if isinstance(x, (torch.Tensor, torch.nn.Module)):
            raise _Unknown
        number, is_new = self._visit(x)
        if not is_new:
            return number
        if kind in (tuple, list, torch.Size):
            return number, kind, *map(self.value, x)
        if kind is dict:
            return number, kind, *((self.value(k), self.value(v)) for k, v in x.items())
        return number, kind, self._object(x)

    def _object(self, x):
        """An object of a Python class: its attributes."""
        classes = type(x).__mro__[:-1]
        if any(c.__module__ == "builtins" or "__slots__" in vars(c) for c in classes):
            raise _Unknown
        if not all(c.__flags__ & 1 << 9 for c in classes) or not hasattr(x, "__dict__"):
            raise _Unknown  # a class in C
        return self._class(type(x)), self._named(vars(x), self.value)

    # ------------------------------------------------------------------------
    # Code
    # ------------------------------------------------------------------------

    @staticmethod
    def _trust(name):
        if not _is_trusted(name):
            raise _Unknown

    def _function(self, function):
        """Everything that the code of a function reads besides its arguments."""
        if not isinstance(function, types.FunctionType):
            raise _Unknown
        if function in self._code or _is_trusted(function.__module__):
            return None
        self._code.add(function)
        seen = [self.value(x) for x in (function.__defaults__, function.__kwdefaults__)]
        seen.append(self._named(vars(function), self.value))
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
            if name != "__class__":
                seen.append((name, self.value(cell.cell_contents)))
        for code in _codes(function.__code__):
            seen += self._globals(code, function.__globals__)
        return tuple(seen)

    def _globals(self, code, scope):
        for instruction in dis.get_instructions(code):
            name = instruction.argval
            if instruction.opname in ("STORE_GLOBAL", "DELETE_GLOBAL"):
                raise _Unknown
            if instruction.opname == "IMPORT_NAME":
                self._trust(name)
            elif instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME") and name in scope:
                yield name, self.value(scope[name])

    def _class(self, kind):
        """Attributes and methods of a class and of its bases."""
        if kind in self._code:
            return None
        self._code.add(kind)
        seen = []
        is_module = issubclass(kind, torch.nn.Module)
        for c in kind.__mro__:
            if _is_trusted(c.__module__):
                continue
            for name, x in vars(c).items():
                x = getattr(x, "__func__", x)  # of static and class methods
                x = x.fget if isinstance(x, property) else x
                if isinstance(x, types.FunctionType):
                    if not (is_module and name in _BEFORE_CALLS):
                        seen.append((name, self._function(x)))
                elif not name.startswith("__"):
                    seen.append((name, self.value(x)))
        return tuple(seen)


def _class_of(module):
    stand_in = getattr(proxy_tensor, "_AttrProxy", None)
    if stand_in is None or not isinstance(module, stand_in):
        return type(module)
    return next(c for c in type(module).__mro__ if not issubclass(c, stand_in))


def _is_trusted(name):
    return name == "dyn" or any(name == n or (name or "").startswith(n + ".") for n in _TRUSTED)


def _codes(code):
    """A function's code, and that of functions within it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


class Representatives:
    """Which branches of a switch represent which, while they are traced in order."""

    def __init__(self, branches):
        self._branches = branches
        self._is_on = is_tracing_once() and len(branches) > 1
        self._described = [describe(b) for b in branches] if self._is_on else []
        #: By description: the index of the traced branch that has it.
        self._traced = {}
        self._count = 0
        #: For each path so far: the index of the traced branch that represents it.
        self.stands = []
        #: For each path so far: its tensors, if the branch represents others or is
        #: represented by another.
        self.tensors = []

    def has(self, number):
        """Whether a traced branch represents the next one."""
        description, tensors = self._described[number] if self._is_on else (None, [])
        traced = None if description is None else self._traced.get(description)
        if traced is None:
            return False
        self.stands.append(traced)
        self.tensors.append(tensors)
        return True

    def add(self, number, flat):
        """Records that a branch was traced, and its results."""
        description, tensors = self._described[number] if self._is_on else (None, [])
        if tensors and describe(self._branches[number])[0] == description and _are_sized(flat):
            self._traced[description] = self._count
        else:
            tensors = []
        self.stands.append(self._count)
        self.tensors.append(tensors)
        self._count += 1


def _are_sized(flat):
    """Whether all sizes of rows are determined outside of the branch."""
    from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols

    return not any(free_unbacked_symbols(size) for x in flat for size in x.shape[1:])
