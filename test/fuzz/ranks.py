# ===- ranks.py - Random programs on random meshes -------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gives random programs a mesh, shardings of some of their values, and placements of some
routers. The programs of all ranks are interpreted, or compiled and run in threads. Results
must have the bits of the program without them.

    python ranks.py [--seeds 0:100] [--compiled] [--sums | [--routed] [--stages | --blocks]]
"""

import argparse
import contextlib
import dataclasses
import random
import re
import subprocess
import sys

import numpy as np
from differ import Build, fuzz, run_program
from generator import generate
from program import BINDER, Statement, typed
from rewrites import LOWER, closed, interpret
from routes import generate_routed

MESHES = ((2,), (3,), (4,), (8,), (2, 2), (3, 2), (1, 2))
PARTITION = ("--dist-propagate", "--dist-partition", "--canonicalize", "--cse")
PARTITION += ("--dist-overlap-exchanges", "--dhlo-verify-dims")
SUMS = "--dist-propagate=segments=4"
#: The meshes of stages.
PIPELINES = (((1,), (1,)), ((2,), (1,)), ((1,), (2, 2)), ((2,), (3,)), ((1,), (2,), (1,)))
#: Errors where a stage needs a size, or routes, that another one's data decide, and where blocks
#: of the batch are not computed apart.
REFUSED = re.compile("expected (sizes of inputs|tensors) between stages|micro-batches: expected")

SEPARATOR = "\n// -----\n"


def draw_sharding(rng, rank, names, mesh="mesh"):
    """A sharding of `rank` axes by some of the mesh axes."""
    axes = [[] for _ in range(rank)]
    for name in rng.sample(names, rng.randint(1, len(names))):
        rng.choice(axes).append(f'"{name}"')
    return f"<@{mesh}, [" + ", ".join(f"[{', '.join(axis)}]" for axis in axes) + "]>"


def declare_mesh(name, sizes, first=0):
    axes = ", ".join(f'"{axis}" = {size}' for axis, size in zip("ab", sizes))
    return f"dist.mesh @{name} [{axes}]" + (f" first = {first}\n" if first else "\n")


def sharded(program, seed, share=0.3, meshes=MESHES, share_placed=0.7):
    """The program with a mesh, random reshards and placements, and the number of ranks."""
    mesh = random.Random(seed).choice(meshes)
    names, ranks = "ab"[: len(mesh)], int(np.prod(mesh))

    def draw(rng, value):
        return draw_sharding(rng, len(value.sizes), names)

    def choose(rng, routes):
        if rng.random() > share_placed:
            return None
        return [rng.randrange(ranks) for _ in range(routes.paths)]

    return declare_mesh("mesh", mesh), resharded(program, seed, share, draw, choose), ranks


def staged(program, seed, pipeline=None):
    """The program with the meshes of stages, between which values go forwards and back, but for
    those with sizes that data decide."""
    pipeline = pipeline or random.Random(seed).choice(PIPELINES)
    bound = {name for statement in program.statements for name in BINDER.findall(statement.text)}
    ranks = [int(np.prod(mesh)) for mesh in pipeline]
    declared = "".join(
        declare_mesh(f"stage{i}", mesh, sum(ranks[:i])) for i, mesh in enumerate(pipeline)
    )
    at = 0

    def draw(rng, value):
        nonlocal at
        if bound.intersection(re.findall(r"k\d+", typed(value))):
            return None
        at = min(max(at + rng.choice((-1, 0, 0, 1, 1)), 0), len(pipeline) - 1)
        return draw_sharding(rng, len(value.sizes), "ab"[: len(pipeline[at])], f"stage{at}")

    return declared, resharded(program, seed, 0.5, draw), sum(ranks)


def in_blocks(text, seed):
    """A program whose batch is cut into micro-batches."""
    blocks = f"{{dhlo.entry, dist.micro_batches = {random.Random(seed).choice((2, 3, 5))} : i64}}"
    return text.replace("attributes {dhlo.entry}", f"attributes {blocks}")


def split_batches(texts):
    """Programs after their batches are cut, None where one cannot be, and other errors."""
    command = ["dyn-opt", "-split-input-file", "--dist-split-batch", "--dhlo-verify-dims", "-"]
    done = subprocess.run(command, input=SEPARATOR.join(texts), capture_output=True, text=True)
    errors = [line for line in done.stderr.splitlines() if "error:" in line]
    pieces = done.stdout.split(SEPARATOR.lstrip())
    pieces = [piece if "func.func" in piece else None for piece in pieces]
    return pieces, [line for line in errors if not REFUSED.search(line)]


def resharded(program, seed, share, draw, choose=None):
    """The program with reshards of some values to draw(rng, value) where it draws a sharding, and
    routers on ranks choose(rng, routes). Those of a value follow from its name, and stay while
    programs are reduced."""
    statements, renamed = [], {}

    def rename(text):
        for old, new in renamed.items():
            text = re.sub(re.escape(old) + r"(?![\w#.])", new, text)
        return text

    def reshard(value):
        rng = random.Random(f"{seed} {value}")
        if not value.is_tensor or not value.sizes or rng.random() > share:
            return
        sharding = draw(rng, value)
        if sharding is None:
            return
        new = f"%held.{len(renamed)}"
        text = f"{new} = dist.reshard {value} : {typed(value)} to {sharding}"
        statements.append(Statement(text, [value], []))
        renamed[value.name] = new

    def assign(routes, text):
        """A router's region ends before a probe, if there is one."""
        ranks = choose(random.Random(f"{seed} {routes}"), routes) if choose else None
        if ranks is None:
            return text
        router, end, probe = text.partition("\n  }")
        placement = ", ".join(map(str, ranks))
        return f"{router}{end} {{dist.placement = array<i64: {placement}>}}{probe}"

    for value in program.inputs:
        reshard(value)
    for statement in program.statements:
        text = rename(statement.text)
        if "= cell.route(" in text.partition("\n")[0]:
            text = assign(statement.results[0], text)
        statements.append(dataclasses.replace(statement, text=text))
        for value in statement.results:
            reshard(value)
    return dataclasses.replace(program, statements=statements)


