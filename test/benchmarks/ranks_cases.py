# ===- ranks_cases.py - Exchanges of ranks in cases of papers --------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cases of ranks.py: functions of its arguments that yield rows of a table, and functions
`*_rank`, which run on each rank."""

import json
import pathlib
import subprocess
import tempfile

import numpy as np
from ranks_worker import run_ranks, seconds_of

# ----------------------------------------------------------------------------
# Rows of mixtures
# ----------------------------------------------------------------------------

#: Rows are of f32. Each rank begins with as many.
WIDTH = 256


def skews(quick):
    """{name: (ranks, experts, expert of each row of each rank)}: loads that are published, and
    uniform ones."""
    import torch
    from dyn.models import routes

    def traffic(ranks, experts, exponent, rows=1024):
        mixture = routes.Traffic(paths=experts, layers=1, exponent=exponent, blocks=1)
        drawn = mixture.draw(ranks, rows, seed=1)[0]
        return ranks, experts, drawn

    def published(ranks, counts):
        # Patches of several frames.
        ids = [routes.of_loads(tuple(20 * n for n in counts), seed=r) for r in range(ranks)]
        return ranks, len(counts), torch.stack(ids)

    cases = {
        "uniform, 8 experts": (2, 8, routes.uniform((2, 1024), 8)),
        "LiveSR, 10 networks": published(2, routes.LIVE_SR_MOST[10]),
        "LiveSR, 8 networks": published(2, routes.LIVE_SR_MOST[8]),
        "5 x the mean, 8 experts": (2, 8, routes.skewed((2, 1024), 8)),
        "traffic, 8 experts": traffic(2, 8, 0.8),
        "traffic, 16 experts": traffic(4, 16, 0.8),
    }
    return dict(list(cases.items())[:2]) if quick else cases


def exchanges(args):
    for name, (ranks, experts, ids) in skews(args.quick).items():
        found = run_ranks(
            ranks, exchange_rank, args.link_rate,
            ids=np.asarray(ids).tolist(), experts=experts, rounds=args.rounds,
        )  # fmt: skip
        # If all ranks had equal loads: more than the fullest expert is not padded.
        rows = np.asarray(ids)
        fullest = max(np.bincount(own, minlength=experts).max() for own in rows)
        ahead = {"ahead": found["padded"] / found["exact"]}
        ahead["at equal loads"] = float(fullest * experts / rows.shape[1])
        yield {"case": name, "ranks": ranks, **found, **ahead}


def blocks(experts, ranks):
    """The first expert of each rank, and their number."""
    step = -(-experts // ranks)
    return [min(rank * step, experts) for rank in range(ranks + 1)]


def exchange_rank(c, ids, experts, rounds):
    """Times of the exchange of rows to the ranks of their experts, and bytes that are sent."""
    ids = np.sort(ids[c.rank])
    rows = np.repeat(ids[:, None].astype(np.float32), WIDTH, 1)
    edges = blocks(experts, c.size)
    offsets = np.searchsorted(ids, np.arange(experts + 1))
    counts = np.diff(offsets)

    def exact():
        sent = [np.array(offsets[edges[r + 1]] - offsets[edges[r]]) for r in range(c.size)]
        coming = c.all_to_all(sent, [np.empty((), np.int64) for _ in sent])
        parts = [rows[offsets[edges[r]] : offsets[edges[r + 1]]] for r in range(c.size)]
        return c.all_to_all(parts, [np.empty((int(n), WIDTH), np.float32) for n in coming])

    # Known beforehand, which a service does not: it would drop rows, or send more.
    capacity = int(c.all_reduce(np.array(counts.max()), op="max"))

    def padded():
        slots = np.zeros((experts, capacity, WIDTH), np.float32)
        for expert in range(experts):
            slots[expert, : counts[expert]] = rows[offsets[expert] : offsets[expert + 1]]
        own = edges[c.rank + 1] - edges[c.rank]
        parts = [slots[edges[r] : edges[r + 1]] for r in range(c.size)]
        received = [np.empty((own, capacity, WIDTH), np.float32) for _ in parts]
        return c.all_to_all(parts, received)

    sizes = {}
    for name, action in (("padded", padded), ("exact", exact)):
        before = c.stats["bytes_sent"]
        received = action()
        sizes[name] = c.stats["bytes_sent"] - before
        # Each expert has as many rows, whichever way.
        full = sum(int((part != 0).any(-1).sum()) for part in received)
        totals = int(c.all_reduce(np.array(full)))
        assert totals == int(c.all_reduce(np.array(int((ids != 0).sum()))))
    names = {name: f"{name}, bytes" for name in sizes}
    most = {names[n]: int(c.all_reduce(np.array(s), op="max")) for n, s in sizes.items()}
    times = seconds_of(c, {"padded": padded, "exact": exact}, 3 * rounds)
    return {**{name: 1e3 * value for name, value in times.items()}, **most}


# ----------------------------------------------------------------------------
# Placement
# ----------------------------------------------------------------------------


def placements(args):
    """Rows that stay where their expert is until the next layer, by two placements. The profile has
    other calls than those that are measured."""
    from dyn.models import routes

    cases = {"4 blocks, 90 % stay": (4, 16, 0.9), "4 blocks, 80 % stay": (4, 16, 0.8)}
    cases |= {"8 blocks, 90 % stay": (4, 32, 0.9), "2 blocks, 80 % stay": (2, 16, 0.8)}
    for name, (ranks, experts, stay) in list(cases.items())[: 1 if args.quick else None]:
        mixture = routes.Traffic(
            paths=experts, layers=6, exponent=0.4, blocks=int(name[0]), stay=stay, tilt=0.2
        )
        by_number = [[path * ranks // experts for path in range(experts)]] * mixture.layers
        by_profile = placed(mixture.draw(64, 256, seed=1), experts, ranks)
        choices = [np.asarray(ids.flatten()) for ids in mixture.draw(16, 256, seed=2)]
        row = {"case": name, "ranks": ranks}
        for kind, placement in (("by number", by_number), ("by profile", by_profile)):
            found = run_ranks(
                ranks, placement_rank, args.link_rate,
                moves=moves(choices, placement, ranks), rounds=args.rounds,
            )  # fmt: skip
            row |= {kind: found["time"], f"{kind}, bytes": found["bytes"]}
        yield {**row, "ahead": row["by number"] / row["by profile"]}


def placed(choices, experts, ranks):
    """By layer, the rank of each expert, as `dyn-profile place` says for a profile of choices."""
    from dyn.models import routes

    routers = []
    for layer, ids in enumerate(choices):
        window = {
            "at": 0, "calls": 1, "cells": ids.numel(), "dropped": 0,
            "load": routes.loads(ids, experts).tolist(),
        }  # fmt: skip
        window["hottest"] = max(window["load"])
        router = {"key": f"layers.{layer}", "paths": experts, "fingerprint": str(layer)}
        if layer:
            router |= {"after": f"layers.{layer - 1}", "after_paths": experts}
            counts = routes.transitions(choices[layer - 1], ids, experts)
            window["transitions"] = [
                [a, b, int(counts[a, b])] for a, b in counts.nonzero().tolist()
            ]
        routers.append({**router, "window_ms": 1000, "windows": [window]})
    profile = {"dyn_profile": 1, "producer": "ranks.py", "lost": 0, "routers": routers}
    command = ["dyn-profile", "place", "-", f"--ranks={ranks}", "--move-time=10"]
    done = subprocess.run(command, input=json.dumps(profile), capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return [router["ranks"] for router in json.loads(done.stdout)["routers"]]


def moves(choices, placement, ranks):
    """Between each two layers, the rows that go from each rank to each."""
    at = [np.asarray(ranks_of)[ids] for ranks_of, ids in zip(placement, choices)]
    return [
        np.bincount(a * ranks + b, minlength=ranks**2).reshape(ranks, ranks).tolist()
        for a, b in zip(at, at[1:])
    ]


def placement_rank(c, moves, rounds):
    """Milliseconds of all exchanges, and bytes that all ranks send."""
    rows = np.zeros((max(max(map(max, layer)) for layer in moves), WIDTH), np.float32)
    received = [np.empty_like(rows) for _ in range(c.size)]

    def exchange():
        for layer in moves:
            sent = [np.array(count) for count in layer[c.rank]]
            coming = c.all_to_all(sent, [np.empty((), np.int64) for _ in sent])
            sends = [rows[:count] for count in layer[c.rank]]
            # Rows that stay move nowhere.
            sends[c.rank] = coming[c.rank] = None
            receives = [n if n is None else r[: int(n)] for n, r in zip(coming, received)]
            c.all_to_all(sends, receives)

    before = c.stats["bytes_sent"]
    exchange()
    moved = int(c.all_reduce(np.array(c.stats["bytes_sent"] - before)))
    return {"time": 1e3 * seconds_of(c, {"all": exchange}, rounds)["all"], "bytes": moved}


# ----------------------------------------------------------------------------
# A perceptron
# ----------------------------------------------------------------------------

#: As in the report; a batch is that of 1875 steps over 60000 images. So many are in a stream.
LAYERS, BATCH, STREAM = (784, 512, 512, 10), 32, 16
#: By hand: artifacts of parts that communicators connect. One artifact: of a plan.
WAYS = ("stages by hand", "stages, artifact", "columns by hand", "columns, artifact")


def perceptron(args):
    """The perceptron as a whole, by stages, of which a call of the artifact has the batches of a
    stream as micro-batches, and by columns of its matrices; with the times that plans predict."""
    with tempfile.TemporaryDirectory() as folder:
        whole = compile_perceptron(pathlib.Path(folder))
        for batch in (BATCH,) if args.quick else (BATCH, 4 * BATCH):
            arguments = {"folder": folder, "batch": batch, "rounds": args.rounds * 3}
            rates = run_ranks(2, rates_rank, **arguments)
            predicted = compile_plans(whole, pathlib.Path(folder), batch, rates)
            found = run_ranks(2, perceptron_rank, **arguments)
            found |= {f"{name}, predicted": value for name, value in predicted.items()}
            for kind, times in (("processes", found), ("threads", in_threads(folder, batch, args))):
                ways = [name for name in WAYS if name in times]
                ahead = {f"{n} ahead": times["one thread"] / times[n] for n in ways}
                yield {"case": f"batch {batch}, {kind}", **times, **ahead}


def in_threads(folder, batch, args):
    """Milliseconds of a batch with ranks in threads of one process, without Python."""
    import ranks_planned

    found = {}
    for name, artifact, rows, ranks in (
        ("one thread", "whole", batch, 1), ("stages, artifact", "stages", batch * STREAM, 2),
        ("columns, artifact", "columns", batch, 2),
    ):  # fmt: skip
        inputs = [f"--input={'parts_0' if ranks == 1 else 'input'}=random:{rows}x{LAYERS[0]}"]
        repeat = 20 if args.quick else 100 * args.rounds * batch // rows
        times = ranks_planned.seconds_of(f"{folder}/{artifact}.so", inputs, repeat, ranks)
        found[name] = 1e3 * times[0] * batch / rows
    return found


def compile_perceptron(folder):
    """Artifacts of the whole, of two stages, and of each rank's columns of the large layers."""
    import dyn
    import torch

    torch.manual_seed(0)
    sizes = list(zip(LAYERS, LAYERS[1:]))
    layers = [torch.nn.Linear(*size).requires_grad_(False) for size in sizes]
    steps = [layers[0], torch.nn.ReLU(), layers[1], torch.nn.ReLU(), layers[2]]

    class Joined(torch.nn.Sequential):
        """Modules that read the columns of all ranks."""

        def forward(self, *parts):
            return super().forward(torch.cat(parts, 1))

    def write(name, widths, *modules):
        dyn.compile(
            Joined(*modules), str(folder / f"{name}.so"),
            args=tuple(torch.zeros(BATCH, width) for width in widths),
            dynamic_shapes=(tuple({0: torch.export.Dim.AUTO} for _ in widths),),
        )  # fmt: skip

    write("whole", [784], *steps)
    write("stage0", [784], *steps[:2])
    write("stage1", [512], *steps[2:])
    for rank in range(2):
        for at, layer in enumerate(layers[:2]):
            half = layer.out_features // 2
            part = torch.nn.Linear(layer.in_features, half).requires_grad_(False)
            part.weight.copy_(layer.weight[rank * half : (rank + 1) * half])
            part.bias.copy_(layer.bias[rank * half : (rank + 1) * half])
            write(f"columns{at}-{rank}", [784] if at == 0 else [256, 256], part, torch.nn.ReLU())
    write("last", [256, 256], layers[2])
    return torch.nn.Sequential(*steps)


