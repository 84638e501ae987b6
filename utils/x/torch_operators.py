#!/usr/bin/env python3
# ===- torch_operators.py - The table of PyTorch's operators ---------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs PyTorch's operator database through torch.compile with dyn, or prints
docs/PyTorchOperators.md from such results. A test holds the page.

    PATH=build/bin:$PATH PYTHONPATH=build/python utils/x/torch_operators.py run results.json
    utils/x/torch_operators.py page results.json > docs/PyTorchOperators.md

Each entry runs in a child process, so that a crash or a hang affects it alone; results are
saved after each, and a run continues where one stopped. See torch_database.py.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import select
import signal
import subprocess
import sys
import threading

SERVER = pathlib.Path(__file__).with_name("torch_database.py")


class Child:
    """A process that runs entries, restarted after one that it does not survive."""

    def __init__(self, limit, seconds, command=(sys.executable, str(SERVER))):
        self._limit = limit
        self._seconds = seconds
        self._command = command
        self._process = None

    def run(self, name):
        """The result of an entry, as a dictionary."""
        if self._process is None:
            environment = dict(os.environ, OMP_NUM_THREADS="1", TORCHINDUCTOR_COMPILE_THREADS="1")
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, env=environment, start_new_session=True,
            )  # fmt: skip
        line = json.dumps([name, self._limit]) + "\n"
        self._process.stdin.write(line.encode())
        self._process.stdin.flush()
        ready, _, _ = select.select([self._process.stdout], [], [], self._seconds)
        answer = self._process.stdout.readline() if ready else None
        if answer:
            return json.loads(answer)
        status = self.close()
        if answer is None:
            return {"status": "hang", "detail": f"more than {self._seconds} seconds"}
        return {"status": "crash", "detail": f"the process ended with {status}"}

    def close(self):
        """Ends the process, and the compiler that it may wait for; returns its status."""
        process, self._process = self._process, None
        if process is None:
            return None
        process.stdin.close()
        try:
            return process.wait(1)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return process.wait()


def run_all(names, limit=2, seconds=300, jobs=1, keep=lambda name, result: None, **options):
    """The results of entries by name; `keep` is called with each."""
    local, children, lock, results = threading.local(), [], threading.Lock(), {}

    def one(name):
        if not hasattr(local, "child"):
            local.child = Child(limit, seconds, **options)
            children.append(local.child)
        result = local.child.run(name)
        with lock:
            results[name] = result
            keep(name, result)

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(one, names))
    for child in children:
        child.close()
    return results


# ----------------------------------------------------------------------------
# Commands
# ----------------------------------------------------------------------------


def read(path):
    return json.loads(path.read_text()) if path.exists() else {}


def run(args):
    import torch_database

    results = read(args.results)
    again = set(args.again.split(",")) if args.again else set()
    names = [
        name
        for name in torch_database.entries(args.dtypes.split(","))
        if re.search(args.match, name)
        and (name not in results or results[name]["status"] in again or "all" in again)
    ]

    def keep(name, result):
        results[name] = result
        # If the run ends here, the file is the old or the new one.
        partial = args.results.with_suffix(".partial")
        partial.write_text(json.dumps(results, indent=0, sort_keys=True))
        partial.replace(args.results)
        print(f"{name}: {result['status']} {result['detail']}"[:200], flush=True)

    options = {"command": args.server.split()} if args.server else {}
    run_all(names, args.samples, args.seconds, args.jobs, keep, **options)
    print(figures(results, args.dtypes.split(",")))


def figures(results, dtypes):
    lines = []
    for dtype in dtypes:
        counts = counts_of({name: r["status"] for name, r in results.items()}, dtype)
        lines.append(f"{dtype}: {sum(counts.values())} {dict(counts)}")
    return "\n".join(lines)


# ----------------------------------------------------------------------------
# The page
# ----------------------------------------------------------------------------

DTYPES = ("float32", "bfloat16", "int64", "bool", "complex64")

