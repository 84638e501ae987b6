# ===- artifact.py - A compiled model as a function ------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A compiled model as a function of arrays."""

import contextlib
import dataclasses
import json
import math
import os
import sys
import typing

import numpy as np

from dyn.compiler.compile import find_compiler
from dyn.errors import InvalidArgumentError, NotFoundError
from dyn.runtime import native
from dyn.runtime.report import Report


#: The drift of routes above which `reoptimise` compiles again.
_DRIFT = 0.1


@dataclasses.dataclass(frozen=True)
class Dim:
    """A symbolic size of a model and its facts."""

    name: str
    min: int
    max: typing.Optional[int]  #: None if unbounded
    multiple_of: int
    likely: typing.Optional[int]  #: None if nothing is known


@dataclasses.dataclass(frozen=True)
class Port:
    """An input or output of a model."""

    name: str
    #: Element type: "f32", "bf16", "i64", "u8", "bool".
    dtype: str
    #: Numbers for static sizes, else text: "batch", "2 * s + 1".
    shape: typing.Tuple[typing.Union[int, str], ...]
    #: The whole type: "f32[batch, 3]".
    text: str

    @property
    def borrowable(self):
        """Whether the extension reads numpy arrays of this type in place."""
        return self.dtype != "bf16"

    @property
    def numpy_dtype(self):
        """The element type for numpy. That of bf16 is ml_dtypes' if it is installed, else
        uint16."""
        return _numpy_dtype(self.dtype)

    def __str__(self):
        return f"{self.name}: {self.text}"


def _find_ranks(ports):
    """Outputs whose rank is data-dependent: the indices of each and of its rank. Ranks follow all
    other outputs."""
    numbers = {port.name: i for i, port in enumerate(ports)}
    return {
        numbers[port.name[: -len(":rank")]]: i
        for i, port in enumerate(ports)
        if port.name.endswith(":rank") and port.name[: -len(":rank")] in numbers
    }


class Outputs(tuple):
    """Outputs of a call: a tuple whose elements also have names."""

    names: typing.Tuple[str, ...]

    def __new__(cls, names, values):
        self = super().__new__(cls, values)
        self.names = tuple(names)
        return self

    def __getnewargs__(self):
        return self.names, tuple(self)

    def __getitem__(self, key):
        if isinstance(key, str):
            if key not in self.names:
                raise KeyError(key)
            return super().__getitem__(self.names.index(key))
        return super().__getitem__(key)

    def asdict(self):
        """The outputs by name."""
        return dict(zip(self.names, self))


