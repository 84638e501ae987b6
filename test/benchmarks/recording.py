# ===- recording.py - Cost of recording a profile of routes ----------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs an artifact in pairs of blocks, with a profile that records and without.

    python recording.py mixture.so x=64x64 x=512x64

Times are processor times of all threads, which other programs disturb least. A block with a
profile includes all work of recording, also the counting by the profile's thread: the block
ends when every decision is counted. The order within a pair alternates. Prints the median
ratio of the pairs, and the amount of recording: routers and decisions per call, which do
not depend on the machine.
"""

import argparse
import json
import pathlib
import statistics
import tempfile
import time

import numpy as np

import dyn


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("artifact")
    parser.add_argument("inputs", nargs="+", help="name=AxB[,name=...]: one call")
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--block", type=float, default=0.25, help="seconds of a block")
    parser.add_argument("--threads", type=int, default=1)
    return parser.parse_args()


def make_inputs(text, model):
    rng = np.random.default_rng(0)
    ports = {port.name: port for port in model.inputs}
    inputs = {}
    for part in text.split(","):
        name, shape = part.split("=")
        shape = [int(size) for size in shape.split("x")]
        draw = rng.standard_normal if "f" in ports[name].dtype else lambda s: rng.integers(0, 2, s)
        inputs[name] = draw(shape).astype(ports[name].numpy_dtype)
    return inputs


def run_calls(model, inputs, calls):
    for _ in range(calls):
        model.run(inputs)


def measure(options, model, inputs):
    begin = time.process_time()
    run_calls(model, inputs, 5)
    calls = max(5, round(5 * options.block / (time.process_time() - begin)))
    profile = dyn.Profile()

    def plain():
        begin = time.process_time()
        run_calls(model, inputs, calls)
        return time.process_time() - begin

    def recorded():
        with profile:
            begin = time.process_time()
            run_calls(model, inputs, calls)
            profile.decisions  # counts the pending decisions
            return time.process_time() - begin

    ratios = []
    for pair in range(options.pairs):
        if pair % 2:
            without, with_profile = plain(), recorded()
        else:
            with_profile, without = recorded(), plain()
        ratios.append(with_profile / without)
    decisions = profile.decisions / (options.pairs * calls)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "p.json"
        profile.write(path)
        routers = len(json.loads(path.read_text())["routers"])
    return ratios, calls, decisions, routers, without / calls


def main():
    options = parse()
    model = dyn.load(options.artifact, threads=options.threads)
    for text in options.inputs:
        inputs = make_inputs(text, model)
        ratios, calls, decisions, routers, seconds = measure(options, model, inputs)
        print(
            f"{text}: {1e6 * seconds:.1f} us a call, {routers} routers, "
            f"{decisions:.0f} decisions a call; with a profile "
            f"{100 * (statistics.median(ratios) - 1):+.2f} % "
            f"(median of {len(ratios)} pairs of {calls} calls, "
            f"{100 * (min(ratios) - 1):+.2f} to {100 * (max(ratios) - 1):+.2f} %)",
            flush=True,
        )


main()
