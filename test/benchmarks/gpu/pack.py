# ===- pack.py - A folder that measures dyn on a machine with a GPU --------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the cases and collects everything that a machine with a GPU needs in one folder:
artifacts, the runtime, and scripts. README.md describes its use there.

    pack.py FOLDER
    pack.py FOLDER --only 'linear-*' --targets emu
    pack.py FOLDER --programs 120 --models      # with recorded calls for replay.py
"""

import argparse
import ctypes as c
import json
import lzma
import os
import pathlib
import shutil
import struct
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
TRAVELS = (
    "README.md", "run.py", "cases.py", "peers.py", "dynrt.py", "clocks.py", "charts.py",
    "triton_kernels.py", "replay.py",
)  # fmt: skip
LIBRARIES = ("libdynrt.so", "libdynemu.so")
# dyn_trailer_t: magic, id, offset and bytes of the constants, bytes of the image, digest.
TRAILER = struct.Struct("<8s16sQQQQ")
# Maximum size of a kit in MiB that the machine with the GPU accepts.
LIMIT = 64
# Numbers repeat after 256 KiB at most (cases.BLOCK); a larger window does not help.
FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 1, "dict_size": 1 << 22}]


class _Constant(c.Structure):
    _fields_ = [("name", c.c_char_p), ("offset", c.c_uint64), ("bytes", c.c_uint64),
                ("recipe", c.c_char_p)]  # fmt: skip


class _Program(c.Structure):
    """dyn_program_t."""

    _fields_ = [(name, c.c_uint32) for name in ("device", "entry_count", "kernel_count",
                                                "site_count", "constant_count", "image_count")]  # fmt: skip
    _fields_ += [("entries", c.c_void_p), ("kernels", c.c_void_p), ("sites", c.c_void_p),
                 ("constants", c.POINTER(_Constant)), ("images", c.c_void_p)]  # fmt: skip


class _Descriptor(c.Structure):
    """dyn_descriptor_t."""

    _fields_ = [("struct_size", c.c_uint32), ("version", c.c_uint32), ("id", c.c_uint8 * 16),
                ("producer", c.c_char_p), ("metadata", c.c_char_p)]  # fmt: skip
    _fields_ += [(name, c.c_uint32) for name in ("entry_count", "kernel_count", "site_count",
                                                 "constant_count")]  # fmt: skip
    _fields_ += [("entries", c.c_void_p), ("kernels", c.c_void_p), ("sites", c.c_void_p),
                 ("constants", c.POINTER(_Constant)), ("constants_bytes", c.c_uint64),
                 ("sidecar", c.c_char_p), ("router_count", c.c_uint32),
                 ("program_count", c.c_uint32), ("routers", c.c_void_p),
                 ("programs", c.POINTER(_Program))]  # fmt: skip


def device_constants(path):
    """Returns (offset, bytes) of the constants that the program for devices reads."""
    query = c.CDLL(str(path)).dyn_artifact
    query.restype = c.POINTER(_Descriptor)
    root = query(0xFFFFFFFF).contents
    if root.sidecar:
        sys.exit(f"pack.py: the constants of {path.name} lie in a file of their own")
    (program,) = root.programs[: root.program_count]
    return [(x.offset, x.bytes) for x in program.constants[: program.constant_count]]


def forget_constants_of_the_cpu(path):
    """Zeroes the constants in the CPU's layout: nothing in a kit reads them, and they would
    make up most of it."""
    kept = sorted(device_constants(path))
    with open(path, "r+b") as file:
        file.seek(-TRAILER.size, os.SEEK_END)
        magic, _, area, size, _, _ = TRAILER.unpack(file.read(TRAILER.size))
        assert magic == b"dyntrail", path
        end = 0
        for offset, count in [*kept, (size, 0)]:
            while end < offset:
                step = min(offset - end, 1 << 20)
                file.seek(area + end)
                file.write(bytes(step))
                end += step
            end = max(end, offset + count)


def compress(path, target):
    with open(path, "rb") as file, lzma.open(target, "wb", filters=FILTERS) as packed:
        shutil.copyfileobj(file, packed, 1 << 20)


def compile_case(case, targets, target):
    """Compiles a case and writes the compressed artifact to `target`. Returns its facts."""
    import torch
    from torch.export import Dim

    from dyn.compiler.compile import compile_to_file
    from dyn.frontend.torch import to_dhlo

    dims, shapes = {}, []
    for axes in case.dynamic:
        shapes.append(
            {a: dims.setdefault(n, Dim(n, min=case.least.get(n, 1))) for a, n in axes.items()}
            if axes
            else None
        )
    # Dynamic sizes must not be 1 in an export, nor equal to one another.
    example = case.tensors([25 + 2 * n for n in range(len(case.sizes[0]))])
    with tempfile.TemporaryDirectory() as folder:
        model, artifact = pathlib.Path(folder) / "model.mlir", pathlib.Path(folder) / "model.so"
        with torch.no_grad():
            to_dhlo(case.module(), model, args=example, dynamic_shapes=tuple(shapes))
        options = [f"--target=cpu,{targets}", *case.options]
        compile_to_file(model, artifact, isa="v3", options=options)
        forget_constants_of_the_cpu(artifact)
        size = artifact.stat().st_size
        compress(artifact, target)
    return {"bytes": size, "packed": target.stat().st_size}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=pathlib.Path, help="deleted and made again")
    parser.add_argument("--targets", default="cuda:sm_80,sm_90a,emu", help="as of dyn-compile")
    parser.add_argument("--only", action="append", default=[], help="cases, with wildcards")
    parser.add_argument("--limit", type=float, default=LIMIT, help="MiB that it may have")
    parser.add_argument("--programs", type=int, default=0, help="record so many random programs")
    parser.add_argument("--models", action="store_true", help="record all small models")
    options = parser.parse_args()
    sys.path.insert(0, str(FOLDER))
    import cases

    import dyn

    names = cases.chosen(options.only)
    if not names:
        sys.exit(f"pack.py: no case matches {' '.join(options.only)}")
    libraries = pathlib.Path(os.environ["DYN_BUILD"]) / "lib"
    shutil.rmtree(options.folder, ignore_errors=True)
    for name in ("artifacts", "lib"):
        (options.folder / name).mkdir(parents=True)
    for name in TRAVELS:
        shutil.copy(FOLDER / name, options.folder)
    for name in LIBRARIES:
        shutil.copy(libraries / name, options.folder / "lib")
    facts = {}
    for name in names:
        target = options.folder / "artifacts" / f"{name}.so.xz"
        facts[name] = compile_case(cases.CASES[name], options.targets, target)
        print(f"{name}: {facts[name]['bytes']} bytes, packed {facts[name]['packed']}", flush=True)
    manifest = {"dyn": dyn.__version__, "targets": options.targets, "artifacts": facts}
    if options.programs or options.models:
        from record import record

        manifest["recordings"] = record(
            options.folder / "recordings", options.targets, compress, options.programs,
            options.models,
        )  # fmt: skip
    (options.folder / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n")
    size = sum(path.stat().st_size for path in options.folder.rglob("*") if path.is_file())
    print(f"{options.folder}: {size / 2**20:.1f} MiB")
    if size > options.limit * 2**20:
        sys.exit(f"pack.py: {size / 2**20:.1f} MiB, expected at most {options.limit:g}")


if __name__ == "__main__":
    main()
