# ===- measure.py - Run a trace by all engines, call by call ---------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures one trace in a process of its own, on pinned cores, and prints JSON.

The engines take turns at each pass over the trace, so that a disturbance of the
machine hits all alike. The first pass sees each shape for the first time; the
others get fresh data, and the median of theirs is the steady time.
"""

import argparse
import json
import os
import sys
import time


# Idle threads of a pool spin before they sleep, on the cores that the next engine
# needs. ONNX Runtime's take tens of milliseconds.
REST = 0.2


def run_pass(engines, model, calls, seed):
    """Seconds of each call by each engine, as {engine: [seconds]}. The engines
    take turns with the same data; who is first changes with the seed."""
    import numpy

    rng = numpy.random.default_rng(seed)
    inputs = [model.inputs(sizes, rng) for sizes in calls]
    seconds = {}
    for turn in range(len(engines)):
        engine = engines[(seed + turn) % len(engines)]
        prepared = [engine.prepare(values) for values in inputs]
        time.sleep(REST)
        seconds[engine.name] = []
        for values in prepared:
            start = time.perf_counter()
            engine.run(values)
            seconds[engine.name].append(time.perf_counter() - start)
    return seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trace")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--engines", default="dyn,onnxruntime,torch")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--stride", type=int, default=1, help="run each n-th call alone")
    args = parser.parse_args()

    cores = sorted(os.sched_getaffinity(0))[: args.threads]
    os.sched_setaffinity(0, cores)
    os.environ["OMP_NUM_THREADS"] = str(args.threads)

    import engines as all_engines
    import models
    import numpy
    import roofline
    from models import traces

    trace = traces.make(args.trace, args.seed)
    model, calls = models.get(trace.model), trace.calls[:: args.stride]
    engines, refused = [], {}
    for name in args.engines.split(","):
        if model.module is None and name.startswith("torch"):
            continue
        try:
            engines.append(all_engines.ENGINES[name](model, args.threads))
        except Exception as error:
            refused[name] = str(error).strip()[:400]
    if not engines:
        sys.exit(f"no engine runs {trace.model}: {refused}")

    machine = roofline.measure(args.threads)
    first = run_pass(engines, model, calls, args.seed + 1)
    passes = [run_pass(engines, model, calls, args.seed + 2 + n) for n in range(args.repeat)]
    steady = {
        engine.name: numpy.median([p[engine.name] for p in passes], axis=0).tolist()
        for engine in engines
    }

    # The machine may have been busy at the start: its better moment counts.
    again = roofline.measure(args.threads)
    machine = roofline.Machine(*map(max, zip(vars(machine).values(), vars(again).values())))

    # Flops of each call, after the measurement.
    module = model.make_module() if model.module else None
    peer = next((e for e in engines if e.name == "onnxruntime"), None)
    bounds = []
    for sizes in calls:
        inputs = model.inputs(sizes, numpy.random.default_rng(args.seed))
        outputs = peer.run(inputs) if peer else []
        amount = roofline.work(model, module, inputs, outputs)
        bounds.append(machine.seconds(*amount) if amount else None)

    json.dump(
        {
            "trace": trace.name,
            "model": trace.model,
            "threads": args.threads,
            "repeat": args.repeat,
            "calls": calls,
            "machine": vars(machine),
            "first": first,
            "steady": steady,
            "roofline": bounds,
            "compile_seconds": {
                e.name: e.compile_seconds for e in engines if hasattr(e, "compile_seconds")
            },
            "refused": refused,
        },
        sys.stdout,
    )


if __name__ == "__main__":
    main()
