# ===- test_transfers.py - Operations of communicators ---------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of what ranks send each other, between threads and between processes."""

import concurrent.futures
import json
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from test_communicator import free_port

import dyn


def run(ranks, body, **options):
    """The results of body(communicator) of each rank, in threads of this process."""
    group = dyn.Communicator.threads(ranks, **{"timeout": 20, **options})
    with concurrent.futures.ThreadPoolExecutor(ranks) as pool:
        return list(pool.map(body, group))


def rows(sender, receiver):
    """The rows that a rank sends another one: of different numbers, some of them none."""
    count = (3 * sender + receiver) % 4
    return np.arange(count * 5, dtype=np.float32).reshape(count, 5) + 100 * sender + receiver


@pytest.mark.parametrize("ranks", [1, 2, 3, 5])
def test_all_to_all(ranks):
    def body(c):
        sends = [rows(c.rank, r) for r in range(ranks)]
        receives = [np.empty_like(rows(r, c.rank)) for r in range(ranks)]
        got = c.all_to_all(sends, receives)
        assert all(a is b for a, b in zip(got, receives))
        stats = c.stats
        peers = [r for r in range(ranks) if r != c.rank]
        assert stats["bytes_sent"] == sum(rows(c.rank, r).nbytes for r in peers)
        assert stats["messages_sent"] == sum(rows(c.rank, r).size > 0 for r in peers)
        assert stats["operations"] == 1
        return got

    for rank, got in enumerate(run(ranks, body)):
        for sender, array in enumerate(got):
            np.testing.assert_array_equal(array, rows(sender, rank))


def test_all_gather():
    def body(c):
        (equal,) = {array.tobytes() for array in c.all_gather(np.int64(7) * np.ones(2))}
        assert equal == np.full(2, 7.0).tobytes()
        unequal = c.all_gather(np.full(c.rank, c.rank), [np.empty(r, int) for r in range(3)])
        return [array.tolist() for array in unequal]

    assert run(3, body) == [[[], [1], [2, 2]]] * 3


def test_broadcast_and_messages():
    def body(c):
        array = np.full((2, 3), c.rank, np.int16)
        assert c.broadcast(array, root=1) is array
        if c.rank == 0:
            c.send(np.array("héllo"), to=2)
        if c.rank == 2:
            assert c.receive(np.array("     "), 0) == "héllo"
        c.barrier()
        return array.tolist()

    assert run(3, body) == [[[1] * 3] * 2] * 3


def test_all_reduce():
    values = [np.array([[1.5, 1e8], [-2, np.nan]], np.float32) * (r + 1) for r in range(3)]

    def body(c):
        mine = values[c.rank].copy()
        by_rank = c.all_reduce(mine)
        tree = c.all_reduce(mine, order="tree")
        assert c.all_reduce(mine, out=mine, op="max") is mine
        counts = c.all_reduce(np.array(c.rank), op="min")
        assert counts.shape == () and counts == 0
        return by_rank, tree, mine

    for by_rank, tree, most in run(3, body):
        want = (values[0] + values[1]) + values[2]
        assert by_rank.tobytes() == tree.tobytes() == want.tobytes()
        np.testing.assert_array_equal(most, np.array([[4.5, 3e8], [-2, np.nan]], np.float32))


def test_requests():
    """Data move while a rank computes; a request keeps its arrays."""

    def body(c):
        receives = [np.empty(50_000, np.uint8) for _ in range(2)]
        sends = [np.full(50_000, 10 * c.rank + r, np.uint8) for r in range(2)]
        request = c.all_to_all(sends, receives, wait=False)
        del sends
        got = request.wait()
        with pytest.raises(dyn.InvalidArgumentError, match="the request has been waited for"):
            request.wait()
        # Dropped ones are waited for.
        for _ in range(10):
            c.all_gather(np.zeros(1000), wait=False)
        other = c.send(np.ones(4), 1, wait=False) if c.rank == 0 else None
        if c.rank == 1:
            assert c.receive(np.zeros(4), 0, wait=False).wait().tolist() == [1] * 4
        del other
        return [int(array[0]) for array in got]

    assert run(2, body) == [[0, 10], [1, 11]]


def test_the_lock_is_released():
    """One thread of Python can be all ranks, and other threads run meanwhile."""
    first, second = dyn.Communicator.threads(2, timeout=20)
    request = first.all_reduce(np.ones(3), wait=False)
    np.testing.assert_array_equal(second.all_reduce(np.ones(3)), [2] * 3)
    np.testing.assert_array_equal(request.wait(), [2] * 3)
    seen = []
    waiter = threading.Thread(target=lambda: (first.barrier(), seen.append("left")))
    waiter.start()
    seen.append("runs")
    second.barrier()
    waiter.join()
    assert seen == ["runs", "left"]


def test_split():
    def body(c):
        group = c.split(color=c.rank % 2, key=-c.rank + 10)
        got = [int(array) for array in group.all_gather(np.array(c.rank))]
        assert c.split(None if c.rank else 0, key=0) is None or c.rank == 0
        return group.rank, got

    assert run(4, body) == [(1, [2, 0]), (1, [3, 1]), (0, [2, 0]), (0, [3, 1])]