def as_entry(text):
    """A closed program whose function is an entry."""
    return re.sub(r"(func\.func @main\(\) -> \(.*\)) {\n", r"\1 attributes {dhlo.entry} {\n", text)


def results_of(run):
    """The results of each function that a run printed. Each rank has a data error of its own
    where all compute the same."""
    pieces = re.split(r"^@main(?:_\d+)?\n", run.stdout, flags=re.MULTILINE)[1:]
    return [
        re.sub(r"^(  dhlo\.\w+: .*\n)(?:\1)+", r"\1", piece, flags=re.MULTILINE) for piece in pieces
    ]


def check_ranks(seeds, routed=False, coverage=None, divide=sharded, blocks=False):
    """Returns a list of differences, each with its seed. With blocks, of programs whose batch can
    be cut."""
    cases = []
    for seed in seeds:
        program = (generate_routed if routed else generate)(seed)
        mesh, held, ranks = divide(program, seed)
        cases.append((seed, program, mesh, held, ranks))
    if blocks:
        texts = [in_blocks(mesh + held.text(), seed) for seed, _, mesh, held, _ in cases]
        texts, errors = split_batches(texts)
        if errors:
            return [f"seeds {seeds}: " + "\n".join(errors[:8])]
        cases = [(*case, text) for case, text in zip(cases, texts, strict=True) if text]
    else:
        cases = [(*case, None) for case in cases]
    plain, divided, names, counts = [], [], [], []
    for seed, program, mesh, held, ranks, text in cases:
        if coverage:
            coverage.add_program("ranks", text or mesh + held.text())
        rng = np.random.default_rng(seed)
        for n in (0, 1, int(rng.integers(2, 12))):
            sizes = {"N": n, "M": int(rng.integers(0, 4))}
            plain.append(closed(program, sizes, seed))
            local = closed(held, sizes, seed, text)
            divided.append(as_entry(local if text else mesh + local))
            names.append(f"seed {seed} at {sizes}, {ranks} ranks")
            counts.append(ranks)
    if not names:
        return []
    lower = ("--dist-exchange-routes", *LOWER) if routed else ()
    _, global_run = interpret(SEPARATOR.join(plain), *lower[1:])
    tracing = coverage.tracing() if coverage else contextlib.nullcontext(())
    with tracing as options:
        _, local_run = interpret(SEPARATOR.join(divided), *lower, *PARTITION, *options)
    expected, found = results_of(global_run), results_of(local_run)
    if len(expected) != len(names) or len(found) != sum(counts):
        if REFUSED.search(local_run.stderr):
            alone = seeds if len(seeds) > 1 else ()
            return [x for s in alone for x in check_ranks([s], routed, coverage, divide, blocks)]
        lines = [x for x in (global_run.stderr + local_run.stderr).splitlines() if "error" in x]
        return [f"seeds {seeds}: " + "\n".join(lines[:8])]
    failures, at = [], 0
    for name, count, result in zip(names, counts, expected, strict=True):
        for rank, other in enumerate(found[at : at + count]):
            if other != result:
                failures.append(f"{name}, rank {rank}: expected\n{result}found\n{other}")
        at += count
    return failures


