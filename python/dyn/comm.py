# ===- comm.py - Ranks that exchange data ----------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Communicators: one rank's end of a group of threads or processes (docs/Runtime.md)."""

import math

import numpy as np

from dyn.errors import InvalidArgumentError
from dyn.runtime import native
from dyn.runtime.artifact import file_name


class Communicator:
    """One rank of a group. Made by :meth:`self`, :meth:`threads`, :meth:`sockets` or
    :meth:`plugin`.

        ranks = dyn.Communicator.threads(2)
        with dyn.Communicator.sockets() as communicator:  # under torchrun or mpirun
            model = dyn.load("model.so", communicator=communicator)

    Operations read and write contiguous arrays of numpy, or of anything with DLPack, where they
    lie; elements of any type, except objects of Python. With `wait=False` they return a
    :class:`Request` when they have begun, and move data while the caller computes; until it has
    been waited for, what is sent must not change. `timeout` is a deadline in seconds, by
    default the communicator's. Two ranks must begin the operations that concern both in the same
    order. Operations release the interpreter's lock.

    A failure is the end of a communicator on all of its ranks: those that wait get an exception
    that names the rank that failed, and later operations get the same again.
    """

    def __init__(self, handle):
        self._native = handle

    @classmethod
    def self(cls):
        """The communicator of a single process: rank 0 of 1."""
        return cls(native.make_self())

    @classmethod
    def threads(cls, size, *, timeout=None, link_rate=0):
        """A tuple of `size` communicators, one for each rank, for threads of this process.

        Args:
          size: number of ranks.
          timeout: deadline in seconds of operations that state none; 30 by default.
          link_rate: for tests, bytes per second from a rank to each other one; by default
            DYN_LINK_RATE of the environment, or no limit.
        """
        made = native.make_threads(size, _nanoseconds(timeout), link_rate)
        return tuple(cls(handle) for handle in made)

    @classmethod
    def sockets(
        cls,
        *,
        size=0,
        rank=0,
        address=None,
        port=0,
        meet=None,
        network_only=False,
        timeout=None,
        link_rate=0,
    ):
        """Joins a group of processes over TCP, which nothing encrypts: use networks that you trust.
        Processes of one machine pass messages in memory.

        Args:
          size: number of ranks; by default size and rank are those of the environment,
            as torchrun and mpirun set it.
          rank: the number of this process, below `size`.
          address: host name or address of rank 0; by default MASTER_ADDR.
          port: port on which rank 0 listens while the group meets; by default
            DYN_MASTER_PORT or MASTER_PORT.
          meet: how many seconds ranks wait for each other; 60 by default.
          network_only: whether processes of one machine use TCP too.
          timeout, link_rate: as for :meth:`threads`.
        """
        return cls(
            native.make_sockets(
                size,
                rank,
                address,
                port,
                _nanoseconds(meet, "meet"),
                int(network_only),
                _nanoseconds(timeout),
                link_rate,
            )
        )

    @classmethod
    def plugin(cls, library="libdyn_mpi.so", *, timeout=None, link_rate=0):
        """The group of a library with a transport, by default all processes of MPI_COMM_WORLD.

        Args:
          library: name or path of the shared library.
          timeout, link_rate: as for :meth:`threads`.
        """
        return cls(native.make_plugin(file_name(library), _nanoseconds(timeout), link_rate))

    @property
    def rank(self):
        """The number of this rank."""
        return self._native.rank

    @property
    def size(self):
        """The number of ranks."""
        return self._native.size

    @property
    def stats(self):
        """Totals since the communicator was made: operations, messages and bytes of data sent and
        received, headers, waits and their time. Data to the rank itself do not count."""
        return self._native.stats()

    def split(self, color, key=0):
        """The communicator of the ranks with the same `color`, in the order of `key`, then of their
        rank; None for the color None. All ranks must call it. It shares the connections, their
        order of operations and the end after a failure with this one."""
        handle = self._native.split(_NO_GROUP if color is None else color, key)
        return None if handle is None else Communicator(handle)

    def all_to_all(self, sends, receives, *, timeout=None, wait=True):
        """Sends `sends[r]` to each rank r, and receives `receives[r]` from it: arrays of any sizes, or
        None. Returns `receives`."""
        sends = [None if array is None else _sent(array) for array in sends]
        receives = list(receives)
        made = self._native.all_to_all(sends, receives, *_last(timeout, wait))
        return _result(made, receives)

    def all_gather(self, array, receives=None, *, timeout=None, wait=True):
        """Sends an array to all ranks, and receives `receives[r]` from each, this one included; by
        default arrays like this one. Returns `receives`."""
        array = _sent(array)
        if receives is None:
            receives = [np.empty_like(array) for _ in range(self.size)]
        receives = list(receives)
        made = self._native.all_gather(array, receives, *_last(timeout, wait))
        return _result(made, receives)

    def broadcast(self, array, root=0, *, timeout=None, wait=True):
        """Sends the array of the rank `root` to all others, which receive it in theirs. Returns the
        array."""
        made = self._native.broadcast(_plain(array), root, *_last(timeout, wait))
        return _result(made, array)

    def all_reduce(self, array, out=None, *, op="sum", order="rank", timeout=None, wait=True):
        """The elements of all ranks combined, in `out`, which may be the array; by default in a new
        one. Elements are float32, float64, int32 or int64.

        Args:
          op: "sum", "min" or "max". The last two are NaN if an element is.
          order: of sums: "rank", ((r0 + r1) + r2) + r3, or "tree", (r0 + r1) + (r2 + r3). It alone
            decides the bits.
        """
        for name, value, known in (("op", op, _REDUCTIONS), ("order", order, _ORDERS)):
            if value not in known:
                names = ", ".join(f"'{each}'" for each in known)
                raise InvalidArgumentError(f"{name}: expected one of {names}, got {value!r}")
        array = _sent(array)
        out = np.empty_like(array) if out is None else out
        made = self._native.all_reduce(
            array, out, _REDUCTIONS.index(op), _ORDERS.index(order), *_last(timeout, wait)
        )
        return _result(made, out)

    def barrier(self, *, timeout=None, wait=True):
        """Returns when all ranks have begun it."""
        return _result(self._native.barrier(*_last(timeout, wait)), None)

    def send(self, array, to, *, timeout=None, wait=True):
        """Sends an array to another rank. Ends when the data have left, which is not before the other
        rank has begun to receive."""
        return _result(self._native.send(_sent(array), to, *_last(timeout, wait)), None)

    def receive(self, array, source, *, timeout=None, wait=True):
        """Receives the bytes of an array from another rank. Returns the array."""
        made = self._native.receive(_plain(array), source, *_last(timeout, wait))
        return _result(made, array)

    def close(self):
        """Leaves the group when the last operation has ended and the last artifact that was loaded
        with it is gone."""
        self._native.close()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def __repr__(self):
        return f"<dyn.Communicator: rank {self.rank} of {self.size}>"


class Request:
    """An operation that has begun. One that is dropped is waited for, as its memory must stay."""

    def __init__(self, handle, result):
        self._native, self._result = handle, result

    def wait(self):
        """Ends the operation, once, and returns its result."""
        self._native.wait()
        return self._result


#: In the order of the values in comm.h.
_REDUCTIONS = ("sum", "min", "max")
_ORDERS = ("rank", "tree")
_NO_GROUP = 2**32 - 1


def _last(timeout, wait):
    return _nanoseconds(timeout), not wait


def _result(made, result):
    return result if made is None else Request(made, result)


def _plain(array):
    if isinstance(array, np.ndarray) and array.dtype.hasobject:
        raise TypeError(f"expected elements that are no objects of Python, got {array.dtype}")
    return array


def _sent(array):
    return np.asarray(array, order="C") if isinstance(_plain(array), np.ndarray) else array


def _nanoseconds(seconds, name="timeout"):
    """Seconds for the runtime, for which 0 is the default."""
    if seconds is None:
        return 0
    if not seconds > 0:
        raise InvalidArgumentError(f"{name}: expected seconds, got {seconds}")
    if seconds == math.inf:
        return 2**64 - 1
    return min(max(1, round(seconds * 1e9)), 2**64 - 1)
