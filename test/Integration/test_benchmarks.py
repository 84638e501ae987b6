# ===- test_benchmarks.py - The measurements run ---------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each measurement of `./x bench` on its smallest case. No test depends on a speed: all
engines must run, results must have been compared, and tables must match the figures."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

import models
from models import traces

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "benchmarks"
sys.path.insert(0, str(FOLDER))

TINY = "mlp-small", [{"batch": 3}, {"batch": 8}, {"batch": 3}]


@pytest.fixture
def tiny(monkeypatch):
    """A trace of a small model; the cores of the process are restored at the end."""
    monkeypatch.setitem(traces.MAKERS, "tiny", lambda rng: TINY)
    cores = os.sched_getaffinity(0)
    yield "tiny"
    os.sched_setaffinity(0, cores)


@pytest.fixture
def figures(tiny, monkeypatch, capsys):
    """The output of measure.py for the tiny trace."""
    import measure
    import roofline

    machine = roofline.Machine(flops=1e11, cached=4e10, memory=1e10)
    monkeypatch.setattr(roofline, "measure", lambda threads: machine)
    monkeypatch.setattr(measure, "REST", 0)
    monkeypatch.setattr(sys, "argv", ["measure.py", tiny, "--repeat=2"])
    measure.main()
    return json.loads(capsys.readouterr().out)


def run(script, folder, *arguments):
    """Runs a measurement in a separate process. Returns its JSON and the targets."""
    command = [sys.executable, str(FOLDER / script), "--output", str(folder), "--rounds=1"]
    subprocess.run([*command, *arguments], check=True, stdout=subprocess.DEVNULL)
    (result,) = folder.glob("*-1.json")
    return json.loads(result.read_text()), (folder / "table.md").read_text()


def test_gemm(tmp_path):
    result, targets = run("gemm.py", tmp_path, "20x33", "--rows=1,70")
    peers = {"dyn", "onnxruntime", "torch.mm", "linear"}
    assert [row["M"] for row in result["rows"]] == ["1", "70"]
    assert all(peers <= row.keys() and row["ahead"] > 0 for row in result["rows"])
    # Only large GEMMs are compared with the static one.
    assert ["of peak" in row for row in result["rows"]] == [False, True]
    assert peers <= result["penalty"].keys()
    assert "GEMMs, M 70, 1 thread(s): share of the static peak" in targets


def test_rows(tmp_path):
    arguments = "softmax", "GELU chain", "--widths=17", "--no-compile"
    result, targets = run("rows.py", tmp_path, *arguments)
    assert [(row["operation"], row["level"]) for row in result["rows"]] == [
        (name, level) for name in arguments[:2] for level in ("in cache", "out of cache")
    ]
    assert all(row["dyn"] > 0 and row["copy"] > 0 for row in result["rows"])
    assert "softmax, 1 thread(s), out of cache: share of the copy rate" in targets


def test_routes(tmp_path):
    """All engines run where they can; with replayed routes all compute the same."""
    result, _ = run("routes.py", tmp_path, "moe-small", "live-sr-small")
    rows = {row["case"]: row for row in result["rows"]}
    peers = {"dyn", "torch", "loop", "onnxruntime"}
    assert peers <= rows["live-sr-small"].keys()
    assert {*peers, "grouped"} <= rows["moe-small"].keys()
    assert "grouped" in result["cases"]["live-sr-small"]["refused"]
    for row in rows.values():
        assert row["ahead"] == row[row["best peer"]] / row["dyn"]
    assert (tmp_path / "routes-1.png").stat().st_size > 1000


def test_routes_with_profiles(tmp_path):
    """The right profile and that of another load, compared with none."""
    names = {"dyn", "dyn-profiled", "dyn-misled"}
    arguments = ["--engines", ",".join(names), "--artifacts", str(tmp_path / "kept")]
    result, _ = run("routes.py", tmp_path, "drift 4 50", *arguments)
    (row,) = result["rows"]
    assert names <= row.keys() and row["best peer"] == "torch"
    for name, loads in (("dyn-profiled", [4] * 8 + [8] * 8), ("dyn-misled", [4] * 16)):
        profile = json.loads((tmp_path / "kept" / f"drift-4-50.{name}.json").read_text())
        (window,) = profile["routers"][0]["windows"]
        assert sorted(window["load"]) == loads


