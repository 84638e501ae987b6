#!/usr/bin/env python3
# ===- make_wheel.py - Pack compiler, runtime and package ------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packs a built tree into one wheel, which needs nothing but libc and numpy.

The extension is built against CPython's limited interface and the compiler is linked with
LLVM's static libraries, so one wheel serves every Python from 3.10 on. Its requirements on
the system are read from the programs themselves: the version of the C library is that of
the newest symbol that one of them needs.
"""

import argparse
import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]

#: Libraries that the programs may need: libc, and those of every C++ program.
LIBRARIES = {
    "ld-linux-x86-64.so.2", "libc.so.6", "libdl.so.2", "libgcc_s.so.1", "libm.so.6",
    "libpthread.so.0", "librt.so.1", "libdynrt.so",
}  # fmt: skip

#: Bundled libraries, and the packages of Debian that contain their licences.
BUNDLED = {
    "LLVM-MLIR-lld": "libmlir-22-dev",
    "GCC-runtime-libraries": "libstdc++-*-dev",
    "zstd": "libzstd-dev",
    "zlib": "zlib1g-dev",
}

#: The earliest time of zip; the same tree must make the same wheel.
TIME = (1980, 1, 1, 0, 0, 0)


class WheelError(Exception):
    """A tree from which no wheel can be made."""


def project():
    """Name, version and description of pyproject.toml, which Python 3.10 cannot parse."""
    text = (ROOT / "pyproject.toml").read_text()
    return {k: re.search(rf'^{k} = "(.*)"', text, re.M)[1] for k in ("version", "description")}


def elf_files(folder):
    """The programs and libraries below a folder."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            with path.open("rb") as file:
                if file.read(4) == b"\x7fELF":
                    yield path


def needs(path):
    """The libraries that a program needs, and the minor version of glibc."""
    command = ["objdump", "-p", str(path)]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    libraries = set(re.findall(r"^\s+NEEDED\s+(\S+)", text, re.M))
    versions = re.findall(r"GLIBC_2\.(\d+)", text)
    return libraries, max(map(int, versions), default=0)


def platform(folder):
    """The platform that the programs below a folder run on, such as manylinux_2_36_x86_64.

    Raises:
      WheelError: a program needs a library that is not in the wheel.
    """
    newest = 17
    for path in elf_files(folder):
        libraries, version = needs(path)
        if libraries - LIBRARIES:
            names = ", ".join(sorted(libraries - LIBRARIES))
            raise WheelError(f"{path.relative_to(folder)} needs {names}")
        newest = max(newest, version)
    return f"manylinux_2_{newest}_x86_64"


def metadata(facts):
    """The text of METADATA and of the entry points."""
    readme = (ROOT / "README.md").read_text()
    lines = [
        "Metadata-Version: 2.1",
        "Name: dyn",
        f"Version: {facts['version']}",
        f"Summary: {facts['description']}",
        "License: Apache-2.0 WITH LLVM-exception",
        "License-File: LICENSE",
        "Requires-Python: >=3.10",
        "Requires-Dist: numpy",
        "Provides-Extra: torch",
        "Requires-Dist: torch>=2.15; extra == 'torch'",
        "Requires-Dist: safetensors>=0.4; extra == 'torch'",
        "Description-Content-Type: text/markdown",
    ]
    entry_points = (
        "[console_scripts]\n"
        "dyn-compile = dyn.compiler.program:main\n"
        "\n[torch_dynamo_backends]\n"
        "dyn = dyn.frontend.torch.backend:dyn_backend\n"
    )
    return "\n".join(lines) + "\n\n" + readme, entry_points


def stage(build, compiler, folder):
    """Lays out the package as it is to be installed."""
    package = folder / "dyn"
    for source in sorted((ROOT / "python" / "dyn").rglob("*")):
        if source.suffix == ".py" or source.name == "py.typed":
            target = package / source.relative_to(ROOT / "python" / "dyn")
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
    command = ["cmake", "--install", str(build), "--component", "python", "--strip"]
    subprocess.run([*command, "--prefix", str(folder)], check=True, stdout=subprocess.DEVNULL)
    program = package / "bin" / "dyn-compile"
    program.parent.mkdir()
    shutil.copy2(compiler, program)


def licenses():
    """{name: text} of the licences of the project and of bundled libraries."""
    texts = {"LICENSE": (ROOT / "LICENSE").read_text()}
    for name, package in BUNDLED.items():
        paths = sorted(pathlib.Path("/usr/share/doc").glob(f"{package}/copyright"))
        if not paths:
            raise WheelError(f"there is no licence of {name}: expected {package} to be installed")
        texts[f"LICENSE.{name}"] = paths[-1].read_text(errors="replace")
    return texts


def write(folder, output, facts, tag, texts):
    """Writes the wheel of the files in `folder`. Returns its path."""
    name = f"dyn-{facts['version']}"
    info = folder / f"{name}.dist-info"
    (info / "licenses").mkdir(parents=True)
    described, entry_points = metadata(facts)
    (info / "METADATA").write_text(described)
    (info / "entry_points.txt").write_text(entry_points)
    (info / "WHEEL").write_text(
        f"Wheel-Version: 1.0\nGenerator: dyn\nRoot-Is-Purelib: false\nTag: {tag}\n"
    )
    for file, text in texts.items():
        (info / "licenses" / file).write_text(text)
    wheel = output / f"{name}-{tag}.whl"
    record = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:

        def add(path, data, mode):
            entry = zipfile.ZipInfo(path, TIME)
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data, compresslevel=9)

        for path in sorted(folder.rglob("*")):
            if not path.is_file():
                continue
            data, entry_name = path.read_bytes(), path.relative_to(folder).as_posix()
            add(entry_name, data, 0o755 if os.access(path, os.X_OK) else 0o644)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=")
            record.append(f"{entry_name},sha256={digest.decode()},{len(data)}")
        entry_name = f"{name}.dist-info/RECORD"
        add(entry_name, "\n".join([*record, f"{entry_name},,"]) + "\n", 0o644)
    return wheel


def main():
    parser = argparse.ArgumentParser(prog="x wheel", description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--output", type=pathlib.Path, help="folder; default build/wheel")
    parser.add_argument("--compiler", type=pathlib.Path, help="default bin/dyn-compile-static")
    args = parser.parse_args()
    compiler = args.compiler or args.build / "bin" / "dyn-compile-static"
    output = args.output or args.build / "wheel"
    output.mkdir(parents=True, exist_ok=True)
    for old in output.glob("dyn-*.whl"):
        old.unlink()
    with tempfile.TemporaryDirectory(dir=output) as folder:
        folder = pathlib.Path(folder)
        try:
            stage(args.build, compiler, folder)
            tag = f"cp310-abi3-{platform(folder)}"
            wheel = write(folder, output, project(), tag, licenses())
        except WheelError as error:
            print(f"x wheel: {error}", file=sys.stderr)
            return 1
    print(f"{wheel} ({wheel.stat().st_size / 2**20:.0f} MB)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
