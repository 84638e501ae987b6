#!/usr/bin/env python3
# ===- zoo.py - Many architectures beside peers ----------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs architectures with random weights by dyn, ONNX Runtime, OpenVINO and eager PyTorch,
at three shapes each. Results are compared before they are timed.

Every entry has processes of its own, with limits of time and memory. Results are lines of
zoo.jsonl; a later run continues, and repeats only entries whose definition, or whose
compiler, has changed. zoo.md has the tables.
"""

import argparse
import ctypes
import fnmatch
import hashlib
import json
import multiprocessing
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import zoo_report

HERE = pathlib.Path(__file__).resolve().parent
PEERS = ("onnxruntime", "openvino", "torch")
#: Seconds of an export, of a compilation, and of the runs of an entry.
LIMITS = {"export": 900, "compile": 600, "check": 600, "measure": 900}

#: Results that do not depend on dyn or on the number of threads.
LASTING = ("no export", "bad entry")


class Failed(Exception):
    """A step that ended with an error, by a signal or at a limit; `status` says which."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


def anonymous(pid):
    """RssAnon of a process in bytes; 0 if it has ended."""
    try:
        for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("RssAnon"):
                return 1024 * int(line.split()[1])
    except OSError:
        pass
    return 0


def watch(pid, running, step, memory, wait):
    """Waits while `running()`. Returns the most anonymous memory, in bytes. Raises Failed
    at a limit; the caller ends the process."""
    end, most = time.monotonic() + LIMITS[step], 0
    while running():
        most = max(most, anonymous(pid))
        if most > memory:
            raise Failed("memory", f"{step}: more than {memory / 2**30:.1f} GiB")
        if time.monotonic() > end:
            raise Failed("timeout", f"{step}: more than {LIMITS[step]} s")
        wait()
    return most


def call(context, step, memory, *arguments):
    """Calls a function of zoo_worker.py in a new process and returns its result."""
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_serve, args=(sender, step, arguments))
    process.start()
    sender.close()
    try:
        # A result may be longer than the pipe: it is read before the process ends.
        watch(process.pid, lambda: not receiver.poll(0.1), step, memory, lambda: None)
        result = receiver.recv()
    except EOFError:
        process.join()
        raise Failed("crash", f"{step}: signal {-(process.exitcode or 0)}") from None
    finally:
        process.kill()
        process.join()
    if "error" in result:
        raise Failed("error", f"{step}: {result['error']}")
    return result


def _serve(sender, step, arguments):
    """Runs in the new process, and ends with the one that it was forked from. The standard
    output is closed: exporters print whole graphs."""
    die_with_parent = 1
    ctypes.CDLL(None).prctl(die_with_parent, signal.SIGKILL)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    import zoo_worker

    try:
        result = getattr(zoo_worker, step)(*arguments)
    except Exception as error:
        result = {"error": f"{type(error).__name__}: {str(error).strip()[:1500]}"}
    sender.send(result)


def compile_model(path, artifact, memory):
    """Compiles in a new process. Returns {"compile_seconds", "compile_bytes"}."""
    start = time.monotonic()
    with tempfile.TemporaryFile("w+") as errors:
        command = ["dyn-compile", path, "-o", artifact]
        process = subprocess.Popen(command, stdout=errors, stderr=errors)
        try:
            wait, running = lambda: time.sleep(0.01), lambda: process.poll() is None
            most = watch(process.pid, running, "compile", memory, wait)
        finally:
            process.kill()
            process.wait()
        seconds = time.monotonic() - start
        errors.seek(0)
        lines = errors.read().replace(path, "model.onnx").splitlines()
    if process.returncode:
        told = [line for line in lines if "error:" in line] or lines[-3:]
        status = "refused" if process.returncode > 0 else "crash"
        raise Failed(status, f"{' | '.join(told)[:1500]}")
    return {"compile_seconds": seconds, "compile_bytes": most}


def run_entry(context, entry, threads, args):
    """Returns the result of an entry: a line of zoo.jsonl."""
    record = {
        "name": entry.name, "family": entry.family, "threads": threads, "timed": not args.check,
        "definition": entry.definition(), "dyn": args.version, "status": "ok", "message": "",
    }  # fmt: skip
    missing = [package for package in entry.needs if not entry.available()]
    if missing:
        return record | {"status": "no package", "message": " ".join(missing)}
    memory = int(args.memory * 2**30)
    try:
        exported = call(context, "export", memory, entry.name)
    except Failed as error:
        return record | {"status": "no export", "message": str(error)}
    record |= {"exporter": exported["exporter"], "tried": exported["tried"]}
    with tempfile.TemporaryDirectory() as folder:
        artifact = str(pathlib.Path(folder) / "model.so")
        try:
            record |= compile_model(exported["path"], artifact, memory)
            peers = ["onnxruntime"] if args.check else PEERS[:2]
            record |= call(context, "check", memory, entry.name, artifact, threads, peers)
            record |= judged(record["shapes"])
            if record["status"] == "ok" and not args.check:
                arguments = entry.name, artifact, threads, PEERS, args.rounds
                record |= call(context, "measure", memory, *arguments)
        except Failed as error:
            record |= {"status": error.status, "message": str(error)}
    return record