def compile_plans(whole, folder, batch, rates):
    """Compiles artifacts of two stages and of columns, for a machine of measured rates, and returns
    the milliseconds of a batch that each plan should take. No rank has the memory for all
    weights."""
    import torch
    from dyn.compiler.compile import compile_to_file
    from dyn.frontend.torch.compiling import to_dhlo

    weights = 4 * sum(p.numel() for p in whole.parameters())
    values = 4 * batch * (LAYERS[0] + LAYERS[1])
    operations = sum(2 * batch * a * b for a, b in zip(LAYERS, LAYERS[1:]))
    machine = folder / "machine.json"
    rank = {
        "flops": operations / rates["batch"], "bytesPerSecond": 1e12, "kernelSeconds": 0,
        "memoryBytes": 0.7 * weights + values,
    }  # fmt: skip
    link = {"ranks": 1, "bytesPerSecond": rates["link"], "seconds": rates["latency"]}
    machine.write_text(json.dumps({"ranks": 2, "rank": rank, "links": [link]}))
    model = folder / "model.mlir"
    to_dhlo(
        whole, model, args=(torch.zeros(BATCH, LAYERS[0]),),
        dynamic_shapes=({0: torch.export.Dim("rows")},),
    )  # fmt: skip
    predicted, explained = {}, folder / "plan.json"
    for name, stages, blocks in (("stages", 2, STREAM), ("columns", 1, 1)):
        plan = [f"--plan={machine}", f"--plan-stages={stages}", f"--plan-micro-batches={blocks}"]
        plan.append(f"--explain-at=rows={blocks * batch}")
        compile_to_file(str(model), folder / f"{name}.so", options=plan)
        compile_to_file(str(model), explained, options=[*plan, "--explain=json"])
        found = json.loads(explained.read_text())
        assert len(found["stages"]) == stages
        predicted[f"{name}, artifact"] = 1e3 * found["seconds"] / blocks
    return predicted


