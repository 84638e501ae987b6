# ===- cache.py - A cache of artifacts -------------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A folder of artifacts, found by a hash of the model, options and compiler.

Any number of threads and processes may request an entry at the same time: the first makes it, the
others wait for it. If a folder cannot be written to, because its disk is full or read-only,
artifacts are kept for the process alone.
"""

import errno
import hashlib
import os
import pathlib
import warnings

from dyn.compiler.compile import compile_to_file, find_compiler, temporary_folder
from dyn.compiler.entry import find_or_make
from dyn.errors import CompileError, CompileWarning, NotFoundError


def cached_compile(model, *, folder=None, dims=None, isa=None, options=()):
    """Path of the artifact of `model`, compiled if the folder has none.

    Args:
      model: path of an .onnx file, or its bytes.
      folder: where artifacts are kept; by default the environment's DYN_CACHE,
        else a folder that is deleted when the process ends.
      dims, isa, options: as for :func:`dyn.compile`.

    Warns:
      CompileWarning: nothing can be written to the folder; once a process.
    """
    folder = folder or os.environ.get("DYN_CACHE")
    name = _key(model, dims, isa, options) + ".so"

    def build(path, keep_open):
        try:
            compile_to_file(
                model, path, dims, isa=isa, options=options, work=path.parent, keep_open=keep_open
            )
        except CompileError as error:
            _raise_if_of_disk(error, path.parent)
            raise

    if folder:
        kept = pathlib.Path(folder) / name
        if folder not in _excluded:
            try:
                return find_or_make(folder, name, build)
            except NotFoundError:
                raise
            except OSError as error:
                _exclude(folder, error)
        elif kept.exists():
            return str(kept)
    try:
        return find_or_make(temporary_folder(), name, build)
    except OSError:
        # That disk is full, too, but there may be memory.
        if not os.path.isdir(_MEMORY):
            raise
        return find_or_make(temporary_folder(_MEMORY), name, build)


_MEMORY = "/dev/shm"

#: Folders to which writing failed.
_excluded = set()
_warned = {}


def _exclude(folder, error):
    _excluded.add(folder)
    # Of several threads that fail at once, one warns.
    mine = object()
    if _warned.setdefault(os.getpid(), mine) is mine:
        warnings.warn(
            "compiled models are not kept for other processes: cannot write to "
            f"'{os.fspath(folder)}': {error.strerror or error}",
            CompileWarning,
            stacklevel=5,
        )


_DISK_ERRORS = (
    errno.ENOSPC,
    errno.EDQUOT,
    errno.EROFS,
    errno.EACCES,
    errno.EPERM,
    errno.EFBIG,
    errno.EIO,
)


def _raise_if_of_disk(error, folder):
    """Raises an OSError if the compiler failed to write a file in a folder."""
    for code in _DISK_ERRORS:
        if os.strerror(code) in str(error) and str(folder) in str(error):
            raise OSError(code, os.strerror(code), str(folder)) from error


def _key(model, dims, isa, options):
    """Hash of everything that the artifact depends on."""
    digest = hashlib.sha256()
    if isinstance(model, (bytes, bytearray, memoryview)):
        digest.update(model)
    else:
        path = pathlib.Path(model)
        contents = path.read_bytes()
        digest.update(contents)
        # External data is too large to read: for a file beside the model whose name occurs in the
        # model, size and time are hashed.
        for other in sorted(path.resolve().parent.iterdir()):
            if other.is_file() and os.fsencode(other.name) in contents:
                status = other.stat()
                fact = (other.name, status.st_size, status.st_mtime_ns)
                digest.update(repr(fact).encode())
    # The files that options name, such as a profile.
    for option in options:
        name, _, value = os.fspath(option).partition("=")
        file = pathlib.Path(value or name)
        if file.is_file():
            digest.update(file.read_bytes())
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
