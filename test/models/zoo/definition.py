# ===- definition.py - A value and its functions, as text ------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Describes a value by its fields and the source of its functions, so that a result can be
kept until its entry changes."""

import dataclasses
import functools
import inspect


def describe(value):
    """The value as text that is the same in each process. Functions and classes of the
    tests are given by their source, with that of those that they call."""
    return "\n".join([_text(value), *_sources(_functions(value))])


def _text(value):
    if isinstance(value, functools.partial):
        return f"partial({_text(value.func)}, {_text(value.args)}, {_text(value.keywords)})"
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
        return f"{type(value).__name__}({_text(fields)})"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_text(k)}: {_text(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "(" + ", ".join(map(_text, value)) + ")"
    return getattr(value, "__qualname__", None) or repr(value)


def _functions(value):
    """The functions in a value."""
    if isinstance(value, functools.partial):
        yield from _functions((value.func, value.args, value.keywords))
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        yield from _functions([getattr(value, f.name) for f in dataclasses.fields(value)])
    elif isinstance(value, dict):
        yield from _functions(list(value.values()))
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _functions(item)
    elif inspect.isfunction(value):
        yield value


def _sources(functions):
    """The sources of functions, and of functions of the tests that their code names."""
    found, queue = {}, list(functions)
    while queue:
        function = queue.pop()
        key = f"{function.__module__}.{function.__qualname__}"
        if key in found:
            continue
        found[key] = inspect.getsource(function)
        for code in _codes(function.__code__):
            named = (function.__globals__.get(name) for name in code.co_names)
            queue += [f for f in named if inspect.isfunction(f) and _of_tests(f)]
    return [found[key] for key in sorted(found)]


def _of_tests(function):
    return function.__module__.partition(".")[0] == "models"


def _codes(code):
    """A code object and those of the functions and classes in it."""
    yield code
    for constant in code.co_consts:
        if inspect.iscode(constant):
            yield from _codes(constant)
