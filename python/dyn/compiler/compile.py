# ===- compile.py - Run dyn-compile ----------------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs dyn-compile."""

import atexit
import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import warnings

from dyn.errors import CompileError, CompileWarning, NotFoundError


def find_compiler():
    """Path of the program dyn-compile.

    It is the one that the environment variable DYN_COMPILE names, else the one in the package or in
    the build tree that contains the package, else that of the Python environment, else the first on
    the PATH.

    Raises:
      NotFoundError: there is none.
    """
    named = os.environ.get("DYN_COMPILE")
    if named:
        found = shutil.which(named)
        if not found:
            raise NotFoundError(f"DYN_COMPILE names '{named}', which is no program")
        return found
    # Not resolved: a build tree contains links to the files, beside the programs.
    package = pathlib.Path(sys.modules["dyn"].__file__).absolute().parent
    for folder in (package, package.parents[1], pathlib.Path(sys.prefix)):
        found = shutil.which("dyn-compile", path=str(folder / "bin"))
        if found:
            return found
    found = shutil.which("dyn-compile")
    if not found:
        raise NotFoundError(
            "dyn-compile was not found: put it on the PATH or name it in DYN_COMPILE"
        )
    return found


def compile_to_file(model, output=None, dims=None, *, isa=None, options=(), work=None,
                    keep_open=()):  # fmt: skip
    """Compiles a model that is a file, or the bytes of one, as :func:`dyn.compile` does. Returns
    the artifact's path.

    `work` is a folder for intermediate files, by default the system's folder for temporary files,
    and `keep_open` are descriptors that the compiler keeps open while it runs.
    """
    output = os.fspath(output) if output else _temporary_file(".so")
    environment = {**os.environ, "TMPDIR": os.path.abspath(work)} if work else None
    with _as_file(model, work) as path:
        command = [find_compiler(), path, "-o", output, *option_words(dims, isa, options)]
        result = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=environment,
            pass_fds=keep_open,
        )  # fmt: skip
    if result.returncode != 0:
        message = result.stderr.strip() or result.stdout.strip()
        if result.returncode < 0:
            message = f"dyn-compile died of signal {-result.returncode}\n{message}"
        raise CompileError(message)
    if "warning: " in result.stderr:
        warnings.warn(result.stderr.strip(), CompileWarning, stacklevel=3)
    return output


def option_words(dims=None, isa=None, options=()):
    """The options of dyn-compile for arguments of :func:`dyn.compile`."""
    words = []
    for name, bounds in (dims or {}).items():
        low, high = (bounds, bounds) if isinstance(bounds, int) else bounds
        words += ["--dim", f"{name}={low}..{high}"]
    if isa:
        words.append("--isa=" + (isa if isinstance(isa, str) else ",".join(isa)))
    return [*words, *options]


def with_source(load_options, model, dims=None, isa=None, options=()):
    """Arguments of :func:`dyn.load`, with those from which variants are compiled if there may be
    some. A model that is no file is kept in one until the process ends."""
    if not load_options.get("reoptimise") and not load_options.get("mode"):
        return load_options
    if hasattr(model, "SerializeToString"):
        model = model.SerializeToString()
    if isinstance(model, (bytes, bytearray, memoryview)):
        source = _temporary_file(".onnx")
        pathlib.Path(source).write_bytes(model)
    else:
        source = os.fspath(model)
    words = option_words(dims, isa, options)
    return {"source": source, "compile_options": words, **load_options}


@contextlib.contextmanager
def _as_file(model, work=None):
    """Context manager: the path of a model, which is written to `work` if it is not a file."""
    if hasattr(model, "SerializeToString"):
        model = model.SerializeToString()
    if isinstance(model, (bytes, bytearray, memoryview)):
        with tempfile.NamedTemporaryFile(suffix=".onnx", dir=work) as file:
            file.write(model)
            file.flush()
            yield file.name
        return
    path = os.fspath(model)
    if not os.path.exists(path):
        raise NotFoundError(f"cannot open '{path}': No such file or directory")
    yield path


# By process: a forked child has its own folder and does not delete its parent's.
_folders = {}


def temporary_folder(within=None):
    """A folder that is deleted when the process ends, one for each `within`."""
    key = os.getpid(), within
    if key not in _folders:
        made = tempfile.mkdtemp(prefix="dyn-", dir=within)
        # Threads that arrive at the same time share one folder.
        if _folders.setdefault(key, made) is made:
            atexit.register(_remove, key[0], made)
        else:
            os.rmdir(made)
    return _folders[key]


def _remove(owner, path):
    if owner == os.getpid():
        shutil.rmtree(path, ignore_errors=True)


def _temporary_file(suffix):
    handle, path = tempfile.mkstemp(suffix=suffix, dir=temporary_folder())
    os.close(handle)
    return path
