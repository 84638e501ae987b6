# ===- memory.py - Memory that a trace's intermediate results take ---------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints by how many bytes the anonymous memory of a process grows while an engine runs a
trace with its weights already loaded: this is the memory of the arenas that it keeps.
Before each reading of RssAnon, inputs and outputs held by the caller are freed, and
malloc's free memory is returned to the system."""

import argparse
import ctypes
import gc
import os
import pathlib


def anonymous():
    """Returns RssAnon of this process in bytes, without memory that malloc holds free."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    for line in pathlib.Path("/proc/self/status").read_text().splitlines():
        if line.startswith("RssAnon"):
            return 1024 * int(line.split()[1])
    raise RuntimeError("/proc/self/status has no RssAnon")


def growth(engine, model, calls, seed):
    """Returns the maximum growth over the calls, in bytes."""
    import numpy

    rng = numpy.random.default_rng(seed)
    before, most = anonymous(), 0
    for sizes in calls:
        inputs = engine.prepare(model.inputs(sizes, rng))
        engine.run(inputs)
        del inputs
        most = max(most, anonymous() - before)
    return most


def main():
    import engines
    import models
    from models import traces

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trace")
    parser.add_argument("--engine", default="onnxruntime", choices=engines.ENGINES)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--stride", type=int, default=1)
    args = parser.parse_args()
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-args.threads :])
    # Large allocations are returned to the system as soon as they are freed.
    mmap_threshold, page = -3, 1 << 16
    ctypes.CDLL(None).mallopt(mmap_threshold, page)
    trace = traces.make(args.trace, args.seed)
    model = models.get(trace.model)
    engine = engines.ENGINES[args.engine](model, args.threads)
    print(growth(engine, model, trace.calls[:: args.stride], args.seed))


if __name__ == "__main__":
    main()