class Artifact:
    """A loaded artifact. Call it with arrays, by position or by name.

    Any number of threads may call it at the same time; calls run without the
    interpreter's lock. See :func:`load` for the arguments.
    """

    def __init__(self, path, *, threads=None, isa=None, entry=None, profile=False, device="cpu",
                 outputs="host", stream=None, gemm_library=None, gemm_table=None,
                 tune_gemms=0, memory_limit=0, source=None, compile_options=(),
                 reoptimise=False, mode=None, window=10.0, hot=10.0,
                 communicator=None, exchange_library=None):  # fmt: skip
        if communicator is not None and source is not None:
            raise InvalidArgumentError("source: expected None with a communicator")
        if source is not None and device != "cpu":
            raise InvalidArgumentError(f"source: expected the device 'cpu', got '{device}'")
        kind, _, ordinal = device.partition(":")
        if device != "cpu" and not (kind in ("cuda", "emu") and (ordinal or "0").isdecimal()):
            raise InvalidArgumentError(f"device: expected 'cpu', 'cuda' or 'emu', got '{device}'")
        if outputs not in ("host", "device"):
            raise InvalidArgumentError(f"outputs: expected 'host' or 'device', got '{outputs}'")
        if outputs == "device" and device == "cpu":
            raise InvalidArgumentError("outputs: expected 'host' on the CPU, got 'device'")
        if stream is not None and stream < 0:
            raise InvalidArgumentError(f"stream: expected the handle of a stream, got {stream}")
        if memory_limit < 0:
            raise InvalidArgumentError(f"memory_limit: expected bytes, got {memory_limit}")
        if mode not in (None, "auto"):
            raise InvalidArgumentError(f"mode: expected None or 'auto', got {mode!r}")
        if (reoptimise or mode) and source is None:
            option = "reoptimise" if reoptimise else "mode"
            raise InvalidArgumentError(f"{option}: expected `source`, the model's file, got None")
        if not 0 <= reoptimise <= 1:
            raise InvalidArgumentError(f"reoptimise: expected 0 to 1, got {reoptimise}")
        for option, seconds in (("window", window), ("hot", hot)):
            if not 0 < seconds < 1e6:
                raise InvalidArgumentError(f"{option}: expected seconds, got {seconds}")
        # A compiler in another folder finds the artifact's weights.
        name = file_name(path if source is None else os.path.abspath(path))
        self._native = native.Artifact(
            name,
            threads or 0,
            isa,
            profile,
            kind,
            int(ordinal or 0),
            outputs == "device",
            _stream_handle(stream),
            None if gemm_library is None else file_name(gemm_library),
            None if gemm_table is None else file_name(gemm_table),
            tune_gemms,
            memory_limit,
            None if communicator is None else communicator._native,
            None if exchange_library is None else file_name(exchange_library),
            None if source is None else _compiler_command(source, compile_options),
            _DRIFT if reoptimise is True else float(reoptimise),
            max(1, round(window * 1000)),
            mode == "auto",
            max(1, round(hot * 1000)),
        )
        self._changes = source is not None
        self._on_device = outputs == "device"
        self._entry = self._native.find_entry(entry or None)
        self._inputs = self._ports(self._native.inputs(self._entry))
        self._outputs = self._ports(self._native.outputs(self._entry))
        # On a device they stay outputs: the rank is not read there.
        self._ranks = {} if self._on_device else _find_ranks(self._outputs)
        self._outputs = self._outputs[: len(self._outputs) - len(self._ranks)]
        self._input_index = {port.name: i for i, port in enumerate(self._inputs)}
        self._output_names = tuple(port.name for port in self._outputs)
        self._halves = not self._on_device and any(p.dtype == "bf16" for p in self._outputs)

    @staticmethod
    def _ports(descriptions):
        return tuple(
            Port(
                name,
                dtype,
                tuple(e if e >= 0 else s for e, s in zip(extents, sizes)),
                text,
            )
            for name, dtype, extents, sizes, text in descriptions
        )

    @property
    def path(self):
        """The file that was loaded."""
        return os.fsdecode(self._native.path)

    @property
    def id(self):
        """Identity of the program and its constants, in hexadecimal."""
        return self._native.id

    @property
    def producer(self):
        """Compiler and version."""
        return self._native.producer

    @property
    def metadata(self):
        """The compiler's information about the model, as a dictionary."""
        return json.loads(self._native.metadata or "{}")

    @property
    def entries(self):
        """Names of the functions in the artifact."""
        return tuple(self._native.entries)

    @property
    def isa(self):
        """The instruction set in use, such as "x86-64-v3"."""
        return self._native.isa

    @property
    def threads(self):
        """Maximum number of threads of a call."""
        return self._native.threads

    @property
    def inputs(self):
        """The inputs, a tuple of :class:`Port`."""
        return self._inputs

    @property
    def outputs(self):
        """The outputs, a tuple of :class:`Port`."""
        return self._outputs

    @property
    def dims(self):
        """The symbolic sizes, a tuple of :class:`Dim`."""
        unbounded = np.iinfo(np.int64).max
        return tuple(
            Dim(
                name,
                low,
                None if high == unbounded else high,
                multiple,
                likely if likely >= 0 else None,
            )
            for name, low, high, multiple, likely in self._native.dims(self._entry)
        )

    @property
    def gemm_library(self):
        """The GEMM library for large GEMMs of a device: a dictionary with its "name" and "version";
        or "" and 0, and the "reason" why there is none. Also the number of "kernels" of the program
        that are such GEMMs, the number of problems in its "table" of algorithms, and how many of
        these were "tuned" here."""
        return self._native.gemm_library()

    @property
    def exchange_library(self):
        """The library that moves rows between the devices of ranks: a dictionary with its "name" and
        "version"; or "" and 0, and the "reason" why there is none."""
        return self._native.exchange_library()

    def write_gemm_table(self, path):
        """Writes the algorithms that were read or tuned to a file for
        ``gemm_table`` of :func:`load`."""
        self._native.write_gemms(file_name(path))

    @property
    def stats(self):
        """Totals over all calls: a dictionary with "calls", "launches", "time_ns", "flops",
        "bytes", "allocations" and others, and under "kernels" a list with the same of each kernel.
        With a ``memory_limit``, "constant_bytes" are those in memory, of at most
        "peak_constant_bytes", "constant_bytes_read" those that were read since it was loaded, and
        "constant_waits" counts the threads, or launches on a device, that have waited for some.
        Times of kernels are measured if the artifact was loaded with ``profile=True``. Under
        "guesses" is a list of the routers whose paths may run before they have chosen, with
        what the artifact has counted since it was loaded (docs/Profiles.md)."""
        return self._native.stats()

    def reset_stats(self):
        """Sets all totals to zero."""
        self._native.reset_stats()

    @contextlib.contextmanager
    def trace(self, path):
        """Records the calls made in a ``with`` block and writes them to `path` for chrome://tracing
        or ui.perfetto.dev. An artifact has one recording at a time."""
        name = file_name(path)
        self._native.start_trace()
        try:
            yield
        finally:
            self._native.stop_trace(name)

    def run(self, inputs, *, seed=0, timeout=None, threads=None):
        """Runs the model.

        Args:
          inputs: a dictionary of arrays by name, or a sequence of arrays in the
            order of :attr:`inputs`. An array is a numpy array or anything with
            DLPack, such as a torch tensor; it is read in place if it is contiguous,
            and copied otherwise, but for memory of a device that only DLPack
            describes. Its elements must have the input's type. Python numbers and
            lists have none and become arrays of it as numpy converts them: integers
            become floats, True becomes 1, and integers other than 0 become True.
            Floats become neither integers nor booleans.
          seed: seed of the model's random numbers.
          timeout: seconds after which the call is cancelled: at once for 0 or
            less, never for None.
          threads: maximum number of threads, if less than :attr:`threads`.

        Raises:
          TypeError: an input is no array that can be read, or has floats where the
            model expects integers.
          InvalidArgumentError: inputs do not fit the signature.
          Other exceptions of :mod:`dyn.errors`, and those that an array's `__dlpack__`
            raises, with a note of the input's name from Python 3.11 on.

        Returns:
          :class:`Outputs`, a tuple of numpy arrays that own their memory. bf16,
          which numpy lacks, is returned in the library of the inputs: if an input
          is a torch tensor, as a torch tensor, and likewise for other libraries
          with DLPack; else as a numpy array of :attr:`Port.numpy_dtype`. If the
          artifact was loaded with ``outputs="device"``, arrays with DLPack, for
          ``torch.from_dlpack`` and the like.
        """
        if isinstance(inputs, dict):
            arrays = self._by_name(inputs)
        else:
            arrays = list(inputs)
        given = arrays
        if len(arrays) == len(self._inputs):
            arrays = [_as_input(a, p) for a, p in zip(arrays, self._inputs)]
        results = self._native.run(
            self._entry,
            arrays,
            seed,
            _timeout_ns(timeout),
            threads or 0,
        )
        ranks = {i: int(np.asarray(results[rank])) for i, rank in self._ranks.items()}
        if self._halves:
            results = [_as_output(r, p, given) for r, p in zip(results, self._outputs)]
        elif not self._on_device:
            results = list(map(np.asarray, results[: len(self._outputs)]))
        for i, rank in ranks.items():
            shape = results[i].shape
            results[i] = results[i].reshape(shape[len(shape) - rank :])
        return Outputs(self._output_names, results)

    def wait(self):
        """Waits until the device has finished all queued calls, if calls do not wait themselves:
        see `stream` of :func:`load`.

        Raises:
          DataError: a call since the last wait had an error in its data.
          DeviceError: a kernel has failed.
        """
        self._native.wait()

    def _expect_source(self):
        if not self._changes:
            raise InvalidArgumentError("source: expected the model's file in dyn.load, got None")

    def recompile(self, *, dims=None, profile=None, reason=None, wait=False):
        """Compiles a variant in a child process, which calls neither wait for nor notice; it is
        used once it is complete. All variants have the same bits.

        Args:
          dims: sizes to fix, by name: calls with these sizes take the variant.
          profile: file of a profile of routes (:class:`Profile`) to compile with.
          reason: text for :meth:`report`.
          wait: whether to return when the variant is complete or has failed.

        Raises:
          BusyError: another variant is being compiled.
          InvalidArgumentError: the artifact was loaded without its `source`.
        """
        self._expect_source()
        self._native.recompile(
            None if reason is None else os.fsencode(reason),
            None if profile is None else file_name(os.path.abspath(profile)),
            [os.fsencode(f"{name}={int(size)}") for name, size in (dims or {}).items()],
        )
        if wait:
            self._native.wait_for_compiler()

    def add_variant(self, path):
        """Adds an artifact of the same model, compiled with ``--share-weights``, and returns its
        number. Calls with sizes that it permits take it.

        Raises:
          InvalidArgumentError: it has another signature or other weights.
        """
        self._expect_source()
        return self._native.add_variant(file_name(path))

    def drop_variant(self, number):
        """Drops a variant: no later call takes it."""
        self._expect_source()
        self._native.drop_variant(number)

    def report(self):
        """A :class:`Report`, a dictionary of the variants with their calls, and of the events: variants that were
        compiled, added or dropped, when and why. Its members are those that `dyn_model_report`
        of ``runtime.h`` describes: with `reoptimise` also the drift of each router, and with
        ``mode="auto"`` the hot sizes and what became of them."""
        self._expect_source()
        return Report(json.loads(self._native.report()))

    def _by_name(self, inputs):
        arrays = [None] * len(self._inputs)
        for name, array in inputs.items():
            if name not in self._input_index:
                known = ", ".join(f"'{port.name}'" for port in self._inputs)
                raise InvalidArgumentError(f"there is no input '{name}': expected one of {known}")
            arrays[self._input_index[name]] = array
        for array, port in zip(arrays, self._inputs):
            if array is None:
                raise InvalidArgumentError(f"input '{port.name}' is missing: expected {port.text}")
        return arrays

    def __call__(self, *args, **kwargs):
        """Runs the model on arrays given by position, by name, or both.

        Returns the output if there is one, else :class:`Outputs`. Use
        :meth:`run` for a seed or a timeout.
        """
        if args and kwargs:
            names = [port.name for port in self._inputs[: len(args)]]
            for name in kwargs:
                if name in names:
                    raise TypeError(f"input '{name}' is given twice")
            kwargs.update(zip(names, args))
            if len(args) > len(self._inputs):
                raise TypeError(f"expected {len(self._inputs)} inputs")
        outputs = self.run(args if args and not kwargs else kwargs)
        return outputs[0] if len(outputs) == 1 else outputs

    def __repr__(self):
        inputs = ", ".join(map(str, self._inputs))
        outputs = ", ".join(map(str, self._outputs))
        return f"<dyn.Artifact {self.path!r}: ({inputs}) -> ({outputs})>"


