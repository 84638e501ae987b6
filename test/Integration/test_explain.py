# ===- test_explain.py - The explanation page ------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of an explanation: its formulas compared with dyn-run's counts at several
shapes, its form, and hostile names."""

import collections
import functools
import html.parser
import json
import operator
import subprocess

import models
import numpy
import pytest
from onnx import TensorProto, helper

VOID = {"br", "input", "link", "meta"}
OPERATORS = {
    "add": operator.add,
    "mul": operator.mul,
    "floordiv": operator.floordiv,
    "ceildiv": lambda a, b: -(-a // b),
    "mod": operator.mod,
    "min": min,
    "max": max,
    "broadcast": lambda a, b: b if a == 1 else a,
}


class Page(html.parser.HTMLParser):
    """A page's elements, as (name, attributes), and its text. Elements must be properly
    nested."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.text, self._open = [], [], []
        self.feed(text)
        self.close()
        assert not self._open
        self.definitions = {
            row["data-size"]: json.loads(row["data-tree"])
            for row in self.find("tr")
            if "data-size" in row
        }

    def handle_starttag(self, tag, attrs):
        assert len(dict(attrs)) == len(attrs), f"an attribute twice: {attrs}"
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        if self._open and self._open[-1] not in ("script", "style"):
            self.text.append(data)

    def find(self, tag, kind=None):
        """The attributes of elements of a name and a class."""
        return [a for t, a in self.elements if t == tag and kind in (None, a.get("class"))]

    def evaluate(self, tree, sizes):
        if isinstance(tree, int):
            return tree
        if isinstance(tree, str):
            defined = self.definitions.get(tree)
            return sizes[tree] if defined is None else self.evaluate(defined, sizes)
        operands = (self.evaluate(operand, sizes) for operand in tree[1:])
        return functools.reduce(OPERATORS[tree[0]], operands)

    def launches(self, sizes):
        """(name of the kernel, operations, bytes) of each launch."""
        names = [kernel["data-name"] for kernel in self.find("article", "kernel")]
        for row in self.find("tr", "launch"):
            cost = (json.loads(row[f"data-{what}"]) for what in ("flops", "bytes"))
            yield names[int(row["data-kernel"])], *(self.evaluate(c, sizes) for c in cost)

    def total(self, unit, sizes):
        """The first figure of the entry, in a unit."""
        card = next(c for c in self.find("div", "card") if c["data-unit"] == unit)
        return self.evaluate(json.loads(card["data-tree"]), sizes)


def run(*command):
    done = subprocess.run(list(map(str, command)), check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def explain(model, folder, *options):
    target = folder / "page.html"
    run("dyn-compile", model, "--explain=html", "-o", target, *options)
    return Page(target.read_text())


@pytest.mark.parametrize(
    "name",
    ["mlp-small", "bert-small", "gpt2-decode-small", "resnet-small", "crnn-small", "rec-small"],
)
def test_formulas_are_what_runs(name, tmp_path):
    """Operations and bytes of each kernel, and memory, at several shapes."""
    model = models.get(name)
    dims = [f"--dim={n}={low}..{high}" for n, (low, high) in model.dims.items()]
    page = explain(model.path(), tmp_path, *dims)
    run("dyn-compile", model.path(), "-o", tmp_path / "m.so", "--isa=v3", *dims)
    rng = numpy.random.default_rng(3)
    for _ in range(3):
        inputs = model.inputs(model.sizes(rng), rng)
        sizes = {
            symbol: inputs[port].shape[axis]
            for port, axes in model.axes.items()
            if port in inputs
            for axis, symbol in axes.items()
        }
        numpy.savez(tmp_path / "in.npz", **inputs)
        stats = json.loads(
            run("dyn-run", tmp_path / "m.so", "--stats=json", f"--inputs={tmp_path}/in.npz")
        )
        expected = collections.defaultdict(lambda: [0, 0, 0])
        for kernel, flops, moved in page.launches(sizes):
            for i, amount in enumerate((1, flops, moved)):
                expected[kernel][i] += amount
        counted = {k["name"]: [k["launches"], k["flops"], k["bytes"]] for k in stats["kernels"]}
        assert counted == expected, sizes
        assert stats["flops"] == page.total("F", sizes)
        assert stats["bytes"] == page.total("B", sizes)
        memory = [
            json.loads(c["data-tree"]) for c in page.find("div", "card") if c["data-unit"] == "B"
        ]
        assert stats["arena_bytes_used"] == page.evaluate(memory[1], sizes)


def write_named(path, names):
    """y = tanh(x) * w with these names for everything that has a name."""
    x, y, size, node, weight = names
    ports = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [size, 4]) for n in (x, y)]
    constant = helper.make_tensor(weight, TensorProto.FLOAT, [4], [1, 2, 3, 4])
    nodes = [
        helper.make_node("Tanh", [x], ["t"], name=node),
        helper.make_node("Mul", ["t", weight], [y], name=node + "2"),
    ]
    graph = helper.make_graph(nodes, "g", ports[:1], ports[1:], [constant])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    # Bytes that are not valid text.
    path.write_bytes(model.SerializeToString().replace(b"QQQQ", b"Q\xff\xfeQ"))


def test_names_stay_text(tmp_path):
    """Names that are HTML, script, or not valid text do not affect a page."""
    plain, hostile = tmp_path / "plain.onnx", tmp_path / "<b>&\"'.onnx"
    write_named(plain, ["x", "y", "n", "node", "w"])
    names = [
        "</script><script>alert(1)</script>",
        "'\"><img src=x onerror=alert(1)>",
        '" onmouseover="alert(1)" <!-- & &amp; QQQQ',
        "</td></table><iframe src=//example.org>",
        "]]>${alert(1)}\\",
    ]
    write_named(hostile, names)
    expected, page = explain(plain, tmp_path), explain(hostile, tmp_path)
    assert [tag for tag, _ in page.elements] == [tag for tag, _ in expected.elements]
    for (_, got), (_, want) in zip(page.elements, expected.elements):
        assert got.keys() == want.keys()
    text = "".join(page.text)
    assert hostile.name in text
    for name in names[:2] + names[3:4]:
        assert name in text
    # The page loads only its own style and script.
    assert all("src" not in a and "://" not in str(a.get("href")) for _, a in page.elements)


def test_any_name_of_a_size(tmp_path):
    """Formulas contain sizes by name, in JSON and in the page, with any bytes."""
    path, symbol = tmp_path / "m.mlir", r"</script>\22 onclick=\22\FF"
    types = f'tensor<?x4xf32, #dhlo.dims<"{symbol}">>'
    path.write_text(f"""
        dhlo.dim @"{symbol}" in [1, 4]
        func.func @main(%x: {types} {{dhlo.name = "'><b>\\FE"}}) -> {types} attributes {{dhlo.entry}} {{
          %0 = dhlo.tanh %x : {types}
          return %0 : {types}
        }}""")
    name = '</script>" onclick="\ufffd'
    explanation = json.loads(run("dyn-compile", path, "--explain=json"))
    assert explanation["sizes"][0]["name"] == name
    assert explanation["entries"][0]["flops"]["tree"] == ["mul", 4, name]
    assert explanation["entries"][0]["inputs"][0]["name"] == "'><b>\ufffd"
    page = explain(path, tmp_path)
    assert page.find("input")[0]["data-size"] == name
    assert page.total("F", {name: 3}) == 12
    assert len(page.find("script")) == 1
