# ===- differ.py - Compiled programs against the interpreter ---------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs compiled and interpreted, compares, and reduces failures.

    python differ.py [--routed | --single sort] [--seeds 0:200] [--out failures]

prints a line for each failing seed and writes the reduced program. Profiles of routes that
the interpreter and the artifact record are compared, too.
"""

import argparse
import contextlib
import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np
from generator import generate, generate_single
from predictions import predicted
from program import DTYPES, WEIGHTS_FILE, Program, write_weights
from routes import generate_routed
from table import TABLE

SIZES = ({"N": 0, "M": 1}, {"N": 1, "M": 0}, {"N": 1, "M": 1}, {"N": 2, "M": 5}, {"N": 17, "M": 3})
ROUNDING = 5e-7  # of numbers about one
INTERNAL = ("died of", "does not dominate", "expected to be in a fusion")


@dataclasses.dataclass
class Failure:
    """A failure: a stage, a message, the sizes of the inputs and the build."""

    stage: str  # interpret, refuse, compile, run, differ or profile
    message: str
    sizes: dict
    output: int = -1
    build: object = None
    first: object = None  # the build whose bits were others


@dataclasses.dataclass
class Build:
    """A way to compile a program: options, and passes that run before. Builds of one group
    give the same bits."""

    name: str = "compiled"
    options: tuple = ()
    passes: tuple = ()
    group: str = "compiled"
    interpreted: bool = False
    device: str = "cpu"
    wide: bool = False  # computes in f64 what the program computes in f32
    running: tuple = ()  # options of dyn-run
    guesses: str = ""  # DYN_GUESSES, if paths run by predictions of the routers

    @property
    def has_probes(self):
        """Whether the compiler sees all routers, and adds a probe after each. Probes in
        paths that run by predictions see the rows of these."""
        return not self.passes and self.device == "cpu" and not self.guesses

    def write(self, program, model):
        """Returns the file to compile: the model, or one that is made of it."""
        if not self.guesses:
            return model
        text, made = model.read_text(), model.with_name(f"{self.name}.predicted.mlir")
        made.write_text(predicted(text, len(text)))
        return made

    def compile(self, program, model, artifact, coverage=None):
        """Returns the message of a tool that failed, or None."""
        model = self.write(program, model)
        source = model.with_name(f"{self.name}.mlir") if self.passes else model
        passes = (model, *self.passes, "-o", source)
        message = self.passes and run_tool("dyn-opt", *passes, coverage=coverage)
        if self.interpreted:
            return message
        options = [option.format(folder=model.parent) for option in self.options]
        compiling = (source, "-o", artifact, *options)
        return message or run_tool("dyn-compile", *compiling, coverage=coverage)

    def run(self, folder, numbers):
        """Runs the compiled program, as `run_program` does."""
        if self.interpreted:
            text = folder / f"{self.name}.mlir"
            if self.wide:
                widen_inputs(folder, numbers)
            inputs = "wide" if self.wide else "inputs"
            return run_program(text, folder, numbers, self.name, "--reference", inputs=inputs)
        artifact = folder / f"{self.name}.so"
        options = f"--device={self.device}", *self.running
        environment = {"DYN_GUESSES": self.guesses}
        return run_program(artifact, folder, numbers, self.name, *options, **environment)


# Every result is written by non-temporal stores, where kernels allow it.
STREAMED = ("--stream-from=1",)
PLAIN = (Build(),)
EMULATED = (Build("emulated", ("--target=cpu,emu",), group="emulated", device="emu"),)


def lowered(name, *passes, interpreted=True):
    """Only these passes, interpreted or compiled."""
    return Build(name, (), passes + ("--convert-cell-to-dhlo",), name, interpreted)


def rewritten(name, *passes, **more):
    """A program after passes, interpreted."""
    return Build(name, (), passes, name, interpreted=True, **more)


CANCEL, STACK = "--cell-cancel-routes", "--cell-stack-siblings"
# With a profile; without the passes that rewrite routes, or with one of them; with wrong
# predictions of all routers, which are on or off.
VARIANTS = (
    Build("profiled", ("--profile={folder}/profile.json",), running=STREAMED),
    lowered("cancelled", CANCEL),
    lowered("lowered", interpreted=False),
    lowered("stacked", STACK),
    Build("speculated", guesses="always"),
    Build("unguessed", guesses="never"),
)
# Optional passes off, or on; and dhlo after passes, interpreted.
DENSE_VARIANTS = (
    rewritten("optimised", "--dyn-optimize"),
    rewritten("unpadded", "--dhlo-remove-padding=min-intensity=0", "--dhlo-verify-dims"),
    rewritten("decomposed", "--dhlo-decompose", "--canonicalize", "--cse"),
    rewritten("widened", "--dhlo-widen-floats", wide=True),
    Build("apart", ("--together=false", "--winograd=false"), group="apart"),
    Build("unoptimised", passes=("--dhlo-simplify-sizes",), group="unoptimised"),
)
# With GEMMs that are left to a library.
LIBRARY = (
    Build("library", ("--target=cpu,emu", "--cuda-library=always"), group="library", device="emu"),
)


def run_tool(*arguments, timeout=900, coverage=None, **environment):
    """Runs a tool in an environment with these variables. Returns its error message, or None.
    A coverage records which passes changed the program."""
    with coverage.tracing() if coverage else contextlib.nullcontext(()) as options:
        try:
            done = subprocess.run(
                [str(a) for a in (*arguments, *options)],
                capture_output=True,
                text=True,
                timeout=timeout,
                env=os.environ | environment,
            )
        except subprocess.TimeoutExpired:
            return f"no end after {timeout} s"
    if done.returncode == 0:
        return None
    lines = (done.stderr or done.stdout).strip().splitlines()
    # Remarks and warnings may come first.
    first = next((i for i, line in enumerate(lines) if "error:" in line), 0)
    lines = lines[first : first + 6]
    if done.returncode < 0:
        lines.insert(0, f"died of signal {-done.returncode}")
    return "\n".join(lines) or f"exit status {done.returncode}"


def is_runnable(program):
    """Whether there are outputs, and numpy has all types."""
    return bool(program.outputs) and "bf16" not in program.dtypes()


def make_inputs(program, sizes, rng):
    """Random inputs: floats are small multiples of 1/8, integers small."""
    inputs = {}
    for name, shape, dtype in program.input_shapes(sizes):
        numbers = rng.integers(-16, 17, shape)
        if dtype.startswith("f"):
            inputs[name] = (numbers / 8).astype(DTYPES[dtype])
        else:
            if dtype.startswith("u"):
                numbers = np.abs(numbers)
            inputs[name] = (numbers % 2 if dtype == "i1" else numbers).astype(DTYPES[dtype])
    return inputs


def tolerance(program):
    """By the least precise element type in the program."""
    text = program.text()
    return 5e-2 if "bf16" in text else 1e-2 if "f16" in text else 2e-4


def compare(expected, found, tol):
    """A sentence on the first difference, or None. Cancellation leaves the rounding error
    of numbers about one: gelu has 1 + erf."""
    if expected.shape != found.shape or expected.dtype != found.dtype:
        return f"expected {expected.dtype}{expected.shape}, found {found.dtype}{found.shape}"
    if expected.size == 0:
        return None
    if expected.dtype.kind != "f":
        wrong = expected != found
    else:
        a, b = found.astype(np.float64), expected.astype(np.float64)
        finite = np.abs(b[np.isfinite(b)])
        scale = finite.max() if finite.size else 0
        with np.errstate(invalid="ignore"):
            wrong = ~(np.abs(a - b) <= tol * (np.abs(b) + scale) + ROUNDING)
            wrong &= ~((a == b) | (np.isnan(a) & np.isnan(b)))
    if not wrong.any():
        return None
    at = tuple(int(i) for i in np.argwhere(wrong)[0])
    return f"{int(wrong.sum())} of {wrong.size} differ; {list(at)}: expected {expected[at]}, found {found[at]}"


def compare_bits(expected, found):
    """A sentence if two builds with the same bits by contract differ, or None."""
    if expected.tobytes() == found.tobytes():
        return None
    return f"other bits than those of the first build: {compare(expected, found, 0)}"


def widen_inputs(folder, numbers):
    """Converts f32 inputs to f64."""
    for number in numbers:
        inputs = dict(np.load(folder / f"inputs.{number}.npz"))
        wide = {k: v.astype("f8") if v.dtype == np.float32 else v for k, v in inputs.items()}
        np.savez(folder / f"wide.{number}.npz", **wide)


def narrowed(wide, expected):
    """Rounds numbers that were computed in f64 to f32, where they overflow earlier."""
    if expected.dtype != np.float32:
        return wide
    with np.errstate(over="ignore"):
        return np.where(np.isfinite(expected), wide.astype(np.float32), expected)


def check(program, folder, sizes=SIZES, seed=0, builds=PLAIN, coverage=None):
    """Compiles and runs a program. Returns a Failure or None."""
    folder = pathlib.Path(folder)
    model = folder / "program.mlir"
    text = program.text()
    model.write_text(text)
    if WEIGHTS_FILE in text:
        write_weights(folder)
    for number, size in enumerate(sizes):
        inputs = make_inputs(program, size, np.random.default_rng(seed))
        np.savez(folder / f"inputs.{number}.npz", **inputs)
    numbers, errors = list(range(len(sizes))), {}
    while numbers:
        message, outputs = run_program(model, folder, numbers, "interpret", "--reference")
        if not message:
            break
        # A data error is the meaning of a call; those of builds must be the same.
        error = data_error(message)
        if error is None:
            return Failure("interpret", message, next_size(sizes, numbers, outputs))
        errors[numbers.pop(len(outputs))] = error
    if not numbers:
        return None
    expected = dict(zip(numbers, outputs, strict=True))
    shutil.copy(folder / "interpret.json", folder / "profile.json")
    results, refused = {}, None
    for build in builds:
        artifact = folder / f"{build.name}.so"
        message = build.compile(program, model, artifact, coverage)
        if message:
            # A diagnostic is an acceptable result; a crash or an invalid program never is.
            if "error:" not in message or any(sign in message for sign in INTERNAL):
                return Failure("compile", message, {}, build=build)
            refused = Failure("refuse", message, {}, build=build)
            continue
        message, found = build.run(folder, numbers)
        if message:
            return Failure("run", message, next_size(sizes, numbers, found), build=build)
        for number, outputs in zip(numbers, found, strict=True):
            size = sizes[number]
            for index, value in enumerate(program.outputs):
                name = value.name[1:]
                output = outputs[name]
                if build.wide:
                    output = narrowed(output, expected[number][name])
                message = compare(expected[number][name], output, tolerance(program))
                if message:
                    return Failure("differ", f"{value}: {message}", size, index, build)
                first, bits = results.setdefault((build.group, number, name), (build, output))
                message = compare_bits(bits, output)
                if message:
                    return Failure("differ", f"{value}: {message}", size, index, build, first)
        message = build.has_probes and compare_profiles(folder, build.name)
        if message:
            return Failure("profile", message, {}, build=build)
        for number, error in errors.items():
            message, _ = build.run(folder, [number])
            if message is None or data_error(message) != error:
                what = f"expected the error {' '.join(error)}, found {message}"
                return Failure("differ", what, sizes[number], build=build)
    return refused


def next_size(sizes, numbers, outputs):
    """The size of the first call without outputs, if there is one."""
    return sizes[numbers[len(outputs)]] if len(outputs) < len(numbers) else {}


def data_error(message):
    """The operation and the kind of a data error, None if a message is of none."""
    match = re.search(r"(dhlo\.\w+) at .*: (index out of range)", message.splitlines()[0])
    return match.groups() if match else None


def run_program(program, folder, numbers, name, *options, inputs="inputs", **environment):
    """Runs a program or an artifact on the inputs of each number, in successive calls.
    Returns a message and the outputs of the calls before, or None and all outputs."""
    paths = [folder / f"{name}.{number}.npz" for number in numbers]
    files = []
    for number, path in zip(numbers, paths, strict=True):
        path.unlink(missing_ok=True)
        files += ["--inputs", folder / f"{inputs}.{number}.npz", "--output", path]
    # Ranks record none.
    if "%r" not in name:
        files += ["--profile-out", folder / f"{name}.json", "--profile-window-ms", 86400000]
    message = run_tool("dyn-run", program, *options, *files, **environment)
    return message, [np.load(path) for path in paths if path.exists()]


def compare_profiles(folder, name):
    """A sentence on the first router whose decisions differ, or None."""

    def read(kind):
        profile = json.loads((folder / f"{kind}.json").read_text())
        for router in profile["routers"]:
            for window in router["windows"]:
                del window["at"]
                for table in ("pairs", "transitions"):
                    window.setdefault(table, [])
        return {router["key"]: router for router in profile["routers"]}

    expected, found = read("interpret"), read(name)
    for key in sorted(expected.keys() | found.keys()):
        if expected.get(key) != found.get(key):
            return f"router {key}: expected {expected.get(key)}, found {found.get(key)}"
    return None


def reduce(program, failure, folder):
    """A smaller program that fails in the same stage, and its failure.

    First the outputs are reduced to one, as early as possible; then values are replaced by
    inputs, last first, as long as the failure stays.
    """
    sizes = [failure.sizes] if failure.sizes else SIZES
    builds = [build for build in (failure.first, failure.build) if build] or PLAIN

    def attempt(candidate):
        if not is_runnable(candidate):
            return None
        found = check(candidate, folder, sizes, builds=builds)
        return found if found and found.stage == failure.stage else None

    for statement in program.statements:
        if not all(value.is_tensor for value in statement.results):
            continue
        candidate = dataclasses.replace(program, outputs=statement.results[:1]).without_unused()
        found = attempt(candidate)
        if found:
            program, failure = candidate, found
            break
    for statement in list(program.statements)[-2::-1]:
        sizes_of = [size for value in statement.results for size in value.sizes]
        if any(isinstance(size, str) and size[0] in "dk" for size in sizes_of):
            continue  # no input binds a derived or data-dependent size
        if not all(value.is_tensor for value in statement.results):
            continue
        rest = [s for s in program.statements if s is not statement]
        cut = Program(program.inputs + statement.results, rest, program.outputs, program.symbols)
        found = attempt(cut.without_unused())
        if found:
            program, failure = cut.without_unused(), found
    return program, failure


@dataclasses.dataclass
class Case:
    """A program, the sizes of its calls, and the ways to build it."""

    seed: int
    program: Program
    sizes: tuple
    builds: tuple

    def report(self, program, failure):
        """The failure, as a comment, and the program."""
        how = f"{failure.stage} at {failure.sizes}"
        how += f" ({failure.build.name})" if failure.build else ""
        comment = failure.message.replace("\n", "\n// ")
        return f"// seed {self.seed}: {how}: {comment}\n{program.text()}"


def make_case(
    seed, length=None, routed=False, options=(), builds=PLAIN, single=None, variants=True
):
    """The case of a seed. With `variants`, dense programs are built in one additional way, and
    every third one with routers. `single` names an entry of the generator's table."""
    sizes = SIZES
    if routed:
        program = generate_routed(seed, length)
        rng = np.random.default_rng(seed)
        sizes = (
            {"N": 0, "M": int(rng.integers(3))},
            {"N": 1, "M": int(rng.integers(3))},
            {"N": int(rng.integers(2, 40)), "M": int(rng.integers(1, 6))},
        )
    else:
        program = generate_single(seed, single) if single else generate(seed, length)
        if seed % 2 and builds == PLAIN:
            builds = (Build(running=STREAMED),)
    turn, left = divmod(seed, 3 if routed else 1)
    others = VARIANTS if routed else DENSE_VARIANTS
    if variants and left == 0:
        builds += (others[turn % len(others)],)
    builds = tuple(
        b if b.interpreted else dataclasses.replace(b, options=(*options, *b.options))
        for b in builds
    )
    return Case(seed, program, sizes, builds)


