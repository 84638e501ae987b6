# ===- run.py - Measure a packed kit ---------------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the cases of a packed kit: compares the results of every engine with PyTorch's in
float64, times them on a GPU, and writes results.json and plots.

    python run.py                                # all on the first GPU
    python run.py --only 'linear-*' --engines dyn,cublaslt
    python run.py --device=emu                   # a dry run: tiny sizes, no times

Cases run in a child process, so that a lost device costs one case. Results are stored case
by case; existing results are not measured again without --again. The exit status is 1 if a
result of dyn is not close.
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
import tempfile
import threading

FOLDER = pathlib.Path(__file__).resolve().parent


@dataclasses.dataclass(frozen=True)
class Folders:
    """The folder of a kit, the folder for unpacked artifacts, and the device."""

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
    parser.add_argument("--seconds", type=float, default=0.3, help="for each figure, at most")
    parser.add_argument("--cases", help=argparse.SUPPRESS)  # in the process that measures them
    return parser.parse_args()


def measure_case(options, name):
    """Measures all engines at all sizes of one case."""
    if options.device == "emu":
        os.environ.setdefault("TRITON_INTERPRET", "1")
    import cases
    import torch

    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    case = cases.CASES[name]
    work = options.output / "unpacked"
    work.mkdir(parents=True, exist_ok=True)
    folders = Folders(FOLDER, work, options.device)
    where = "cuda" if options.device == "cuda" else "cpu"
    clock, stream = None, contextlib.nullcontext()
    if options.device == "cuda":
        import clocks

        clock, stream = clocks.Clock(options.seconds), torch.cuda.stream(torch.cuda.Stream())
    with torch.inference_mode(), stream:
        module, judge = case.module(device=where), case.module(torch.float64, where)
        result = {
            "case": case.name,
            "family": case.family,
            "dtype": str(case.dtype).removeprefix("torch."),
            "tolerance": case.tolerance,
            "rows": [],
        }
        for sizes in case.sizes if clock else case.tiny:
            engines = measure(options, case, module, judge, sizes, folders, clock)
            result["rows"].append({"sizes": list(sizes), "engines": engines})
            if has_lost(result):
                break
    return result


def measure(options, case, module, judge, sizes, folders, clock):
    """Measures all engines at one size: {engine: facts}."""
    import cases
    import peers
    import torch

    inputs = case.tensors(sizes, "cuda" if clock else "cpu")
    exact = [x.double() if x.is_floating_point() else x for x in inputs]
    want = getattr(judge, "judge", judge)(*exact)
    facts = {}
    for name in options.engines.split(","):
        try:
            run = peers.ENGINES[name](case, module, folders)
            error = cases.difference(run(*inputs), want)
            facts[name] = fact = {"error": error, "close": error <= case.tolerance}
            if name == "dyn":
                work = run.work()
                calls = work.pop("calls")
                fact |= {key: count // calls for key, count in work.items()}
            if clock:
                call = lambda: run(*inputs)  # noqa: E731
                fact["warm_us"], fact["cold_us"] = clock.call(call, False), clock.call(call, True)
                fact["kernels_us"], fact["kernels"] = clock.kernels(call)
        except peers.Refused as reason:
            facts[name] = {"refused": str(reason)}
        except Exception as error:
            # A failure of an engine is a result, too.
            facts[name] = {"failed": f"{type(error).__name__}: {error}"[:500]}
            if clock and is_lost():
                facts[name]["lost"] = True
                break
    return facts


def is_lost():
    """Returns whether the device is unusable for this process."""
    import torch

    try:
        torch.cuda.synchronize()
    except Exception:
        return True
    return False


def has_lost(result):
    """Returns whether the process that measured a case cannot measure others."""
    return any(fact.get("lost") for row in result["rows"] for fact in row["engines"].values())


def run_cases(options, names):
    """Yields the result of each case. One process runs them as long as it lives: a lost
    device costs one case, and starting PyTorch takes longer than a small case."""
    names = list(names)
    while names:
        command = [sys.executable, "-B", str(FOLDER / "run.py"), f"--cases={','.join(names)}"]
        command += [f"--device={options.device}", f"--engines={options.engines}"]
        command += [f"--output={options.output}", f"--seconds={options.seconds}"]
        with tempfile.TemporaryFile("w+") as errors:
            child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
            while names:
                timer = threading.Timer(options.timeout, child.kill)
                timer.start()
                line = child.stdout.readline()
                timer.cancel()
                if not line:
                    break
                # Libraries may print, too.
                if line.startswith('{"case"'):
                    yield json.loads(line)
                    del names[0]
            child.stdout.close()
            status = child.wait()
            errors.seek(0)
            last = errors.read().strip().splitlines() or [f"exit status {status}"]
        if names and status:
            yield {"case": names.pop(0), "failed": last[-1]}


def describe(result):
    """Yields a line for each size of a case."""
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
    """Returns whether dyn ran and was close at every size."""
    return "failed" not in result and all(
        row["engines"].get("dyn", {}).get("close") for row in result["rows"]
    )


def collect(options, results):
    """Writes results.json and the plots."""
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
        import charts

        charts.draw(report, options.output)


def main():
    options = parse()
    sys.path.insert(0, str(FOLDER))
    if options.cases:
        for name in options.cases.split(","):
            result = measure_case(options, name)
            print(json.dumps(result), flush=True)
            if has_lost(result):
                break
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
    paths = {name: kept / f"{name}.json" for name in names}
    wanted = [name for name in names if options.again or not paths[name].exists()]
    for result in run_cases(options, wanted):
        paths[result["case"]].write_text(json.dumps(result))
        for line in describe(result):
            print(line, flush=True)
    results = [json.loads(paths[name].read_text()) for name in names]
    for result in results:
        if result["case"] not in wanted:
            print("\n".join(describe(result)), flush=True)
    collect(options, results)
    wrong = [result["case"] for result in results if not is_right(result)]
    print(
        f"{len(results) - len(wrong)} of {len(results)} cases right"
        + "".join(f", not {w}" for w in wrong)
    )
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