def test_predictions(tmp_path):
    """All programs of a figure have the same bits, which the measurement checks."""
    result, _ = run("predict.py", tmp_path, "15", "22", "--quick", "--threads=1")
    micro, gates = result["rows"]
    assert {"plain", "right", "wrong", "paper"} <= micro.keys() and micro["figure"] == 15
    assert gates["accuracy of sure gates"] >= 0.9 and gates["sure gates"] == "8 of 15"
    assert (tmp_path / "predict-15-1.png").stat().st_size > 1000


def test_ranks(tmp_path):
    """Ranks have compared their results. Bytes that are sent are the rows that change rank and
    counts, or as many as the fullest expert gets."""
    import numpy as np
    import ranks_cases

    result, _ = run("ranks.py", tmp_path, "--quick", "--link-rate=1e9")
    assert [len(result[case]) for case in ("exchange", "placement", "mlp")] == [2, 1, 2]
    row_bytes = 4 * ranks_cases.WIDTH
    cases = ranks_cases.skews(quick=True).values()
    for row, (ranks, experts, ids) in zip(result["exchange"], cases):
        rank_of = np.searchsorted(ranks_cases.blocks(experts, ranks), ids, "right") - 1
        leave = (rank_of != np.arange(ranks)[:, None]).sum(1)
        assert row["exact, bytes"] == leave.max() * row_bytes + 8 * (ranks - 1)
        fullest = max(np.bincount(own).max() for own in np.asarray(ids))
        assert row["padded, bytes"] == fullest * experts // ranks * row_bytes
    (placement,) = result["placement"]
    assert placement["by profile, bytes"] < placement["by number, bytes"] / 2
    dense, sparse, balance = result["features"]
    assert dense["bytes"] == 4 * sparse["bytes"] and 0 <= balance["by formula"] < 1
    # Whether stages are worth it depends on the rates that are measured.
    *_, predicted = result["predicted"]
    assert predicted["stages"] == 1 and predicted["by"] == "columns"
    (compiled,) = result["compiled"]
    assert compiled["together"] > 0
    (tasks,), (images,) = result["task-moe"], result["swin-moe"]
    assert tasks["MB, placed"] < tasks["MB, straight"] < tasks["MB, exact"]
    assert images["one-hot"] > images["padded"] and images["a layer, at most"] >= 1
    cases = [name for name, rows in result.items() if isinstance(rows, list)]
    assert len(cases) == 9
    for case in cases:
        assert (tmp_path / f"ranks-{case}.png").stat().st_size > 1000


def test_simulated_mixtures(tmp_path):
    """With equal loads, a simulated mixture takes as long as the plan of so many ranks says, but
    for the results, which the plan gathers."""
    import numpy as np
    import ranks_simulated
    from dyn.models.task_moe import Config, TaskMoE

    module, batch = TaskMoE(Config(vocabulary=101, layers=1)), ranks_simulated.BATCH
    one, two = (ranks_simulated.plan_task_moe(module, tmp_path, ranks) for ranks in (1, 2))
    dense, (mixture,) = ranks_simulated.parts(one, [batch])
    gathered, _ = mixture.move(np.full((2, 2), batch))
    total = dense + mixture.there_and_back(np.full((2, 2), batch / 2)) + gathered
    assert two["seconds"] == pytest.approx(total, rel=0.01)


