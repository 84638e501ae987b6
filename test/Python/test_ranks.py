# ===- test_ranks.py - Artifacts that run on several ranks -----------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of artifacts whose parts run on ranks, in threads and in processes."""

import concurrent.futures
import os
import socket
import subprocess
import sys

import numpy as np
import pytest

import dyn

#: Each rank sorts its rows into those that go to each rank, sends them there, and scales what it
#: gets: ranges of rows that data determine.
PART = """
func.func @main_{rank}(%x: tensor<?x4xf32, #dhlo.dims<N>> {{dhlo.name = "x"}},
                  %sends: tensor<{numbers}xi64> {{dhlo.name = "sends"}},
                  %receives: tensor<{numbers}xi64> {{dhlo.name = "receives"}},
                  %like: tensor<?xf32, #dhlo.dims<M>> {{dhlo.name = "like"}})
    -> (tensor<?x4xf32, #dhlo.dims<M>> {{dhlo.name = "y"}}) attributes
    {{dhlo.entry, dist.part = #dist.part<"main", rank = {rank}, ranks = {ranks}>}} {{
  %0 = dhlo.exp %x : tensor<?x4xf32, #dhlo.dims<N>>
  %t = dist.exchange_start %0 among [{among}] sends %sends receives %receives
      : (tensor<?x4xf32, #dhlo.dims<N>>, tensor<{numbers}xi64>, tensor<{numbers}xi64>)
      -> !dist.request
  %1 = dist.exchange_wait %t : !dist.request -> tensor<?x4xf32, #dhlo.dims<M>>
  %2 = dhlo.neg %1 : tensor<?x4xf32, #dhlo.dims<M>>
  return %2 : tensor<?x4xf32, #dhlo.dims<M>>
}}
"""
SIZES = "dhlo.dim @N in [0, ?]\ndhlo.dim @M in [0, ?]\n"


def compile_parts(path, ranks, *options):
    among = ", ".join(map(str, range(ranks)))
    parts = [
        PART.format(rank=rank, ranks=ranks, numbers=2 * ranks, among=among) for rank in range(ranks)
    ]
    source = path / "parts.mlir"
    source.write_text(SIZES + "".join(parts))
    command = ["dyn-compile", source, "-o", path / "parts.so", *(options or ["--isa=v3"])]
    subprocess.run(command, check=True)
    return path / "parts.so"


def rows(sender, receiver):
    return (sender + 2 * receiver) % 3


def inputs_of(rank, ranks):
    def ranges(counts):
        ends = np.cumsum(counts)
        return np.stack([ends - counts, ends], axis=1).reshape(-1)

    sent = [rows(rank, other) for other in range(ranks)]
    received = [rows(other, rank) for other in range(ranks)]
    x = np.arange(sum(sent) * 4, dtype=np.float32).reshape(-1, 4) / 8 + rank
    return x, ranges(sent), ranges(received), np.zeros(sum(received), np.float32)


def expected_of(rank, ranks):
    """By numpy alone, with the artifact's exponential."""
    blocks = []
    for other in range(ranks):
        x, sends, *_ = inputs_of(other, ranks)
        blocks.append(np.exp(x[sends[2 * rank] : sends[2 * rank + 1]]))
    return -np.concatenate(blocks)


def run_rank(path, communicator, calls=3):
    model = dyn.load(path, communicator=communicator, entry="main", threads=1)
    inputs = inputs_of(communicator.rank, communicator.size)
    return [model(*inputs) for _ in range(calls)]


@pytest.fixture(scope="module", params=[1, 2, 3, 4, 8])
def parts(request, tmp_path_factory):
    path = tmp_path_factory.mktemp(f"parts{request.param}")
    return request.param, compile_parts(path, request.param)


def test_threads(parts):
    ranks, path = parts
    with concurrent.futures.ThreadPoolExecutor(ranks) as pool:
        group = dyn.Communicator.threads(ranks, timeout=20)
        for rank, results in enumerate(pool.map(lambda each: run_rank(path, each), group)):
            for result in results:
                np.testing.assert_allclose(result, expected_of(rank, ranks), rtol=1e-6)
                np.testing.assert_array_equal(result, results[0])


def results_of_threads(path, ranks):
    with concurrent.futures.ThreadPoolExecutor(ranks) as pool:
        group = dyn.Communicator.threads(ranks, timeout=20)
        return [results[0] for results in pool.map(lambda each: run_rank(path, each), group)]


def write_script(folder, artifact, kind):
    """The command of a rank, which saves its result in the folder."""
    script = folder / f"{kind}.py"
    script.write_text(
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "import numpy, dyn, test_ranks\n"
        f"with dyn.Communicator.{kind}() as communicator:\n"
        "    results = test_ranks.run_rank(sys.argv[2], communicator)\n"
        "    numpy.save(f'{sys.argv[3]}/{communicator.rank}.npy', results[0])\n"
    )
    return [sys.executable, script, os.path.dirname(__file__), artifact, folder]


