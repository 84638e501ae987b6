# ===- fallback.py - Graphs and calls that are left to PyTorch -------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts and warnings of graphs and calls of torch.compile that PyTorch computes, because
dyn cannot."""

import collections
import os
import re
import sys
import threading
import warnings

import torch

from dyn.errors import Error, FallbackWarning, UnsupportedError

#: Maximum number of separate reasons; further ones are counted as one.
_MOST_REASONS = 100
OTHER_REASONS = "other reasons"

#: Limits for PyTorch's messages, which can be pages long.
_MOST_LINES, _MOST_LETTERS = 20, 4000


class Counts:
    """Totals of the process."""

    def __init__(self):
        self._lock = threading.Lock()
        self._sums = collections.Counter()
        self._reasons = collections.Counter()

    def add(self, reason=None, **sums):
        with self._lock:
            for name, count in sums.items():
                self._sums[name] += count
            if reason is not None:
                known = reason in self._reasons or len(self._reasons) < _MOST_REASONS
                self._reasons[reason if known else OTHER_REASONS] += 1

    def read(self):
        """The totals, and the number of occurrences of each reason."""
        with self._lock:
            return collections.Counter(self._sums), dict(self._reasons)


counts = Counts()


class Warned:
    """The warnings about one piece of Python, each of which is issued once."""

    def __init__(self):
        self._lock = threading.Lock()
        self._said = set()

    def warn(self, message):
        # Graphs of one piece of Python differ in the names and numbers of sizes.
        key = re.sub(r"(?<![:\w])[a-z]?\d+\b", "", message)
        with self._lock:
            if key in self._said or len(self._said) >= _MOST_REASONS:
                return
            self._said.add(key)
        warnings.warn(message, FallbackWarning, stacklevel=_users_level())


#: Frames in these folders are not the user's.
_LIBRARIES = tuple(os.path.dirname(m.__file__) + os.sep for m in (torch, sys.modules["dyn"]))


def _users_level():
    """The stack level, as the caller counts it, of the innermost frame that is neither
    PyTorch's nor dyn's."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_LIBRARIES):
        frame, level = frame.f_back, level + 1
    return level


def described(error):
    """The message of an error, in some lines, with the class if it is not dyn's own."""
    text = str(error).strip()
    if not isinstance(error, UnsupportedError):
        text = ", ".join([f"{type(error).__name__}: {text}", *getattr(error, "__notes__", [])])
    lines = text.splitlines()
    return "\n".join([*lines[:_MOST_LINES], *["..."][: len(lines) > _MOST_LINES]])[:_MOST_LETTERS]


def as_own(error):
    """An error of dyn with the message of `error`, which holds no frame of its stack and
    hence no tensor: it can be kept."""
    if not isinstance(error, Error):
        return UnsupportedError(described(error))
    # Subclasses have other constructor arguments.
    public = next(c for c in type(error).__mro__ if c.__module__ == Error.__module__)
    return public(str(error))
