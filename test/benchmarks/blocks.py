# ===- blocks.py - Times of small functions, interleaved -------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times functions that take from a microsecond to a second, block by block.

A block is as many calls of one function as fill a few milliseconds, which hides the cost of
the clock and of the loop. The functions take turns and the first one rotates, so that a
disturbance of the machine affects all of them equally; the result is the median over the
rounds. A block that is interrupted by the system is run again.
"""

import resource
import statistics
import time

# Minimum length of a block. With more than one thread, idle threads of a peer spin on the
# cores that the next function needs: it starts after a rest, and blocks are longer to
# compensate for the rest.
BLOCK = 0.002
LONG_BLOCK = 0.02
LONG_REST = 0.05
# Maximum number of runs of a block until one is not interrupted.
TRIES = 4


def seconds_of(action, count=1):
    """Returns the seconds of a call, averaged over `count` calls."""
    start = time.perf_counter()
    for _ in range(count):
        action()
    return (time.perf_counter() - start) / count


def interruptions():
    """Returns how often another process took a core away from this one."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw


def quiet_seconds_of(action, threads, count=1, tries=1):
    """Like seconds_of, repeated up to `tries` times until nothing interrupts the run. If
    every run of a single thread is interrupted, the time that it had its core counts."""
    for _ in range(tries):
        before, start = interruptions(), time.process_time()
        seconds = seconds_of(action, count)
        own = (time.process_time() - start) / count
        if interruptions() == before:
            return seconds
    return own if threads == 1 else seconds


def medians(actions, rounds=7, threads=1):
    """Returns the median seconds of a call of each of {name: function}, as a dictionary."""
    block, rest = (BLOCK, 0) if threads == 1 else (LONG_BLOCK, LONG_REST)
    counts = {}
    for name, action in actions.items():
        once = min(seconds_of(action, 1) for _ in range(2))
        counts[name] = max(1, int(block / max(once, 1e-7)))
    names, times = list(actions), {name: [] for name in actions}
    for turn in range(rounds):
        for index in range(len(names)):
            name = names[(turn + index) % len(names)]
            if rest:
                time.sleep(rest)
            times[name].append(quiet_seconds_of(actions[name], threads, counts[name], TRIES))
    return {name: statistics.median(values) for name, values in times.items()}


def first_and_seen(prepare, sizes):
    """Compares a first call at a size with the next five: [(size, seconds of the first,
    median seconds of the next)]. `prepare(size)` returns the function; it must not run it,
    and must touch its data. A call at the size before comes first, so that only the size is
    new, not the code or the memory. The first size only wakes the process up."""
    result, before = [], None
    for size in sizes:
        action = prepare(size)
        if before:
            before()
        interrupted = interruptions()
        first = seconds_of(action)
        seen = statistics.median(seconds_of(action) for _ in range(5))
        # A first call cannot be repeated: it is left out if it was interrupted.
        if before and interruptions() == interrupted:
            result.append((size, first, seen))
        before = action
    return result
