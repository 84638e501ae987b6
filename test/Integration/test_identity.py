# ===- test_identity.py - Ids of artifacts ---------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two artifacts have the same id if they are the same program with the same constants,
and only then."""

import itertools
import os
import shutil
import signal
import subprocess

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

# Differences from the first model: the order of a kernel's operands, which only the entry
# shows, the signature, and the weights.
MODELS = {
    "first": {},
    "entry": {"operands": "%y, %x"},
    "name": {"name": "b"},
    "bound": {"most": 9},
    "weights": {"weights": [1, 2, 3, 5]},
}


def build(folder, operands="%x, %y", name="y", most=8, weights=(1, 2, 3, 4), options=()):
    """Compiles the model to m.so in a separate folder."""
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
    assert len(files[0]) == (4 if limit == 0 else 3), files[0].keys()


def test_compiled_to_the_same_path(tmp_path, built):
    """If another model is written to a path, the path loads that one, while older ones
    run."""
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
    a, b = (next((tmp_path / name).glob("m.so.*.weights")) for name in "ab")
    assert a.name != b.name
    os.replace(b, a)
    with pytest.raises(dyn.BadArtifactError, match="are of another compilation than the code"):
        dyn.load(tmp_path / "a" / "m.so")


def test_written_to_a_pipe(tmp_path):
    """No file replaces a pipe or a device, and none is beside it: the artifact has all
    constants."""
    import dyn
    from dyn.compiler import find_compiler

    build(tmp_path / "a", options=["--sidecar-limit=1000"])
    pipe = tmp_path / "a" / "pipe"
    os.mkfifo(pipe)
    command = [find_compiler(), str(tmp_path / "a" / "m.mlir"), "--sidecar-limit=0", "-o"]
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE) as reader:
        subprocess.run([*command, str(pipe)], check=True)
        (tmp_path / "read.so").write_bytes(reader.stdout.read())
    assert pipe.is_fifo() and not list(pipe.parent.glob("pipe?*"))
    x, y = numpy.full((2, 4), 3, "float32"), numpy.ones((2, 4), "float32")
    expected = dyn.load(tmp_path / "a" / "m.so")(x, y)
    numpy.testing.assert_array_equal(dyn.load(tmp_path / "read.so")(x, y), expected)
    done = subprocess.run([*command, "/dev/full"], capture_output=True, text=True)
    assert done.returncode == 1
    assert "error: cannot write /dev/full: No space left on device" in done.stderr
    elsewhere = dict(os.environ, TMPDIR="/nonexistent")
    done = subprocess.run([*command, str(pipe)], capture_output=True, text=True, env=elsewhere)
    assert "error: cannot write a temporary file: No such file or directory" in done.stderr


def test_a_full_disk(tmp_path):
    """There is no space for the code: an error, and no file."""
    from dyn.compiler import find_compiler

    if subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode != 0:
        pytest.skip("no namespace to mount a file system in")
    build(tmp_path / "a")
    (tmp_path / "disk").mkdir()
    script = 'mount -t tmpfs -o size=16k tmpfs "$1" && "$2" "$3" -o "$1/m.so"; echo $?; ls "$1"'
    arguments = map(str, (tmp_path / "disk", find_compiler(), tmp_path / "a" / "m.mlir"))
    command = ["unshare", "-rm", "sh", "-c", script, "sh", *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    assert f"error: cannot reserve space in {tmp_path}/disk/m.so" in done.stderr
    assert "No space left on device" in done.stderr and done.stdout == "1\n"


# Ends the process before the call that DYN_TEST_KILL counts down to, among those that
# rename or remove files.
KILLER = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void count(const char *path) {
  static int left = -1;
  if (!strstr(path, "m.so"))
    return;
  if (left < 0)
    left = atoi(getenv("DYN_TEST_KILL"));
  if (left-- == 0)
    kill(getpid(), SIGKILL);
}
int rename(const char *from, const char *to) {
  count(from);
  return ((int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename"))(from, to);
}
int remove(const char *path) {
  count(path);
  return ((int (*)(const char *))dlsym(RTLD_NEXT, "remove"))(path);
}
"""


def test_killed_while_it_replaces(tmp_path):
    """Whenever the compiler is killed, the old artifact or the new one is there,
    complete."""
    import dyn
    from dyn.compiler import find_compiler

    if os.environ.get("LD_PRELOAD"):
        pytest.skip("a sanitizer wants to be loaded first")
    (tmp_path / "kill.c").write_text(KILLER)
    library = tmp_path / "kill.so"
    cc = ["cc", "-shared", "-fPIC", "-o", str(library), str(tmp_path / "kill.c"), "-ldl"]
    subprocess.run(cc, check=True)
    x, y = numpy.full((2, 4), 3, "float32"), numpy.ones((2, 4), "float32")
    for name, weights in {"old": (1, 2, 3, 4), "new": (1, 2, 3, 5)}.items():
        build(tmp_path / name, weights=weights, options=["--sidecar-limit=0"])
    found = []
    for count in range(20):
        folder = tmp_path / str(count)
        shutil.copytree(tmp_path / "old", folder)
        shutil.copy(tmp_path / "new" / "w.bin", folder)
        command = [find_compiler(), str(folder / "m.mlir"), "-o", str(folder / "m.so")]
        environment = dict(os.environ, LD_PRELOAD=str(library), DYN_TEST_KILL=str(count))
        status = subprocess.run([*command, "--sidecar-limit=0"], env=environment).returncode
        # Loaded under different names, as paths are cached.
        found.append(dyn.load(folder / "m.so")(x, y)[0, 3])
        if status == 0:
            break
        assert status == -signal.SIGKILL
    assert found == sorted(found) and set(found) == {8, 10}
    # Before the first name, between the two, and before the old sidecar is removed.
    assert len(found) >= 4
    assert len(list(folder.glob("m.so*"))) == 2