def rates_rank(c, folder, batch, rounds):
    """Seconds of a batch on one rank, bytes a second of a link, and seconds of a small message."""
    import dyn

    whole = dyn.load(f"{folder}/whole.so", threads=1)
    x = np.random.default_rng(0).standard_normal((batch, LAYERS[0]), np.float32)

    def move(rows):
        return c.send(rows, 1) if c.rank == 0 else c.receive(rows, 0)

    rows, large = (np.zeros((n, LAYERS[1]), np.float32) for n in (1, 64 * batch))
    actions = {"batch": lambda: whole.run([x])}
    actions |= {"latency": lambda: move(rows), "large": lambda: move(large)}
    times = seconds_of(c, actions, 3 * rounds)
    rate = (large.nbytes - rows.nbytes) / (times["large"] - times["latency"])
    return {"batch": times["batch"], "latency": times["latency"], "link": rate}


def perceptron_rank(c, folder, batch, rounds):
    """Milliseconds of a batch in a stream."""
    import dyn

    def opened(name):
        return dyn.load(f"{folder}/{name}.so", threads=1)

    x = np.random.default_rng(0).standard_normal((batch, LAYERS[0]), np.float32)
    whole, stage = opened("whole"), opened(f"stage{c.rank}")
    columns, last = [opened(f"columns{at}-{c.rank}") for at in range(2)], opened("last")
    planned = [
        dyn.load(f"{folder}/{name}.so", communicator=c, threads=1) for name in ("stages", "columns")
    ]
    xs = np.concatenate([x] * STREAM)
    hidden = [[np.empty((batch, 256), np.float32) for _ in range(2)] for _ in range(2)]

    def one_thread():
        y = None
        for _ in range(STREAM if c.rank == 0 else 0):
            y = whole.run([x])[0]
        return y

    def in_stages():
        """Rank 0 computes the next batch while the last one is sent."""
        request = y = None
        for _ in range(STREAM):
            if c.rank == 0:
                hidden = stage.run([x])[0]
                if request:
                    request.wait()
                request = c.send(hidden, 1, wait=False)
            else:
                y = stage.run([c.receive(np.empty((batch, LAYERS[1]), np.float32), 0)])[0]
        if request:
            request.wait()
        return y

    def in_columns():
        """The last layer is too small to be worth an exchange: both ranks compute it."""
        for _ in range(STREAM):
            parts = [x]
            for half, gathered in zip(columns, hidden):
                parts = c.all_gather(half.run(parts)[0], gathered)
            y = last.run(parts)[0]
        return y

    want = c.broadcast(np.array(one_thread() if c.rank == 0 else np.empty((batch, 10), np.float32)))

    def planned_stages():
        return planned[0].run([xs])[0]

    def planned_columns():
        for _ in range(STREAM):
            y = planned[1].run([x])[0]
        return y

    got = in_stages(), in_columns(), planned_stages(), planned_columns()
    assert c.rank == 0 or np.array_equal(got[0], want)
    assert np.array_equal(got[1], want)
    assert np.array_equal(got[2], np.concatenate([want] * STREAM))
    assert np.array_equal(got[3], want)
    ways = dict(zip(WAYS, (in_stages, planned_stages, in_columns, planned_columns)))
    times = seconds_of(c, {"one thread": one_thread, **ways}, rounds)
    return {name: 1e3 * value / STREAM for name, value in times.items()}


