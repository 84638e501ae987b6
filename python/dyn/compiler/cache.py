# ===- cache.py - Artifacts by what they were made of ---------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A folder of artifacts, found by a hash of the model, options and compiler."""

import hashlib
import os
import pathlib

from dyn.compiler.compile import compile_to_file, find_compiler, temporary_folder


def cached_compile(model, *, folder=None, dims=None, isa=None, options=()):
    """Path of the artifact of `model`, compiled if the folder has none.

    Args:
      model: path of an .onnx file, or its bytes.
      folder: where artifacts are kept; by default the environment's DYN_CACHE,
        else a folder that is deleted when the process ends.
      dims, isa, options: as for :func:`dyn.compile`.
    """
    folder = pathlib.Path(folder or os.environ.get("DYN_CACHE") or temporary_folder())
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / (_key(model, dims, isa, options) + ".so")
    if not path.exists():
        # Two processes may compile the same model: each writes a file of its
        # own, and the name is given to a whole one. A sidecar keeps the name
        # that the compiler gave it, which the artifact knows.
        partial = path.with_suffix(f".{os.getpid()}.so")
        try:
            compile_to_file(model, partial, dims, isa=isa, options=options)
            os.replace(partial, path)
        finally:
            partial.unlink(missing_ok=True)
    return str(path)


def _key(model, dims, isa, options):
    """Hash of all that the artifact depends on."""
    digest = hashlib.sha256()
    if isinstance(model, (bytes, bytearray, memoryview)):
        digest.update(model)
    else:
        path = pathlib.Path(model)
        contents = path.read_bytes()
        digest.update(contents)
        # External data is too large to read: a file beside the model that the
        # model names counts by its size and time.
        for other in sorted(path.resolve().parent.iterdir()):
            if other.is_file() and os.fsencode(other.name) in contents:
                status = other.stat()
                fact = (other.name, status.st_size, status.st_mtime_ns)
                digest.update(repr(fact).encode())
    compiler = os.stat(find_compiler())
    facts = (
        sorted((dims or {}).items()),
        isa,
        list(options),
        compiler.st_size,
        compiler.st_mtime_ns,
    )
    digest.update(repr(facts).encode())
    return digest.hexdigest()[:32]