def load(path, *, threads=None, isa=None, entry=None, profile=False, device="cpu",
         outputs="host", stream=None, gemm_library=None, gemm_table=None,
         tune_gemms=0, memory_limit=0, source=None, compile_options=(),
         reoptimise=False, mode=None, window=10.0, hot=10.0,
         communicator=None, exchange_library=None):  # fmt: skip
    """Loads an artifact that :func:`dyn.compile` or dyn-compile made.

    Args:
      path: the file. It is code: loading it is as safe as running it.
      threads: number of threads; by default one per physical core.
      isa: instruction set, "v2", "v3", "v4", "v4-vnni", "v4-bf16" or
        "v4-amx"; by default the best that both the processor and the artifact
        support.
      entry: the function to run; by default the first. With a communicator, the name
        of the model whose part this rank runs.
      profile: measure the time of each kernel for :attr:`Artifact.stats`.
      device: "cpu", "cuda", or "emu" for the emulator of a GPU; "cuda:1" for the second
        device of a machine, as each rank takes another. Artifacts have code for the
        devices that ``--target`` of dyn-compile named. Inputs may lie in host memory or on
        the device.
      outputs: "host" for numpy arrays, or "device" for arrays that stay on the
        device. The memory of a call is in use as long as one of them lives.
      stream: handle of the CUDA stream to work on, such as
        ``torch.cuda.current_stream().cuda_stream``; by default streams of the
        artifact's own, on which calls begin at once. With ``outputs="device"``,
        calls on a given stream return when their work is queued: work that is
        queued there later sees their outputs, and :meth:`Artifact.wait` reports
        their errors.
      gemm_library: GEMM library that computes large GEMMs of a device, in
        artifacts of dyn-compile's ``--cuda-library``: by default the first cuBLASLt
        that is found, or the emulator's; "none" for none.
      gemm_table: file of tuned GEMM algorithms, as
        :meth:`Artifact.write_gemm_table` writes it.
      tune_gemms: times this many of the library's algorithms for each GEMM
        that is not in the table, and uses the fastest.
      memory_limit: bytes of the device's memory for the weights, at least 10 MiB on the
        CPU. Those beyond it are read from the file when calls need them, in advance
        where routes tell. By default ``DYN_MEMORY_LIMIT`` of the environment, or none.
      source: the model's file that the artifact was compiled from, for
        :meth:`Artifact.recompile`. Only on the CPU; :attr:`Artifact.stats` then
        counts no calls, :meth:`Artifact.report` does.
      compile_options: the options of dyn-compile that it was compiled with.
      reoptimise: compile again, in the background, when routes have drifted from the profile that
        the artifact was compiled with, or from equal loads: True, or the drift above which this
        happens, by default 0.1 (docs/Profiles.md). A profile of the process records then: one of
        :class:`Profile`, or the artifact's own. Needs `source`.
      mode: "auto" to compile static variants of sizes that take much of the time of calls, in
        the background, and to keep those that are measurably faster (docs/Runtime.md). Needs
        `source`.
      window: seconds between checks of `reoptimise` and `mode`.
      hot: seconds in calls from which `mode` tries a static variant of a size.
      communicator: the :class:`dyn.Communicator` of this rank, for artifacts that run on
        several ranks together; all must load the same artifact (docs/Runtime.md).
        Without `source`.
      exchange_library: library that moves rows between the devices of ranks: by default
        libnccl.so.2, or the emulator's; "none" moves them through the host.

    Returns:
      An :class:`Artifact`.

    Raises:
      NotFoundError, BadArtifactError, UnsupportedError.
    """
    return Artifact(path, threads=threads, isa=isa, entry=entry, profile=profile, device=device,
                    outputs=outputs, stream=stream, gemm_library=gemm_library,
                    gemm_table=gemm_table, tune_gemms=tune_gemms,
                    memory_limit=memory_limit, source=source,
                    compile_options=compile_options, reoptimise=reoptimise,
                    mode=mode, window=window, hot=hot,
                    communicator=communicator, exchange_library=exchange_library)  # fmt: skip


