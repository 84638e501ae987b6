# ===- test_sparse_exchange.py - dyn.sparse_exchange -----------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of pruning what ranks send each other, on images of digits that are drawn here."""

import concurrent.futures
import copy
import subprocess

import numpy
import pytest

torch = pytest.importorskip("torch")

import dyn
from dyn import InvalidArgumentError, UnsupportedError
from dyn.sparse_exchange import Layer, Machine, layer_of, prune, split, write_program

#: Segments of a display, top to bottom and left to right, and those of each digit.
SEGMENTS = [(1, slice(2, 6)), (slice(1, 4), 2), (slice(1, 4), 5), (3, slice(2, 6)),
            (slice(4, 7), 2), (slice(4, 7), 5), (6, slice(2, 6))]  # fmt: skip
DIGITS = ["012456", "25", "02346", "02356", "1235", "01356", "013456", "025", "0123456", "012356"]


def digits(count, seed):
    """Images of 8 x 8 of digits, moved and with noise, and their numbers."""
    generator = torch.Generator().manual_seed(seed)
    labels = torch.randint(10, (count,), generator=generator)
    shapes = torch.zeros(10, 8, 8)
    for shape, lit in zip(shapes, DIGITS):
        for segment in lit:
            shape[SEGMENTS[int(segment)]] = 1
    moves = torch.randint(2, (count, 2), generator=generator)
    images = torch.stack(
        [shapes[label].roll(tuple(move), (0, 1)) for label, move in zip(labels, moves.tolist())]
    )
    return images + 0.2 * torch.randn(images.shape, generator=generator), labels


TRAINED_ON, HELD_OUT = digits(4000, 0), digits(1000, 1)


def train(model, epochs=4):
    images, labels = TRAINED_ON
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    model.train()
    for _ in range(epochs):
        for at in range(0, len(labels), 100):
            optimizer.zero_grad()
            part = slice(at, at + 100)
            torch.nn.functional.cross_entropy(model(images[part]), labels[part]).backward()
            optimizer.step()
    model.eval()


@torch.no_grad()
def accuracy(model):
    images, labels = HELD_OUT
    return (model(images).argmax(1) == labels).float().mean().item()


@pytest.fixture(scope="module")
def trained():
    torch.manual_seed(0)
    model = torch.nn.Sequential(
        torch.nn.Flatten(), torch.nn.Linear(64, 96), torch.nn.ReLU(),
        torch.nn.Linear(96, 64), torch.nn.ReLU(), torch.nn.Linear(64, 10),
    )  # fmt: skip
    train(model, 10)
    assert accuracy(model) > 0.9
    return model


@pytest.fixture
def model(trained):
    return copy.deepcopy(trained)


def test_accuracy_is_kept_by_tuning(model):
    tuned = prune(model, ["3", "5"], 2, 0.75, tune=train, steps=3)
    blind = prune(copy.deepcopy(tuned.dense), ["3", "5"], 2, 0.75)
    assert accuracy(tuned.model) > accuracy(tuned.dense) - 0.03
    assert accuracy(tuned.model) >= accuracy(blind.model)
    # Of layer 3 each rank reads a quarter of the other's 48 features, of layer 5 of 32.
    assert tuned.bytes_sent("3") == 2 * 12 * 4 and tuned.bytes_dense("3") == 2 * 48 * 4
    assert tuned.bytes_sent("5", rows=3) == 3 * 2 * 8 * 4
    first, second, last = tuned.report(accuracy).splitlines()
    assert first == "layer 3: 96 of 384 bytes a row are sent (75.0% less)"
    assert second.startswith("layer 5: 64 of 256 bytes")
    assert last.startswith("accuracy on held-out data: 9")
    # Nothing of the reparametrisation is left.
    assert set(tuned.model.state_dict()) == set(tuned.dense.state_dict())


def test_the_smallest_groups_go(model):
    weight = model[3].weight
    with torch.no_grad():
        weight.fill_(1)
        weight[:32, [60, 70]] = 0.1  # rank 0's, of features of rank 1
        weight[32:, [5, 6]] = 0.01  # rank 1's, of rank 0
        weight[:32, [7]] = 0  # its own, which are not sent
    pruned = prune(model, ["3"], 2, 2 / 48)
    (_, to0), (to1, _) = pruned.sent["3"]
    assert set(range(48, 96)) - set(to0) == {60, 70}
    assert set(range(48)) - set(to1) == {5, 6}
    assert not model[3].weight[:32, [60, 70]].any() and model[3].weight[32:, [60, 70]].all()


def exchange(parts, selected):
    """The parts that each rank receives."""
    return [[sender[to] for sender in selected] for to in range(len(parts))]


