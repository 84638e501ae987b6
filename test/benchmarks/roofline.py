# ===- roofline.py - Peak and bandwidth of the machine ---------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Peak and copy bandwidth, measured in the run that they are compared with.

The roofline time of a call is the maximum of its flops over the peak and its unavoidable
bytes over the copy bandwidth.
"""

import contextlib
import dataclasses
import os
import time

import blocks
import numpy


@dataclasses.dataclass
class Machine:
    """Rates with the number of threads of the run."""

    flops: float  # a second, of the faster static 1024^3 GEMM
    cached: float  # bytes a second, copying 1 MB
    memory: float  # bytes a second, copying a size that exceeds all caches

    def seconds(self, flops, moved):
        """Returns the roofline time of a call."""
        rate = self.cached if moved <= 2**20 else self.memory
        return max(flops / self.flops, moved / rate)


def best(action, seconds, threads):
    """Returns the minimum of many runs."""
    shortest, end = float("inf"), time.perf_counter() + seconds
    while time.perf_counter() < end:
        shortest = min(shortest, blocks.quiet_seconds_of(action, threads))
    return shortest


def size_out_of_cache():
    """Returns the bytes of a copy out of cache: 32 MB, or four times the last-level cache
    if that is larger."""
    with contextlib.suppress(ValueError, OSError):
        return max(2**25, 4 * os.sysconf("SC_LEVEL3_CACHE_SIZE"))
    return 2**25


def measure(threads, seconds=1.0):
    """Measures a Machine with PyTorch, which has MKL and oneDNN."""
    import torch

    torch.set_num_threads(threads)
    a, b = (torch.rand(1024, 1024) for _ in range(2))
    c = torch.empty(1024, 1024)
    matmuls = [lambda: torch.mm(a, b, out=c)]
    # MKL does not use the wide vectors of some vendors' processors; oneDNN's GEMM with a
    # packed matrix does.
    with contextlib.suppress(RuntimeError, AttributeError):
        packed = torch.ops.mkldnn._reorder_linear_weight(b, 1024)
        linear = torch.ops.mkldnn._linear_pointwise
        linear(a, packed, None, "none", [], "")
        matmuls.append(lambda: linear(a, packed, None, "none", [], ""))
    flops = 2 * 1024**3 / min(best(matmul, seconds, threads) for matmul in matmuls)
    rates = []
    for size in (2**20, size_out_of_cache()):
        source = torch.ones(size // 8, dtype=torch.float32)
        target = torch.empty_like(source)
        # Bytes read and written both count, as for a kernel.
        rates.append(size / best(lambda: target.copy_(source), seconds / 2, threads))
    return Machine(flops, *rates)


def tables_of(module, tensors):
    """Returns the bytes of the parameters that are only used for lookups of rows, and of
    the rows looked up: only these rows are read."""
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode

    lookups = ("embedding", "index", "index_select", "gather")
    parameters = {p.untyped_storage().data_ptr(): p for p in module.parameters()}
    used, looked_up = set(), {}

    class Watch(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, arguments=(), options=None):
            result = function(*arguments, **(options or {}))
            if function.is_view:
                return result
            for number, value in enumerate(arguments):
                if not isinstance(value, torch.Tensor):
                    continue
                key = value.untyped_storage().data_ptr()
                if number == 0 and function.overloadpacket.__name__ in lookups:
                    looked_up[key] = looked_up.get(key, 0) + result.nbytes
                else:
                    used.add(key)
            return result

    with Watch(), torch.no_grad():
        module(*tensors)
    keys = (parameters.keys() & looked_up.keys()) - used
    whole = sum(parameters[key].nbytes for key in keys)
    return whole, sum(min(looked_up[key], parameters[key].nbytes) for key in keys)


def work(model, module, inputs, outputs):
    """Returns (flops, bytes) of a call: flops as counted by PyTorch, and bytes of weights,
    inputs and outputs; of lookup tables, only the rows looked up. None without a module."""
    if module is None:
        return None
    import torch
    from torch.utils.flop_counter import FlopCounterMode

    tensors = [torch.from_numpy(value) for value in inputs.values()]
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        module(*tensors)
    whole, rows = tables_of(module, tensors)
    weights = sum(p.nbytes for p in module.parameters()) - whole + rows
    data = sum(value.nbytes for value in inputs.values())
    data += sum(numpy.asarray(value).nbytes for value in outputs)
    return counter.get_total_flops(), weights + data