_NUMPY_NAMES = {
    "bool": "bool",
    "i8": "int8",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
    "u8": "uint8",
    "u16": "uint16",
    "u32": "uint32",
    "u64": "uint64",
    "f16": "float16",
    "f32": "float32",
    "f64": "float64",
}


def _numpy_dtype(name):
    if name != "bf16":
        return np.dtype(_NUMPY_NAMES[name])
    try:
        import ml_dtypes
    except ImportError:
        return np.dtype("uint16")
    return np.dtype(ml_dtypes.bfloat16)


def _as_input(array, port):
    """An array that the extension can read in place: contiguous."""
    if type(array) is np.ndarray and array.flags.c_contiguous and port.borrowable:
        if array.dtype.isnative:
            return array
    if isinstance(array, (bool, int, float, list, tuple)):
        array = _from_numbers(array, port)
    if isinstance(array, (np.ndarray, np.generic)):
        array = np.asarray(array)
        # ascontiguousarray would turn a scalar into a vector.
        if not array.flags.c_contiguous:
            array = np.ascontiguousarray(array)
        if not array.dtype.isnative:
            array = array.astype(array.dtype.newbyteorder("="))
        if port.dtype == "bf16" and array.dtype == port.numpy_dtype:
            # numpy does not export bfloat16 by DLPack: the bits are passed as uint16, which the
            # extension accepts for a bf16 input.
            array = array.view(np.uint16)
        return array
    if not hasattr(array, "__dlpack__"):
        return _as_buffer(array, port)
    if getattr(array, "requires_grad", False):
        array = array.detach()
    # torch exports tensors whose negation is pending without it.
    if hasattr(array, "resolve_neg"):
        array = array.resolve_neg()
    if hasattr(array, "is_contiguous") and not array.is_contiguous():
        array = array.contiguous()
    return array