# ----------------------------------------------------------------------------
# Overlap
# ----------------------------------------------------------------------------


def overlap(args):
    for milliseconds in (20,) if args.quick else (20, 80):
        yield run_ranks(
            2, overlap_rank, args.link_rate,
            size=int(args.link_rate * milliseconds / 1e3), rounds=args.rounds,
        )  # fmt: skip


def overlap_rank(c, size, rounds):
    """Milliseconds of an exchange, of as much work, of both in turn and together."""
    sends = [np.zeros(size, np.uint8)] * 2
    receives = [np.empty(size, np.uint8) for _ in range(2)]
    a = np.ones((96, 96), np.float32)

    def exchange(wait=True):
        return c.all_to_all(sends, receives, wait=wait)

    def work(times):
        for _ in range(times):
            a @ a

    one = seconds_of(c, {"work": lambda: work(100), "exchange": exchange}, rounds)
    count = max(1, round(100 * one["exchange"] / one["work"]))

    def together():
        request = exchange(wait=False)
        work(count)
        request.wait()

    actions = {
        "work": lambda: work(count),
        "exchange": exchange,
        "in turn": lambda: (exchange(), work(count)),
        "together": together,
    }
    found = {name: 1e3 * value for name, value in seconds_of(c, actions, rounds).items()}
    shorter = min(found["work"], found["exchange"])
    hidden = (found["work"] + found["exchange"] - found["together"]) / shorter
    return {"case": f"{1e-6 * size:.2g} MB", **found, "hidden": hidden}