def test_tensors_of_pytorch():
    """DLPack, without a copy: results are where the tensors are."""
    torch = pytest.importorskip("torch")

    def body(c):
        x = torch.full((3,), c.rank + 1.0, dtype=torch.bfloat16)
        receives = [torch.empty(3, dtype=torch.bfloat16) for _ in range(2)]
        c.all_gather(x, receives)
        total = torch.empty(2, dtype=torch.int64)
        c.all_reduce(torch.tensor([[1, 5], [2, 6]]).t()[0] + c.rank, total)
        return torch.cat(receives).tolist(), total.tolist()

    assert run(2, body) == [([1, 1, 1, 2, 2, 2], [3, 5])] * 2


def test_misuse():
    """Errors before an operation begins leave the communicator usable."""
    c = dyn.Communicator.self()
    x = np.ones((4, 4), np.float32)
    held = x.copy()
    held.flags.writeable = False
    with pytest.raises(ValueError, match="sends: expected an array for each of 1 ranks, got 2"):
        c.all_to_all([x, x], [x])
    with pytest.raises(TypeError, match=r"receives\[0\]: expected a contiguous array"):
        c.all_to_all([x], [x[:, 1]])
    with pytest.raises(ValueError, match=r"receives\[0\]: expected an array that can be written"):
        c.all_to_all([x], [held])
    with pytest.raises(TypeError, match="array: expected a contiguous array of numpy"):
        c.broadcast([1, 2])
    with pytest.raises(TypeError, match="no objects of Python, got object"):
        c.broadcast(np.array([None]))
    with pytest.raises(ValueError, match="out: expected the type and the elements of the array"):
        c.all_reduce(x, np.ones(16))
    with pytest.raises(dyn.UnsupportedError, match="cannot reduce f16"):
        c.all_reduce(x.astype(np.float16))
    with pytest.raises(dyn.InvalidArgumentError, match="op: expected one of 'sum', 'min', 'max'"):
        c.all_reduce(x, op="mean")
    with pytest.raises(dyn.InvalidArgumentError, match="order: expected one of 'rank', 'tree'"):
        c.all_reduce(x, order="ring")
    with pytest.raises(dyn.InvalidArgumentError, match="timeout: expected seconds, got -1"):
        c.barrier(timeout=-1)
    with pytest.raises(dyn.InvalidArgumentError, match="peer is 1: expected another rank than 0"):
        c.send(x, 1)
    np.testing.assert_array_equal(c.all_reduce(held), x)
    # Arrays that are sent may have strides, which costs a copy.
    np.testing.assert_array_equal(c.all_gather(x[:, 1])[0], np.ones(4))


def test_disagreement():
    """Both ranks get the runtime's status and words."""

    def body(c):
        with pytest.raises(dyn.Error, match="rank 0 sends 8 bytes to rank 1, which expects 4") as e:
            c.send(np.zeros(8, np.uint8), 1) if c.rank == 0 else c.receive(np.zeros(4, np.uint8), 0)
        with pytest.raises(dyn.Error):
            c.barrier()
        return type(e.value)

    found = run(2, body)
    assert set(found) <= {dyn.InvalidArgumentError, dyn.RankFailedError}


def test_late_ranks():
    first, _second = dyn.Communicator.threads(2)
    with pytest.raises(dyn.DeadlineExceededError, match="rank 1 did not answer within 0.05 s"):
        first.barrier(timeout=0.05)


PROGRAM = """
import json, os, signal, sys
import numpy as np
import dyn

with dyn.Communicator.sockets(timeout=20) as c:
    total = c.all_reduce(np.full(3, c.rank + 1.0))
    if sys.argv[1] == "dies":
        if c.rank == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        try:
            c.barrier()
        except dyn.RankFailedError as error:
            print(json.dumps(str(error)))
    else:
        print(json.dumps([total.tolist(), c.stats["messages_sent"]]))
"""


def processes(ranks, *arguments):
    """Starts PROGRAM on each rank and returns (exit status, output) of each."""
    port = str(free_port())
    started = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM, *arguments],
            stdout=subprocess.PIPE,
            env={**os.environ, "RANK": str(rank), "WORLD_SIZE": str(ranks),
                 "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port},
        )
        for rank in range(ranks)
    ]  # fmt: skip
    outputs = [process.communicate(timeout=60)[0] for process in started]
    return [(process.returncode, output) for process, output in zip(started, outputs)]


def test_processes():
    for status, output in processes(3, "ends"):
        assert status == 0
        assert json.loads(output) == [[6.0] * 3, 4]


def test_a_process_dies():
    start = time.monotonic()
    (first, died, last) = processes(3, "dies")
    assert died == (-signal.SIGKILL, b"")
    for status, output in (first, last):
        assert status == 0 and "rank 1" in json.loads(output)
    assert time.monotonic() - start < 15