def fuzz(seed, refusals=True, whole=False, kind="dense", coverage=None, **how):
    """Checks the program of a seed, made and built as by `make_case`. Returns None, or a
    report of the failure. Programs that the compiler refuses count as failures if
    `refusals`. A coverage counts the program under `kind`."""
    case = make_case(seed, **how)
    program = case.program
    if not is_runnable(program):
        return None
    if coverage:
        coverage.add_program(kind, program.text())
    with tempfile.TemporaryDirectory() as folder:
        failure = check(program, folder, case.sizes, builds=case.builds, coverage=coverage)
        if not failure or (failure.stage == "refuse" and not refusals):
            return None
        if not whole:
            program, failure = reduce(program, failure, folder)
    return case.report(program, failure)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", default="0:100", help="first and last seed, the last excluded")
    parser.add_argument("--length", type=int, help="number of operations")
    parser.add_argument("--routed", action="store_true", help="programs with routers")
    parser.add_argument("--single", choices=TABLE, help="only this entry of the table")
    parser.add_argument("--accept-refusals", action="store_true", help="diagnostics are fine")
    parser.add_argument("--out", type=pathlib.Path, help="folder for failing programs")
    parser.add_argument("--verbose", action="store_true", help="a line for each seed")
    parser.add_argument("--whole", action="store_true", help="do not reduce what fails")
    parser.add_argument("--options", default="", help="more options of dyn-compile, as one word")
    parser.add_argument("--emulated", action="store_true", help="on the emulator of a GPU")
    arguments = parser.parse_args()
    first, last = map(int, arguments.seeds.split(":"))
    failures = 0
    for seed in range(first, last):
        report = fuzz(
            seed,
            refusals=not arguments.accept_refusals,
            whole=arguments.whole,
            length=arguments.length,
            routed=arguments.routed,
            single=arguments.single,
            options=arguments.options.split(),
            builds=EMULATED if arguments.emulated else PLAIN,
        )
        if arguments.verbose:
            print(f"seed {seed}: {'failed' if report else 'passed'}", file=sys.stderr, flush=True)
        if report:
            failures += 1
            print(report, flush=True)
            if arguments.out:
                arguments.out.mkdir(parents=True, exist_ok=True)
                (arguments.out / f"{seed}.mlir").write_text(report)
    print(f"{last - first - failures} passed, {failures} failed")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
