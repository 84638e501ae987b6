#!/usr/bin/env python3
# ===- adapt.py - Measure models that change while they run ----------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures what models gain that compile themselves again, and writes adapt-THREADS.json and
.md. All programs of a case must have the same bits.

`hot`: a trace with two hot sizes, 45 % of the calls each: one program for all sizes, static ones
for both, and the automatic mode after its warm-up. `fresh`: sizes that never repeat. `drift`: a
router whose cells take another path than in the profile of the program (`profiled before`), a
program with a profile of these calls, and one that is compiled again by itself. `swaps`: calls
of one thread while programs that are compiled already replace each other, and while a compiler
replaces the program by itself; beside them calls alone, and while a process with the priority of
a compiler computes.
"""

import argparse
import itertools
import json
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

import single
from tables import markdown

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

#: Two hot sizes, and where others are drawn from.
TRACES = {
    "bert-small": (
        [{"batch": 1, "sequence": 64}, {"batch": 4, "sequence": 24}],
        {"batch": range(1, 9), "sequence": range(4, 128)},
    ),
    "mlp-small": ([{"batch": 8}, {"batch": 64}], {"batch": range(1, 400)}),
}
#: Seconds that a model has to decide: after a compilation it pauses for 20 times as long.
PATIENCE = 600


def compiled(path, output, *options):
    subprocess.run(["dyn-compile", path, "-o", output, *options], check=True, capture_output=True)
    return output


def alternate(actions, rounds):
    """The seconds of functions that take turns, and the number of the turn: {name: [seconds]}."""
    times = {name: [] for name in actions}
    for turn in range(rounds):
        names = list(actions)
        for name in names[turn % len(names) :] + names[: turn % len(names)]:
            start = time.perf_counter()
            actions[name](turn)
            times[name].append(time.perf_counter() - start)
    return times


def least_calls(actions, args):
    """The seconds of the least call of each turn. A chain of launches needs a second processor,
    which other work may have during whole turns, and after others' turns its thread sleeps."""
    least = {name: [] for name in actions}

    def take(name):
        single_calls = {name: lambda turn: actions[name]()}
        least[name].append(min(alternate(single_calls, 20)[name]))

    alternate({name: lambda turn, name=name: take(name) for name in actions}, args.rounds * 20)
    return least


def microseconds(times, calls):
    return {name: 1e6 * statistics.median(values) / calls for name, values in times.items()}


def over(times, name, other):
    """The time of one relative to another: the median of the ratios of turns."""
    return statistics.median(a / b for a, b in zip(times[name], times[other]))


def check(artifacts, inputs):
    bits = {name: [y.tobytes() for y in a.run(inputs)] for name, a in artifacts.items()}
    for name, found in bits.items():
        if found != bits["dynamic"]:
            raise ValueError(f"{name}: other bits")


def sizes_of_trace(args, model, folder):
    """The artifacts of a model, and functions that draw inputs at random and hot sizes."""
    import dyn
    import models
    import numpy

    model = models.get(model)
    path, rng = str(model.path()), numpy.random.default_rng(args.seed)
    base = compiled(path, folder / "model.so")

    def load(**options):
        return dyn.load(base, threads=args.threads, source=path, **options)

    artifacts = {"dynamic": load(), "auto": load(mode="auto", window=0.2, hot=0.2)}
    return artifacts, load, lambda call: model.inputs(call, rng)


