# ===- test_demo.py - The progress output of `x demo` ----------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Progress on one line of a terminal and on lines of a file."""

import pathlib
import sys
import types

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    "terminal, printed",
    [
        (False, "reading image 1 of 2: letter\nreading image 2 of 2: night\n"),
        (True, "\rreading image 1 of 2\rreading image 2 of 2\n"),
    ],
)
def test_progress(monkeypatch, capsys, terminal, printed):
    pytest.importorskip("onnxruntime")
    monkeypatch.syspath_prepend(str(ROOT / "demo"))
    import demo

    samples = [types.SimpleNamespace(name=name) for name in ("letter", "night")]
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal, raising=False)
    for number in (1, 2):
        demo.say_progress(number, samples)
    assert capsys.readouterr().out == printed
