# ===- test_variants.py - Artifacts that change while they run -------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Variants of an artifact: compiled in a child process, for some sizes, with equal bits."""

import os
import threading
import time
import xml.dom.minidom

import numpy
import pytest

MODEL = """
dhlo.dim @B in [1, 64]
func.func @score(%x: tensor<?x48xf32, #dhlo.dims<B>> {dhlo.name = "x"})
    -> (tensor<?x40xf32, #dhlo.dims<B>> {dhlo.name = "scores"}) attributes {dhlo.entry} {
  %w = dhlo.weight <"w.bin", offset = 0, length = 7680, key = "w"> : tensor<48x40xf32>
  %b = dhlo.weight <"w.bin", offset = 7680, length = 160, key = "b"> : tensor<40xf32>
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x48xf32, #dhlo.dims<B>>, tensor<48x40xf32>) -> tensor<?x40xf32, #dhlo.dims<B>>
  %1 = dhlo.broadcast %b axes = [1] : (tensor<40xf32>) -> tensor<?x40xf32, #dhlo.dims<B>>
  %2 = dhlo.add %0, %1 : tensor<?x40xf32, #dhlo.dims<B>>
  %3 = dhlo.softmax %2 axis = 1 : tensor<?x40xf32, #dhlo.dims<B>>
  return %3 : tensor<?x40xf32, #dhlo.dims<B>>
}
"""


@pytest.fixture(params=["appended", "sidecar"])
def artifact(request, tmp_path):
    import dyn

    generator = numpy.random.default_rng(1)
    generator.standard_normal(1960, "float32").tofile(tmp_path / "w.bin")
    source = tmp_path / "m.mlir"
    source.write_text(MODEL)
    limit = 0 if request.param == "sidecar" else 1 << 20
    dyn.compile(str(source), str(tmp_path / "m.so"), options=[f"--sidecar-limit={limit}"])
    return dyn.load(tmp_path / "m.so", source=source)


def draw(rows):
    return numpy.random.default_rng(rows).standard_normal((rows, 48), "float32")


def test_variants_have_equal_bits(artifact):
    before = {rows: artifact(draw(rows)) for rows in (1, 2, 7, 16, 33, 64)}
    for rows in (1, 7, 64):
        artifact.recompile(dims={"B": rows}, reason=f"{rows} are frequent", wait=True)
    for rows, expected in before.items():
        numpy.testing.assert_array_equal(artifact(draw(rows)), expected)
    report = artifact.report()
    assert [v["calls"] for v in report["variants"]] == [9, 1, 1, 1], report
    assert report["variants"][2]["reason"] == "7 are frequent"
    assert report["variants"][2]["guards"] == [
        {"entry": "score", "input": "x", "axis": 0, "min": 7, "max": 7}
    ]
    assert report["compilations"] == 3 and report["failures"] == 0
    artifact.drop_variant(2)
    numpy.testing.assert_array_equal(artifact(draw(7)), before[7])
    assert artifact.report()["variants"][0]["calls"] == 10
    assert [event["what"] for event in artifact.report()["last_events"][-1:]] == ["dropped"]


def test_calls_go_on(artifact):
    """Threads call while variants are compiled and dropped."""
    expected = {rows: artifact(draw(rows)) for rows in (3, 5)}
    ends, wrong = threading.Event(), []

    def call():
        while not ends.is_set():
            for rows, values in expected.items():
                if not numpy.array_equal(artifact(draw(rows)), values):
                    wrong.append(rows)

    threads = [threading.Thread(target=call) for _ in range(4)]
    for thread in threads:
        thread.start()
    try:
        for number in (1, 2, 3):
            artifact.recompile(dims={"B": 3}, wait=True)
            artifact.drop_variant(number)
    finally:
        ends.set()
        for thread in threads:
            thread.join()
    assert not wrong
    assert len(artifact.report()["variants"]) == 1


def test_compilers_that_fail(artifact, tmp_path):
    import dyn

    expected = artifact(draw(5))
    artifact.recompile(dims={"Q": 5}, wait=True)
    report = artifact.report()
    assert report["failures"] == 1 and "'Q'" in report["last_events"][-1]["detail"], report
    # Retrained meanwhile: the weights are no longer those that are loaded.
    numpy.zeros(1960, "float32").tofile(tmp_path / "w.bin")
    artifact.recompile(dims={"B": 5}, wait=True)
    assert "are of another model" in artifact.report()["last_events"][-1]["detail"]
    numpy.testing.assert_array_equal(artifact(draw(5)), expected)
    with pytest.raises(dyn.InvalidArgumentError, match="expected 1 to 64|B"):
        artifact(draw(65))
    assert not [name for name in os.listdir(tmp_path) if "variant" in name]


