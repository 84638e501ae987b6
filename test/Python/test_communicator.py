# ===- test_communicator.py - Making communicators -------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of making and closing communicators."""

import concurrent.futures
import socket

import pytest

import dyn


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def test_ranks():
    alone = dyn.Communicator.self()
    assert (alone.rank, alone.size) == (0, 1)
    ranks = dyn.Communicator.threads(3, timeout=5, link_rate=1000)
    assert [(each.rank, each.size) for each in ranks] == [(0, 3), (1, 3), (2, 3)]
    assert repr(ranks[1]) == "<dyn.Communicator: rank 1 of 3>"
    with dyn.Communicator.sockets(size=1, address="127.0.0.1", port=free_port()) as one:
        assert one.size == 1


@pytest.mark.parametrize("network_only", [False, True])
def test_memory_of_one_machine(network_only):
    port = free_port()

    def count(rank):
        with dyn.Communicator.sockets(
            size=2, rank=rank, address="127.0.0.1", port=port, network_only=network_only
        ) as communicator:
            communicator.barrier()
            return communicator.stats["memory_peers"]

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        assert list(pool.map(count, range(2))) == [1 - network_only] * 2


def test_close():
    first, second = dyn.Communicator.threads(2)
    with first:
        first.close()
    with pytest.raises(dyn.InvalidArgumentError, match="the communicator is closed"):
        first.rank  # noqa: B018
    assert second.rank == 1


def test_refusals():
    with pytest.raises(TypeError, match="cannot create"):
        type(dyn.Communicator.self()._native)()
    for timeout in (0, -1, float("nan")):
        with pytest.raises(dyn.InvalidArgumentError, match="timeout: expected seconds"):
            dyn.Communicator.threads(2, timeout=timeout)
    with pytest.raises(dyn.InvalidArgumentError, match="size"):
        dyn.Communicator.threads(0, timeout=float("inf"))
    with pytest.raises(dyn.NotFoundError, match="cannot load 'nothing.so'"):
        dyn.Communicator.plugin("nothing.so")
    with pytest.raises(dyn.DeadlineExceededError, match="rank 1 did not come"):
        dyn.Communicator.sockets(size=2, address="127.0.0.1", port=free_port(), meet=0.1)
    with pytest.raises(dyn.InvalidArgumentError, match="rank is 3, of 2 ranks"):
        dyn.Communicator.sockets(size=2, rank=3, address="127.0.0.1", port=free_port())


def test_artifacts_take_communicators(zoo):
    artifact = dyn.load(zoo, communicator=dyn.Communicator.self())
    assert artifact.entries
    with pytest.raises(TypeError, match="expected a communicator"):
        dyn.load(zoo, communicator=dyn.Profile())
    with pytest.raises(dyn.InvalidArgumentError, match="source: expected None"):
        dyn.load(zoo, communicator=dyn.Communicator.self(), source="model.onnx")