def test_timelines(tmp_path):
    """Plots of simulated runs; times and ranks that cannot be are refused."""
    import timelines

    for ranks in (1, 2, 1024):
        event = {"rank": ranks - 1, "name": "compute layer0", "start": 0.5, "end": 2 / ranks + 0.5}
        simulated = {"ranks": ranks, "events": [event], "total": 2 / ranks + 0.5}
        (tmp_path / f"run{ranks}.json").write_text(json.dumps(simulated))
    files = sorted(map(str, tmp_path.glob("run*.json")))
    command = [sys.executable, str(FOLDER / "timelines.py"), *files, "-o", str(tmp_path)]
    subprocess.run(command, check=True)
    plotted = {path.name for path in tmp_path.glob("*.png")}
    assert plotted == {"run1.png", "run2.png", "scaling.png"}
    for change, words in (({"rank": 2}, "ranks below 2, got 2"), ({"end": 9}, "within 1.5")):
        broken = json.loads((tmp_path / "run2.json").read_text())
        broken["events"][0].update(change)
        (tmp_path / "broken.json").write_text(json.dumps(broken))
        with pytest.raises(ValueError, match=words):
            timelines.read(tmp_path / "broken.json")


def test_models_that_change(tmp_path):
    """The programs of a case have the same bits, which the measurement checks."""
    result, _ = run("adapt.py", tmp_path, "fresh", "--quick", "--threads=1")
    (fresh,) = result["rows"]
    assert fresh["decisions"] == "0 compilations" and fresh["auto over dynamic"] > 0


def test_calls_while_variants_change(tmp_path):
    result, _ = run("adapt.py", tmp_path, "swaps", "--quick", "--threads=1")
    rows = {row["while"]: row for row in result["rows"]}
    assert list(rows) == ["alone", "burn", "swap", "compile"]
    assert all(row["p99"] >= 1 and row["calls"] > 0 for row in rows.values())
    assert rows["swap"]["swaps"] > 0 and "swaps" not in rows["burn"]


def test_published_gates():
    """Of the published gates of DynamicRouting, those that mostly do the same are predicted at
    90 % and more; no prediction from their frequencies alone does better than 86.5 % over all."""
    import predict

    shares = predict.gate_shares()
    sure = [share for share in shares if share >= 0.9]
    assert sum(sure) / len(sure) > 0.96 and len(sure) == 8
    assert sum(shares) / len(shares) == pytest.approx(0.865, abs=1e-3)


def test_peers_of_routes():
    """The loop and the groups are equivalent to the switch: with several paths, dropped
    cells, and capacity by priority."""
    import functools

    import routes_peers
    import torch

    import dyn

    torch.manual_seed(0)
    branches = torch.nn.ModuleList(
        torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU()) for _ in range(4)
    )
    x = torch.randn(31, 8)
    groups = functools.partial(routes_peers.grouped_switch, {})
    for options in ({"k": 2}, {"capacity": 1.0, "priority": True}):
        router = dyn.routers.TopK(torch.nn.Linear(8, 4), 4, **options)
        want = dyn.switch(router(x), x, branches)
        for switch in (routes_peers.loop_switch, groups):
            with routes_peers.without_dyn(switch):
                torch.testing.assert_close(dyn.switch(router(x), x, branches), want)
    # The replaced functions are restored.
    assert isinstance(router(x), dyn.Routes)


def test_cases_of_routes():
    """Every case has choices that fit its routers, at each of its sizes."""
    import routes_cases

    names = [*routes_cases.CASES, *routes_cases.SMALL]
    assert len(names) == len(set(names))
    assert sum(name.startswith("live-sr ") for name in names) == 7
    assert sum(name.startswith("msdnet") for name in names) == 8

    class Model:
        """Replaces a model that need not be made: its cells lie along the first of the
        sizes, or along all."""

        def __init__(self, axes):
            self.axes = axes

        def inputs(self, generator, **sizes):
            return (tuple(sizes.values()),)

        def routers(self, sizes):
            return [(sizes[: self.axes], 16)] * 2

    axes = {"moe8 uniform": 2, "moe64 skewed": 2, "moe8 traffic": 2, "task-moe": 1, "swin-moe": 1}
    for name, count in axes.items():
        for sizes, _, choices in routes_cases.CASES[name].calls(Model(count), seed=0):
            layout = tuple(sizes.values())[:count]
            assert [tuple(choice.shape) for choice in choices] == [layout] * 2
            assert all(-1 <= int(c.min()) and int(c.max()) < 16 for c in choices)