def decide(artifact, call):
    """Calls until no size is tried any more and all hot ones have been."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        for _ in range(50):
            call()
        time.sleep(0.05)  # The compiler may have the same core.
        states = [size["state"] for size in artifact.report()["auto"]["sizes"]]
        if sum(state in ("kept", "rejected") for state in states) >= 2:
            return
    raise TimeoutError("the automatic mode did not decide")


def hot(args, name, folder):
    import static

    sizes, others = TRACES[name]
    artifacts, load, draw = sizes_of_trace(args, name, folder)
    inputs = [draw(call) for call in sizes]
    artifacts["static"] = load()
    for values in inputs:
        dims = static.sizes_of(artifacts["dynamic"], values)
        artifacts["static"].recompile(dims=dims, reason="a benchmark", wait=True)
    rng = random.Random(args.seed)

    def call_of():
        if rng.random() < 0.1:
            return draw({axis: rng.choice(values) for axis, values in others.items()})
        return inputs[rng.random() < 0.5]

    trace = [call_of() for _ in range(50)]
    decide(artifacts["auto"], lambda: artifacts["auto"].run(rng.choice(trace)))
    for values in trace[:20]:
        check(artifacts, values)

    def run(artifact):
        return lambda turn: [artifact.run(values) for values in trace]

    times = alternate({n: run(a) for n, a in artifacts.items()}, args.rounds * 10)
    report = artifacts["auto"].report()["auto"]["sizes"]
    return {
        **microseconds(times, len(trace)),
        "auto over dynamic": over(times, "auto", "dynamic"),
        "auto over static": over(times, "auto", "static"),
        "decisions": ", ".join(s["state"] for s in report if s["state"] != "counted"),
    }


def fresh(args, name, folder):
    _, others = TRACES[name]
    artifacts, _, draw = sizes_of_trace(args, name, folder)
    rng, block = random.Random(args.seed), 10
    calls = [dict(zip(others, values)) for values in itertools.product(*others.values())]
    rng.shuffle(calls)
    rounds = min(len(calls) // block, 8 if args.quick else 80)
    inputs = [draw(call) for call in calls[: rounds * block]]
    check(artifacts, inputs[0])

    def run(artifact):
        return lambda turn: [artifact.run(x) for x in inputs[turn * block : (turn + 1) * block]]

    times = alternate({n: run(a) for n, a in artifacts.items()}, rounds)
    report = artifacts["auto"].report()
    return {
        **microseconds(times, block),
        "auto over dynamic": over(times, "auto", "dynamic"),
        "decisions": f"{report['compilations']} compilations",
    }


def drift(args, _, folder):
    """A router that takes the time of its paths."""
    import dyn
    import numpy
    import predict

    numbers = 6000 if args.quick else 24000
    program = folder / "router.mlir"
    program.write_text(predict.MICRO.replace("xSx", f"x{numbers}x"))
    x = abs(numpy.random.default_rng(args.seed).standard_normal((1, numbers), numpy.float32))
    loads = {"before": (-x,), "now": (x,)}
    plain = compiled(program, folder / "plain.so")
    artifact = dyn.load(plain, threads=args.threads)
    profiles = {n: predict.recorded(artifact, c, folder / f"{n}.json") for n, c in loads.items()}

    def profiled(name):
        return compiled(program, folder / f"{name}.so", f"--profile={profiles[name]}")

    artifacts = {
        "dynamic": artifact,
        "profiled before": dyn.load(profiled("before"), threads=args.threads),
        "profiled now": dyn.load(profiled("now"), threads=args.threads),
        "by itself": dyn.load(
            profiled("before"), threads=args.threads, source=program, reoptimise=True, window=0.2
        ),
    }
    changes, end = artifacts["by itself"], time.monotonic() + PATIENCE
    while changes.report()["compilations"] == 0 or changes.report()["compiling"]:
        changes.run(loads["now"])
        time.sleep(0.001)  # The compiler may have the same core.
        if time.monotonic() > end:
            raise TimeoutError("no drift was seen")
    check(artifacts, loads["now"])

    least = least_calls({n: lambda a=a: a.run(loads["now"]) for n, a in artifacts.items()}, args)
    best = {name: min(values) for name, values in least.items()}
    return {
        **{name: 1e6 * value for name, value in best.items()},
        "recovered": best["profiled now"] / best["by itself"],
        "recovered, median": over(least, "profiled now", "by itself"),
    }


SWAPS = {"bert-small": ("1x64,1x64,1x64", 10), "mlp-small": ("64x37", 10)}


def swaps(args, name, folder):
    import models

    shapes, seconds = SWAPS[name]
    path = str(models.get(name).path())
    base = compiled(path, folder / "model.so")
    share = f"--share-weights={base}"
    variants = [compiled(path, folder / f"variant{i}.so", share) for i in range(2)]
    words = {"alone": (), "burn": (), "swap": variants, "compile": ("dyn-compile", path)}
    rows = []
    for case, more in words.items():
        command = ["swap-benchmark", case, str(0.5 if args.quick else seconds), base, shapes]
        done = subprocess.run([*command, *more], check=True, capture_output=True, text=True)
        found = json.loads(done.stdout)
        median = found["all"]["median"]
        row = {"while": case, "calls": found["all"]["calls"], "median": median}
        row |= {key: found["all"][key] / median for key in ("p99", "p99.9")}
        for part in ("first", "last"):
            if found[part]["calls"]:
                row["swaps"] = found[part]["calls"]
                row |= {f"{part}, {key}": found[part][key] / median for key in ("median", "p99")}
        rows.append({**row, "real time": found["real_time"]})
    return rows


def main():
    traces = list(TRACES)
    cases = {"hot": (hot, traces), "fresh": (fresh, traces), "drift": (drift, ["router"])}
    cases["swaps"] = swaps, list(SWAPS)
    parser = argparse.ArgumentParser(prog="x bench adapt", description=__doc__)
    parser.add_argument("cases", nargs="*", help=f"of {', '.join(cases)}; default: all")
    single.add_arguments(parser)
    parser.set_defaults(threads=2)
    args = parser.parse_args()
    for name in set(args.cases) - set(cases):
        parser.error(f"no case '{name}'; there are {', '.join(cases)}")
    single.settle(args.threads)
    rows, tables = [], []
    for case in args.cases or cases:
        measure, models = cases[case]
        own = []
        for model in models[: 1 if args.quick else None]:
            with tempfile.TemporaryDirectory() as folder:
                found = measure(args, model, pathlib.Path(folder))
            for row in found if isinstance(found, list) else [found]:
                own.append({"case": f"{case}, {model}", **row})
                print(markdown(own[-1:]).splitlines()[-1], flush=True)
        rows += own
        tables.append(markdown(own))
    single.write(args, "adapt", {"rows": rows}, "\n".join(tables))


if __name__ == "__main__":
    sys.exit(main())
