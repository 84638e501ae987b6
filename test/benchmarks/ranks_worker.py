# ===- ranks_worker.py - One rank of a measurement -------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a function of a measurement of ranks.py on each rank, a process each.

    ranks_worker.py MODULE FUNCTION ARGUMENTS

The arguments are JSON. Rank 0 prints what its function returns, as JSON.
"""

import importlib
import json
import os
import socket
import subprocess
import sys
import time


def run_ranks(ranks, function, link_rate=0, **arguments):
    """Runs function(communicator, **arguments) on each rank and returns the result of rank 0."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, __file__, function.__module__, function.__name__]
    command.append(json.dumps({"link_rate": int(link_rate), **arguments}))
    environment = {**os.environ, "WORLD_SIZE": str(ranks), "MASTER_ADDR": "127.0.0.1"}
    environment |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    started = [
        subprocess.Popen(
            command,
            env={**environment, "RANK": str(rank), "MASTER_PORT": str(port)},
            stdout=subprocess.PIPE,
        )
        for rank in range(ranks)
    ]
    outputs = [process.communicate()[0] for process in started]
    for rank, process in enumerate(started):
        if process.returncode:
            raise RuntimeError(f"rank {rank} of {function.__name__}: status {process.returncode}")
    return json.loads(outputs[0])


def seconds_of(communicator, actions, rounds):
    """Seconds of each of {name: function}, which all ranks run together and in turns: of a round,
    the slowest rank's; of all rounds, the least, for machines with other work."""
    import numpy as np

    times = {name: [] for name in actions}
    for turn in range(rounds + 1):
        for name, action in actions.items():
            communicator.barrier()
            start = time.perf_counter()
            action()
            taken = np.array(time.perf_counter() - start)
            slowest = float(communicator.all_reduce(taken, op="max"))
            if turn:  # The first round warms up.
                times[name].append(slowest)
    return {name: min(values) for name, values in times.items()}


def main():
    import dyn

    module, name, arguments = sys.argv[1:]
    arguments = json.loads(arguments)
    function = getattr(importlib.import_module(module), name)
    link_rate = arguments.pop("link_rate")
    with dyn.Communicator.sockets(link_rate=link_rate, timeout=120) as communicator:
        result = function(communicator, **arguments)
        if communicator.rank == 0:
            print(json.dumps(result))
        communicator.barrier()


if __name__ == "__main__":
    main()