def test_other_models_are_refused(artifact, tmp_path):
    import dyn

    weights = (tmp_path / "w.bin").read_bytes()
    numpy.zeros(1960, "float32").tofile(tmp_path / "w.bin")
    dyn.compile(str(tmp_path / "m.mlir"), str(tmp_path / "n.so"))
    (tmp_path / "w.bin").write_bytes(weights)
    text = MODEL.replace('"scores"', '"other"')
    (tmp_path / "o.mlir").write_text(text)
    share = [f"--share-weights={tmp_path / 'm.so'}"]
    dyn.compile(str(tmp_path / "o.mlir"), str(tmp_path / "o.so"), options=share)
    with pytest.raises(dyn.InvalidArgumentError, match="n.so' is no variant of .* weights"):
        artifact.add_variant(tmp_path / "n.so")
    with pytest.raises(dyn.InvalidArgumentError, match="output 0: expected scores, found other"):
        artifact.add_variant(tmp_path / "o.so")
    dyn.compile(str(tmp_path / "m.mlir"), str(tmp_path / "p.so"), options=share)
    assert artifact.add_variant(tmp_path / "p.so") == 1
    assert artifact.report()["variants"][1]["guards"] == []


def test_timeline(artifact, tmp_path):
    artifact.recompile(dims={"B": 7}, reason="7 < 8 & frequent", wait=True)
    artifact.recompile(dims={"Q": 7}, reason="a failure", wait=True)
    artifact.drop_variant(1)
    artifact.report().plot(tmp_path / "t.svg")
    drawing = xml.dom.minidom.parse(str(tmp_path / "t.svg"))
    words = [e.firstChild.data for e in drawing.getElementsByTagName("text")]
    for word in ("compiler", "variant 0 (0 calls)", "variant 1"):
        assert word in words, words
    assert any(word.endswith("s  dropped variant 1: the host dropped it") for word in words), words
    titles = [e.firstChild.data for e in drawing.getElementsByTagName("title")]
    assert titles == ["7 < 8 & frequent", "a failure", "the first artifact", "7 < 8 & frequent"]


def test_automatic_mode(artifact, tmp_path):
    import dyn

    expected = {rows: artifact(draw(rows)) for rows in range(1, 65)}
    automatic = dyn.load(
        tmp_path / "m.so", source=tmp_path / "m.mlir", mode="auto", window=0.02, hot=0.02
    )
    end = time.monotonic() + 240
    while time.monotonic() < end:
        for rows in [16] * 50 + [1, 2, 3]:
            numpy.testing.assert_array_equal(automatic(draw(rows)), expected[rows])
        report = automatic.report()
        (size,) = [s for s in report["auto"]["sizes"] if s["dims"] == ["B=16"]]
        if size["state"] in ("kept", "rejected"):
            break
    assert size["state"] in ("kept", "rejected"), report
    assert "faster in" in size["why"] and "of 40 pairs" in size["why"], report
    assert report["compilations"] == 1 and report["failures"] == 0, report
    assert len(report["variants"]) == 1 + (size["state"] == "kept")
    report.plot(tmp_path / "t.svg")
    assert report["auto"]["why"] in (tmp_path / "t.svg").read_text()
    for rows in range(1, 65):
        numpy.testing.assert_array_equal(automatic(draw(rows)), expected[rows])


def test_automatic_mode_of_sizes_that_never_repeat(artifact, tmp_path):
    import dyn

    automatic = dyn.load(
        tmp_path / "m.so", source=tmp_path / "m.mlir", mode="auto", window=0.001, hot=0.001
    )
    for rows in range(1, 65):
        automatic(draw(rows))
    report = automatic.report()
    assert report["auto"]["why"] == "all sizes run dynamic: none is hot"
    assert report["compilations"] == 0 and report["auto"]["sizes"] == []


def test_misuse(artifact, tmp_path):
    import dyn

    plain = dyn.load(tmp_path / "m.so")
    for use in (plain.recompile, plain.report, lambda: plain.add_variant("x")):
        with pytest.raises(dyn.InvalidArgumentError, match="source: expected the model's file"):
            use()
    with pytest.raises(dyn.NotFoundError, match="cannot open '/nonexistent.onnx'"):
        dyn.load(tmp_path / "m.so", source="/nonexistent.onnx")
    with pytest.raises(dyn.InvalidArgumentError, match="mode: expected None or 'auto', got 'x'"):
        dyn.load(tmp_path / "m.so", source=tmp_path / "m.mlir", mode="x")
    with pytest.raises(dyn.InvalidArgumentError, match="mode: expected `source`"):
        dyn.load(tmp_path / "m.so", mode="auto")
    with pytest.raises(dyn.InvalidArgumentError, match="hot: expected seconds, got -1"):
        dyn.load(tmp_path / "m.so", source=tmp_path / "m.mlir", mode="auto", hot=-1)
    with pytest.raises(dyn.InvalidArgumentError, match="source: expected the device 'cpu'"):
        dyn.load(tmp_path / "m.so", source=tmp_path / "m.mlir", device="emu")