HEADER = """# Operators of PyTorch

What `utils/x/torch_operators.py` found: each entry of PyTorch's operator database (`op_db` of `torch.testing._internal`, PyTorch {version})
through `torch.compile(..., backend="dyn", dynamic=True)`, at some of the database's samples and, with the same compiled function, at larger
sizes, at 1 and at 0 where PyTorch takes them; results are compared with those of eager PyTorch as the database's own tests do, or are as near as those to results in doubles. An entry is
*ok* if all of that is, *not traced* where PyTorch itself makes no graph of it for any backend, and *refused* where dyn says by name that it
does not support it. A blank is a type that the database has no entry of. No other outcome is allowed: a test runs a part of the table, and
all of it in `./x test --full`.
[PyTorch models](PyTorch.md) says the rest.
"""


def page(args):
    import torch

    print(text_of(read(args.results), torch.__version__.split("+")[0]), end="")


def text_of(results, version):
    """The page of results, by entry."""
    dtypes = dtypes_of(results)
    lines = [HEADER.format(version=version), *summary({k: v["status"] for k, v in results.items()})]
    lines += ["", "| entry | " + " | ".join(dtypes) + " | refused because |"]
    lines += ["|---" * (len(dtypes) + 2) + "|"]
    for name in sorted({entry.rsplit(" ", 1)[0] for entry in results}):
        found = [results.get(f"{name} {dtype}") for dtype in dtypes]
        cells = [result["status"] if result else "" for result in found]
        refused = [r["detail"] for r in found if r and r["status"] == "refused"]
        cells.append(short(refused[0]) if refused else "")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def dtypes_of(names):
    """The types that entries have."""
    return [d for d in DTYPES if any(name.endswith(" " + d) for name in names)]


def short(reason):
    """The first of several reasons, as a cell of a table."""
    first = re.split("; |PyTorch ", reason + " ")[0].strip() or "PyTorch cannot export it"
    first = re.sub(r" at '/[^']*'", "", first)
    first = re.sub(r"\b[suz]\d+\b", "a size", first).replace("|", "/")
    return first if len(first) <= 100 else first[:97] + "..."


def counts_of(statuses, dtype):
    """How many entries of a type have each status."""
    return collections.Counter(s for n, s in statuses.items() if n.endswith(" " + dtype))


def share(counts):
    """The share of the entries traced by PyTorch that dyn runs."""
    return counts["ok"] / max(counts.total() - counts["not traced"], 1)


def summary(statuses):
    """A table of counts, of statuses by entry."""
    lines = [
        "| type | entries | not traced | refused | ok | ok of those traced |",
        "|---" * 6 + "|",
    ]
    for dtype in dtypes_of(statuses):
        counts = counts_of(statuses, dtype)
        part = f"{100 * share(counts):.1f} %"
        cells = [dtype, counts.total(), counts["not traced"], counts["refused"], counts["ok"], part]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return lines


def statuses_of(text):
    """The statuses in a page, by entry."""
    head, _, *table = text.split("| entry |")[1].splitlines()
    dtypes, statuses = head.replace("|", " ").split()[:-2], {}
    for line in table:
        name, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        statuses |= {f"{name} {d}": cell for d, cell in zip(dtypes, cells) if cell}
    return statuses


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("run")
    command.add_argument("results", type=pathlib.Path)
    command.add_argument("--dtypes", default=",".join(DTYPES))
    command.add_argument("--match", default="", help="only entries that this is found in")
    command.add_argument("--again", help="statuses of entries that run again, or all")
    command.add_argument("--samples", type=int, default=2, help="of an entry, at most")
    command.add_argument("--seconds", type=float, default=300, help="for an entry")
    command.add_argument("--jobs", type=int, default=1)
    command.add_argument("--server", help="the program that runs entries")
    command.set_defaults(call=run)
    command = commands.add_parser("page")
    command.add_argument("results", type=pathlib.Path)
    command.set_defaults(call=page)
    args = parser.parse_args()
    return args.call(args)


if __name__ == "__main__":
    sys.exit(main())
