# ===- clocks.py - Times on a GPU ------------------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times of calls by CUDA events, with a warm and a cold cache, and times of the kernels
alone by CUPTI."""

import statistics
import time

import torch

LEAST, MOST = 10, 300


class Clock:
    """A call is measured from an idle stream until its result is available, with the host's
    part: because dyn waits at the end of a call, the clock waits for all engines."""

    def __init__(self, seconds):
        self._seconds = seconds
        cache = torch.cuda.get_device_properties(torch.cuda.current_device()).L2_cache_size
        self._flush = torch.empty(4 * cache, dtype=torch.uint8, device="cuda")
        self._events = [torch.cuda.Event(enable_timing=True) for _ in range(2)]

    def _once(self, call, cold):
        if cold:
            self._flush.zero_()
        torch.cuda.synchronize()
        begin, end = self._events
        begin.record()
        call()
        torch.cuda.current_stream().synchronize()
        end.record()
        end.synchronize()
        return 1e3 * begin.elapsed_time(end)

    def call(self, call, cold):
        """Returns the median in microseconds."""
        for _ in range(3):
            self._once(call, cold)
        begin, times = time.monotonic(), []
        while len(times) < LEAST or len(times) < MOST and time.monotonic() < begin + self._seconds:
            times.append(self._once(call, cold))
        return statistics.median(times)

    def kernels(self, call, calls=10):
        """Returns the microseconds that the kernels and copies of a call take, without the
        gaps between them, and their names."""
        from torch.autograd import DeviceType
        from torch.profiler import ProfilerActivity, profile

        call()
        torch.cuda.synchronize()
        with profile(activities=[ProfilerActivity.CUDA]) as recording:
            for _ in range(calls):
                call()
            torch.cuda.synchronize()
        events = [e for e in recording.events() if e.device_type == DeviceType.CUDA]
        total = sum(event.time_range.elapsed_us() for event in events)
        return total / calls, sorted({event.name for event in events})


def machine():
    """Describes the machine that the figures were measured on."""
    properties = torch.cuda.get_device_properties(torch.cuda.current_device())
    return {
        "gpu": properties.name,
        "capability": f"{properties.major}.{properties.minor}",
        "multiprocessors": properties.multi_processor_count,
        "memory": properties.total_memory,
        "l2": properties.L2_cache_size,
    }
