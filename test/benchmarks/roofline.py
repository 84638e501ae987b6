# ===- roofline.py - What the machine could do at most ---------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Peak and copy bandwidth, measured in the run that they are compared with.

The roofline time of a call is the larger of its flops over the peak and the
bytes that it cannot avoid over the copy limit.
"""

import contextlib
import dataclasses
import os
import time

import blocks
import numpy


@dataclasses.dataclass
class Machine:
    """Rates with the threads of the run."""

    flops: float  # a second, of the best static 1024^3 product
    cached: float  # bytes a second, copying 1 MB
    memory: float  # bytes a second, copying what no cache holds

    def seconds(self, flops, moved):
        """Roofline time of a call."""
        rate = self.cached if moved <= 2**20 else self.memory
        return max(flops / self.flops, moved / rate)


def best(action, seconds, threads):
    """The shortest of many runs."""
    shortest, end = float("inf"), time.perf_counter() + seconds
    while time.perf_counter() < end:
        shortest = min(shortest, blocks.quiet_seconds_of(action, threads))
    return shortest


def size_out_of_cache():
    """Bytes of a copy that is out of cache: 32 MB, or what a larger cache leaves
    nothing of."""
    with contextlib.suppress(ValueError, OSError):
        return max(2**25, 4 * os.sysconf("SC_LEVEL3_CACHE_SIZE"))
    return 2**25


def measure(threads, seconds=1.0):
    """Measures a Machine by PyTorch, which has MKL and oneDNN."""
    import torch

    torch.set_num_threads(threads)
    a, b = (torch.rand(1024, 1024) for _ in range(2))
    c = torch.empty(1024, 1024)
    products = [lambda: torch.mm(a, b, out=c)]
    # MKL leaves the wide vectors of some makers' processors unused; oneDNN's
    # product with a packed matrix does not.
    with contextlib.suppress(RuntimeError, AttributeError):
        packed = torch.ops.mkldnn._reorder_linear_weight(b, 1024)
        linear = torch.ops.mkldnn._linear_pointwise
        linear(a, packed, None, "none", [], "")
        products.append(lambda: linear(a, packed, None, "none", [], ""))
    flops = 2 * 1024**3 / min(best(product, seconds, threads) for product in products)
    rates = []
    for size in (2**20, size_out_of_cache()):
        source = torch.ones(size // 8, dtype=torch.float32)
        target = torch.empty_like(source)
        # Read and written bytes count, as they do for a kernel.
        rates.append(size / best(lambda: target.copy_(source), seconds / 2, threads))
    return Machine(flops, *rates)


def tables_of(module, tensors):
    """Bytes of the parameters from which rows are looked up and nothing else is
    done, and of the rows: what of them is not looked up is not read."""
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
    """(flops, bytes) of a call: flops as PyTorch counts them, and the bytes of
    weights, inputs and outputs; of tables, those of the rows that are looked up.
    None without a module."""
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
