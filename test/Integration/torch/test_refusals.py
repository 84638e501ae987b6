# ===- test_refusals.py - Unsupported PyTorch models -----------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each message for an unsupported feature."""

import pytest

torch = pytest.importorskip("torch")

import dyn
from dyn.frontend.torch import registry, supported


class Model(torch.nn.Module):
    """A function as a module, with a buffer."""

    def __init__(self, function):
        super().__init__()
        self.function = function
        self.register_buffer("count", torch.zeros(3))

    def forward(self, *args):
        return self.function(self, *args)


def _change_buffer(self, x):
    self.count.add_(1)
    return x + self.count


def _train(self, x):
    return torch.nn.functional.batch_norm(x, self.count, self.count + 1, training=True)


X = torch.ones(3, 3)
REFUSALS = {
    "operator": (lambda self, x: torch.linalg.eig(x)[0], X, r"^aten\.linalg_eig\.default \(test_refu"
                 r"sals\.py:\d+ in forward\): operator is not supported$"),
    "all at once": (lambda self, x: torch.linalg.eig(x)[0].abs() + torch.linalg.ldl_factor_ex(x)[0],
                    X, r"(?s)linalg_eig.*\n.*linalg_ldl_factor"),
    "complex": (lambda self, x: torch.linalg.svd(torch.complex(x, x))[1], X,
                r"^aten\._linalg_svd\.default \(test_r.*: operator is not supported for complex numbers$"),
    "rows": (lambda self, x: torch.addmv(x[0, :1], x[:0], x[0]), X, r"expected sizes \[1\], found \[0\]"),
    "buffer": (_change_buffer, X, "the model changes its buffer 'count', which is a constant"),
    "histogram": (lambda self, x: torch.histc(x), X, "bounds from the data are not supported"),
    "result": (lambda self, x: torch.embedding_bag(x, x[0].long(), x[:1, 0].long() * 0)[1], X,
               r"result 1 of aten\._embedding_bag.* is not supported"),
    "filter": (lambda self, x: torch.nn.functional.interpolate(x.to(torch.uint8), 2, antialias=True,
                                                               mode="bilinear"),
               torch.ones(1, 1, 4, 4), "expected floats, found torch.uint8"),
    "indices": (lambda self, x: torch.nn.functional.max_pool2d(x, 2, return_indices=True),
               torch.ones(1, 1, 4, 4, dtype=torch.int32), "expected floats, found torch.int32"),
    "slopes": (lambda self, x: torch.nn.functional.rrelu(x, training=True), X, "eval"),
    "dropout": (lambda self, x: torch.nn.functional.dropout(x), X, "call the model's eval()"),
    "statistics": (_train, X, "the model changes its buffer 'count', which is a constant he"
                   r"re: make it an input and an output, or call the model's eval\(\)"),
    "mask": (lambda self, x: x.index_put((x[0] > 0, torch.tensor([0])), x[0, 0]), X,
             "expected one mask, or indices that are integers"),
    "attention": (lambda self, x: torch.nn.functional.scaled_dot_product_attention(x, x, x),
                  torch.ones(2, 2, 2, 2, 2), "at most two axes of batch and heads, found 3"),
    "roll": (lambda self, x: torch.roll(x, int(x.sum()), 0), X, "a shift of known sign"),
    "frames": (lambda self, x: torch.stft(x, 2, 1, center=False, align_to_window=True,
                                          return_complex=True).abs(), X, "aligned at the left"),
    "strided": (lambda self, x: x.t().as_strided((3,), (1,)), X, "in the order of its axes"),
    "runs of rows": (lambda self, x: torch.unique_consecutive(x, dim=0), X, "found an axis"),
    "float from data": (lambda self, x: x * x.sum().item(), X, None),
    "export": (lambda self, x: x if x.sum() > 0 else -x, X, "PyTorch cannot export the model"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSALS)
def test_refusal(name):
    function, x, message = REFUSALS[name]
    shapes = {"args": ({0: torch.export.Dim.AUTO},)}
    if message is None:
        model = dyn.compile(Model(function), args=(x,), dynamic_shapes=shapes)
        assert torch.equal(model(x), x * x.sum())
        return
    with pytest.raises(dyn.UnsupportedError, match=message):
        dyn.compile(Model(function), args=(x,), dynamic_shapes=shapes)


def test_errors_of_dyn_name_the_operator(monkeypatch):
    monkeypatch.setitem(registry._OPS, "aten.sin.default", lambda b, self: int("one"))
    with pytest.raises(ValueError, match="invalid literal") as info:
        dyn.compile(Model(lambda self, x: x.sin()), args=(X,))
    (note,) = info.value.__notes__
    assert note.startswith("while dyn imported aten.sin.default (test_refusals.py:")


def test_arguments():
    with pytest.raises(dyn.InvalidArgumentError, match="expected example arguments of the model"):
        dyn.compile(Model(lambda self, x: x))
    with pytest.raises(TypeError, match="for models of PyTorch"):
        dyn.compile("model.onnx", args=(1,))


def test_documented_operators(build):
    """docs/PyTorch.md lists exactly the supported operators."""
    page = (build.parent / "docs" / "PyTorch.md").read_text()
    table = page.split("<!-- operators -->")[1]
    listed = {word for word in table.replace("|", " ").split() if word[0] not in "-<"}
    names = {name.split(".")[1] for name in supported()}
    assert names <= listed, sorted(names - listed)
