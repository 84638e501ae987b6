#!/usr/bin/env python3
# ===- preload.py - Measure experts that exceed memory ---------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures a layer of experts with memory for a part of them, and writes preload.json and .md.

Regimes of routing: `fixed`, where all tokens go to six experts, always the same, with half of the
memory of the others; `skewed`, where 99 % of the tokens go to 12 experts, and the others to any;
`topics`, where the others go to three experts, which change every ten calls; and `uniform`, where
all experts are equally frequent. The store is limited to a rate. Each case runs in
processes of its own, in rounds, and of each call the least time counts, for machines with other
work. Columns, in seconds:

- `compute`: the calls with all weights in memory;
- `least`: the bytes that the best order of dropping reads (Belady, by matrices), over the rate;
- `bound`: the maximum of both;
- `announced`, `plain`: with a limit of memory, with and without announcements of weights; and what
  they read, as a multiple of the least;
- `faults`: page faults of the mapped file in a control group of the same memory and rate. Where
  none can be made, this column is empty;
- `ideal faults`: computed, as if they reached the rate and read no more than is touched: the bytes
  that are read if the least recently used are dropped, over the rate, and `compute`, since a fault
  waits.

Outputs must have the bits of those with all weights in memory, and the memory of weights must not
exceed the limit.
"""

import argparse
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

import numpy as np
from tables import markdown

EXPERTS, WIDTH, HIDDEN = 64, 768, 3072
EXPERT_BYTES = 2 * WIDTH * HIDDEN * 4
REGIMES = ("fixed", "skewed", "topics", "uniform")

MODEL = """
dhlo.dim @N in [1, 4096]
func.func @main(%x: tensor<?xWxf32, #dhlo.dims<N>> {{dhlo.name = "x"}}, %ids: tensor<?x1xi64, #dhlo.dims<N>> {{dhlo.name = "ids"}})
    -> (tensor<?xWxf32, #dhlo.dims<N>> {{dhlo.name = "y"}}) attributes {{dhlo.entry}} {{
  %up = dhlo.weight <"{file}", offset = 0, length = {half}, key = "up"> : tensor<PxWxHxf32>
  %down = dhlo.weight <"{file}", offset = {half}, length = {half}, key = "down"> : tensor<PxHxWxf32>
  %r = cell.route(%ids) key = "mlp" : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, P, @N> {{
  ^bb0(%a: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %a : tensor<?x1xi64, #dhlo.dims<N>>
  }}
  %rows = cell.dispatch %x, %r : (tensor<?xWxf32, #dhlo.dims<N>>, !cell.routes<@N, P, @N>) -> tensor<?xWxf32, #dhlo.dims<N>>
  %o = cell.offsets %r : !cell.routes<@N, P, @N> -> tensor<{offsets}xi64>
  %h = dhlo.grouped_dot %rows, %up, %o : (tensor<?xWxf32, #dhlo.dims<N>>, tensor<PxWxHxf32>, tensor<{offsets}xi64>) -> tensor<?xHxf32, #dhlo.dims<N>>
  %g = dhlo.gelu tanh %h : tensor<?xHxf32, #dhlo.dims<N>>
  %z = dhlo.grouped_dot %g, %down, %o : (tensor<?xHxf32, #dhlo.dims<N>>, tensor<PxHxWxf32>, tensor<{offsets}xi64>) -> tensor<?xWxf32, #dhlo.dims<N>>
  %y = cell.combine %z, %r sum : (tensor<?xWxf32, #dhlo.dims<N>>, !cell.routes<@N, P, @N>) -> tensor<?xWxf32, #dhlo.dims<N>>
  return %y : tensor<?xWxf32, #dhlo.dims<N>>
}}
"""


def write_model(folder):
    half = EXPERTS * EXPERT_BYTES // 2
    with open(folder / "experts.bin", "wb") as file:
        rng = np.random.default_rng(0)
        file.writelines(
            (rng.random(EXPERT_BYTES // 8, np.float32) - 0.5).tobytes() for _ in range(2 * EXPERTS)
        )
    sizes = MODEL
    for name, size in (("P", EXPERTS), ("W", WIDTH), ("H", HIDDEN)):
        sizes = sizes.replace(f"x{name}x", f"x{size}x").replace(f"<{name}x", f"<{size}x")
        sizes = sizes.replace(f"@N, {name}, @N", f"@N, {size}, @N")
    text = sizes.format(file="experts.bin", half=half, offsets=EXPERTS + 1)
    (folder / "experts.mlir").write_text(text)


def compile_model(folder, announces):
    output = folder / f"experts-{int(announces)}.so"
    if not output.exists():
        command = [
            "dyn-compile",
            "experts.mlir",
            "-o",
            output,
            f"--preload={str(announces).lower()}",
        ]
        subprocess.run(command, cwd=folder, check=True)
    return output


def draw(regime, tokens, calls, seed):
    """The experts of the tokens of each call."""
    rng = np.random.default_rng(seed)
    if regime == "uniform":
        return [rng.integers(0, EXPERTS, tokens) for _ in range(calls)]
    hot = rng.permutation(EXPERTS)
    if regime == "fixed":
        return [rng.choice(hot[:6], tokens) for _ in range(calls)]
    hot, cold = hot[:12], hot[12:]
    topic = cold
    drawn = []
    for call in range(calls):
        if regime == "topics" and call % 10 == 0:
            topic = rng.choice(cold, 3, replace=False)
        ids = rng.choice(hot, tokens)
        ids[: tokens // 100] = rng.choice(topic, tokens // 100)
        drawn.append(ids)
    return drawn


def list_uses(calls, warm):
    """The matrices that calls use, in order, and the number of those in the first calls."""
    uses, first = [], 0
    for number, ids in enumerate(calls):
        if number == warm:
            first = len(uses)
        used = np.unique(ids)
        uses += [(0, e) for e in used] + [(1, e) for e in used]
    return uses, first


def least_reads(calls, room, warm):
    """Matrices that are read after the first calls, if what is used last is dropped (Belady)."""
    uses, first = list_uses(calls, warm)
    following, seen = [0] * len(uses), {}
    for i in range(len(uses) - 1, -1, -1):
        following[i] = seen.get(uses[i], len(uses) + i)
        seen[uses[i]] = i
    memory, reads = {}, 0
    for i, matrix in enumerate(uses):
        if matrix not in memory:
            reads += i >= first
            if len(memory) == room:
                del memory[max(memory, key=memory.get)]
        memory[matrix] = following[i]
    return reads


def recent_reads(calls, room, warm):
    """The same if the least recently used is dropped, as the system does with mapped files."""
    uses, first = list_uses(calls, warm)
    memory, reads = {}, 0
    for i, matrix in enumerate(uses):
        if matrix in memory:
            del memory[matrix]
        else:
            reads += i >= first
            if len(memory) == room:
                del memory[next(iter(memory))]
        memory[matrix] = True
    return reads


def read_field(file, name):
    """A number of a file of /proc/self."""
    for line in pathlib.Path("/proc/self", file).read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1])
    raise KeyError(name)


def read_chars():
    return read_field("io", "rchar")


def anonymous_bytes():
    return read_field("status", "RssAnon") * 1024


def run_calls(artifact, feeds, args):
    """Runs a model on feeds, and prints the times of the calls after the first ones, what they
    read, a digest of all results, and the maximum of anonymous memory."""
    import dyn

    before = anonymous_bytes()
    model = dyn.load(artifact, threads=args.threads)
    digest, times, peak = 0, [], 0
    for number, feed in enumerate(feeds):
        if number == args.warm:
            read = read_chars()
        begin = time.perf_counter()
        results = model.run(feed)
        times.append(time.perf_counter() - begin)
        digest = hash((digest, *(np.asarray(result).tobytes() for result in results)))
        peak = max(peak, anonymous_bytes() - before)
    out = {"times": times[args.warm :], "read": read_chars() - read, "digest": digest}
    print(json.dumps({**out, "anonymous": peak}))


def worker(args):
    rng = np.random.default_rng(1)
    feeds = (
        {
            "x": rng.standard_normal((args.tokens, WIDTH)).astype(np.float32),
            "ids": ids.reshape(-1, 1),
        }
        for ids in draw(args.regime, args.tokens, args.calls, args.seed)
    )
    run_calls(args.artifact, feeds, args)


@contextlib.contextmanager
def limited_group(folder, memory, rate):
    """A control group with `memory` bytes that reads the folder's device at the rate: a command
    that runs its arguments in it, or None where there can be none."""
    number = os.stat(folder).st_dev
    device = pathlib.Path(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}")
    if (device / "partition").exists():
        device = device.resolve().parent
    root, name = pathlib.Path("/sys/fs/cgroup"), f"dyn-preload-{os.getpid()}"
    groups = []
    try:
        numbers = (device / "dev").read_text().strip()
        settings = {"memory": ("memory.limit_in_bytes", memory)}
        settings["blkio"] = ("blkio.throttle.read_bps_device", f"{numbers} {rate}")
        if (root / "cgroup.controllers").exists():
            settings = {".": ("memory.max", memory), "./": ("io.max", f"{numbers} rbps={rate}")}
        for controller, (file, value) in settings.items():
            (root / controller / name).mkdir(exist_ok=True)
            groups.append(root / controller / name)
            (groups[-1] / file).write_text(str(value))
        enter = "".join(f"echo $$ > {group}/cgroup.procs; " for group in groups)
        command = ["sh", "-c", enter + 'exec "$@"', "sh"]
    except OSError:
        command = None
    try:
        yield command
    finally:
        for group in {str(group.resolve()) for group in groups}:
            os.rmdir(group)


def drop_from_cache(folder):
    for file in folder.glob("*.weights"):
        with open(file, "rb+") as opened:
            os.fsync(opened)
            os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def start(script, options, limit=0, rate=0, prefix=()):
    """The result of a worker in a process of its own."""
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    environment.pop("DYN_MEMORY_LIMIT", None)
    if limit:
        environment.update(DYN_MEMORY_LIMIT=str(limit), DYN_MEMORY_RATE=str(rate))
    command = [*prefix, sys.executable, script, *map(str, options)]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def repeat(cases, rounds):
    """The results of cases that run in turns, with the least time of each call. All of them must
    have the same bits."""
    found = {}
    for _ in range(rounds):
        for name, case in cases.items():
            run = case()
            times = found.setdefault(name, run)["times"]
            found[name]["times"] = [min(pair) for pair in zip(times, run["times"])]
            if run["digest"] != found["compute"]["digest"]:
                raise ValueError(f"{name}: other bits")
    return found, {name: sum(run["times"]) for name, run in found.items()}


def run_worker(args, artifact, regime, limit, prefix=()):
    options = ["--artifact", artifact, "--regime", regime]
    for name in ("tokens", "calls", "warm", "seed", "threads"):
        options += [f"--{name}", getattr(args, name)]
    return start(__file__, options, limit, args.rate, prefix)


def run_faults(args, artifact, regime, memory):
    for file in artifact.parent.glob(artifact.name + "*"):
        if not (args.disk / file.name).exists():
            shutil.copy(file, args.disk)
    drop_from_cache(args.disk)
    with limited_group(args.disk, memory, args.rate) as prefix:
        return run_worker(args, args.disk / artifact.name, regime, 0, prefix) if prefix else None


def measure(args, folder, regime):
    share = args.share / 2 if regime == "fixed" else args.share
    limit = int(share * EXPERTS * EXPERT_BYTES)
    announced, plain = compile_model(folder, True), compile_model(folder, False)
    # The first run brings the file to the page cache.
    process = run_worker(args, announced, regime, 0)["anonymous"]
    cases = {
        "compute": lambda: run_worker(args, announced, regime, 0),
        "announced": lambda: run_worker(args, announced, regime, limit),
        "plain": lambda: run_worker(args, plain, regime, limit),
    }
    found, seconds = repeat(cases, args.rounds)
    for name in ("announced", "plain"):
        if found[name]["anonymous"] > limit + args.slack:
            raise ValueError(f"{regime}, {name}: {found[name]['anonymous']} bytes, limit {limit}")
    # The memory of the process beside that of the weights, measured and some more.
    faults = run_faults(args, announced, regime, limit + process + args.slack)
    if faults and faults["digest"] != found["compute"]["digest"]:
        raise ValueError(f"{regime}, faults: other bits")
    calls = draw(regime, args.tokens, args.calls, args.seed)
    room = int(2 * share * EXPERTS)
    bytes_of = lambda reads: reads(calls, room, args.warm) * EXPERT_BYTES // 2
    least = bytes_of(least_reads)
    bound = max(seconds["compute"], least / args.rate)
    row = {"regime": regime, "compute": seconds["compute"], "least": least / args.rate}
    row["bound"] = bound
    for name in ("announced", "plain"):
        row[name] = seconds[name]
        row[name + " read"] = found[name]["read"] / max(least, 1)
    row["times bound"] = row["announced"] / bound
    row["faults"] = faults and sum(faults["times"])
    row["ideal faults"] = bytes_of(recent_reads) / args.rate + seconds["compute"]
    return row


def write_rows(output, name, rows):
    output.mkdir(parents=True, exist_ok=True)
    (output / f"{name}.json").write_text(json.dumps(rows, indent=1))
    (output / f"{name}.md").write_text(markdown(rows))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("build/bench"))
    parser.add_argument("--folder", type=pathlib.Path, help="of the model; best in memory")
    parser.add_argument("--disk", type=pathlib.Path, help="folder for page faults")
    parser.add_argument("--share", type=float, default=0.25, help="of the experts in memory")
    parser.add_argument("--rate", type=int, default=10**9, help="bytes a second of the store")
    parser.add_argument("--tokens", type=int, default=512)
    parser.add_argument("--calls", type=int, default=30)
    parser.add_argument("--rounds", type=int, default=3, help="of processes")
    parser.add_argument("--warm", type=int, default=10, help="calls before the measured ones")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--slack", type=int, default=64 << 20, help="other memory of a process")
    parser.add_argument("--artifact", help=argparse.SUPPRESS)
    parser.add_argument("--regime", choices=REGIMES)
    args = parser.parse_args()
    if args.artifact:
        return worker(args)
    folder = (args.folder or args.output / "preload").absolute()
    args.disk = args.disk or args.output / "preload"
    for each in (folder, args.disk):
        each.mkdir(parents=True, exist_ok=True)
    if not (folder / "experts.mlir").exists():
        write_model(folder)
    rows = []
    for regime in [args.regime] if args.regime else REGIMES:
        rows.append(measure(args, folder, regime))
        print(json.dumps(rows[-1]), flush=True)
    write_rows(args.output, "preload", rows)


if __name__ == "__main__":
    main()