@pytest.mark.parametrize("ranks", [1, 2, 3, 5])
@pytest.mark.parametrize("share", [0, 0.6, 1, {"3": 0.3}])
def test_parts_compute_the_layer(model, ranks, share):
    pruned = prune(model, ["3"], ranks, share)
    x = torch.randn(7, 96)
    held = x.split(-(-96 // ranks), 1)
    parts = [split(pruned, "3", rank) for rank in range(ranks)]
    selected = [part.select(own) for part, own in zip(parts, held)]
    received = exchange(parts, selected)
    for part, sent, got in zip(parts, selected, received):
        assert part.sends == [s.shape[1] for s in sent]
        assert part.receives == [r.shape[1] for r in got]
    moved = sum(
        s.numel() for r, sent in enumerate(selected) for to, s in enumerate(sent) if to != r
    )
    assert 4 * moved == pruned.bytes_sent("3", rows=7)
    want = pruned.model[3](x)
    got = torch.cat([part.compute(*r) for part, r in zip(parts, received)], 1)
    torch.testing.assert_close(got, want)
    for rank, own in enumerate(held):
        part = split(pruned, "3", rank, overlap=True)
        others = received[rank][:rank] + received[rank][rank + 1 :]
        if others:
            rows = slice(rank * -(-64 // ranks), min(64, (rank + 1) * -(-64 // ranks)))
            torch.testing.assert_close(part.compute(part.begin(own), *others), want[:, rows])


def test_more_ranks_than_features():
    """Some ranks hold nothing, and compute nothing."""
    layer = torch.nn.Linear(2, 3)
    pruned = prune(layer, [""], 4, 0)
    parts = [split(pruned, "", rank) for rank in range(4)]
    assert [part.sends for part in parts] == [[1, 1, 1, 1], [1, 1, 1, 1], [0] * 4, [0] * 4]
    assert [part.compute.layer.out_features for part in parts] == [1, 1, 1, 0]


def test_convolutions():
    layer = torch.nn.Conv2d(6, 8, 3, padding=1, stride=2)
    pruned = prune(layer, [""], 2, 0.5)
    x = torch.randn(2, 6, 9, 7)
    parts = [split(pruned, "", rank) for rank in range(2)]
    received = exchange(parts, [part.select(own) for part, own in zip(parts, x.split(3, 1))])
    got = torch.cat([part.compute(*r) for part, r in zip(parts, received)], 1)
    torch.testing.assert_close(got, layer(x))


def test_compiled_parts_have_the_bits_of_one_rank(model):
    """Weights that are left out are zeros on one rank, and sums have one order."""
    pruned = prune(model, ["3"], 2, 0.7)
    x = torch.randn(5, 96)
    batch = torch.export.Dim.AUTO

    def call(module, *args):
        shapes = [{0: batch} for _ in args]
        if isinstance(module, torch.nn.Linear):
            compiled = dyn.compile(module, args=args, dynamic_shapes=tuple(shapes))
        else:
            compiled = dyn.compile(module, args=args, dynamic_shapes=(tuple(shapes),))
        return compiled(*args)

    want = call(pruned.model[3], x)
    parts = [split(pruned, "3", rank) for rank in range(2)]
    received = exchange(parts, [part.select(own) for part, own in zip(parts, x.split(48, 1))])
    got = [call(part.compute, *args) for part, args in zip(parts, received)]
    assert torch.equal(torch.cat(got, 1), want)


def evaluate(path, x):
    """The output of the first rank in the interpreter, which runs all ranks."""
    numpy.save(path.with_suffix(".npy"), x.numpy())
    output = path.with_suffix(".npz")
    command = ["dyn-run", path, "--reference", f"--output={output}"]
    subprocess.run([*command, f"--input=x={path.with_suffix('.npy')}"], check=True)
    (y,) = numpy.load(output).values()
    return y


@pytest.mark.parametrize("ranks, share", [(1, 0), (2, 0.7), (3, 0), (5, 1)])
def test_programs(model, tmp_path, ranks, share):
    """Exchanges have the features that are left, and all ranks together the bits of one."""
    from dyn.frontend.torch import to_dhlo

    pruned = prune(model[1:], ["3", "5"], ranks, share)
    x = torch.randn(3, 64)
    write_program(pruned, tmp_path / "ranks.mlir")
    to_dhlo(pruned.model, tmp_path / "one.mlir", args=(x,))
    got = evaluate(tmp_path / "ranks.mlir", x)
    # to_dhlo has its own name for the input.
    text = (tmp_path / "one.mlir").read_text()
    (tmp_path / "one.mlir").write_text(text.replace('dhlo.name = "input"', 'dhlo.name = "x"'))
    assert got.tobytes() == evaluate(tmp_path / "one.mlir", x).tobytes()
    numpy.testing.assert_allclose(got, pruned.model(x).detach(), rtol=1e-4, atol=1e-4)
    text = (tmp_path / "ranks.mlir").read_text()
    assert text.count("dist.exchange_start") == 3 * ranks
    if (ranks, share) == (2, 0.7):
        # 48 features of its own, and 14 of the other rank's 48.
        assert text.count("-> tensor<62x?xf32") == 4


def test_compiled_programs(model, tmp_path):
    """One artifact for all ranks has the bits of one rank, and sends the features that are left."""
    pruned = prune(model[1:], ["3", "5"], 2, 0.75)
    x = torch.randn(3, 64)
    write_program(pruned, tmp_path / "ranks.mlir")
    output = tmp_path / "ranks.so"
    subprocess.run(["dyn-compile", tmp_path / "ranks.mlir", "-o", output], check=True)
    want = dyn.compile(pruned.model, args=(x,))(x)
    group = dyn.Communicator.threads(2, timeout=30)

    def run(communicator):
        artifact = dyn.load(output, threads=1, communicator=communicator)
        before = communicator.stats["bytes_sent"]
        (y,) = artifact.run([x.numpy()])
        return numpy.asarray(y), communicator.stats["bytes_sent"] - before

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(run, group))
    # Both layers, and 5 outputs of each rank to the other.
    rows = sum(pruned.bytes_sent(name, rows=3) for name in ("3", "5"))
    assert sum(sent for _, sent in results) == rows + 2 * 3 * 5 * 4
    for y, _ in results:
        assert y.tobytes() == want.numpy().tobytes()


def test_programs_of_other_models(model, tmp_path):
    def refused(pruned, match):
        with pytest.raises(UnsupportedError, match=match):
            write_program(pruned, tmp_path / "ranks.mlir")

    Linear, Sequential = torch.nn.Linear, torch.nn.Sequential
    refused(prune(Linear(4, 4), [""], 2, 0.5), "expected a Sequential, got Linear")
    refused(prune(model, ["3"], 2, 0.5), "layer '0': expected Linear or ReLU, got Flatten")
    refused(prune(model[1:], ["3"], 2, 0.5), "layer '5': expected to be pruned")
    refused(prune(model[1:], ["1", "3", "5"], 2, 0.5), "layer '1': expected the whole input")
    refused(prune(Sequential(torch.nn.ReLU()), [], 2, 0.5), "expected a layer")
    half = Sequential(Linear(2, 2).half())
    refused(prune(half, [], 2, 0.5), "layer '0': expected float32, got torch.float16")


def test_balance():
    """At the balance both times are equal; more is never hidden, less never costs."""
    layer = Layer(bytes=4_000_000, flops=10_000_000)
    for ranks in (2, 3, 8):
        machine = Machine(ranks, flops=1e9, link=1e8)
        share = machine.balance(layer)
        assert 0 < share < 1
        communication = machine.communication(layer, share)
        assert communication == pytest.approx(machine.computation(layer, share))
        assert machine.time(layer, share) == pytest.approx(communication)
        assert machine.time(layer, share - 0.1) > communication > machine.time(layer, 1)
        a = ranks * machine.flops * layer.bytes / (layer.flops * machine.link)
        assert share == pytest.approx((a * ranks - ranks) / (a * ranks - ranks + 1))
    assert Machine(2, flops=1e9, link=1e10).balance(layer) == 0


def test_costs_of_a_layer(model):
    machine = Machine(2, flops=1e9, link=1e9)
    assert layer_of(model, "3", machine, batch=10) == Layer(10 * 48 * 4, 2 * 10 * 96 * 64)
    convolution = torch.nn.Conv2d(6, 8, 3)
    costs = layer_of(convolution, "", machine, batch=2, positions=25)
    assert costs == Layer(50 * 3 * 4, 2 * 50 * 6 * 8 * 9)


def test_refusals(model):
    def refused(error, match, **changes):
        arguments = {"layers": ["3"], "ranks": 2, "share": 0.5, **changes}
        with pytest.raises(error, match=match):
            prune(model, **arguments)

    before = {name: value.clone() for name, value in model.state_dict().items()}
    refused(InvalidArgumentError, "layer 'x': the model has none of this name", layers=["x"])
    refused(UnsupportedError, "layer '2': expected Linear or Conv2d, got ReLU", layers=["2"])
    refused(InvalidArgumentError, "ranks: expected at least 1, got 0", ranks=0)
    refused(InvalidArgumentError, "share of layer '3': expected 0 to 1, got 1.5", share=1.5)
    refused(InvalidArgumentError, "share of layer '3': expected 0 to 1, got None", share={})
    refused(InvalidArgumentError, "steps: expected at least 1, got 0", steps=0)
    assert all(torch.equal(before[name], value) for name, value in model.state_dict().items())
    with pytest.raises(UnsupportedError, match="layer '': expected one group, got 2"):
        prune(torch.nn.Conv2d(4, 4, 1, groups=2), [""], 2, 0.5)
    with pytest.raises(InvalidArgumentError, match="rank: expected 0 to 1, got 2"):
        split(prune(model, ["3"], 2, 0.5), "3", 2)
    with pytest.raises(InvalidArgumentError, match="ranks: expected at least 2, got 1"):
        Machine(1, flops=1e9, link=1e9)
    for rate in ("flops", "link"):
        with pytest.raises(InvalidArgumentError, match=f"{rate}: expected a positive rate, got 0"):
            Machine(2, **{"flops": 1e9, "link": 1e9, rate: 0})
