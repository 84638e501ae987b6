# ===- planned.py - Models that a plan divides among ranks -----------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles models by plans, and runs them on ranks, which are threads or processes of MPI. The machines have slow ranks
and fast links, so that plans divide what they can, or little memory and slow links, so that plans
make stages."""

import concurrent.futures
import json
import pickle
import re
import subprocess
import sys

import dyn
from dyn.compiler.compile import compile_to_file


def write_machine(path, ranks, memory=1e10):
    rank = {"flops": 5e9, "bytesPerSecond": 1e9, "memoryBytes": memory, "kernelSeconds": 1e-9}
    links = [{"ranks": 1, "bytesPerSecond": 1e12, "seconds": 1e-9}]
    path.write_text(json.dumps({"ranks": ranks, "rank": rank, "links": links}))
    return path


def write_small_machine(path, ranks, model, options, share=0.75, near=1):
    """A machine whose ranks have memory for a share of what they hold in one stage, and whose links
    are slow, but for those between `near` ranks: stages, with divisions where there are more
    ranks."""
    rank = {"flops": 5e9, "bytesPerSecond": 1e9, "memoryBytes": 1e12, "kernelSeconds": 1e-9}
    links = [{"ranks": near, "bytesPerSecond": 1e9, "seconds": 1e-2}]
    if near > 1:
        links.insert(0, {"ranks": 1, "bytesPerSecond": 1e12, "seconds": 1e-9})
    path.write_text(json.dumps({"ranks": ranks, "rank": rank, "links": links}))
    command = ["dyn-compile", model, f"--plan={path}", "--plan-stages=1", "--explain=json"]
    command += options
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    stage = json.loads(text)["stages"][0]
    rank["memoryBytes"] = share * stage["weight_bytes"] + stage["value_bytes"]
    path.write_text(json.dumps({"ranks": ranks, "rank": rank, "links": links}))
    return path


def compile_by_plan(model, folder, ranks, facts=None, options=()):
    """The artifact of a model for a machine of so many ranks."""
    machine = write_machine(folder / "machine.json", ranks)
    output = folder / f"{ranks}.so"
    return compile_to_file(str(model), output, facts, options=(f"--plan={machine}", *options))


def run_ranks(artifact, ranks, calls, device="cpu"):
    """The outputs of each call, by rank, and the statistics of its communicator after each. On
    a device, each rank has another one."""

    def run(communicator):
        own = device if device == "cpu" else f"{device}:{communicator.rank}"
        model = dyn.load(artifact, communicator=communicator, entry="main", threads=1, device=own)
        found, stats = [], [dict(communicator.stats)]
        for inputs in calls:
            found.append(as_list(model.run(inputs)))
            stats.append(dict(communicator.stats))
        return found, stats

    with concurrent.futures.ThreadPoolExecutor(ranks) as pool:
        found = list(pool.map(run, dyn.Communicator.threads(ranks, timeout=60)))
    return [outputs for outputs, _ in found], [stats for _, stats in found]


#: A rank of MPI, which writes the outputs of each call.
RANK = """
import pathlib, pickle, sys
import dyn

folder = pathlib.Path(sys.argv[2])
with dyn.Communicator.plugin() as communicator:
    model = dyn.load(sys.argv[1], communicator=communicator, entry="main", threads=1)
    outputs = [model.run(inputs) for inputs in pickle.loads((folder / "calls").read_bytes())]
    (folder / str(communicator.rank)).write_bytes(pickle.dumps(outputs))
"""


def run_over_mpi(mpirun, artifact, ranks, calls, folder):
    """The outputs of each call, by rank, of processes of MPI."""
    (folder / "rank.py").write_text(RANK)
    (folder / "calls").write_bytes(pickle.dumps(calls))
    mpirun(ranks, sys.executable, folder / "rank.py", artifact, folder)
    found = [pickle.loads((folder / str(rank)).read_bytes()) for rank in range(ranks)]
    return [[as_list(outputs) for outputs in each] for each in found]


def bytes_of_parts(artifact):
    """By rank, the bytes of the constants that its part of an artifact reads. The plan may use
    fewer ranks than the machine has; one, if there is no part."""
    command = ["dyn-compile", "--describe", artifact]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = re.findall(r"rank (\d+) of \d+ of main, reads (\d+) bytes of constants", text)
    return {int(rank): int(size) for rank, size in found} or {0: 0}


def as_list(outputs):
    return list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
