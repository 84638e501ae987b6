# ===- ranks_planned.py - Times that plans predict -------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures a machine for plans, and models beside the times that plans predict. Ranks are threads
of `dyn-run`, one processor each."""

import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))


def seconds_of(artifact, inputs, repeat, ranks=1, link_rate=0):
    """The median and the least time of a call, of the slowest rank."""
    environment = {**os.environ, "DYN_LINK_RATE": str(int(link_rate))}
    command = ["dyn-run", str(artifact), "--threads=1", f"--repeat={repeat}", *inputs]
    command += [f"--ranks={ranks}"] if ranks > 1 else []
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode:
        raise RuntimeError(done.stderr)
    found = re.findall(r"median ([\d.]+) ms, least ([\d.]+) ms", done.stdout + done.stderr)
    assert len(found) == ranks
    return [1e-3 * max(map(float, times)) for times in zip(*found)]


def compiled(program, *options):
    """The artifact of a program in the folder of its file."""
    artifact = program.with_suffix(".so")
    command = ["dyn-compile", str(program), "-o", str(artifact), *options]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return artifact


# ----------------------------------------------------------------------------
# The machine
# ----------------------------------------------------------------------------

#: Kernels and exchanges of a program that is timed.
CHAIN = 32


def matmuls(folder, rows, width):
    """The artifact of matrices that multiply one after another."""
    import dyn
    import torch

    layers = (torch.nn.Linear(width, width, bias=False) for _ in range(CHAIN))
    module = torch.nn.Sequential(*layers).requires_grad_(False)
    artifact = folder / "matmuls.so"
    dyn.compile(module, str(artifact), args=(torch.zeros(rows, width),))
    return artifact


def gathers(rows, width):
    """Gathers results of blocks, and cuts blocks of what is computed of them."""
    x = f"tensor<{rows}x{width}xf32>"
    lines, last = [], "x"
    for i in range(CHAIN):
        lines += [
            f'  %b{i} = dist.reshard %{last} : {x} to <@ranks, [["x"], []]>',
            f"  %c{i} = dhlo.tanh %b{i} : {x}",
            f"  %d{i} = dist.reshard %c{i} : {x} to <@ranks, [[], []]>",
            f"  %e{i} = dhlo.tanh %d{i} : {x}",
            f"  %f{i} = dist.reshard %e{i} : {x} to <@ranks, [[], []]>",
        ]
        last = f"f{i}"
    mesh = 'dist.mesh @ranks ["x" = 2]\n'
    return mesh + entry({"x": x}, x, "\n".join(lines), last)


def link_rate(repeat):
    """Bytes a second between threads, each way, of messages beside which an answer takes no
    time: the maximum, for machines with other work."""
    import dyn

    size = 1 << 22

    def run(communicator):
        own, all_ = np.zeros(size, np.uint8), [np.empty(size, np.uint8) for _ in range(2)]
        times = []
        for _ in range(repeat):
            communicator.barrier()
            begin = time.perf_counter()
            communicator.all_gather(own, all_)
            times.append(time.perf_counter() - begin)
        return size / min(times)

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return min(pool.map(run, dyn.Communicator.threads(2)))


def entry(inputs, output, body, result):
    """A function of one result."""
    return entries(inputs, (output,), body, (result,))


def entries(inputs, outputs, body, results=("e", 0)):
    named = ", ".join(f'%{n}: {t} {{dhlo.name = "{n}"}}' for n, t in inputs.items())
    given = ", ".join(f'{t} {{dhlo.name = "y{i}"}}' for i, t in enumerate(outputs))
    values = ", ".join(f"%{each}" for each in results)
    return (
        f"func.func @main({named}) -> ({given}) attributes {{dhlo.entry}} {{\n{body}\n"
        f"  return {values} : {', '.join(outputs)}\n}}\n"
    )


def written(folder, text):
    program = folder / "program.mlir"
    program.write_text(text)
    return compiled(program)


def calibrate(quick=False):
    """The file of a machine of two ranks: rates of kernels, the time of a launch, and those of
    exchanges."""
    repeat = 20 if quick else 400

    def matmul(folder, rows, width):
        words = [f"--input=input=random:{rows}x{width}"]
        return seconds_of(matmuls(folder, rows, width), words, repeat)[0] / CHAIN

    def gather(folder, rows):
        words = [f"--input=x=random:{rows}x256"]
        return seconds_of(written(folder, gathers(rows, 256)), words, repeat, 2)[1] / CHAIN

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        launch = matmul(folder, 1, 16)
        rows, width = 64, 256
        flops = 2 * rows * width**2 / (matmul(folder, rows, width) - launch)
        large = "tensor<2048x1024xf32>"
        add = entry({"x": large, "y": large}, large, f"  %0 = dhlo.add %x, %y : {large}", 0)
        words = [f"--input={name}=random:2048x1024" for name in "xy"]
        # Other work shows most in memory, and where ranks wait for each other.
        moved = seconds_of(written(folder, add), words, repeat)[1]
        exchange = max(gather(folder, 2) - launch, 0)
    memory = pathlib.Path("/proc/meminfo").read_text().splitlines()[0].split()[1]
    rank = {
        "flops": flops, "bytesPerSecond": 3 * 8 * 2**20 / moved, "kernelSeconds": launch,
        "memoryBytes": 1024 * int(memory) / 2,
    }  # fmt: skip
    link = {"ranks": 1, "bytesPerSecond": link_rate(repeat), "seconds": exchange}
    return {"ranks": 2, "rank": rank, "links": [link]}


# ----------------------------------------------------------------------------
# Overlap
# ----------------------------------------------------------------------------


def overlaps(args):
    """An artifact that gathers blocks of rows and multiplies matrices, which the compiler puts
    between beginning and end, beside artifacts of either."""
    width = 256 if args.quick else 1536
    x, w = "tensor<{0}x256xf32>", f"tensor<{width}x{width}xf32>"
    exchange = [
        '  %b = dist.reshard %x : {x} to <@ranks, [["x"], []]>',
        "  %c = dhlo.tanh %b : {x}",
        "  %e = dist.reshard %c : {x} to <@ranks, [[], []]>",
    ]
    work = [
        "  %0 = dhlo.dot_general %v, %w batch = 0 lhs_contract = [1] rhs_contract = [0]"
        f" : ({w}, {w}) -> {w}"
    ]
    mesh = 'dist.mesh @ranks ["x" = 2]\n'
    ports, repeat = {"v": w, "w": w}, 3 + 3 * args.rounds
    words = [f"--input={name}=random:{width}x{width}" for name in ports]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        alone = written(folder, entry(ports, w, work[0], 0))
        worked = seconds_of(alone, words, repeat)[1]
        rows = max(2, int(worked * args.link_rate / 512) // 2 * 2)
        x = x.format(rows)
        lines = [line.format(x=x) for line in exchange]
        words.append(f"--input=x=random:{rows}x256")
        programs = {
            "exchange": mesh + entry({"x": x}, x, "\n".join(lines), "e"),
            "together": mesh + entries({"x": x} | ports, (x, w), "\n".join(lines + work)),
        }
        found = {}
        for kind, text in programs.items():
            given = words if kind == "together" else words[-1:]
            artifact = written(folder, text)
            found[kind] = seconds_of(artifact, given, repeat, 2, args.link_rate)[1]
    hidden = (worked + found["exchange"] - found["together"]) / min(worked, found["exchange"])
    times = {"work": worked, **found, "in turn": worked + found["exchange"]}
    case = {"case": f"{rows // 2} KB each way"}
    yield case | {name: 1e3 * value for name, value in times.items()} | {"hidden": hidden}


# ----------------------------------------------------------------------------
# Models
# ----------------------------------------------------------------------------

#: Ways to divide a model. Ranks have no memory for all weights, so that plans divide these.
WAYS = {"stages": ["--plan-stages=2"], "columns": ["--plan-stages=1", "--plan-micro-batches=1"]}


#: Experts, width, batch and tokens of each.
MIXTRALS = ((4, 64, 2, 16), (4, 64, 4, 64), (8, 256, 4, 64), (8, 256, 1, 16), (16, 512, 2, 32))
MIXTRALS += ((16, 512, 1, 16),)


def mlp(folder, rows):
    """The perceptron of table 1."""
    import torch
    from dyn.frontend.torch.compiling import to_dhlo

    layers = [torch.nn.Linear(*size) for size in ((784, 512), (512, 512), (512, 10))]
    steps = [layers[0], torch.nn.ReLU(), layers[1], torch.nn.ReLU(), layers[2]]
    module, model = torch.nn.Sequential(*steps).requires_grad_(False), folder / "mlp.mlir"
    shapes = ({0: torch.export.Dim("rows")},)
    to_dhlo(module, model, args=(torch.zeros(2, 784),), dynamic_shapes=shapes)
    return model, {}, {"rows": rows}, {"input": np.ones((rows, 784), np.float32)}


def mixtral(folder, experts, width, batch, sequence):
    """Two layers of a Mixtral by PyTorch, whose experts are paths of routers."""
    import torch
    from dyn.frontend.torch.compiling import to_dhlo
    from transformers import MixtralConfig, MixtralForCausalLM

    torch.manual_seed(0)
    config = MixtralConfig(
        vocab_size=1000, hidden_size=width, intermediate_size=2 * width, num_hidden_layers=2,
        num_attention_heads=4, num_key_value_heads=2, num_local_experts=experts, use_cache=False,
    )  # fmt: skip
    module, model = MixtralForCausalLM(config).eval().requires_grad_(False), folder / "moe.mlir"
    sizes = {"batch": batch, "sequence": sequence}
    dynamic = {axis: torch.export.Dim(name) for axis, name in enumerate(sizes)}
    example = {"input_ids": torch.zeros(2, 7, dtype=torch.long)}
    to_dhlo(module, model, kwargs=example, dynamic_shapes={"input_ids": dynamic})
    ids = np.random.default_rng(0).integers(0, 1000, (batch, sequence))
    return model, {}, sizes, {"input_ids": ids}


def of_tests(name, sizes):
    """A model of the tests at given sizes."""
    import models

    model = models.get(name)
    rng = np.random.default_rng(0)
    return model.path(), dict(model.dims or {}), sizes, model.inputs(sizes, rng)


def register():
    """Models of medium size: of the tests' classes, with widths at which a rank has work."""
    from models import experts, images, transformer

    layers = {"num_hidden_layers": 4, "num_attention_heads": 8, "intermediate_size": 2048}
    transformer.bert("ranks-bert", "script", 127, 128, vocab_size=1000, hidden_size=512, **layers)
    gpt2 = {"vocab_size": 1000, "n_embd": 512, "n_layer": 4, "n_head": 8}
    transformer.gpt2("ranks-gpt2", False, "dynamo", 127, 128, **gpt2)
    vit = {"image_size": 224, "patch_size": 16, "hidden_size": 384, "num_hidden_layers": 4}
    images.vit("ranks-vit", 14, 224 * 224, num_attention_heads=6, intermediate_size=1536, **vit)
    experts.mixture(
        "ranks-moe", 127, 128, 1000, width=256, hidden=1024, heads=4, experts=8, layers=2
    )


