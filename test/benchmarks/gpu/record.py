# ===- record.py - Calls that a machine with a GPU repeats -----------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles random programs and small models for devices, and records calls of them with
reference results of the interpreter or of ONNX Runtime. replay.py repeats the calls on a
GPU, so that every schedule runs there, not only the schedules worth timing."""

import itertools
import pathlib
import re
import sys
import tempfile

import numpy

TESTS = pathlib.Path(__file__).resolve().parents[2]
# (operation, element type) pairs in a program's text.
KIND = re.compile(r"(?<![#!.\w])((?:dhlo|cell)\.\w+)(?= |\().*[<x](\w+)[>,]")
ISA = "--isa=v3"


def programs_with_gemms(count):
    """Returns seeds of programs that contain a matmul for a library."""
    from differ import is_runnable
    from generator import generate

    found = (s for s in itertools.count() if "dhlo.dot_general" in generate(s).text())
    return list(itertools.islice((s for s in found if is_runnable(generate(s))), count))


def choose_programs(count):
    """Returns (seed, routed) of programs that together cover as many pairs of an operation
    and an element type as possible: greedily, the program that adds most comes next."""
    from differ import is_runnable
    from generator import generate
    from routes import generate_routed

    left = {}
    for seed in range(30 * count):
        for routed in (False, True) if seed % 8 == 0 else (False,):
            program = generate_routed(seed) if routed else generate(seed)
            if is_runnable(program):
                left[seed, routed] = set(KIND.findall(program.text()))
    chosen, seen = [], set()
    while left and len(chosen) < count:
        best = max(left, key=lambda key: len(left[key] - seen))
        seen |= left.pop(best)
        chosen.append(best)
    return chosen


class Recorder:
    """Writes recordings into a folder, each an artifact and a file of its calls."""

    def __init__(self, folder, targets, compress):
        self._folder = folder
        self._option = f"--target=cpu,{targets}"
        self._compress = compress
        self.facts = {}
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("fuzz", "Integration", ""):
            sys.path.insert(0, str(TESTS / name))

    def _add(self, name, artifact, calls, tolerance):
        """`calls` are pairs of lists of arrays, in the order of the model's ports."""
        arrays = {}
        for number, (inputs, outputs) in enumerate(calls):
            arrays |= {f"{number}.in.{i}": x for i, x in enumerate(inputs)}
            arrays |= {f"{number}.out.{i}": x for i, x in enumerate(outputs)}
        numpy.savez_compressed(self._folder / f"{name}.npz", **arrays)
        self._compress(artifact, self._folder / f"{name}.so.xz")
        self.facts[name] = {"calls": len(calls), "tolerance": tolerance}

    def add_program(self, seed, routed, kind="", options=()):
        """Records a program. Returns the error message of the interpreter or compiler, or None."""
        import differ

        case = differ.make_case(seed, routed=routed)
        name = kind or ("routed" if routed else "program")
        results = [value.name.removeprefix("%") for value in case.program.outputs]
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)
            model, artifact = folder / "program.mlir", folder / "program.so"
            model.write_text(case.program.text())
            differ.write_weights(folder)
            given = []
            for number, sizes in enumerate(case.sizes):
                inputs = differ.make_inputs(case.program, sizes, numpy.random.default_rng(seed))
                numpy.savez(folder / f"inputs.{number}.npz", **inputs)
                given.append(list(inputs.values()))
            numbers = range(len(given))
            message, found = differ.run_program(model, folder, numbers, "want", "--reference")
            message = message or differ.run_tool(
                "dyn-compile", model, "-o", artifact, self._option, ISA, *options
            )
            if message:
                return message
            calls = [
                (inputs, [outputs[result] for result in results])
                for inputs, outputs in zip(given, found, strict=True)
            ]
            self._add(f"{name}-{seed}", artifact, calls, differ.tolerance(case.program))
        return None

    def add_model(self, name, calls=4):
        """Records a model of test/models at random sizes."""
        import dyn
        import models
        from harness import Compiled

        with tempfile.TemporaryDirectory() as temporary:
            model = Compiled(models.get(name), pathlib.Path(temporary), (self._option, ISA))
            ports = [port.name for port in dyn.load(str(model.path)).inputs]
            pairs = [
                ([inputs[port] for port in ports], outputs)
                for inputs, outputs in model.legal(numpy.random.default_rng(5), calls)
            ]
            self._add(name, model.path, pairs, model.model.tolerance)
            model.release()


def record(folder, targets, compress, programs, models):
    """Records `programs` random programs, a quarter as many whose matmuls are left to a
    library, and all small models if `models` is set. Returns facts by name."""
    recorder = Recorder(folder, targets, compress)
    refused = {}
    for seed, routed in choose_programs(programs) if programs else ():
        if message := recorder.add_program(seed, routed):
            refused[seed] = message.splitlines()[0]
    for seed in programs_with_gemms(programs // 4):
        recorder.add_program(seed, False, "library", ("--cuda-library=always",))
    if models:
        from models import names

        for name in names():
            if name.endswith("-small"):
                recorder.add_model(name)
                print(f"{name}: recorded", flush=True)
    for seed, message in refused.items():
        print(f"program {seed}: not recorded: {message}", file=sys.stderr)
    print(f"{len(recorder.facts)} recordings", flush=True)
    return recorder.facts
