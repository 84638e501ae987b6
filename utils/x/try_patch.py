#!/usr/bin/env python3
# ===- try_patch.py - Build tools with a patch, beside the tree ------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds tools with a patch to lib/ and include/, into the current folder.

The patch is applied to a copy of the sources. Compiled are its .cpp files, with the code
that TableGen generates from its .td files, and the files that include lists of operations
or passes. All other objects come from the build, so that this takes minutes and not an
hour. It is correct for patches that only add: they must not change the layout of a class.

With --count, prints only how many files the patch touches: sources, and tests or pages.
"""

import argparse
import concurrent.futures
import functools
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run(command, folder, what):
    done = subprocess.run(
        command,
        shell=isinstance(command, str),
        cwd=folder,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        # Else git would look for the patch's files in a repository around the folder.
        env=dict(os.environ, GIT_CEILING_DIRECTORIES=str(pathlib.Path(folder).parent)),
    )
    if done.returncode:
        sys.exit(f"try_patch: {what}:\n{done.stdout}")
    return done.stdout


def touched(patch):
    """The files that a patch touches."""
    numbers = run(["git", "apply", "--numstat", str(patch)], patch.parent, f"reading {patch}")
    return [line.split("\t")[2] for line in numbers.splitlines()]


class Copy:
    """The sources with the patch, and the objects and generated files that differ."""

    def __init__(self, folder, build):
        self.folder, self.build = folder, build
        self.generated = folder / "generated"
        cache = (build / "CMakeCache.txt").read_text()
        self.source = re.search(r"CMAKE_HOME_DIRECTORY:INTERNAL=(.*)", cache)[1]
        for name in ("include", "lib"):
            shutil.copytree(ROOT / name, folder / name)
        shutil.copytree(
            build / "include", self.generated, ignore=shutil.ignore_patterns("CMakeFiles")
        )

    def moved(self, text):
        """A command of the build, for the copy."""
        # The build's folder may be in the sources'.
        text = text.replace(f"{self.build}/include", "@GENERATED@")
        for name in ("include", "lib"):
            text = re.sub(f"{re.escape(self.source)}/{name}\\b", str(self.folder / name), text)
        return text.replace("@GENERATED@", str(self.generated))

    def generate(self, sources):
        """Generates the code of changed .td files, and returns its files' names."""
        folders = {pathlib.PurePath(s).parent for s in sources if s.endswith(".td")}
        made = []
        for step in self.steps:
            output = pathlib.PurePath(step["output"])
            if "mlir-tblgen" not in step["command"] or output.parent not in folders:
                continue
            # Without the step that tells ninja of the dependences.
            command = step["command"].split(" --write-if-changed")[0].split(" && ")[-1]
            target = self.generated / output.relative_to("include")
            run(f"{self.moved(command)} -o {target}", self.folder, f"generating {output}")
            made.append(str(output.relative_to("include")))
        return made

    @functools.cached_property
    def steps(self):
        """The steps of the build."""
        return json.loads(run(["ninja", "-t", "compdb"], self.build, "reading the build"))

    @functools.cached_property
    def commands(self):
        """The command that compiles each file of the build, and its folder."""
        database = json.loads((self.build / "compile_commands.json").read_text())
        return {entry["file"]: (entry["command"], entry["directory"]) for entry in database}

    def units(self, sources, made):
        """The files to compile: the patch's, and those with generated lists of operations
        and passes."""
        units = {s for s in sources if s.endswith(".cpp")}
        if any(name.endswith("Passes.h.inc") for name in made):
            units.add("lib/RegisterAll.cpp")
        lists = [name for name in made if name.endswith("Ops.cpp.inc")]
        for path in (self.folder / "lib").rglob("*.cpp"):
            text = path.read_text()
            if any(name in text for name in lists):
                units.add(str(path.relative_to(self.folder)))
        return sorted(units)

    def compile(self, unit, keeps_header):
        """Compiles a file with the command of the build, or of a file beside it, and returns
        the object. The precompiled header has the operations of all dialects: after a change
        of those its text is compiled instead."""
        commands, path = self.commands, f"{self.source}/{unit}"
        beside = [f for f in sorted(commands) if os.path.dirname(f) == os.path.dirname(path)]
        near = path if path in commands else (beside or [None])[0]
        if near is None:
            sys.exit(f"try_patch: no file of the build is beside {unit}")
        words = shlex.split(commands[near][0].replace(near, path))
        result = self.folder / (unit.replace("/", "-") + ".o")
        words[words.index("-o") + 1] = str(result)
        if not keeps_header:
            header = pathlib.Path(words[words.index("-include") + 1])
            text = self.folder / f"{header.parent.name}-{header.name}"
            text.write_text(header.read_text())
            words[words.index("-include") + 1] = str(text)
        words = [w if "cmake_pch" in w else self.moved(w) for w in words]
        run(words, commands[near][1], f"compiling {unit}")
        return str(result)

    def link(self, tool, objects, target):
        for step in self.steps:
            if step["output"] == f"bin/{tool}":
                command = step["command"].replace(f"-o bin/{tool}", f"-o {target}")
                # Before all archives, whose members they replace.
                first = re.search(r"\S+\.a\b", command).start()
                command = command[:first] + " ".join(objects) + " " + command[first:]
                return run(command, self.build, f"linking {tool}")
        sys.exit(f"try_patch: no tool {tool}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("patch", type=pathlib.Path)
    parser.add_argument("tools", nargs="*", help="names of tools, such as dyn-opt")
    build = pathlib.Path(os.environ.get("DYN_BUILD", ROOT / "build"))
    parser.add_argument("--build", type=pathlib.Path, default=build)
    parser.add_argument("--count", action="store_true", help="count the patch's files")
    options = parser.parse_args()
    patch = options.patch.resolve()
    files = touched(patch)
    sources = [f for f in files if not f.startswith(("test/", "docs/"))]
    run(["git", "apply", "--check", str(patch)], ROOT, f"{options.patch.name} does not apply")
    if options.count:
        print(f"{len(sources)} sources, {len(files) - len(sources)} tests and pages")
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(pathlib.Path(folder), options.build.resolve())
        run(["git", "apply", "--include=lib/*", "--include=include/*", str(patch)], folder, "patch")
        made = copy.generate(sources)
        keeps_header = not any(name.endswith("Ops.h.inc") for name in made)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            units = copy.units(sources, made)
            objects = list(pool.map(lambda unit: copy.compile(unit, keeps_header), units))
        for tool in options.tools:
            copy.link(tool, objects, pathlib.Path.cwd() / tool)
    print(f"{' '.join(options.tools)}: {len(units)} files compiled")


if __name__ == "__main__":
    main()
