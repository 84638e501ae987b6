# ===- run.py - Measure a packed kit ------------------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the cases of a packed kit: compares every engine's results with PyTorch's in
float64, times them on a GPU, and writes results.json and pictures.

    python run.py                                # all on the first GPU
    python run.py --only 'linear-*' --engines dyn,cublaslt
    python run.py --device=emu                   # a dry run: tiny sizes, no times

Each case runs in a process of its own, so that a lost device costs one case. Results
are kept case by case; those that are there are not measured again without --again. The
exit status is 1 if a result of dyn is not close.
"""

import argparse
import contextlib
import dataclasses
import json
import os
import pathlib
import platform
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent


@dataclasses.dataclass(frozen=True)
class Place:
    """Where a kit is, where it unpacks artifacts, and what it runs on."""

    folder: pathlib.Path
    work: pathlib.Path
    device: str


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", choices=["cuda", "emu"], default="cuda")
    parser.add_argument("--only", action="append", default=[], help="cases, with wildcards")
    parser.add_argument("--engines", default="dyn,eager,compile,cublaslt,triton")
    parser.add_argument("--output", type=pathlib.Path, default=FOLDER / "results")
    parser.add_argument("--again", action="store_true", help="measure what is there, too")
    parser.add_argument("--timeout", type=float, default=600, help="seconds for a case")
    parser.add_argument("--case", help=argparse.SUPPRESS)  # in the process of one case
    return parser.parse_args()


def measure_case(options):
    """All engines at all sizes of one case."""
    if options.device == "emu":
        os.environ.setdefault("TRITON_INTERPRET", "1")
    import cases
    import torch

    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    case = cases.CASES[options.case]
    work = options.output / "unpacked"
    work.mkdir(parents=True, exist_ok=True)
    place = Place(FOLDER, work, options.device)
    where = "cuda" if options.device == "cuda" else "cpu"
    clock, stream = None, contextlib.nullcontext()
    if options.device == "cuda":
        import clocks

        clock, stream = clocks.Clock(), torch.cuda.stream(torch.cuda.Stream())
    with torch.inference_mode(), stream:
        module, judge = case.module(device=where), case.module(torch.float64, where)
        rows = [
            {
                "sizes": list(sizes),
                "engines": measure(options, case, module, judge, sizes, place, clock),
            }
            for sizes in (case.sizes if clock else case.tiny)
        ]
    return {
        "case": case.name,
        "family": case.family,
        "dtype": str(case.dtype).removeprefix("torch."),
        "tolerance": case.tolerance,
        "rows": rows,
    }


def measure(options, case, module, judge, sizes, place, clock):
    """All engines at one size: {engine: facts}."""
    import cases
    import peers
    import torch

    inputs = case.tensors(sizes, "cuda" if clock else "cpu")
    exact = [x.double() if x.is_floating_point() else x for x in inputs]
    want = getattr(judge, "judge", judge)(*exact)
    facts = {}
    for name in options.engines.split(","):
        try:
            run = peers.ENGINES[name](case, module, place)
            error = cases.difference(run(*inputs), want)
            facts[name] = fact = {"error": error, "close": error <= case.tolerance}
            if name == "dyn":
                work = run.work()
                fact |= {key: work[key] // work["calls"] for key in ("launches", "flops", "bytes")}
            if clock:
                call = lambda: run(*inputs)  # noqa: E731
                fact["warm_us"], fact["cold_us"] = clock.call(call, False), clock.call(call, True)
                fact["kernels_us"], fact["kernels"] = clock.kernels(call)
        except peers.Refused as reason:
            facts[name] = {"refused": str(reason)}
        except Exception as error:
            # An engine that fails is a result, too; what it leaves of the device the
            # next one finds out.
            facts[name] = {"failed": f"{type(error).__name__}: {error}"[:500]}
            if clock:
                torch.cuda.synchronize()
    return facts


def run_case(options, name):
    """One case in a process of its own."""
    command = [sys.executable, "-B", str(FOLDER / "run.py"), f"--case={name}"]
    command += [f"--device={options.device}", f"--engines={options.engines}"]
    command += [f"--output={options.output}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=options.timeout)
    except subprocess.TimeoutExpired:
        return {"case": name, "failed": f"took more than {options.timeout} s"}
    if done.returncode:
        last = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
        return {"case": name, "failed": last[-1]}
    return json.loads(done.stdout.splitlines()[-1])


def describe(result):
    """A line for each size of a case."""
    if "failed" in result:
        yield f"{result['case']}: failed: {result['failed']}"
        return
    for row in result["rows"]:
        words = []
        for name, fact in row["engines"].items():
            if "error" not in fact:
                words.append(f"{name} {'refused' if 'refused' in fact else 'failed'}")
                continue
            times = f" {fact['warm_us']:.1f}/{fact['cold_us']:.1f} us" if "warm_us" in fact else ""
            words.append(
                f"{name}{times} ({'' if fact['close'] else 'WRONG by '}{fact['error']:.1e})"
            )
        yield f"{result['case']} {'x'.join(map(str, row['sizes']))}: " + ", ".join(words)


def is_right(result):
    """Whether dyn ran and was close at every size."""
    return "failed" not in result and all(
        row["engines"].get("dyn", {}).get("close") for row in result["rows"]
    )


def collect(options, results):
    """Writes results.json and the pictures."""
    import torch

    report = {
        "manifest": json.loads((FOLDER / "manifest.json").read_text()),
        "device": options.device,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "cuda": torch.version.cuda,
        "results": results,
    }
    if options.device == "cuda":
        import clocks

        report["machine"] = clocks.machine()
    (options.output / "results.json").write_text(json.dumps(report, indent=1) + "\n")
    if options.device == "cuda":
        import pictures

        pictures.draw(report, options.output)


def main():
    options = parse()
    sys.path.insert(0, str(FOLDER))
    if options.case:
        print(json.dumps(measure_case(options)))
        return 0
    import cases

    packed = json.loads((FOLDER / "manifest.json").read_text())["artifacts"]
    names = [name for name in cases.chosen(options.only) if name in packed]
    if not names:
        sys.exit(
            f"run.py: no case of the kit matches {' '.join(options.only)}: it has {', '.join(packed)}"
        )
    kept = options.output / "cases"
    kept.mkdir(parents=True, exist_ok=True)
    results = []
    for name in names:
        path = kept / f"{name}.json"
        if options.again or not path.exists():
            path.write_text(json.dumps(run_case(options, name)))
        results.append(json.loads(path.read_text()))
        for line in describe(results[-1]):
            print(line, flush=True)
    collect(options, results)
    wrong = [result["case"] for result in results if not is_right(result)]
    print(
        f"{len(results) - len(wrong)} of {len(results)} cases right"
        + "".join(f", not {w}" for w in wrong)
    )
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
