# ===- replaying.py - Choices that are recorded and replayed ---------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Routes of one run for another.

    with dyn.record() as choices:
        expected = model(x)
    with dyn.replay(choices):
        other = changed_model(x)

A model that routes by floats may choose differently if its floats are computed differently.
With the choices replayed, only arithmetic differs.
"""

import threading

import torch

_state = threading.local()


def _stack(name):
    if not hasattr(_state, name):
        setattr(_state, name, [])
    return getattr(_state, name)


class replay:
    """Within a ``with`` block routers use these choices instead of their own.

    Args:
      choices: for each call of a router, in order, ids [N] or [N, k], where -1 is
        no path, or a mask [N, P], as :func:`record` collects them. They may be
        inputs of a program that is exported.

    The model still computes the weights: those of a router's own choices in the same slots,
    or those of the replayed ids if the router returns its weights as a function of ids, as
    TopK does. Capacity is applied again, which keeps the choices that it kept.
    """

    def __init__(self, choices):
        self._choices = list(choices)
        self._next = 0

    def __enter__(self):
        _stack("replays").append(self)
        return self

    def __exit__(self, kind, error, traceback):
        _stack("replays").remove(self)
        if kind is None and self._next != len(self._choices):
            raise ValueError(
                f"expected {len(self._choices)} calls of routers to replay, found {self._next}"
            )

    def take(self):
        """The choices of the next call."""
        if self._next == len(self._choices):
            raise ValueError(f"there are choices for {self._next} calls of routers, and one more")
        self._next += 1
        return self._choices[self._next - 1]


class record(list):
    """Within a ``with`` block a list of the choices of routers, in the order of their
    calls: ids [N, k] or masks [N, P], without those that exceed the capacity."""

    def __enter__(self):
        _stack("records").append(self)
        return self

    def __exit__(self, kind, error, traceback):
        stack = _stack("records")
        # By identity: lists compare by their elements.
        del stack[next(i for i, other in enumerate(stack) if other is self)]


def replayed():
    """The choices for this call of a router, or None."""
    replays = _stack("replays")
    return replays[-1].take() if replays else None


def recorded(choices):
    """Adds choices to the lists that record."""
    for records in _stack("records"):
        records.append(choices.detach())


def is_recording():
    return bool(_stack("records")) and not torch.compiler.is_compiling()