def cases(folder, quick):
    """{name: a function of the model's file, facts of its sizes, sizes and inputs}"""
    found = {f"perceptron, {n} rows": lambda n=n: mlp(folder, n) for n in (32, 128, 512)}
    if quick:
        return dict(list(found.items())[:1])
    register()
    text = {"batch": 4, "sequence": 64}
    found["BERT, 512 wide, 4 layers"] = lambda: of_tests("ranks-bert", text)
    found["GPT-2, 512 wide, 4 layers"] = lambda: of_tests("ranks-gpt2", text)
    images = {"batch": 2, "height": 224, "width": 224}
    found["ViT, 384 wide, 4 layers"] = lambda: of_tests("ranks-vit", images)
    tokens = {"batch": 4, "tokens": 64}
    found["mixture of 8, 256 wide"] = lambda: of_tests("ranks-moe", tokens)
    for shape in MIXTRALS:
        experts, width, batch, sequence = shape
        name = f"Mixtral, {experts} experts, {width} wide, {batch} x {sequence}"
        found[name] = lambda shape=shape: mixtral(folder, *shape)
    return found


def explained(model, machine, options):
    command = ["dyn-compile", str(model), f"--plan={machine}", "--explain=json", *options]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)


def predictions(args):
    """Times of models on one rank and on two, beside those that plans predict. The rate of a rank
    is that at which it runs this model alone: kernels of a model differ more among themselves than
    machines do. Both take turns, and of the medians of all turns the least counts."""
    from dyn.compiler.compile import option_words

    measured = calibrate(args.quick)
    (args.output / "machine.json").write_text(json.dumps(measured, indent=1))
    repeat, rounds = (20, 1) if args.quick else (100, args.rounds)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        machine, profile = folder / "machine.json", folder / "profile.json"
        whole, ranks = folder / "whole.so", folder / "ranks.so"
        for case, make in cases(folder, args.quick).items():
            model, facts, sizes, inputs = make()
            np.savez(folder / "inputs.npz", **inputs)
            words = [f"--inputs={folder}/inputs.npz"]
            options = option_words(facts, None, ())
            compile_words = ["dyn-compile", str(model), *options, "-o", whole]
            subprocess.run(compile_words, check=True, capture_output=True)
            alone = seconds_of(whole, [*words, f"--profile-out={profile}"], repeat)[0]
            at = [f"--explain-at={n}={v}" for n, v in sizes.items()]
            # Which rows go to which path decides how long ranks with paths take.
            has_routers = bool(json.loads(profile.read_text())["routers"])
            profiled = [*options, *at, f"--profile={profile}"] if has_routers else [*options, *at]
            for way, limits in WAYS.items():
                found = fitted(model, machine, measured, [*profiled, *limits], alone)
                stages = len(found["stages"])
                if way == "stages" and stages == 1:
                    continue
                plan = [f"--plan={machine}", *profiled, *limits]
                compile_words = ["dyn-compile", str(model), *plan, "-o", ranks]
                subprocess.run(compile_words, check=True, capture_output=True)
                times = [
                    (seconds_of(whole, words, repeat)[0], seconds_of(ranks, words, repeat, 2)[0])
                    for _ in range(rounds)
                ]
                one, two = map(min, zip(*times))
                found = fitted(model, machine, measured, [*profiled, *limits], one)
                row = {
                    "case": case, "by": way, "stages": stages,
                    "micro-batches": found["micro_batches"], "one rank": 1e3 * one,
                    "two ranks": 1e3 * two, "predicted": 1e3 * found["seconds"],
                    "error": found["seconds"] / two - 1, "ahead": one / two,
                }  # fmt: skip
                if has_routers:
                    blind = fitted(model, machine, measured, [*options, *at, *limits], one)
                    row["error without a profile"] = blind["seconds"] / two - 1
                yield row


def fitted(model, machine, measured, options, alone):
    """The plan of a machine whose ranks take `alone` for the model, and have no memory for all of
    it. Writes the machine."""
    one = json.loads(json.dumps(measured))
    one["ranks"] = 1
    machine.write_text(json.dumps(one))
    stage = explained(model, machine, options)
    ratio = stage["seconds"] / alone
    for rate in ("flops", "bytesPerSecond"):
        one["rank"][rate] *= ratio
    one["rank"]["kernelSeconds"] /= ratio
    stage = stage["stages"][0]
    one["rank"]["memoryBytes"] = 0.8 * stage["weight_bytes"] + 1.5 * stage["value_bytes"]
    machine.write_text(json.dumps(one | {"ranks": 2}))
    return explained(model, machine, options)
