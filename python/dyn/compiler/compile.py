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
from dyn.runtime import load


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


def compile(model, output=None, dims=None, *, args=(), kwargs=None, dynamic_shapes=None,
            isa=None, unpad=None, profile=None, options=(), **load_options):  # fmt: skip
    """Compiles a model and loads the artifact.

    Args:
      model: path of an .onnx or .mlir file, the bytes of an ONNX model, an
        object that serializes to them, such as onnx.ModelProto, or a model of
        PyTorch: a torch.nn.Module or a torch.export.ExportedProgram.
      output: the artifact to write; by default a temporary file that is deleted
        when the process ends.
      dims: facts about symbolic sizes: a dictionary from a name to a pair
        (minimum, maximum) or a number, such as ``{"batch": (1, 64)}``.
      args, kwargs: arguments to export a module with. Their sizes are examples;
        a size that is to be dynamic should not be 0 or 1.
      dynamic_shapes: which sizes of a module's arguments are dynamic, as for
        torch.export.export; by default all sizes that the module allows.
      isa: instruction sets to compile for, "v3" or ("v3", "v4"); by default the
        compiler's choice.
      unpad: name of an input, a mask [batch, sequence]: rows of outputs where it
        is zero become zeros and are not computed. Padding that no output depends
        on is removed without it.
      profile: path of a file that :class:`dyn.Profile` wrote. The artifact is
        tuned for its routes; results are bit-identical. A router whose profile
        does not match is left out with a warning.
      options: more arguments of dyn-compile.
      load_options: arguments of :func:`dyn.load`.

    Returns:
      The :class:`dyn.Artifact`; for a PyTorch model a
      :class:`dyn.frontend.torch.Model`, which is called like the model.

    Warns:
      CompileWarning: a warning of the compiler.

    Raises:
      CompileError: the compiler refused the model; the message is the compiler's.
      NotFoundError: there is no such model or no compiler.
      UnsupportedError: a PyTorch model uses operators that dyn does not support;
        the message names each of them with its line of Python.
    """
    if unpad:
        options = (f"--unpad={unpad}", *options)
    if profile:
        options = (f"--profile={os.fspath(profile)}", *options)
    if _is_torch(model):
        from dyn.frontend.torch import compile_torch

        return compile_torch(
            model, output, dims, args=args, kwargs=kwargs, dynamic_shapes=dynamic_shapes,
            isa=isa, options=options, **load_options,
        )  # fmt: skip
    if args or kwargs or dynamic_shapes:
        raise TypeError("args, kwargs and dynamic_shapes are for models of PyTorch")
    output = compile_to_file(model, output, dims, isa=isa, options=options)
    return load(output, **load_options)


def _is_torch(model):
    """Whether it is a model of PyTorch, without importing torch."""
    torch = sys.modules.get("torch")
    if torch is None:
        return False
    if isinstance(model, torch.nn.Module):
        return True
    export = sys.modules.get("torch.export")
    return export is not None and isinstance(model, export.ExportedProgram)


def compile_to_file(model, output=None, dims=None, *, isa=None, options=(), work=None,
                    keep_open=()):  # fmt: skip
    """As :func:`compile`, without loading. Returns the artifact's path.

    `work` is a folder for intermediate files, by default the system's folder for temporary files,
    and `keep_open` are descriptors that the compiler keeps open while it runs.
    """
    output = os.fspath(output) if output else _temporary_file(".so")
    environment = {**os.environ, "TMPDIR": os.path.abspath(work)} if work else None
    with _as_file(model, work) as path:
        command = [find_compiler(), path, "-o", output]
        for name, bounds in (dims or {}).items():
            low, high = (bounds, bounds) if isinstance(bounds, int) else bounds
            command += ["--dim", f"{name}={low}..{high}"]
        if isa:
            command.append("--isa=" + (isa if isinstance(isa, str) else ",".join(isa)))
        command += options
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