def test_wrong_results_do_not_count():
    import numpy
    import single

    dyn = object.__new__(single.Dyn)
    dyn.execution = type("Execution", (), {"output": lambda self: numpy.ones(3)})()
    dyn.verify(numpy.ones(3), "a case")
    with pytest.raises(ValueError, match="dyn is wrong by 1 at a case"):
        dyn.verify(numpy.array([1.0, 1.0, 2.0]), "a case")


def test_static(tiny, tmp_path):
    """Both artifacts run; the static one has no dynamic size."""
    import argparse

    import static

    args = argparse.Namespace(seed=0, threads=1, shapes=2, rounds=1)
    rows = list(static.measure(tiny, args, tmp_path))
    assert [row["shape"] for row in rows] == ["batch 3", "batch 8"]
    assert all(row["tax"] > 0 for row in rows)


def test_compiles(tmp_path):
    """PyTorch compiles for the first size, and once more for any size."""
    torch = pytest.importorskip("torch")
    import compiles
    import numpy
    import plots

    from models.business import Business

    business = Business(
        name="tiny",
        module=torch.nn.ReLU,
        request=lambda rng: {"input": numpy.ones(rng.integers(2, 99, 1), "float32")},
        axes={"input": (0,)},
        results=("output",),
        example={"input": numpy.ones(3, "float32")},
    )
    result = compiles.measure(business, 4)
    plots.compiles([result], tmp_path)
    assert result["compiles"] == {
        "dyn": [1] * 4,
        "torch.compile": [1, 2, 2, 2],
        "torch.compile, dynamic": [1] * 4,
    }
    assert compiles.row_of(result)["torch.compile"] == 2
    assert (tmp_path / "compiles-tiny.png").stat().st_size > 1000
    result["compiles"]["torch.compile"] = [1, 2]
    assert compiles.row_of(result)["torch.compile"] == "2, fails at request 3"


def test_static_sizes(compiled):
    """Sizes come from the inputs, by their names in the artifact."""
    import numpy
    import static

    model = models.get("bert-small")
    sizes = {"batch": 3, "sequence": 7}
    inputs = model.inputs(sizes, numpy.random.default_rng(0))
    assert static.sizes_of(compiled("bert-small").artifact(), inputs) == sizes
    calls = [{"batch": b} for b in (4, 1, 2, 4, 3)]
    assert static.pick(calls, 2) == [{"batch": 1}, {"batch": 4}]
    assert static.pick(calls, 9) == [{"batch": b} for b in (1, 2, 3, 4)]


def test_trace(figures):
    import bench

    assert figures["refused"] == {}
    engines = {"dyn", "onnxruntime", "openvino", "torch"}
    assert figures["steady"].keys() == figures["first"].keys() == engines
    assert all(len(times) == 3 for times in figures["steady"].values())
    # Two different shapes; the first one of the process is left out.
    assert all(len(pairs) == 1 for pairs in figures["first"].values())
    assert figures["compile_seconds"]["dyn"] > 0 and figures["output_bytes"] == 8 * 10 * 4
    row = bench.summarise(figures | {"activation_bytes": {"dyn": 1}})
    assert {"dyn", "torch sum", "dyn roofline", "dyn first-seen", "dyn MB"} <= row.keys()
    (line,) = bench.beside_peers([row])
    peers = ["ONNX Runtime", "OpenVINO", "eager"]
    assert list(line) == ["trace, threads", *peers, "share", "first-seen"]
    assert line["trace, threads"] == "tiny, 1"
    assert all(float(figure) > 0 for peer in peers for figure in line[peer].split(", "))