def check_sums(seeds):
    """Divides sums, which must have the same bits on 1, 2, 4 and, gathered, 3 ranks."""
    expected, failures = [], []
    for ranks in (1, 2, 4, 3):
        texts = []
        for seed in seeds:
            mesh, held, _ = sharded(generate(seed), seed, share=0.9, meshes=((ranks,),))
            texts.append(mesh + as_entry(closed(held, {"N": 5, "M": 3}, seed)))
        _, run = interpret(SEPARATOR.join(texts), SUMS, *PARTITION[1:])
        found = results_of(run)
        if len(found) != ranks * len(texts):
            lines = [x for x in run.stderr.splitlines() if "error" in x]
            return [f"seeds {seeds}, {ranks} ranks: " + "\n".join(lines[:8])]
        expected = expected or found
        for i, result in enumerate(found):
            if result != expected[i // ranks]:
                where = f"seed {seeds[i // ranks]}, rank {i % ranks} of {ranks}"
                failures.append(f"{where}: expected\n{expected[i // ranks]}found\n{result}")
    return failures


@dataclasses.dataclass
class RanksBuild(Build):
    """The program with random shardings and placements on a mesh, or the meshes of stages,
    whose ranks run in threads. The first mesh is of one rank, since patterns do not cross stated
    shardings."""

    seed: int = 0
    meshes: tuple = ()
    is_staged: bool = False
    is_in_blocks: bool = False

    has_probes = False

    def write(self, program, model):
        if self.is_staged:
            mesh, held, _ = staged(program, self.seed, self.meshes)
        else:
            mesh, held, _ = sharded(program, self.seed, meshes=self.meshes)
        text = mesh + held.text()
        made = model.with_name(f"{self.name}.divided.mlir")
        made.write_text(in_blocks(text, self.seed) if self.is_in_blocks else text)
        return made

    def run(self, folder, numbers):
        ranks = sum(int(np.prod(mesh)) for mesh in self.meshes)
        artifact, name = folder / f"{self.name}.so", f"{self.name}.%r"
        message, _ = run_program(artifact, folder, numbers, name, f"--ranks={ranks}")
        if message:
            return message, []
        by_rank = [
            [dict(np.load(folder / f"{self.name}.{rank}.{number}.npz")) for number in numbers]
            for rank in range(ranks)
        ]
        for rank, results in enumerate(by_rank):
            for found, first in zip(results, by_rank[0], strict=True):
                for name, value in found.items():
                    if value.tobytes() != first[name].tobytes():
                        return f"rank {rank} has another {name} than rank 0", []
        return None, by_rank[0]


def check_compiled(seed, routed=False, stages=False, blocks=False, **how):
    """Compiles the program of a seed for one rank and for several. Returns None, or a report. With
    blocks, its batch goes through the stages in these; of one rank, whole."""
    is_staged = stages or blocks
    if is_staged:
        one, many = ((1,),), random.Random(seed).choice(PIPELINES)
    else:
        many = (random.Random(seed).choice(MESHES),)
        one = ((1,) * len(many[0]),)
    program = (generate_routed if routed else generate)(seed)
    # Floats below 32 bits are rounded where a fusion ends, and so between exchanges.
    is_narrow = "f16" in program.text()
    group = "narrow" if is_narrow else "compiled"
    made = {"seed": seed, "is_staged": is_staged}
    builds = (
        RanksBuild("one", meshes=one, **made),
        RanksBuild("many", meshes=many, group=group, is_in_blocks=blocks, **made),
    )
    how = {"routed": routed, "builds": builds, "variants": False, **how}
    if blocks:
        mesh, held, _ = staged(program, seed, many)
        (text,), errors = split_batches([in_blocks(mesh + held.text(), seed)])
        if not text and not errors:
            return None
    if is_staged:
        # A refusal is no failure, and takes long to reduce.
        report = fuzz(seed, **{**how, "whole": True})
        if not report or REFUSED.search(report):
            return None
    return fuzz(seed, **how)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", default="0:100", help="first and last seed, the last excluded")
    parser.add_argument("--routed", action="store_true", help="programs with routers")
    parser.add_argument("--sums", action="store_true", help="divide sums")
    parser.add_argument("--compiled", action="store_true", help="compile and run, one by one")
    parser.add_argument("--stages", action="store_true", help="meshes of stages")
    parser.add_argument("--blocks", action="store_true", help="stages, and micro-batches")
    arguments = parser.parse_args()
    first, last = map(int, arguments.seeds.split(":"))
    failures = []
    how = {"routed": arguments.routed, "blocks": arguments.blocks}
    for seed in range(first, last if arguments.compiled else first):
        report = check_compiled(seed, stages=arguments.stages, options=("--isa=v3", "-O1"), **how)
        if report:
            failures.append(report)
            print(report, flush=True)
    for start in range(last if arguments.compiled else first, last, 10):
        seeds = range(start, min(start + 10, last))
        if arguments.sums:
            failures += check_sums(seeds)
        else:
            divide = staged if arguments.stages or arguments.blocks else sharded
            failures += check_ranks(seeds, divide=divide, **how)
    print("\n".join(failures))
    print(f"{last - first} programs, {len(failures)} failures")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
