# ===- test_gpu_kit.py - The folder that measures on a GPU -----------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kit is packed, and runs on the emulator with nothing but its contents. No time is
measured: that needs a GPU."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "benchmarks" / "gpu"
sys.path.insert(0, str(FOLDER))

# One of each family, of each type, and of each way to name axes.
NAMES = [
    "bias-gelu-bf16",
    "softmax-f32",
    "linear-768-3072-f16",
    "attention-f32",
    "grouped-64-bf16",
    "convolution-64-f32",
]


def pack(folder, names, *options):
    command = [sys.executable, str(FOLDER / "pack.py"), str(folder), "--targets=emu", *options]
    command += [f"--only={name}" for name in names]
    return subprocess.run(command, capture_output=True, text=True)


def run(folder, *options, script="run.py"):
    """Runs a script of the kit without dyn's folders in its environment."""
    hidden = ("PYTHONPATH", "DYN_BUILD", "DYN_COMPILE", "LD_LIBRARY_PATH")
    kept = {name: value for name, value in os.environ.items() if name not in hidden}
    command = [sys.executable, "-B", str(folder / script), "--device=emu", *options]
    return subprocess.run(command, capture_output=True, text=True, env=kept, cwd="/")


@pytest.fixture(scope="module")
def kit(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kits") / "kit"
    packed = pack(folder, NAMES)
    assert packed.returncode == 0, packed.stderr
    return folder


def test_weights_do_not_travel(kit):
    """Weights of the program for devices compress, and those of the CPU's are removed."""
    facts = json.loads((kit / "manifest.json").read_text())["artifacts"]["linear-768-3072-f16"]
    assert facts["bytes"] > 2 * 768 * 3072 > 10 * facts["packed"]


def test_dry_run(kit):
    done = run(kit, "--engines=dyn,eager,triton,cublaslt")
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads((kit / "results" / "results.json").read_text())
    found = {result["case"]: result["rows"] for result in report["results"]}
    assert found.keys() == set(NAMES)
    for name, rows in found.items():
        for row in rows:
            engines = row["engines"]
            assert engines["dyn"]["close"] and engines["dyn"]["launches"] > 0
            assert engines["eager"]["close"], name
            # No times are reported.
            assert not any(key.endswith("_us") for fact in engines.values() for key in fact)
            assert engines["cublaslt"]["refused"]
            triton = engines["triton"]
            assert triton.get("close") or triton["refused"], name
    assert found["linear-768-3072-f16"][0]["engines"]["triton"]["close"]

    # Existing results are kept.
    (kit / "results" / "cases" / "softmax-f32.json").write_text(
        json.dumps({"case": "softmax-f32", "failed": "as it was"})
    )
    again = run(kit, "--only=softmax-*")
    assert again.returncode == 1 and "softmax-f32: failed: as it was" in again.stdout
    assert run(kit, "--only=softmax-*", "--engines=dyn", "--again").returncode == 0


def test_a_wrong_result_is_told(kit):
    """An artifact that computes something else is reported."""
    import shutil

    other = kit.parent / "other"
    shutil.copytree(kit, other, ignore=shutil.ignore_patterns("results"))
    artifacts = other / "artifacts"
    shutil.copy(artifacts / "bias-gelu-bf16.so.xz", artifacts / "layer-norm-bf16.so.xz")
    manifest = json.loads((other / "manifest.json").read_text())
    manifest["artifacts"]["layer-norm-bf16"] = {}
    (other / "manifest.json").write_text(json.dumps(manifest))
    done = run(other, "--only=layer-norm-*", "--engines=dyn,eager")
    assert done.returncode == 1
    assert "failed" in done.stdout and "0 of 1 cases right, not layer-norm-bf16" in done.stdout
    assert "no case of the kit matches nothing" in run(other, "--only=nothing").stderr


def test_recordings(tmp_path):
    """Random programs are packed with their results, and one more whose GEMMs are a
    library's; a wrong result is reported."""
    kit = tmp_path / "kit"
    packed = pack(kit, ["softmax-f32"], "--programs=4")
    assert packed.returncode == 0, packed.stderr
    names = list(json.loads((kit / "manifest.json").read_text())["recordings"])
    assert len(names) == 5 and names[-1].startswith("library-")
    done = run(kit, script="replay.py")
    assert done.returncode == 0 and "5 of 5 recordings right" in done.stdout, done.stdout
    # The calls of another program, which has other inputs or results.
    recordings = kit / "recordings"
    (recordings / f"{names[0]}.npz").write_bytes((recordings / f"{names[1]}.npz").read_bytes())
    done = run(kit, script="replay.py")
    assert done.returncode == 1 and "4 of 5 recordings right" in done.stdout
    nothing = run(kit, "--only=nothing", script="replay.py")
    assert "the kit has no such recording" in nothing.stderr


def test_size_is_limited(tmp_path):
    packed = pack(tmp_path / "kit", ["softmax-f32"], "--limit=0.01")
    assert packed.returncode == 1
    assert "MiB, expected at most 0.01" in packed.stderr
    assert "no case matches nothing" in pack(tmp_path / "kit", ["nothing"]).stderr


def test_numbers():
    """They are the same on every machine, with deviation 1."""
    import cases

    drawn = cases.numbers(3, 5, seed=4)
    assert drawn.shape == (3, 5)
    assert [round(float(x), 6) for x in drawn.flatten()[:3]] == [-0.734359, 0.317029, -1.189433]
    many = cases.numbers(2 * cases.BLOCK, seed=0)
    assert abs(float(many.mean())) < 0.01 and abs(float(many.std()) - 1) < 0.01
    assert (many[: cases.BLOCK] == many[cases.BLOCK :]).all()


def test_difference():
    import cases
    import torch

    judge = torch.tensor([1.0, -2.0], dtype=torch.float64)
    assert cases.difference(judge.float(), judge) == 0
    assert cases.difference(torch.tensor([1.3, -2.0]), judge) == pytest.approx(0.1)
    for wrong in (torch.tensor([float("nan"), -2.0]), torch.ones(3)):
        assert cases.difference(wrong, judge) == float("inf")


@pytest.mark.parametrize("device", ["h100", "h200"])
def test_tables_of_the_docs(device):
    """They are the output of measured.py for the stored figures."""
    import measured

    report = json.loads((FOLDER / "results" / f"{device}.json").read_text())
    page = (FOLDER.parents[2] / "docs" / "GPU.md").read_text()
    table = page.split(f"<!-- measured {device} -->")[1].strip()
    assert table.splitlines() == list(measured.lines(report))


def test_reports_are_merged():
    import measured

    # Results that only a later report has are added.
    row = {"sizes": [1], "engines": {"dyn": {"kernels_us": 2.0}, "eager": {"kernels_us": 3.0}}}
    more = {"sizes": [1], "engines": {"dyn": {"kernels_us": 9.0}, "triton": {"kernels_us": 1.04}}}
    reports = [{"results": [{"case": "x", "rows": [r]}]} for r in (row, more)]
    reports[1]["results"].append({"case": "y", "rows": []})
    merged = measured.trim(measured.merge(reports))
    assert [result["case"] for result in merged["results"]] == ["x", "y"]
    engines = merged["results"][0]["rows"][0]["engines"]
    assert {name: fact["kernels_us"] for name, fact in engines.items()} == {
        "dyn": 2.0, "eager": 3.0, "triton": 1.0,
    }  # fmt: skip


def test_charts(tmp_path):
    """For figures in the form of a GPU's; engines that were wrong or refused are left
    out."""
    import charts

    def timed(factor, close=True):
        return {
            "error": 0.0, "close": close, "warm_us": 10.0 * factor, "cold_us": 20.0 * factor,
            "kernels_us": 5.0 * factor, "flops": 10**9, "bytes": 10**6,
        }  # fmt: skip

    engines = {"dyn": timed(1), "eager": timed(2), "triton": timed(3, False)}
    row = {"sizes": [3, 5], "engines": engines | {"cublaslt": {"refused": "no"}}}
    untimed = {"sizes": [1], "engines": {"dyn": {"error": 0.0, "close": True}}}
    report = {
        "device": "cuda",
        "machine": {"gpu": "a GPU"},
        "results": [
            {"case": "linear-1", "family": "linear", "rows": [row, untimed]},
            {"case": "softmax-1", "family": "softmax", "rows": [untimed]},
            {"case": "gone", "failed": "took too long"},
        ],
    }
    ((label, found),) = charts.points(report, "linear")
    assert label == "linear-1 3x5" and found.keys() == {"dyn", "eager"}
    paths = charts.draw(report, tmp_path)
    assert [path.name for path in paths] == [
        "linear-warm.png", "linear-cold.png", "linear-kernels.png", "linear-rates.png",
    ]  # fmt: skip
    assert all(path.stat().st_size > 1000 for path in paths)
