# ===- ranks_simulated.py - Mixtures on GPUs that are not here -------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times of whole mixtures on many GPUs by the cost model of plans; nothing runs.

A rank has a batch of its own and some of the experts. Its work takes the time that a plan for one
rank says, that of experts in proportion to the rows of the busiest rank; an exchange takes that of
the fullest link and its latency, as in plans.
"""

import dataclasses
import json
import pathlib
import tempfile

import numpy as np
from ranks_cases import blocks, placed

#: A V100 with 32 GB by its data sheet. Brainstorm has eight and does not state their links: these
#: are PCIe 3.0.
LINK = {"ranks": 1, "bytesPerSecond": 1e10, "seconds": 2e-5}
GPU = {"flops": 1.4e13, "bytesPerSecond": 9e11, "kernelSeconds": 5e-6, "memoryBytes": 32e9}


def machine(ranks):
    return {"ranks": ranks, "rank": GPU, "links": [LINK]}


@dataclasses.dataclass
class Mixture:
    """A layer of experts. Of a rank: its rows, their bytes, and the seconds of its experts if all
    ranks have as many rows."""

    rows: int
    row_bytes: float
    seconds: float

    def compute(self, rows):
        """Seconds of the busiest rank."""
        return self.seconds * np.max(rows) / self.rows

    def move(self, rows):
        """Seconds and bytes of rows from each rank to each."""
        leave = rows * (1 - np.eye(len(rows))) * self.row_bytes
        fullest = max(leave.sum(0).max(), leave.sum(1).max())
        return fullest / LINK["bytesPerSecond"] + LINK["seconds"], leave.sum()

    def there_and_back(self, rows):
        """Seconds of counts, of rows, and of what experts compute of them."""
        return LINK["seconds"] + 2 * self.move(rows)[0] + self.compute(rows.sum(0))


def plan(folder, module, arguments, names, sizes, ranks=1):
    """The explanation of a plan; each argument has dynamic axes `names`."""
    import ranks_planned
    import torch
    from dyn.frontend.torch.compiling import to_dhlo

    program, file = folder / "model.mlir", folder / "machine.json"
    shapes = tuple({axis: torch.export.Dim(n) for axis, n in enumerate(own)} for own in names)
    to_dhlo(module.requires_grad_(False), program, args=arguments, dynamic_shapes=shapes)
    file.write_text(json.dumps(machine(ranks)))
    limits = ["--plan-stages=1", "--plan-micro-batches=1"]
    at = [f"--explain-at={name}={size}" for name, size in sizes.items()]
    return ranks_planned.explained(program, file, limits + at)


def parts(explained, rows):
    """Seconds of what is no mixture, and the mixtures, which have so many rows."""
    layers = explained["layers"]
    routed = [each for each in layers if each["name"].startswith("router ")]
    assert len(routed) == len(rows)
    dense = explained["seconds"] - sum(each["seconds"] for each in routed)
    mixtures = [
        Mixture(count, each["value_bytes"] / count, each["seconds"])
        for count, each in zip(rows, routed)
    ]
    return dense, mixtures


def counted(ids, experts):
    """Rows of each rank for each expert, of choices [ranks, rows]."""
    return np.stack([np.bincount(own, minlength=experts) for own in np.asarray(ids)])


def by_number(experts, ranks):
    edges = blocks(experts, ranks)
    return [rank for rank in range(ranks) for _ in range(edges[rank + 1] - edges[rank])]


def to_ranks(counts, placement):
    """Rows from each rank to each, of rows for each expert."""
    ranks = len(counts)
    return counts @ np.eye(ranks)[np.asarray(placement)]


# ----------------------------------------------------------------------------
# TaskMoE
# ----------------------------------------------------------------------------


#: Sequences of a rank, and tokens of a sequence.
BATCH, TOKENS = 64, 64


def plan_task_moe(module, folder, ranks):
    """The plan of a batch for each rank."""
    import torch

    arguments = module.inputs(torch.Generator().manual_seed(0), batch=3, tokens=8)
    sizes = {"batch": BATCH * ranks, "tokens": TOKENS}
    return plan(folder, module, arguments, (("batch", "tokens"), ("batch",)), sizes, ranks)


def task_moe(args):
    """Figure 18. Sequences by their tasks: `padded` to the fullest expert of a rank; `exact`;
    `straight` to the rank of the next expert, where the rest of the layer is computed; `placed`,
    also straight, with experts as a profile of other calls says."""
    import torch
    from dyn.models.task_moe import SMALL, Config, TaskMoE

    torch.manual_seed(0)
    module = TaskMoE(SMALL if args.quick else Config())
    experts, layers = module.config.experts, module.config.layers
    table = torch.stack([layer.router.table for layer in module.layers])
    with tempfile.TemporaryDirectory() as folder:
        explained = plan_task_moe(module, pathlib.Path(folder), ranks=1)
    dense, mixtures = parts(explained, [BATCH] * layers)

    def draw(ranks, calls, seed):
        generator = torch.Generator().manual_seed(seed)
        return table[:, torch.randint(table.shape[1], (ranks, calls * BATCH), generator=generator)]

    for ranks in (2,) if args.quick else (2, 4, 8):
        ids = draw(ranks, 1, seed=2)
        numbered = by_number(experts, ranks)
        exact = padded = dense
        moved = 0
        for mixture, own in zip(mixtures, ids):
            counts = counted(own, experts)
            rows = to_ranks(counts, numbered)
            exact += mixture.there_and_back(rows)
            moved += 2 * mixture.move(rows)[1]
            slots = to_ranks(np.full_like(counts, counts.max()), numbered)
            padded += 2 * mixture.move(slots)[0] + mixture.compute(rows.sum(0))
        profile = list(draw(ranks, 64, seed=1))
        times, straight_bytes = {}, {}
        for name, at in (
            ("straight", [numbered] * layers), ("placed", placed(profile, experts, ranks)),
        ):  # fmt: skip
            times[name], straight_bytes[name] = straight(dense, mixtures, ids, at)
        yield {
            "case": f"{ranks} ranks", "padded": 1e3 * padded, "exact": 1e3 * exact,
            **{name: 1e3 * time for name, time in times.items()},
            "padded over exact": padded / exact, "exact over straight": exact / times["straight"],
            "straight over placed": times["straight"] / times["placed"], "MB, exact": 1e-6 * moved,
            **{f"MB, {name}": 1e-6 * value for name, value in straight_bytes.items()},
            "a second": BATCH * ranks / exact,
        }  # fmt: skip


def straight(dense, mixtures, ids, placement):
    """Seconds and bytes of rows that go from path to path, and home after the last one. All that
    is computed of a row between two mixtures is computed where it is."""
    ranks, rows = ids.shape[1:]
    home = np.repeat(np.arange(ranks)[:, None], rows, 1)
    stops = [home, *(np.asarray(of)[own] for of, own in zip(placement, np.asarray(ids))), home]
    seconds = sent = 0
    for at, (here, there) in enumerate(zip(stops, stops[1:])):
        moves = np.bincount((here * ranks + there).ravel(), minlength=ranks**2)
        time, size = mixtures[min(at, len(mixtures) - 1)].move(moves.reshape(ranks, ranks))
        seconds += time + LINK["seconds"]  # of counts
        sent += size
        if at < len(mixtures):
            busiest = np.bincount(there.ravel(), minlength=ranks)
            seconds += mixtures[at].compute(busiest)
            seconds += dense / len(mixtures) * busiest.max() / rows
    return seconds, sent


# ----------------------------------------------------------------------------
# SwinV2-MoE
# ----------------------------------------------------------------------------


def swin_moe(args):
    """Figures 19 and 20. Tokens of images, of which an expert takes a limited number. `one-hot`: as
    many slots as it may take, filled and read by matmuls with one-hot matrices, as
    DeepSpeed-MoE's; `padded`: the same slots, filled by copies, as Tutel's; `exact`; `placed`:
    exact, heavy experts with light ones. Of layers alone, the gain of the placement is that of
    figure 20."""
    import torch
    from dyn.models import routes
    from dyn.models.swin_moe import SMALL, Config, SwinMoE

    # The time of a row does not depend on the number of experts.
    config = dataclasses.replace(SMALL if args.quick else Config(), experts=2)
    module, experts, images = SwinMoE(config), 16, 128
    arguments = module.inputs(torch.Generator().manual_seed(0), images=2)
    layouts = [layout for layout, _ in module.routers(torch.empty(images, 3, 0, 0))]
    rows = [int(np.prod(layout)) for layout in layouts]
    with tempfile.TemporaryDirectory() as folder:
        explained = plan(
            pathlib.Path(folder), module, arguments, (("images",),), {"images": images}
        )
    dense, mixtures = parts(explained, rows)
    ranks = 2 if args.quick else 8
    traffic = routes.Traffic(paths=experts, layers=len(rows), exponent=0.8, blocks=1)
    tokens = max(rows) // images

    def draw(seed):
        # Layers of fewer tokens have the first ones.
        found = traffic.draw(ranks * images, tokens, seed=seed)
        return [ids[:, : own // images].reshape(ranks, own) for ids, own in zip(found, rows)]

    profile, ids = draw(1), draw(2)
    balanced = [placed([own], experts, ranks)[0] for own in profile]
    for factor in (1.25,) if args.quick else (1.25, 2.0, 3.0, 4.0):
        times, layer_gains = dict.fromkeys(("one-hot", "padded", "exact", "placed"), dense), []
        for mixture, own, best_of in zip(mixtures, ids, balanced):
            counts = counted(own, experts)
            capacity = factor * mixture.rows / experts
            kept = counts * np.minimum(1, ranks * capacity / np.maximum(counts.sum(0), 1))
            numbered = by_number(experts, ranks)
            slots = to_ranks(np.full(counts.shape, capacity), numbered)
            padded = 2 * mixture.move(slots)[0] + mixture.compute(slots.sum(0))
            width = mixture.row_bytes / 4
            one_hot = 2 * (2 * mixture.rows * experts * capacity * width) / GPU["flops"]
            exact = mixture.there_and_back(to_ranks(kept, numbered))
            best = mixture.there_and_back(to_ranks(kept, best_of))
            for name, time in zip(times, (padded + one_hot, padded, exact, best)):
                times[name] += time
            layer_gains.append(exact / best)
        yield {
            "case": f"{ranks} ranks, capacity {factor:g}",
            **{name: 1e3 * time for name, time in times.items()},
            "one-hot over exact": times["one-hot"] / times["exact"],
            "padded over exact": times["padded"] / times["exact"],
            "exact over placed": times["exact"] / times["placed"],
            "a layer, at most": max(layer_gains), "a second": images * ranks / times["exact"],
        }  # fmt: skip
