# ===- profile.py - Which paths cells take ---------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records which paths the routers of models send cells through."""

import math

from dyn.errors import InvalidArgumentError
from dyn.runtime import native
from dyn.runtime.artifact import file_name


class Profile:
    """Counts of the paths that cells took, for ``dyn-compile --profile``.

    Records the calls of all artifacts of the process between :meth:`start` and :meth:`stop`, or in
    a ``with`` block; one profile at a time. Results of calls do not depend on it.

        with dyn.Profile("routes.json"):
            model(input_ids=ids)

    Args:
      path: a file that is written when recording stops, or None.
      raw: a file for every single decision, or None. In both names "%p" is the
        number of the process.
      window: length in seconds of the shortest time window of counts.
    """

    def __init__(self, path=None, *, raw=None, window=1.0):
        if not 0 < window < math.inf:
            raise InvalidArgumentError(
                f"window: expected a positive number of seconds, got {window}"
            )
        self._native = native.Profile(
            file_name(path) if path is not None else b"",
            file_name(raw) if raw is not None else b"",
            max(1, round(window * 1000)),
        )

    def start(self):
        """Records calls that begin from now on."""
        self._native.start()

    def stop(self):
        """Stops recording, and writes the file if there is one."""
        self._native.stop()

    def write(self, path):
        """Writes the counts so far."""
        self._native.write(file_name(path))

    @property
    def decisions(self):
        """Decisions recorded: rows of all routers of all calls."""
        return self._native.decisions()

    @property
    def lost(self):
        """Routers of calls that were not recorded for lack of memory."""
        return self._native.lost()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *exception):
        self.stop()
