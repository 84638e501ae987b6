# ===- onnxruntime.py - ONNX Runtime's interface on dyn --------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A replacement for onnxruntime.InferenceSession."""

import dataclasses
import os
import pathlib
import tempfile
import typing

from dyn.compiler.cache import cached_compile
from dyn.compiler.compile import temporary_folder, with_source
from dyn.errors import InvalidArgumentError, NotFoundError
from dyn.runtime import load

_ELF_MAGIC = b"\x7fELF"

_ONNX_NAMES = {
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
    "bf16": "bfloat16",
    "f32": "float",
    "f64": "double",
}


@dataclasses.dataclass(frozen=True)
class NodeArg:
    """An input or output as ONNX Runtime describes it."""

    name: str
    #: Such as "tensor(float)".
    type: str
    #: Numbers for static sizes, else names; None if unknown.
    shape: typing.List[typing.Union[int, str, None]]


@dataclasses.dataclass
class ModelMetadata:
    """The metadata in the model's file."""

    custom_metadata_map: typing.Dict[str, str]
    description: str
    domain: str
    graph_description: str
    graph_name: str
    producer_name: str
    version: int


class InferenceSession:
    """Runs a model with dyn behind ONNX Runtime's interface.

    An .onnx model is compiled when it is loaded, once for all shapes; artifacts are cached, so that
    the same model loads at once the next time. Features of ONNX Runtime's execution providers are
    accepted without effect.

    Args:
      path_or_bytes: an .onnx model or a compiled artifact, as a path or as
        bytes.
      sess_options: an onnxruntime.SessionOptions; ``intra_op_num_threads`` is
        honoured.
      providers, provider_options: accepted; there is one provider, the CPU.
      cache_dir: folder of compiled artifacts. By default the environment variable
        DYN_CACHE, else a folder that is deleted when the process ends.
      reoptimise, mode: as of :func:`dyn.load`; an .onnx model is their `source`.
      dims, isa, compile_options: as ``dims``, ``isa`` and ``options`` of
        :func:`dyn.compile`.
    """

    def __init__(
        self,
        path_or_bytes,
        sess_options=None,
        providers=None,
        provider_options=None,
        *,
        cache_dir=None,
        dims=None,
        isa=None,
        compile_options=(),
        reoptimise=False,
        mode=None,
        **kwargs,
    ):
        del providers, provider_options, kwargs
        self._options = sess_options
        threads = getattr(sess_options, "intra_op_num_threads", 0)
        options = {"dims": dims, "isa": isa, "options": compile_options}
        path = _as_artifact(path_or_bytes, cache_dir, **options)
        load_options = {"threads": threads, "reoptimise": reoptimise, "mode": mode}
        # Without a model there is no source, and the loader refuses both options.
        if not _is_artifact(path_or_bytes):
            load_options = with_source(load_options, path_or_bytes, **options)
        self._artifact = load(path, **load_options)
        self._output_names = [port.name for port in self._artifact.outputs]

    @property
    def artifact(self):
        """The :class:`dyn.Artifact` that runs."""
        return self._artifact

    def run(self, output_names, input_feed, run_options=None):
        """Runs the model.

        Args:
          output_names: the outputs to return, in order; None or empty for all.
          input_feed: arrays by name.
          run_options: accepted without effect.

        Returns:
          A list of numpy arrays.
        """
        del run_options
        wanted = list(output_names or self._output_names)
        for name in wanted:
            if name not in self._output_names:
                known = ", ".join(f"'{output}'" for output in self._output_names)
                raise InvalidArgumentError(f"there is no output '{name}': expected one of {known}")
        outputs = self._artifact.run(dict(input_feed))
        return [outputs[name] for name in wanted]

    def get_inputs(self):
        """The inputs, a list of :class:`NodeArg`."""
        return [_node_arg(port) for port in self._artifact.inputs]

    def get_outputs(self):
        """The outputs, a list of :class:`NodeArg`."""
        return [_node_arg(port) for port in self._artifact.outputs]

    def get_overridable_initializers(self):
        """An empty list: constants are compiled in."""
        return []

    def get_modelmeta(self):
        """The model's metadata, with ONNX's metadata_props in
        ``custom_metadata_map``."""
        model = self._artifact.metadata.get("model", {})
        return ModelMetadata(
            custom_metadata_map=dict(model.get("properties", {})),
            description=model.get("doc", ""),
            domain=model.get("domain", ""),
            graph_description=model.get("graph_doc", ""),
            graph_name=model.get("graph", ""),
            producer_name=model.get("producer", ""),
            version=model.get("version", 0),
        )

    def get_providers(self):
        """The one provider, under the name that programs look for."""
        return ["CPUExecutionProvider"]

    def get_provider_options(self):
        """Options by provider: none."""
        return {"CPUExecutionProvider": {}}

    def set_providers(self, providers=None, provider_options=None):
        """Accepted without effect."""

    def disable_fallback(self):
        """Accepted without effect."""

    def enable_fallback(self):
        """Accepted without effect."""

    def get_session_options(self):
        """The options that it was made with."""
        return self._options


def _node_arg(port):
    shape = [None if size == "?" else size for size in port.shape]
    return NodeArg(port.name, f"tensor({_ONNX_NAMES[port.dtype]})", shape)


def _is_artifact(model):
    """Whether a path or bytes are an artifact."""
    if isinstance(model, (bytes, bytearray, memoryview)):
        return bytes(model[: len(_ELF_MAGIC)]) == _ELF_MAGIC
    with open(model, "rb") as file:
        return file.read(len(_ELF_MAGIC)) == _ELF_MAGIC


def _as_artifact(model, cache_dir, **options):
    """Path of the artifact of a model given as a path or as bytes."""
    if isinstance(model, (bytes, bytearray, memoryview)):
        model = bytes(model)
        if not _is_artifact(model):
            return cached_compile(model, folder=cache_dir, **options)
        # The loader requires a file.
        with tempfile.NamedTemporaryFile(
            suffix=".so", dir=temporary_folder(), delete=False
        ) as file:
            file.write(model)
        return file.name
    path = pathlib.Path(os.fspath(model))
    if not path.is_file():
        raise NotFoundError(f"cannot open '{path}': No such file or directory")
    if _is_artifact(path):
        return str(path)
    return cached_compile(path, folder=cache_dir, **options)
