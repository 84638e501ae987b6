# ===- errors.py - Exceptions ----------------------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exceptions of the package.

Each status of the runtime has a class, which also derives from the built-in
exception that a caller would expect.
"""


class Error(RuntimeError):
    """Base of all exceptions of this package."""


class InvalidArgumentError(Error, ValueError):
    """An input violates the model's signature, or there is no such entry."""


class NotFoundError(Error, FileNotFoundError):
    """A file does not exist or cannot be read."""

    # OSError's method would print the arguments as an errno.
    def __str__(self):
        return str(self.args[0]) if self.args else ""


class BadArtifactError(Error):
    """A file is not an artifact, is damaged, or does not belong to its sidecar."""


class UnsupportedError(Error):
    """The runtime or this processor does not support a valid request, or a model of PyTorch uses
    features that dyn cannot compile."""


class OutOfMemoryError(Error, MemoryError):
    """There is no memory for intermediate results or outputs."""


class DataError(Error):
    """The values of the inputs are invalid; names the op and its location."""


class CancelledError(Error):
    """The call was cancelled."""


class DeadlineExceededError(Error):
    """The call took longer than its limit."""


class BusyError(Error):
    """An execution is in a call, or a profile or a trace records already."""


class InputOutputError(Error):
    """A file cannot be written."""


class InternalError(Error):
    """Compiled code broke its contract: a bug in the compiler."""


class DeviceError(Error):
    """A device other than the CPU failed, or a kernel faulted there."""


class RankFailedError(Error):
    """Another rank of the communicator ended, left it, or reported a failure."""


class CompileError(Error):
    """The compiler refused a model. The message is the compiler's."""


class CompileWarning(UserWarning):
    """A warning of the compiler: a profile that is another model's, for example."""


class FallbackWarning(UserWarning):
    """PyTorch computes a part of a model that dyn was to compute, see :mod:`dyn.frontend.torch`."""


# By value of dyn_status_t. The extension reads this table.
CLASSES = {
    1: InvalidArgumentError,
    2: NotFoundError,
    3: BadArtifactError,
    4: UnsupportedError,
    5: OutOfMemoryError,
    6: DataError,
    7: CancelledError,
    8: DeadlineExceededError,
    9: BusyError,
    10: InputOutputError,
    11: InternalError,
    12: DeviceError,
    13: RankFailedError,
}
