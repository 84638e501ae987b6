# ===- test_identity.py - Artifacts are told apart by what they are --------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two artifacts have the same id if they are the same program with the same constants,
and only then."""

import itertools
import os

import numpy
import pytest

MODEL = """
dhlo.dim @N in [1, {most}]
func.func @main(%x: tensor<?x4xf32, #dhlo.dims<N>> {{dhlo.name = "x"}},
                %y: tensor<?x4xf32, #dhlo.dims<N>> {{dhlo.name = "{name}"}})
    -> (tensor<?x4xf32, #dhlo.dims<N>> {{dhlo.name = "z"}}) attributes {{dhlo.entry}} {{
  %w = dhlo.weight <"w.bin", offset = 0, length = 16, key = "w"> : tensor<4xf32>
  %0 = dhlo.broadcast %w axes = [1] : (tensor<4xf32>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %1 = dhlo.sub {operands} : tensor<?x4xf32, #dhlo.dims<N>>
  %2 = dhlo.mul %1, %0 : tensor<?x4xf32, #dhlo.dims<N>>
  return %2 : tensor<?x4xf32, #dhlo.dims<N>>
}}
"""

# What differs from the first one: the order of a kernel's operands, which the entry alone
# knows, the signature, and the weights.
MODELS = {
    "first": {},
    "entry": {"operands": "%y, %x"},
    "name": {"name": "b"},
    "bound": {"most": 9},
    "weights": {"weights": [1, 2, 3, 5]},
}


def build(folder, operands="%x, %y", name="y", most=8, weights=(1, 2, 3, 4), options=()):
    """Compiles the model to m.so in a folder of its own."""
    import dyn

    folder.mkdir()
    numpy.array(weights, "float32").tofile(folder / "w.bin")
    (folder / "m.mlir").write_text(MODEL.format(operands=operands, name=name, most=most))
    return dyn.compile(str(folder / "m.mlir"), output=str(folder / "m.so"), options=options)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("identity")
    return {key: build(folder / key, **what) for key, what in MODELS.items()}


def test_each_difference_counts(built):
    for a, b in itertools.combinations(built, 2):
        assert built[a].id != built[b].id, (a, b)


@pytest.mark.parametrize("limit", [0, 1000])
def test_compiled_again(tmp_path, limit):
    options = [f"--sidecar-limit={limit}"]
    ids = {build(tmp_path / name, options=options).id for name in "ab"}
    assert len(ids) == 1
    files = [
        {file.name: file.read_bytes() for file in (tmp_path / name).iterdir()} for name in "ab"
    ]
    assert files[0] == files[1]
    assert ("m.so.weights" in files[0]) == (limit == 0)


def test_compiled_to_the_same_path(tmp_path, built):
    """A name that is given to another model loads that one, while older ones run."""
    import dyn

    x, y = numpy.full((2, 4), 3, "float32"), numpy.ones((2, 4), "float32")
    path, loaded = tmp_path / "m.so", {}
    for key, artifact in built.items():
        (tmp_path / "new").write_bytes((tmp_path / artifact.path).read_bytes())
        os.replace(tmp_path / "new", path)
        loaded[key] = dyn.load(path)
    for key, artifact in loaded.items():
        assert artifact.id == built[key].id
        assert [port.name for port in artifact.inputs] == ["x", MODELS[key].get("name", "y")]
        assert artifact.dims[0].max == MODELS[key].get("most", 8)
        numpy.testing.assert_array_equal(artifact(x, y), built[key](x, y))
    last = [artifact(x, y)[0, 3] for artifact in loaded.values()]
    assert last == [8, -8, 8, 8, 10]


def test_sidecar_of_other_weights(tmp_path):
    import dyn

    for name, weights in {"a": (1, 2, 3, 4), "b": (1, 2, 3, 5)}.items():
        build(tmp_path / name, weights=weights, options=["--sidecar-limit=0"])
    os.replace(tmp_path / "b" / "m.so.weights", tmp_path / "a" / "m.so.weights")
    with pytest.raises(dyn.BadArtifactError, match="are of another compilation than the code"):
        dyn.load(tmp_path / "a" / "m.so")
