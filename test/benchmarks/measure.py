# ===- measure.py - Run a trace by all engines, call by call ---------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures one trace in its own process, on pinned cores, and prints JSON.

First, each engine sees some shapes for the first time, then runs all calls once to warm up.
After that the engines take turns in each pass over the trace with fresh data, so that a
disturbance of the machine affects all of them equally; the steady time is the median of the
passes.
"""

import argparse
import json
import os
import statistics
import sys
import time

import blocks

# Idle threads of a pool spin before they sleep, on the cores that the next engine needs;
# those of ONNX Runtime for tens of milliseconds. A single thread needs no rest.
REST = 0.2
# Consecutive calls of one engine, where no rest is needed between engines.
BLOCK = 8
# Calls at a shape after the first; their median is the time of a seen shape.
NEXT = 5


def seconds_of(engine, prepared, wall=False):
    """Returns the seconds of a call. With `wall`, uses only the wall clock: the time of a
    compiler's processes is not part of this process's time."""
    if wall:
        return blocks.seconds_of(lambda: engine.run(prepared))
    return blocks.quiet_seconds_of(lambda: engine.run(prepared), engine.threads)


def spread(items, count):
    """Returns at most `count` of the items, evenly spread, in their order."""
    if len(items) <= count:
        return items
    return [items[i * len(items) // count] for i in range(count)]


def first_calls(engine, model, calls, seed):
    """Returns [(seconds of the first call, median of the next five)] at new shapes. All
    calls get fresh data: otherwise, rows of a table that are in cache by then would count
    as a cost of the shape. A call at a seen shape comes first, because weights evicted from
    the cache while data was generated, and sleeping threads, would count as well."""
    import numpy

    rng, pairs, inputs = numpy.random.default_rng(seed), [], []
    for sizes in calls:
        seen_before = inputs[-1:]
        inputs = [engine.prepare(model.inputs(sizes, rng)) for _ in range(1 + NEXT)]
        for values in seen_before:
            engine.run(values)
        first = seconds_of(engine, inputs[0], wall=engine.name == "torch.compile")
        seen = [seconds_of(engine, values) for values in inputs[1:]]
        pairs.append((first, statistics.median(seen)))
    return pairs


def run_pass(engines, model, calls, seed, wall=False):
    """Returns the seconds of each call by each engine, as {engine: [seconds]}. The engines
    take turns with the same data, block by block; the first one changes."""
    import numpy

    rng, seconds = numpy.random.default_rng(seed), {engine.name: [] for engine in engines}
    alone = engines[0].threads == 1
    size = BLOCK if alone else len(calls)
    for start in range(0, len(calls), size):
        inputs = [model.inputs(sizes, rng) for sizes in calls[start : start + size]]
        for turn in range(len(engines)):
            engine = engines[(seed + start // size + turn) % len(engines)]
            prepared = [engine.prepare(values) for values in inputs]
            time.sleep(0 if alone else REST)
            seconds[engine.name] += [seconds_of(engine, values, wall) for values in prepared]
    return seconds


def open_engines(names, model, threads):
    """Returns the engines that support the model, and {name: reason} of the others."""
    import engines as all_engines

    opened, refused = [], {}
    for name in names:
        if model.module is None and name.startswith("torch"):
            continue
        try:
            opened.append(all_engines.ENGINES[name](model, threads))
            opened[-1].threads = threads
        except Exception as error:
            refused[name] = str(error).strip()[:400]
    return opened, refused


def compile_seconds(engine, pairs, warm, steady):
    """Returns the seconds spent compiling. A compiler in the process runs during calls: its
    time is the excess over the same calls later."""
    if hasattr(engine, "compile_seconds"):
        return engine.compile_seconds
    if engine.name != "torch.compile":
        return None
    extra = [first - seen for first, seen in pairs]
    extra += [first - seen for first, seen in zip(warm, steady)]
    return sum(max(seconds, 0) for seconds in extra)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trace")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--engines", default="dyn,onnxruntime,openvino,torch")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--stride", type=int, default=1, help="run each n-th call alone")
    parser.add_argument("--shapes", type=int, default=12, help="shapes of the first-seen penalty")
    args = parser.parse_args()

    cores = sorted(os.sched_getaffinity(0))[-args.threads :]
    os.sched_setaffinity(0, cores)
    os.environ["OMP_NUM_THREADS"] = str(args.threads)

    import models
    import numpy
    import roofline
    from models import traces

    trace = traces.make(args.trace, args.seed)
    model, calls = models.get(trace.model), trace.calls[:: args.stride]
    engines, refused = open_engines(args.engines.split(","), model, args.threads)
    if not engines:
        sys.exit(f"no engine runs {trace.model}: {refused}")

    machine = roofline.measure(args.threads)
    different = list({tuple(sizes.items()): sizes for sizes in calls}.values())
    pairs = {}
    for engine in list(engines):
        try:
            shapes = spread(different, args.shapes)
            pairs[engine.name] = first_calls(engine, model, shapes, args.seed + 1)
        except Exception as error:
            # An engine that compiles during calls may reject one late.
            engines.remove(engine)
            refused[engine.name] = str(error).strip()[:400]
    warm = run_pass(engines, model, calls, args.seed + 2, wall=True)
    passes = [run_pass(engines, model, calls, args.seed + 3 + n) for n in range(args.repeat)]
    steady = {
        engine.name: numpy.median([p[engine.name] for p in passes], axis=0).tolist()
        for engine in engines
    }

    # The machine may have been busy at the start: the better measurement counts.
    again = roofline.measure(args.threads)
    machine = roofline.Machine(*map(max, zip(vars(machine).values(), vars(again).values())))

    # Work of each call, computed after the measurement.
    module = model.make_module() if model.module else None
    peer = next((e for e in engines if e.name == "onnxruntime"), None)
    amounts, largest = [], 0
    for sizes in calls:
        inputs = model.inputs(sizes, numpy.random.default_rng(args.seed))
        outputs = [numpy.asarray(value) for value in (peer.run(inputs) if peer else [])]
        largest = max(largest, sum(value.nbytes for value in outputs))
        amounts.append(roofline.work(model, module, inputs, outputs))
    costs = {
        engine.name: compile_seconds(
            engine, pairs[engine.name], warm[engine.name], steady[engine.name]
        )
        for engine in engines
    }

    json.dump(
        {
            "trace": trace.name,
            "model": trace.model,
            "threads": args.threads,
            "repeat": args.repeat,
            "calls": calls,
            "machine": vars(machine),
            # The process's first call also pays for things other than its shape.
            "first": {name: values[1:] for name, values in pairs.items()},
            "steady": steady,
            "work": amounts,
            "roofline": [machine.seconds(*amount) if amount else None for amount in amounts],
            "compile_seconds": {name: value for name, value in costs.items() if value is not None},
            "output_bytes": largest,
            "refused": refused,
        },
        sys.stdout,
    )


if __name__ == "__main__":
    main()
