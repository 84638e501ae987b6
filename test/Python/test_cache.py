# ===- test_cache.py - Concurrent use of the cache of artifacts ------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Threads and processes that request one artifact, makers that are killed, and folders that
cannot be written to; with a script instead of the compiler."""

import errno
import fcntl
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
import warnings

import pytest

import dyn
from dyn.compiler import cache
from dyn.compiler.cache import cached_compile
from dyn.compiler.compile import temporary_folder

#: A process that compiles argv[1] to the cache argv[2], and prints the path or the error.
PROGRAM = """
import sys, dyn
from dyn.compiler.cache import cached_compile
try:
    print(cached_compile(sys.argv[1], folder=sys.argv[2], options=sys.argv[3:]))
except dyn.CompileError as error:
    print("refused:", error)
"""


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    """Clears the folders that could not be written to."""
    monkeypatch.setattr(cache, "_excluded", set())
    monkeypatch.setattr(cache, "_warned", {})


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "cache"


def start(model, folder, *options, program=PROGRAM, **keywords):
    command = [sys.executable, "-c", program, str(model), str(folder), *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **keywords)


def at_once(count, body):
    """The results or exceptions of `count` threads that run `body` at the same time."""
    gate, found = threading.Barrier(count), []

    def run():
        gate.wait()
        try:
            found.append(body())
        except Exception as error:
            found.append(error)

    threads = [threading.Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def wait_for(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.01)


def test_threads_share_one_compilation(compiler, model, folder):
    found = at_once(8, lambda: cached_compile(model, folder=folder, options=["--slow"]))
    assert len(compiler()) == 1
    assert {str(path) for path in found} == {str(next(folder.iterdir()))}
    # Without a folder, too.
    found = at_once(8, lambda: cached_compile(b"another", options=["--slow"]))
    assert len(compiler()) == 2 and len(set(found)) == 1
    assert found[0].startswith(temporary_folder())


def test_processes_share_one_compilation(compiler, model, folder):
    makers = [start(model, folder, "--slow") for _ in range(6)]
    found = {maker.communicate(timeout=60)[0] for maker in makers}
    assert len(compiler()) == 1 and len(found) == 1
    assert os.path.exists(found.pop().strip())
    assert len(list(folder.iterdir())) == 1


def test_a_refusal_is_told_to_those_who_wait(compiler, model, folder):
    options = ["--slow", "--fail"]
    maker = start(model, folder, *options)
    wait_for(lambda: compiler())
    found = at_once(4, lambda: cached_compile(model, folder=folder, options=options))
    found.append(maker.communicate(timeout=60)[0])
    assert len(compiler()) == 1
    assert {type(error) for error in found[:4]} == {dyn.CompileError}
    assert all("model.onnx: no such op" in str(error) for error in found)
    assert list(folder.iterdir()) == []
    # Later callers try again.
    with pytest.raises(dyn.CompileError):
        cached_compile(model, folder=folder, options=options)
    assert len(compiler()) == 2


@pytest.mark.parametrize("group", [False, True], ids=["maker", "and its compiler"])
def test_a_killed_maker_is_taken_over(compiler, model, folder, group):
    maker = start(model, folder, "--slow", start_new_session=True)
    wait_for(lambda: compiler())
    waiting = [start(model, folder, "--slow") for _ in range(3)]
    (os.killpg if group else os.kill)(maker.pid, signal.SIGKILL)
    maker.communicate()
    found = {process.communicate(timeout=60)[0] for process in waiting}
    assert len(found) == 1 and os.path.exists(found.pop().strip())
    # The compiler of a maker that died continues, and its result is used.
    assert len(compiler()) == (2 if group else 1)
    assert len(list(folder.iterdir())) == 1


def test_what_killed_makers_left_is_removed(compiler, model, folder):
    maker = start(model, folder, "--litter", "--slow", start_new_session=True)
    wait_for(lambda: len(list(folder.rglob("litter"))) == 1)
    os.killpg(maker.pid, signal.SIGKILL)
    maker.communicate()
    wait_for(lambda: not list(pathlib.Path("/proc").glob(f"{maker.pid}/task")))
    assert len(list(folder.iterdir())) == 2
    # By the maker of another entry.
    other = cached_compile(model, folder=folder)
    assert [str(path) for path in folder.iterdir()] == [other]


def test_a_forked_child_holds_no_lock(compiler, model, folder):
    """It may outlive the maker, if that is killed."""
    program = f"""
import os, threading, time
def fork():
    while not os.path.exists({str(folder)!r}) or not list(os.scandir({str(folder)!r})):
        time.sleep(0.01)
    time.sleep(0.3)
    if os.fork() == 0:
        os.setsid()
        print(os.getpid(), flush=True)
        time.sleep(60)
        os._exit(0)