def test_processes(parts, tmp_path):
    """The bits of threads."""
    ranks, path = parts
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {**os.environ, "WORLD_SIZE": str(ranks), "MASTER_ADDR": "127.0.0.1"}
    environment["DYN_MASTER_PORT"] = str(port)
    command = write_script(tmp_path, path, "sockets")
    processes = [
        subprocess.Popen(command, env={**environment, "RANK": str(rank)}) for rank in range(ranks)
    ]
    assert [process.wait(60) for process in processes] == [0] * ranks
    for rank, result in enumerate(results_of_threads(path, ranks)):
        np.testing.assert_array_equal(np.load(tmp_path / f"{rank}.npy"), result)


def test_mpi(parts, tmp_path, mpirun):
    """The same of processes of MPI, in Python and in dyn-run."""
    ranks, path = parts
    mpirun(ranks, *write_script(tmp_path, path, "plugin"))
    names = ("x", "sends", "receives", "like")
    for rank in range(ranks):
        np.savez(tmp_path / f"in.{rank}.npz", **dict(zip(names, inputs_of(rank, ranks))))
    files = (f"--inputs={tmp_path}/in.%r.npz", f"--output={tmp_path}/out.%r.npz")
    mpirun(ranks, "dyn-run", path, "--entry=main", "--communicator=mpi", *files)
    for rank, result in enumerate(results_of_threads(path, ranks)):
        np.testing.assert_array_equal(np.load(tmp_path / f"{rank}.npy"), result)
        np.testing.assert_array_equal(np.load(tmp_path / f"out.{rank}.npz")["y"], result)


def test_refusals(parts):
    ranks, path = parts
    with pytest.raises(dyn.InvalidArgumentError, match="expected a context with a communicator"):
        dyn.load(path)
    with concurrent.futures.ThreadPoolExecutor(ranks + 1) as pool:
        group = dyn.Communicator.threads(ranks + 1, timeout=20)
        for future in [pool.submit(run_rank, path, each) for each in group]:
            with pytest.raises(dyn.InvalidArgumentError, match=f"is for {ranks} ranks"):
                future.result()


def test_a_rank_that_fails(parts):
    """Others get its reason at once, though their deadline is far."""
    ranks, path = parts
    if ranks == 1:
        pytest.skip("no other ranks")

    def run(communicator):
        model = dyn.load(path, communicator=communicator, entry="main", threads=1)
        inputs = list(inputs_of(communicator.rank, ranks))
        if communicator.rank == 1:
            inputs[1] = inputs[1] + 1000
        model(*inputs)

    with concurrent.futures.ThreadPoolExecutor(ranks) as pool:
        group = dyn.Communicator.threads(ranks, timeout=1000)
        futures = [pool.submit(run, each) for each in group]
        reasons = []
        for future in futures:
            with pytest.raises(dyn.Error) as caught:
                future.result(30)
            reasons.append(caught.value)
    assert isinstance(reasons[1], dyn.DataError)
    assert isinstance(reasons[0], dyn.RankFailedError)
    assert "index out of range: got 1000" in str(reasons[1])
    # An exchange that begins after that says that the communicator has failed, and why.
    assert str(reasons[0]).endswith(f"rank 1 failed: {reasons[1]}")


#: Run in a process of its own, since the emulator reads the number of its devices once.
ON_DEVICES = """
import concurrent.futures, sys
sys.path.insert(0, sys.argv[1])
import dyn, test_ranks

def run(communicator, library):
    model = dyn.load(sys.argv[2], communicator=communicator, entry="main", threads=1,
                     device=f"emu:{communicator.rank}", exchange_library=library)
    model(*test_ranks.inputs_of(communicator.rank, 2))
    return model.exchange_library, model.stats

for library in (None, "none"):
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        group = dyn.Communicator.threads(2, timeout=20)
        for rank, (info, stats) in enumerate(pool.map(run, group, [library] * 2)):
            moved = 16 * test_ranks.rows(rank, 1 - rank) + 16 * test_ranks.rows(1 - rank, rank)
            counts = stats["direct_bytes"], stats["staged_bytes"]
            assert counts == ((0, moved) if library else (moved, 0)), counts
            assert info["name"] == ("" if library else "libdynemu.so")
            assert info["reason"] == ("none is wanted" if library else "")
"""


def test_libraries_of_devices(tmp_path):
    """Rows go from device to device, or through the host, and are counted either way."""
    path = compile_parts(tmp_path, 2, "--target=cpu,emu")
    command = [sys.executable, "-c", ON_DEVICES, os.path.dirname(__file__), path]
    subprocess.run(command, check=True, env={**os.environ, "DYN_EMU_DEVICES": "2"})


def test_no_library_without_ranks(tmp_path):
    path = compile_parts(tmp_path, 1, "--target=cpu,emu")
    with pytest.raises(dyn.InvalidArgumentError, match="expected a communicator beside 'none'"):
        dyn.load(path, device="emu", exchange_library="none")