# ----------------------------------------------------------------------------
# Fewer features
# ----------------------------------------------------------------------------

FEATURES = 1024


def features(args):
    """A layer by the share of features that is not sent. The last row has the share at which
    communication takes as long as computation: by the formula, with the rate of the ranks that is
    measured if all features are sent, and as measured."""
    from dyn.sparse_exchange import Layer, Machine

    shares = (0.0, 0.75) if args.quick else (0.0, 0.25, 0.5, 0.625, 0.75, 0.875, 0.96875)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        batch = 32 if args.quick else 1024
        for share in shares:
            compile_features(pathlib.Path(folder), batch, share)
            found = run_ranks(
                2, features_rank, args.link_rate, folder=folder, batch=batch, rounds=args.rounds
            )
            rows.append({"case": f"{share:.1%}", "share": share, **found})
    layer = Layer(bytes=batch * FEATURES // 2 * 4, flops=2 * batch * FEATURES**2)
    rate = layer.flops / 2 / (1e-3 * rows[0]["computation"])
    machine = Machine(2, flops=rate, link=args.link_rate)
    for row in rows:
        row["formula"] = 1e3 * machine.time(layer, row["share"])
    yield from rows
    yield {
        "case": "balance",
        "by formula": machine.balance(layer),
        "as measured": crossing(rows, "communication", "computation"),
    }


def crossing(rows, falling, other):
    """The share at which two measured lines cross; None if they do not."""
    for before, after in zip(rows, rows[1:]):
        first, last = (row[falling] - row[other] for row in (before, after))
        if first >= 0 >= last and first != last:
            part = first / (first - last)
            return before["share"] + part * (after["share"] - before["share"])
    return None


def compile_features(folder, batch, share):
    import dyn
    import torch
    from dyn.sparse_exchange import prune, split

    torch.manual_seed(0)
    pruned = prune(torch.nn.Linear(FEATURES, FEATURES), [""], 2, share)
    for rank in range(2):
        part = split(pruned, "", rank, overlap=True)
        own, received = torch.zeros(batch, FEATURES // 2), part.receives[1 - rank]
        for name, module, args in (
            ("select", part.select, (own,)),
            ("begin", part.begin, (own,)),
            ("finish", part.compute, (part.begin(own), torch.zeros(batch, received))),
        ):
            module.requires_grad_(False)
            dyn.compile(module, str(folder / f"{name}{rank}.so"), args=args)


def features_rank(c, folder, batch, rounds):
    """Milliseconds of communication, of computation, and of both together."""
    import dyn

    other = 1 - c.rank
    select, begin, finish = (
        dyn.load(f"{folder}/{name}{c.rank}.so", threads=1) for name in ("select", "begin", "finish")
    )
    x = np.random.default_rng(c.rank).standard_normal((batch, FEATURES // 2), np.float32)
    width = finish.inputs[1].shape[1]
    received = np.zeros((batch, width), np.float32)

    def communicate(wait=True):
        sent = [None, None]
        sent[other] = select.run([x])[other]
        receives = [None, None]
        receives[other] = received
        return c.all_to_all(sent, receives, wait=wait)

    def compute():
        return finish.run([begin.run([x])[0], received])

    def together():
        request = communicate(wait=False)
        begun = begin.run([x])[0]
        request.wait()
        return finish.run([begun, received])

    actions = {"communication": communicate, "computation": compute, "time": together}
    times = seconds_of(c, actions, rounds)
    sent = c.stats["bytes_sent"]
    communicate()
    return {
        **{name: 1e3 * value for name, value in times.items()},
        "bytes": c.stats["bytes_sent"] - sent,
    }