threading.Thread(target=fork, daemon=True).start()
{PROGRAM}"""
    maker = start(model, folder, "--slow", program=program, start_new_session=True)
    child = int(maker.stdout.readline())
    os.killpg(maker.pid, signal.SIGKILL)
    try:
        again = start(model, folder, "--slow")
        assert again.communicate(timeout=30)[0].startswith(str(folder))
    finally:
        os.kill(child, signal.SIGKILL)
        maker.stdout.close()
        maker.wait()


def test_a_folder_that_cannot_be(compiler, model, tmp_path):
    (tmp_path / "file").touch()
    folder = tmp_path / "file" / "cache"
    with pytest.warns(dyn.CompileWarning, match=f"cannot write to '{folder}': Not a dir") as seen:
        found = at_once(4, lambda: cached_compile(model, folder=folder))
    assert len(seen) == 1 and len(compiler()) == 1
    assert len(set(found)) == 1 and found[0].startswith(temporary_folder())
    # There is one warning, for other folders and models, too.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cached_compile(b"another", folder=folder)
        cached_compile(b"a third", folder="/proc/cache")
    assert len(compiler()) == 3


def test_a_full_disk(compiler, model, folder):
    """The compiler's write fails."""
    with pytest.warns(dyn.CompileWarning, match="No space left on device"):
        path = cached_compile(model, folder=folder, options=["--full", str(folder)])
    assert path.startswith(temporary_folder()) and os.path.exists(path)
    assert list(folder.iterdir()) == []
    # It is not written again, but its entries are used.
    other = cached_compile(model, folder=folder)
    assert other.startswith(temporary_folder()) and len(compiler()) == 3
    kept = folder / os.path.basename(other)
    os.rename(other, kept)
    assert cached_compile(model, folder=folder) == str(kept)


def test_full_disks_everywhere(compiler, model, folder, monkeypatch):
    if not os.path.isdir("/dev/shm"):
        pytest.skip("there is no /dev/shm")
    full = os.path.commonpath([folder, temporary_folder()])
    with pytest.warns(dyn.CompileWarning, match="No space left on device"):
        path = cached_compile(model, folder=folder, options=["--full", full])
    assert path.startswith("/dev/shm") and os.path.exists(path)


def test_a_file_system_without_locks(compiler, model, folder, monkeypatch):
    """Each makes the artifact, and the name is given to a complete one."""

    def refuse(*arguments):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    found = at_once(3, lambda: cached_compile(model, folder=folder, options=["--slow"]))
    assert len(set(found)) == 1 and 1 <= len(compiler()) <= 3
    assert os.listdir(folder) == [os.path.basename(found[0])]


def test_files_of_options_are_part_of_the_key(compiler, model, folder, tmp_path):
    info = tmp_path / "info.json"
    paths = []
    for text in ("{}", '{"cpu": {"l2Bytes": 1310720}}', "{}"):
        info.write_text(text)
        paths.append(cached_compile(model, folder=folder, options=[f"--target-info={info}"]))
    assert paths[0] == paths[2] != paths[1]
    assert len(compiler()) == 2


def test_sidecars_go_along(compiler, model, folder):
    path = cached_compile(model, folder=folder, options=["--sidecar"])
    assert sorted(map(str, folder.iterdir())) == [path, path + ".weights"]


#: Mounts a file system of argv[3] for argv[2], opens the model argv[1] with a cache in it.
MOUNTED = """
mount -t tmpfs -o "$3" tmpfs "$2" && exec "$4" -W error::UserWarning -c '
import sys, warnings, dyn
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    dyn.InferenceSession(sys.argv[1], cache_dir=sys.argv[2] + "/cache")
    dyn.InferenceSession(sys.argv[1], cache_dir=sys.argv[2] + "/cache")
print(*[warning.message for warning in seen], sep="; ")
' "$1" "$2"
"""


@pytest.mark.parametrize("mounted, reason", [("ro", "Read-only"), ("size=16k", "No space left")])
def test_real_file_systems(build, tmp_path, mounted, reason):
    onnx = pytest.importorskip("onnx")
    if not (build / "bin" / "dyn-compile").exists():
        pytest.skip("the compiler is not built")
    if subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode != 0:
        pytest.skip("no namespace to mount a file system in")
    node = onnx.helper.make_node("Relu", ["x"], ["y"])
    ports = [onnx.helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, ["n"]) for n in "xy"]
    graph = onnx.helper.make_graph([node], "g", ports[:1], ports[1:])
    model = tmp_path / "model.onnx"
    onnx.save(onnx.helper.make_model(graph, ir_version=10), model)
    (tmp_path / "disk").mkdir()
    command = ["unshare", "-rm", "sh", "-c", MOUNTED, "sh", str(model), str(tmp_path / "disk")]
    done = subprocess.run([*command, mounted, sys.executable], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("cannot write to") == 1 and reason in done.stdout