def judged(shapes):
    """The status of an entry by its comparisons, and why. If ONNX Runtime has the same
    fault, that of the exporter is assumed, or that no engine can run the shape."""
    for number, shape in enumerate(shapes):
        failed, wrong = shape["failed"], shape["wrong"]
        if "torch" in failed:
            return {"status": "bad entry", "message": f"shape {number}: {failed['torch']}"}
        bad = {**{name: "wrong" for name in wrong}, **{name: "fails" for name in failed}}
        if "dyn" not in bad:
            continue
        peer = bad.get("onnxruntime")
        why = failed.get("dyn") or f"error {shape['errors']['dyn']:.2g}"
        if peer:
            return {
                "status": "bad export",
                "message": f"shape {number}: ONNX Runtime {peer}: {why}",
            }
        return {"status": bad["dyn"], "message": f"shape {number}: {why}"}
    return {"status": "ok", "message": ""}


def compiler_version():
    """A hash of the compiler and the runtime."""
    import dyn.runtime

    compiler = pathlib.Path(shutil.which("dyn-compile"))
    native = pathlib.Path(dyn.runtime.__file__).parent.glob("*.so")
    digest = hashlib.sha256()
    for path in (compiler, *sorted(native)):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def read(path):
    """The latest result of each entry and thread count, as {(name, threads): result}."""
    lines = path.read_text().splitlines() if path.exists() else []
    records = [json.loads(line) for line in lines if line.endswith("}")]
    return {(record["name"], record["threads"]): record for record in records}


def is_done(record, entry, args):
    """Whether a result says what this run would."""
    if record is None or record["definition"] != entry.definition():
        return False
    if record["status"] in LASTING:
        return True
    if record["status"] == "no package":
        return not entry.available()
    return record["dyn"] == args.version and (record["timed"] or args.check)


def lasting(records, entry):
    """A result with another number of threads that holds for all, or None."""
    same = {"name": entry.name, "definition": entry.definition()}.items()
    return next(
        (
            r
            for r in records
            if r["status"] in LASTING and all(r[key] == value for key, value in same)
        ),
        None,
    )


def select(entries, args):
    for entry in entries:
        names = args.only.split(",") if args.only else ["*"]
        families = args.family.split(",") if args.family else [entry.family]
        if entry.family in families and any(fnmatch.fnmatch(entry.name, n) for n in names):
            yield entry


def parse():
    parser = argparse.ArgumentParser(prog="x bench zoo", description=__doc__)
    parser.add_argument("--only", metavar="GLOB", help="entries by name, by commas")
    parser.add_argument("--family", help="entries of these families, by commas")
    parser.add_argument("--threads", default="1,2", help="thread counts, by commas")
    parser.add_argument("--list", action="store_true", help="print the entries alone")
    parser.add_argument("--check", action="store_true", help="compare the results alone")
    parser.add_argument("--report", action="store_true", help="write the tables alone")
    parser.add_argument("--rounds", type=int, default=7, help="blocks of each engine")
    parser.add_argument("--memory", type=float, default=8, help="GiB that a process may take")
    parser.add_argument("--resume", action=argparse.BooleanOptionalAction, default=True,
                        help="keep results whose entry and compiler are the same")  # fmt: skip
    parser.add_argument("--output", type=pathlib.Path, default=HERE.parents[1] / "build" / "bench")
    return parser.parse_args()


def main():
    path = [str(HERE), str(HERE.parent), os.environ.get("PYTHONPATH", "")]
    os.environ["PYTHONPATH"] = os.pathsep.join(path)
    sys.path.insert(0, str(HERE.parent))
    from models import zoo

    args = parse()
    entries = list(select(zoo.entries(), args))
    if args.list:
        print("\n".join(f"{entry.name} ({entry.family})" for entry in entries))
        return 0
    args.output.mkdir(parents=True, exist_ok=True)
    lines = args.output / "zoo.jsonl"
    args.version = compiler_version()
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["zoo_worker"])
    for threads in map(int, args.threads.split(",")):
        if args.report or threads > len(os.sched_getaffinity(0)):
            continue
        for number, entry in enumerate(entries):
            if args.resume and is_done(read(lines).get((entry.name, threads)), entry, args):
                continue
            start = time.monotonic()
            record = lasting(read(lines).values(), entry) if args.resume else None
            record = record or run_entry(context, entry, threads, args)
            record["threads"] = threads
            with lines.open("a") as file:
                file.write(json.dumps(record) + "\n")
            print(f"{number + 1}/{len(entries)} {zoo_report.line(record)} "
                  f"[{time.monotonic() - start:.0f} s]", flush=True)  # fmt: skip
    known = {entry.name for entry in zoo.entries()}
    records = [record for record in read(lines).values() if record["name"] in known]
    (args.output / "zoo.md").write_text(zoo_report.report(records))
    print(zoo_report.summary(records))
    print(f"see {args.output / 'zoo.md'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