def _from_numbers(numbers, port):
    """A Python number, or nested lists of them, as an array of the input's type."""
    if port.dtype == "bf16":
        return _to_halves(numbers, port)
    if not port.dtype.startswith("f") and np.asarray(numbers).dtype.kind not in "biu":
        # Integers that no type of numpy's holds together are floats or objects by themselves.
        for number in np.asarray(numbers, object).flat:
            if not isinstance(number, (int, np.integer, np.bool_)):
                raise TypeError(f"input '{port.name}': expected integers, got {number!r}")
    return np.asarray(numbers, port.numpy_dtype)


def _to_halves(numbers, port):
    """Numbers as bf16, rounded to the nearest, ties to even."""
    if port.numpy_dtype != np.uint16:
        return np.asarray(numbers, port.numpy_dtype)
    bits = np.asarray(numbers, np.float32).view(np.uint32)
    rounded = (bits + np.uint32(0x7FFF) + (bits >> 16 & 1)) >> 16
    return np.where(bits << 1 > 0xFF000000, 0x7FC0, rounded).astype(np.uint16)


def _as_buffer(array, port):
    """An object with the buffer protocol as an input, another one unchanged."""
    try:
        view = np.asarray(memoryview(array))
    except TypeError:
        return array
    return _as_input(view, port)


