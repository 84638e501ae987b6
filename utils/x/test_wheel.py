#!/usr/bin/env python3
# ===- test_wheel.py - Install a wheel in systems without dependencies -----===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Installs a wheel in bare systems and in each Python, and compiles and runs a model.

Bare systems are releases of Debian that debootstrap unpacks, with Python's packages and no
others, which requires root. Pythons of other versions are those of this machine. numpy is
fetched before; installing and running have no network.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent

#: Releases of Debian and the version of Python that each has.
RELEASES = {"bookworm": "3.11", "trixie": "3.13"}
VERSIONS = ("3.10", "3.11", "3.12", "3.13")


class Skipped(Exception):
    """An environment that is not available here."""


def call(command, **options):
    """Runs a command. Returns its output; its errors are shown if it fails."""
    done = subprocess.run(
        [str(part) for part in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, errors="replace", **options,
    )  # fmt: skip
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}\n{done.stdout}")
    return done.stdout


def offline():
    """The prefix of a command that runs without a network.

    Raises:
      Skipped: it is not possible here.
    """
    for command in (["unshare", "-n"], ["unshare", "-rn"]):
        if shutil.which("unshare") and subprocess.run([*command, "true"]).returncode == 0:
            return command
    raise Skipped("there is no namespace without a network")


def fetch(pip, version, folder):
    """Fetches numpy for a version of Python."""
    command = [*pip, "download", "--quiet", "--no-deps", "--only-binary=:all:"]
    command += [f"--python-version={version}", "--implementation=cp", f"--dest={folder}"]
    for platform in ("manylinux_2_28", "manylinux_2_27", "manylinux2014"):
        command.append(f"--platform={platform}_x86_64")
    call([*command, "numpy"])


def install_and_run(prefix, python, wheels, wheel, program, environment):
    """Makes an environment at `environment`, a path for commands with `prefix`, and runs
    `program`."""
    clean = ["env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "PYTHONDONTWRITEBYTECODE=1"]
    run = [*prefix, *clean]
    call([*run, python, "-m", "venv", environment])
    install = [f"{environment}/bin/python", "-m", "pip", "install", "--quiet", "--no-index"]
    call([*run, *install, f"--find-links={wheels}", f"{wheels}/{wheel.name}"])
    return call([*run, f"{environment}/bin/python", program]).strip()


def unpack(release, folder):
    """A bare system of a release of Debian, unpacked once."""
    if os.geteuid() != 0:
        raise Skipped("not root")
    if not shutil.which("debootstrap"):
        raise Skipped("debootstrap is not installed")
    if not (folder / "usr" / "bin" / "python3").exists():
        shutil.rmtree(folder, ignore_errors=True)
        command = ["debootstrap", "--variant=minbase", "--include=python3-venv"]
        try:
            call([*command, release, folder])
        except RuntimeError as error:
            raise Skipped(f"debootstrap: {str(error).splitlines()[-1]}") from error


def in_release(release, version, wheel, work, pip):
    root = work / release
    unpack(release, root)
    wheels = root / "wheels"
    shutil.rmtree(wheels, ignore_errors=True)
    shutil.rmtree(root / "venv", ignore_errors=True)
    wheels.mkdir()
    fetch(pip, version, wheels)
    shutil.copy(wheel, wheels)
    shutil.copy(HERE / "wheel_program.py", root / "wheel_program.py")
    prefix = [*offline(), "chroot", root]
    return install_and_run(
        prefix, "/usr/bin/python3", "/wheels", wheel, "/wheel_program.py", "/venv"
    )


def find_python(version):
    """A Python of this machine: one on the PATH, or one of pyenv's."""
    pyenv = pathlib.Path(os.environ.get("PYENV_ROOT", pathlib.Path.home() / ".pyenv"))
    found = sorted(pyenv.glob(f"versions/{version}.*/bin/python{version}"))
    path = str(found[-1]) if found else shutil.which(f"python{version}")
    if not path:
        raise Skipped("there is none on this machine")
    return path


def in_python(version, wheel, work, pip):
    python = find_python(version)
    folder = work / f"python-{version}"
    shutil.rmtree(folder, ignore_errors=True)
    wheels = folder / "wheels"
    wheels.mkdir(parents=True)
    fetch(pip, version, wheels)
    shutil.copy(wheel, wheels)
    program = HERE / "wheel_program.py"
    return install_and_run(offline(), python, wheels, wheel, program, folder / "venv")


def main():
    parser = argparse.ArgumentParser(prog="x wheel --test", description=__doc__)
    parser.add_argument("wheel", type=pathlib.Path)
    parser.add_argument("--work", type=pathlib.Path, help="folder; default: beside the wheel")
    parser.add_argument("--only", help="systems whose names contain this")
    args = parser.parse_args()
    work = (args.work or args.wheel.parent / "systems").resolve()
    work.mkdir(parents=True, exist_ok=True)
    call([sys.executable, "-m", "venv", work / "pip"])
    pip = [work / "pip" / "bin" / "python", "-m", "pip"]

    systems = {f"Debian {name}": (in_release, name, v) for name, v in RELEASES.items()}
    systems |= {f"Python {version}": (in_python, version) for version in VERSIONS}
    passed = failed = skipped = 0
    for name, (body, *arguments) in systems.items():
        if args.only and args.only not in name:
            continue
        try:
            print(f"{name}: {body(*arguments, args.wheel.resolve(), work, pip)}", flush=True)
            passed += 1
        except Skipped as reason:
            print(f"{name}: skipped: {reason}", flush=True)
            skipped += 1
        except RuntimeError as error:
            print(f"{name}: failed: {error}", flush=True)
            failed += 1
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return int(failed > 0 or passed == 0)


if __name__ == "__main__":
    sys.exit(main())
