# ===- replay.py - Repeat recorded calls on a GPU --------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the recordings of a packed kit on a device and compares the results of each call
with those recorded, and with the bits of the emulator's results.

    python replay.py                       # on the first GPU, and on the emulator
    python replay.py --device=emu          # without a GPU
    python replay.py --only 'program-*'

Recordings run in several processes; if one loses the device, a new process continues. The
exit status is 1 if a result is not close. Results whose bits differ from the emulator's are
counted, but are not failures: a GEMM library accumulates in another order. The bit patterns
of NaNs are not compared.
"""

import argparse
import concurrent.futures
import fnmatch
import json
import lzma
import pathlib
import subprocess
import sys

import numpy

FOLDER = pathlib.Path(__file__).resolve().parent
PROCESSES = 4
ROUNDING = 5e-7  # for numbers of about 1


def compare(want, found, tolerance):
    """Returns the maximum error in units of the tolerance; infinite if anything else differs."""
    if want.shape != found.shape or want.dtype != found.dtype:
        return numpy.inf
    if want.size == 0:
        return 0.0
    if want.dtype.kind != "f":
        return 0.0 if numpy.array_equal(want, found) else numpy.inf
    a, b = found.astype("f8"), want.astype("f8")
    finite = numpy.isfinite(b)
    if not numpy.array_equal(a[~finite], b[~finite], equal_nan=True):
        return numpy.inf
    a, b = a[finite], b[finite]
    if not numpy.isfinite(a).all():
        return numpy.inf
    if not b.size:
        return 0.0
    allowed = tolerance * (abs(b) + abs(b).max()) + ROUNDING
    return float((abs(a - b) / allowed).max())


def same_bits(a, b):
    """Returns whether all numbers are bitwise equal and NaNs occur at the same indices."""
    if a.dtype.kind != "f":
        return a.tobytes() == b.tobytes()
    holes = numpy.isnan(a)
    if not numpy.array_equal(holes, numpy.isnan(b)):
        return False
    return a[~holes].tobytes() == b[~holes].tobytes()


def run_one(name, tolerance, device, work):
    """Returns the facts of a recording."""
    import torch

    import dynrt

    path = work / f"{name}.so"
    path.write_bytes(lzma.decompress((FOLDER / "recordings" / f"{name}.so.xz").read_bytes()))
    calls = numpy.load(FOLDER / "recordings" / f"{name}.npz")
    count = 1 + max(int(key.split(".")[0]) for key in calls)

    def ports(number, kind):
        keys = [key for key in calls if key.startswith(f"{number}.{kind}.")]
        return [calls[key] for key in sorted(keys, key=lambda key: int(key.split(".")[2]))]

    def run(device):
        artifact = dynrt.Artifact(FOLDER / "lib", path, device)
        found = []
        for number in range(count):
            tensors = [torch.from_numpy(numpy.array(x)) for x in ports(number, "in")]
            results = len(ports(number, "out"))
            found.append([x.numpy() for x in artifact.run(tensors, results, on_host=True)])
        return found

    found = run(device)
    worst = 0.0
    for number, results in enumerate(found):
        for want, result in zip(ports(number, "out"), results, strict=True):
            worst = max(worst, compare(want, result, tolerance))
    facts = {"error": worst, "close": worst <= 1, "calls": count}
    if device == "cuda":
        emulated = run("emu")
        pairs = [(a, b) for x, y in zip(found, emulated) for a, b in zip(x, y)]
        facts["other_bits"] = sum(not same_bits(a, b) for a, b in pairs)
        facts["results"] = len(pairs)
    path.unlink()
    return facts


def run_several(options):
    """In a child: prints a line of JSON for each recording named on standard input."""
    import contextlib

    import torch

    stream = contextlib.nullcontext()
    if options.device == "cuda":
        stream = torch.cuda.stream(torch.cuda.Stream())
    options.work.mkdir(parents=True, exist_ok=True)
    with stream:
        for line in sys.stdin:
            job = json.loads(line)
            try:
                facts = run_one(job["name"], job["tolerance"], options.device, options.work)
            except Exception as error:
                facts = {"failed": f"{type(error).__name__}: {error}"[:1000]}
            print(json.dumps({"name": job["name"]} | facts), flush=True)
            if "failed" in facts:
                # A device that has had a fault stays lost for the process.
                return


def run_portion(jobs, options, number):
    """Returns the facts of several recordings, run in as many processes as needed."""
    found = []
    while jobs:
        command = [sys.executable, "-B", str(FOLDER / "replay.py"), "--child"]
        command += [f"--device={options.device}", f"--work={options.work / str(number)}"]
        lines = "".join(json.dumps(job) + "\n" for job in jobs)
        try:
            done = subprocess.run(
                command, input=lines, capture_output=True, text=True, timeout=options.timeout
            )
            output, reason = done.stdout, done.stderr.strip()[-500:] or f"exit {done.returncode}"
        except subprocess.TimeoutExpired as late:
            output, reason = (late.stdout or b"").decode(), f"no end in {options.timeout} s"
        results = [json.loads(line) for line in output.splitlines() if line.endswith("}")]
        if len(results) < len(jobs) and not any("failed" in r for r in results):
            results.append({"name": jobs[len(results)]["name"], "failed": reason})
        for result in results:
            print(describe(result), flush=True)
        found += results
        jobs = jobs[len(results) :]
    return found


def describe(result):
    if "failed" in result:
        return f"{result['name']}: failed: {result['failed']}"
    words = "close" if result["close"] else "WRONG"
    text = f"{result['name']}: {words}, {result['error']:.2g} of the tolerance"
    if result.get("other_bits"):
        text += f", {result['other_bits']} of {result['results']} results have other bits"
    return text


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", choices=["cuda", "emu"], default="cuda")
    parser.add_argument("--only", action="append", default=[], help="recordings, with wildcards")
    parser.add_argument("--output", type=pathlib.Path, default=FOLDER / "results" / "replay.json")
    parser.add_argument("--work", type=pathlib.Path, default=FOLDER / "results" / "replayed")
    parser.add_argument("--timeout", type=float, default=300, help="seconds for a process")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    sys.path.insert(0, str(FOLDER))
    if options.child:
        return run_several(options)
    facts = json.loads((FOLDER / "manifest.json").read_text()).get("recordings", {})
    jobs = [
        {"name": name, "tolerance": fact["tolerance"]}
        for name, fact in facts.items()
        if not options.only or any(fnmatch.fnmatch(name, p) for p in options.only)
    ]
    if not jobs:
        sys.exit("replay.py: the kit has no such recording")
    with concurrent.futures.ThreadPoolExecutor(PROCESSES) as pool:
        portions = [
            pool.submit(run_portion, jobs[i::PROCESSES], options, i) for i in range(PROCESSES)
        ]
        results = [result for portion in portions for result in portion.result()]
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(results, indent=1) + "\n")
    right = sum(bool(result.get("close")) for result in results)
    print(f"{right} of {len(results)} recordings right")
    if options.device == "cuda":
        other = sum(result.get("other_bits", 0) for result in results)
        print(f"{other} of {sum(r.get('results', 0) for r in results)} results have other bits")
    return int(right < len(results))


if __name__ == "__main__":
    sys.exit(main())