def file_name(path):
    """A path for the runtime, which would ignore bytes after a null."""
    name = os.fsencode(path)
    if b"\0" in name:
        raise InvalidArgumentError(f"path: expected no null character, got {path!r}")
    return name


def _compiler_command(source, options):
    """The words of the command that compiles a model."""
    if not os.path.exists(source):
        raise NotFoundError(f"cannot open '{os.fspath(source)}': No such file or directory")
    words = [find_compiler(), os.path.abspath(source), *options]
    return [os.fsencode(word) for word in words]


def _timeout_ns(timeout):
    """The timeout in nanoseconds for the runtime, for which 0 means never."""
    if timeout is None:
        return 0
    if math.isnan(timeout):
        raise InvalidArgumentError(f"timeout: expected seconds, got {timeout}")
    # The maximum is 300 years.
    return max(1, math.ceil(min(timeout, 1e10) * 1e9))


def _stream_handle(stream):
    """The stream for the runtime, for which 0 means none: CUDA's default stream, whose handle is 0,
    is also called 1 (CU_STREAM_LEGACY)."""
    if stream is None:
        return 0
    return stream or 1


def _as_output(array, port, inputs):
    """Converts an array of the extension to the type that a call with such inputs returns."""
    if port.dtype != "bf16":
        return np.asarray(array)
    for value in inputs:
        take = _importer_like(value)
        if take:
            return take(array)
    return np.asarray(array).view(port.numpy_dtype)


def _importer_like(array):
    """The function of an array's library that imports DLPack, None for numpy's arrays and for
    numbers."""
    if isinstance(array, (np.ndarray, np.generic, bool, int, float, list, tuple)):
        return None
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(array, torch.Tensor):
        return torch.from_dlpack
    tensorflow = sys.modules.get("tensorflow")
    if tensorflow is not None and isinstance(array, tensorflow.Tensor):
        return lambda array: tensorflow.experimental.dlpack.from_dlpack(array.__dlpack__())
    # The array API standard, which JAX follows.
    if hasattr(array, "__array_namespace__"):
        return getattr(array.__array_namespace__(), "from_dlpack", None)
    return None
