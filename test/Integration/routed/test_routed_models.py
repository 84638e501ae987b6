# ===- test_routed_models.py - Models that route against eager PyTorch -----===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The six models of dyn.models: compiled once, close to eager PyTorch for any replayed
routes, and with the same routes where they choose themselves."""

import gc
import json
import pathlib
import subprocess
import sys
import tempfile

import pytest

numpy = pytest.importorskip("numpy")
torch = pytest.importorskip("torch")
FOLDER = pathlib.Path(__file__).parent
sys.path[:0] = [str(FOLDER / "Inputs"), str(FOLDER.parent / "torch" / "Inputs")]

import dyn.models
from closeness import assert_close
from dyn.models import routes
from routed_cases import CASES
from torch.utils import _pytree as pytree
from torch.utils.flop_counter import FlopCounterMode

NAMES = list(CASES)
FREE = [pytest.param(n, marks=[pytest.mark.full] if c.full else []) for n, c in CASES.items()]


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """compiled(name, free) is (the model, its compiled form), made once."""
    folder, kept = tmp_path_factory.mktemp("routed"), {}

    def get(name, free=False):
        if (name, free) not in kept:
            model = CASES[name].make()
            output = folder / f"{name}-{free}.so"
            kept[name, free] = model, CASES[name].compile(model, output, free)
        return kept[name, free]

    return get


def compare(model, fast, inputs, case, seed, what):
    """Compares both on routes of a kind."""
    choices = routes.for_routers(case, model.routers(*inputs), seed)
    with torch.no_grad():
        expected = model.replayed(inputs, choices)
    assert_close(fast(inputs, choices), expected, what)


@pytest.mark.parametrize("name", NAMES)
def test_replayed(name, compiled, full):
    model, fast = compiled(name)
    for number, sizes in enumerate(CASES[name].sizes):
        inputs = CASES[name].inputs(model, number, **sizes)
        for case in routes.CASES:
            for seed in range(5 if full else 1):
                compare(model, fast, inputs, case, seed, f"{name} at {sizes}, {case}")


@pytest.mark.parametrize("name", NAMES)
def test_on_the_emulator(name, tmp_path, full):
    """On a GPU's emulator: close to eager, without reports, and without waits for numbers
    of rows."""
    case = CASES[name]
    model = case.make()
    options = {"options": ("--target=cpu,emu", "--isa=v3"), "device": "emu"}
    fast = case.compile(model, tmp_path / "model.so", **options)
    calls = 0
    for number, sizes in enumerate(case.sizes if full else case.sizes[:1]):
        inputs = case.inputs(model, number, **sizes)
        for routed in routes.CASES if full else ["uniform"]:
            compare(model, fast, inputs, routed, 0, f"{name} at {sizes}, {routed}")
            calls += 1
    assert fast.artifact.stats["device_waits"] == calls
    queued = dyn.load(fast.artifact.path, device="emu", outputs="device", stream=0)
    choices = routes.for_routers("uniform", model.routers(*inputs), 0)
    kept = queued.run(pytree.tree_leaves((inputs, choices)))
    assert (queued.stats["calls"], queued.stats["device_waits"]) == (1, 0)
    queued.wait()
    del kept


@pytest.mark.parametrize(
    "name", ["msdnet", pytest.param("dynamic-routing", marks=pytest.mark.full)]
)
def test_guesses_on_the_emulator(name, tmp_path, monkeypatch):
    """Paths beside their routers, on two streams whose races would be reported: the same bits,
    right or wrong, and no call waits but at its end."""
    case = CASES[name]
    model = case.make()
    rules = "--route-rules=*=speculate:majority:0"
    options = {"options": ("--target=cpu,emu", "--isa=v3", rules), "device": "emu"}
    path = case.compile(model, tmp_path / "model.so", **options).artifact.path
    loaded = {}
    for mode in ("never", "always"):
        monkeypatch.setenv("DYN_GUESSES", mode)
        loaded[mode] = dyn.load(path, device="emu")
    inputs = case.inputs(model)
    for routed in routes.CASES:
        choices = routes.for_routers(routed, model.routers(*inputs), 0)
        leaves = pytree.tree_leaves((inputs, choices))
        want, got = (as_tuple(loaded[mode].run(leaves)) for mode in ("never", "always"))
        for ours, theirs in zip(got, want, strict=True):
            numpy.testing.assert_array_equal(numpy.array(ours), numpy.array(theirs))
    calls = len(routes.CASES)
    for mode, artifact in loaded.items():
        stats = artifact.stats
        assert stats["device_waits"] == stats["calls"] == calls
        made = calls if mode == "always" else 0
        assert all(each["guesses"] == made for each in stats["guesses"])
    assert loaded["always"].stats["parallel_launches"] > 0
    guesses = loaded["always"].stats["guesses"]
    assert any(0 < each["right"] < each["rows"] for each in guesses)


@pytest.mark.parametrize(
    "name", ["switch-transformer", pytest.param("dynamic-routing", marks=pytest.mark.full)]
)
def test_limited_memory_of_the_emulator(name, tmp_path, monkeypatch):
    """With a limit for the weights in memory of a device, which maps pages of 4 KiB: the same
    bits, and the host waits for routers."""
    monkeypatch.setenv("DYN_EMU_GRANULARITY", "4096")
    case = CASES[name]
    model = case.make()
    options = {"options": ("--target=cpu,emu", "--isa=v3"), "device": "emu"}
    whole = case.compile(model, tmp_path / "model.so", **options).artifact
    limit = 110_000 if name == "switch-transformer" else 50_000
    limited = dyn.load(whole.path, device="emu", memory_limit=limit)
    inputs = case.inputs(model)
    for routed in routes.CASES:
        choices = routes.for_routers(routed, model.routers(*inputs), 0)
        leaves = pytree.tree_leaves((inputs, choices))
        want, got = (as_tuple(each.run(leaves)) for each in (whole, limited))
        for ours, theirs in zip(got, want, strict=True):
            numpy.testing.assert_array_equal(numpy.array(ours), numpy.array(theirs))
    stats = limited.stats
    assert 0 < stats["constant_bytes"] <= stats["peak_constant_bytes"] <= limit
    assert stats["constant_bytes_read"] > limit
    assert stats["device_waits"] > stats["calls"] == whole.stats["device_waits"]
    assert whole.stats["peak_constant_bytes"] == 0


class Exits(torch.nn.Module):
    """Tokens leave a loop of layers."""

    def __init__(self, layers=3, width=16):
        super().__init__()
        self.layers = torch.nn.ModuleList(torch.nn.Linear(width, width) for _ in range(layers))
        self.exit = dyn.Router(lambda x: (x.amax(-1) < 0.9).long(), paths=2)

    def leave(self, x, number):
        x = x + self.layers[number](x).tanh()
        if number + 1 == len(self.layers):
            return x
        return dyn.switch(self.exit(x), x, [lambda x: x, lambda x: self.leave(x, number + 1)])

    def forward(self, x):
        return self.leave(dyn.annotate(x, (0, 1)).rows, 0)


def test_guessed_exits_on_the_emulator(tmp_path, monkeypatch):
    """The same choices guessed from values before, where the cells of each exit are those that
    stay at the one before, whose number the host knows or leaves to kernels."""
    torch.manual_seed(0)
    model, path = Exits().eval(), tmp_path / "model.so"
    options = ("--target=cpu,emu", "--isa=v3", "--route-rules=*=speculate:early")
    dyn.compile(model, path, args=(torch.randn(2, 3, 16) / 2,), options=options)
    rows = torch.randn(4, 9, 16) / 2
    found = {}
    for device in ("cpu", "emu"):
        for mode in ("never", "always"):
            monkeypatch.setenv("DYN_GUESSES", mode)
            artifact = dyn.load(path, device=device)
            found[device, mode] = numpy.array(artifact(rows))
        assert any(each["guesses"] and each["rows"] for each in artifact.stats["guesses"])
        numpy.testing.assert_array_equal(found[device, "always"], found[device, "never"])
        with torch.no_grad():
            assert_close(torch.from_numpy(found[device, "always"]), model(rows), device)


def as_tuple(value):
    return value if isinstance(value, tuple) else (value,)


def test_recorded_on_the_emulator(tmp_path):
    """The cells of a second exit are those that the first one keeps: a number that is known
    only on the device. Profiles are those of the CPU."""
    case = CASES["msdnet"]
    model, inputs = case.make(), None
    for device in ("cpu", "emu"):
        options = {"options": ("--target=cpu,emu", "--isa=v3"), "device": device}
        fast = case.compile(model, tmp_path / f"{device}.so", **options)
        inputs = inputs or case.inputs(model, 0, images=9)
        choices = routes.for_routers("uniform", model.routers(*inputs), 3)
        with dyn.Profile(tmp_path / f"{device}.json"):
            fast(inputs, choices)
    command = ["dyn-profile", "diff", tmp_path / "cpu.json", tmp_path / "emu.json"]
    subprocess.run([*command, "--fail-above=0"], check=True)
    cells = [
        [sum(window["cells"] for window in router["windows"]) for router in profile["routers"]]
        for profile in (json.loads((tmp_path / f"{d}.json").read_text()) for d in ("cpu", "emu"))
    ]
    assert cells[0] == cells[1] and cells[0][0] == 9 > cells[0][1] > 0


PUBLISHED = [
    pytest.param(name, changes, sizes, id="-".join([name, *map(str, changes.values())]))
    for name, case in CASES.items()
    for changes, sizes in case.published
]


@pytest.fixture
def room():
    """Frees the graphs of an export, which form cycles and refer to gigabytes of weights,
    before the next model."""
    yield
    gc.collect()


@pytest.mark.full
@pytest.mark.parametrize("name, changes, sizes", PUBLISHED)
def test_published(name, changes, sizes, room):
    """At the published sizes, as far as they fit in 24 GB."""
    model = dyn.models.make(name, **changes)
    inputs = CASES[name].inputs(model, **sizes)
    # Gigabytes of weights, which pytest would keep.
    with tempfile.TemporaryDirectory() as folder:
        fast = CASES[name].compile(model, pathlib.Path(folder) / "model.so")
        for case in routes.CASES:
            compare(model, fast, inputs, case, 0, f"{name} at {sizes}, {case}")


def differing(actual, expected, scores):
    """The number of cells that chose differently, and the largest gap between the scores of
    the two choices in the first router where some did. Later ones have other inputs then.
    Without scores, the gap is infinite."""
    cells = sum(choice.numel() for choice in expected)
    different = [(a != b).flatten() for a, b in zip(actual, expected)]
    gap = 0.0
    first = next((i for i, d in enumerate(different) if d.any()), None)
    if first is not None:
        gap = float("inf")
        if scores:
            pairs = (choice[first].flatten()[different[first]] for choice in (actual, expected))
            found = scores[first][different[first]]
            a, b = (found.gather(1, ids.clamp(min=0)[:, None]) for ids in pairs)
            gap = float((a - b).abs().max())
    return sum(int(d.sum()) for d in different) / max(cells, 1), gap


def scores_of(model, inputs):
    """The choices of a model, and the scores of its top-k routers, in eager PyTorch."""
    scores, hooks = [], []
    for module in model.modules():
        if isinstance(module, dyn.routers.TopK):
            keep = lambda module, inputs, result: scores.append(result)
            hooks.append(module.fn.register_forward_hook(keep))
    with torch.no_grad():
        _, choices = model.recorded(inputs)
    for hook in hooks:
        hook.remove()
    return choices, scores


@pytest.mark.parametrize("name", FREE)
def test_free(name, compiled):
    model, fast = compiled(name, free=True)
    for number, sizes in enumerate(CASES[name].sizes):
        inputs = CASES[name].inputs(model, number, **sizes)
        result, actual = fast(inputs)
        expected, scores = scores_of(model, inputs)
        assert len(actual) == len(expected) > 0
        share, gap = differing(actual, expected, scores)
        assert share <= 1e-3 and gap < 1e-5, f"{name} at {sizes}"
        # With the artifact's own choices, eager PyTorch computes the same.
        with torch.no_grad():
            assert_close(result, model.replayed(inputs, actual), f"{name} at {sizes}")


def test_differing():
    """When choices count as different."""
    same, other = [torch.tensor([0, 1, 2])], [torch.tensor([0, 2, 2])]
    scores = [torch.tensor([[1.0, 0, 0], [0, 0.5, 0.75], [0, 0, 1]])]
    assert differing(same, same, scores) == (0.0, 0.0)
    assert differing(same, other, scores) == (pytest.approx(1 / 3), 0.25)
    assert differing(same, other, [])[1] == float("inf")


@pytest.mark.parametrize("name", NAMES)
def test_eager(name):
    """A model replays what it recorded, has the same weights for the same seed, and its
    routers have the inputs that it declares."""
    case = CASES[name]
    model, again, other = case.make(), case.make(), dyn.models.make(f"{name}-small", seed=1)
    inputs = case.inputs(model)
    with torch.no_grad():
        result, choices = model.recorded(inputs)
        assert_close(again.replayed(inputs, choices), result, name, tol=1e-6)
    layouts = [layout for layout, _ in model.routers(*inputs)]
    assert [tuple(choice.shape) for choice in choices] == layouts
    for choice, (_, paths) in zip(choices, model.routers(*inputs)):
        assert -1 <= int(choice.min()) and int(choice.max()) < paths
    parameters = zip(model.parameters(), again.parameters())
    assert all(torch.equal(a, b) for a, b in parameters)
    assert any(not torch.equal(a, b) for a, b in zip(model.parameters(), other.parameters()))


@pytest.mark.parametrize("name", NAMES)
def test_small(name):
    """Small variants take at most 20 MFLOP per call at the sizes of these tests."""
    case = CASES[name]
    model = case.make()
    for sizes in (case.example, *case.sizes):
        inputs = case.inputs(model, **sizes)
        choices = routes.for_routers("uniform", model.routers(*inputs))
        with FlopCounterMode(display=False) as counter, torch.no_grad():
            model.replayed(inputs, choices)
        assert 0 < counter.get_total_flops() <= 20e6, sizes


def test_names():
    assert dyn.models.names() == NAMES
    with pytest.raises(KeyError):
        dyn.models.make("live-sr-tiny")


def test_published_grid():
    """62 nodes in 16 layers after the stem, as published."""
    from dyn.models import dynamic_routing

    with torch.device("meta"):
        model = dynamic_routing.DynamicRouting(dynamic_routing.Config())
    nodes = 1 + sum(len(nodes) for nodes in model.grid)
    assert (len(model.grid), nodes) == (16, 62)


def test_published_mixtures():
    """SwinV2-MoE routes in ten blocks, of which the last has twice the width."""
    from dyn.models import swin_moe

    with torch.device("meta"):
        model = swin_moe.SwinMoE(swin_moe.Config())
    mixtures = [m for m in model.modules() if isinstance(m, swin_moe.Experts)]
    assert [m.scores.in_features for m in mixtures] == [384] * 9 + [768]


def test_published_exits():
    """MSDNet's scales end one by one, and its last block is on the coarsest only."""
    model = dyn.models.make("msdnet")
    with torch.no_grad():
        features, counts = model.stem(torch.zeros(1, 3, 224, 224)), []
        for block in model.blocks:
            features = block(features)
            counts.append([tuple(x.shape[2:]) for x in features])
    assert [len(sides) for sides in counts] == [4, 3, 2, 1, 1]
    assert all(sides[-1] == (7, 7) for sides in counts)