def test_traces_are_kept(tmp_path):
    """A run replaces its measurements and keeps the others."""
    import bench

    path = tmp_path / "traces.json"
    old = [{"trace": name, "threads": 1, "age": "old"} for name in ("crnn", "rec")]
    new = [{"trace": "rec", "threads": 1, "age": "new"}]
    assert bench.merge(path, new) == new
    path.write_text(json.dumps({"results": old}))
    assert bench.merge(path, new) == [old[0], new[0]]


def test_memory():
    """In a separate process, as memory.py: one that was large before has free pages."""
    script = f"""
import memory, models
from engines import Dyn
model = models.get({TINY[0]!r})
print(memory.growth(Dyn(model, 1), model, {TINY[1]!r}, 0))
"""
    path = os.pathsep.join([str(FOLDER), str(FOLDER.parent), os.environ["PYTHONPATH"]])
    grown = subprocess.check_output(
        [sys.executable, "-c", script], text=True, env={**os.environ, "PYTHONPATH": path}
    )
    assert int(grown) > 0


def test_tables_that_are_looked_up():
    """Of a table only the rows that are read are bytes that a call cannot avoid; one that
    is also an operand of a matmul is read as a whole."""
    import roofline
    import torch

    class Model(torch.nn.Module):
        def __init__(self, tied):
            super().__init__()
            self.table, self.tied = torch.nn.Embedding(1000, 8), tied

        def forward(self, ids):
            rows = self.table(ids)
            return rows @ self.table.weight.T if self.tied else rows

    ids = torch.arange(5)
    assert roofline.tables_of(Model(tied=False), [ids]) == (4 * 8 * 1000, 4 * 8 * 5)
    assert roofline.tables_of(Model(tied=True), [ids]) == (0, 0)


def test_targets(tmp_path):
    """A target shows its worst case, and is met if all of its cases meet it."""
    import summary

    machine = {"flops": 1e11, "cached": 4e10, "memory": 1e10}
    figures = {
        "trace": "minilm",
        "threads": 1,
        "calls": [{"batch": 1}, {"batch": 2}],
        "machine": machine,
        "steady": {"dyn": [1.0, 1.0], "onnxruntime": [2.0, 1.0]},
        "first": {"dyn": [[1.0, 1.0]]},
        "work": [[5e10, 1e6], [5e10, 1e6]],
        "roofline": [0.5, 0.5],
        "compile_seconds": {"dyn": 2.0, "torch.compile": 20.0},
        "activation_bytes": {"dyn": 100, "onnxruntime": 80},
    }
    (tmp_path / "traces.json").write_text(json.dumps({"results": [figures]}))
    rows = [
        {"K": 8, "N": n, "M": "65-256", "ahead": ahead, "of peak": 1.0}
        for n, ahead in ((9, 1.2), (10, 0.8))
    ]
    gemm = {"threads": 1, "rows": rows, "penalty": {"dyn": 1.0}, "machine": machine}
    gemm["points"] = {"dyn": [[2e6, 1e6, 1e-3]]}
    (tmp_path / "gemm-1.json").write_text(json.dumps(gemm))

    told = {row["target"]: row for row in summary.write(tmp_path)}
    verdicts = {target: row[""] for target, row in told.items()}
    gemms = "GEMMs, M 65-256, 1 thread(s)"
    assert verdicts["share of roofline, 1 thread(s): at least 0.85"] == "does not hold"
    ahead = told["ahead of the best peer, 1 thread(s): at least 1"]
    assert (ahead["measured"], ahead[""]) == ("1.5", "holds")
    assert verdicts["torch.compile's wall over dyn's, 1 thread(s): at least 6"] == "holds"
    memory = "activation memory over ONNX Runtime's, 1 thread(s): at most 1"
    assert verdicts[memory] == "does not hold"
    library = told[f"{gemms}: ahead of the best library: at least 0.95"]
    assert library[""] == "1 of 2 hold" and library["worst case"] == "(8, 10)"
    for plot in ("roofline-1.png", "roofline-gemm-1.png"):
        assert (tmp_path / plot).stat().st_size > 1000
