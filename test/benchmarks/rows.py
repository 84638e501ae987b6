# ===- rows.py - Memory-bound operations on rows beside their peers --------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures softmax, layer norm, and the chain of bias, GELU, residual and layer norm along
rows of several widths: bytes read and written sum to 1 MB (in cache) and 32 MB (out of
cache). Rates are GB/s; `ahead` is dyn's rate over that of the best peer, and `of copy` over
that of a copy of as many bytes, run in turns with it."""

import argparse
import functools
import pathlib
import sys
import tempfile

import single
from tables import markdown

WIDTHS = (17, 100, 384, 768, 1024, 4097)
QUICK = (100, 768)
LEVELS = {"in cache": 1 << 20, "out of cache": 1 << 25}


class Softmax:
    """Softmax of rows of any width, as in attention: both sizes are dynamic for dyn and
    ONNX Runtime, while torch.compile knows the width."""

    name = "softmax"
    inputs = ("x",)
    fixed_width = False

    def nodes(self):
        from onnx import helper

        return [helper.make_node("Softmax", ["x"], ["y"], "softmax", axis=-1)]

    def constants(self, width, rng):
        return {}

    def module(self, x):
        import torch

        return torch.softmax(x, -1)

    def into(self, out, x):
        import torch

        return torch.ops.aten._softmax.out(x, -1, False, out=out)


class FixedSoftmax(Softmax):
    """The same with a static width in the model."""

    name = "softmax of static width"
    fixed_width = True


class LayerNorm:
    name = "layer norm"
    inputs = ("x",)
    fixed_width = True

    def nodes(self):
        from onnx import helper

        names = ["x", "gamma", "beta"]
        return [helper.make_node("LayerNormalization", names, ["y"], "norm", epsilon=1e-5)]

    def constants(self, width, rng):
        return {name: rng.standard_normal(width, "float32") for name in ("gamma", "beta")}

    def module(self, x, gamma, beta):
        import torch

        return torch.nn.functional.layer_norm(x, (x.shape[-1],), gamma, beta)


class GeluChain(LayerNorm):
    """The operations between the matmuls of a transformer, as written by exporters."""

    name = "GELU chain"
    inputs = ("x", "residual")

    def nodes(self):
        from onnx import helper

        def node(kind, *names, **attributes):
            *inputs, output = names
            return helper.make_node(kind, inputs, [output], output, **attributes)

        return [
            node("Add", "x", "bias", "biased"),
            node("Div", "biased", "root", "scaled"),
            node("Erf", "scaled", "erf"),
            node("Add", "erf", "one", "shifted"),
            node("Mul", "biased", "shifted", "product"),
            node("Mul", "product", "half", "gelu"),
            node("Add", "gelu", "residual", "sum"),
            node("LayerNormalization", "sum", "gamma", "beta", "y", epsilon=1e-5),
        ]

    def constants(self, width, rng):
        import numpy

        scalars = {"root": 2**0.5, "one": 1, "half": 0.5}
        return {
            "bias": rng.standard_normal(width, "float32"),
            **super().constants(width, rng),
            **{name: numpy.array(value, "float32") for name, value in scalars.items()},
        }

    def module(self, x, residual, bias, gamma, beta, *scalars):
        import torch

        hidden = residual + torch.nn.functional.gelu(x + bias)
        return torch.nn.functional.layer_norm(hidden, (x.shape[-1],), gamma, beta)


OPERATIONS = {o.name: o for o in (Softmax(), FixedSoftmax(), LayerNorm(), GeluChain())}


def make_inputs(operation, width, total, rng):
    """Creates rows whose bytes read and written sum to about `total`."""
    rows = max(1, total // (4 * width * (len(operation.inputs) + 1)))
    shape = rows, width
    return {n: single.aligned(rng.standard_normal(shape, "float32")) for n in operation.inputs}


def tensors_of(inputs, constants):
    import torch

    return [torch.from_numpy(value) for value in (*inputs.values(), *constants.values())]


def eager(operation, inputs, constants):
    """Returns PyTorch without a compiler, writing to an existing tensor where supported."""
    import torch

    tensors = tensors_of(inputs, constants)
    if not hasattr(operation, "into"):
        return functools.partial(operation.module, *tensors)
    return functools.partial(operation.into, torch.empty_like(tensors[0]), *tensors)


@functools.cache
def compiled_for(name, width):
    """Returns torch.compile's code for a dynamic number of rows of a width."""
    import torch

    torch._dynamo.reset()
    return torch.compile(OPERATIONS[name].module, dynamic=True)


def compiled(operation, inputs, constants):
    import torch

    tensors = tensors_of(inputs, constants)
    for tensor in tensors[: len(inputs)]:
        torch._dynamo.mark_static(tensor, 1)
    call = functools.partial(compiled_for(operation.name, tensors[0].shape[1]), *tensors)
    call()
    return call


def copy(total):
    """Returns a copy that reads and writes `total` bytes in sum."""
    import torch

    source, target = (torch.ones(total // 8) for _ in range(2))
    return lambda: target.copy_(source)


def open_engines(operation, width, constants, threads, folder):
    """Opens dyn and ONNX Runtime; a width of None is dynamic for both."""
    path = folder / f"{operation.name}-{width}.onnx"
    shape = ["rows", width or "width"]
    inputs = dict.fromkeys(operation.inputs, shape)
    single.write_onnx(path, operation.nodes(), inputs, {"y": shape}, constants)
    return [kind(path, threads) for kind in (single.Dyn, single.OnnxRuntime)]


def prepare(operation, engines, inputs, constants, with_compiler):
    """Returns a function for each engine, after verifying dyn's."""
    actions = {engine.name: engine.prepare(inputs, inputs["x"].shape) for engine in engines}
    actions["dyn"]()
    wide = [tensor.double() for tensor in tensors_of(inputs, constants)]
    want = operation.module(*wide).numpy()
    engines[0].verify(want, f"{operation.name} of {inputs['x'].shape}")
    actions["torch"] = eager(operation, inputs, constants)
    if with_compiler:
        actions["torch.compile"] = compiled(operation, inputs, constants)
    return actions


def measure(operation, widths, args, folder):
    """Yields a row of the table for each width and memory level."""
    import blocks
    import numpy

    rng, engines = numpy.random.default_rng(args.seed), None
    for width in widths:
        constants = operation.constants(width, rng)
        # One artifact for all widths unless constants fix the width.
        if operation.fixed_width or not engines:
            known = width if operation.fixed_width else None
            engines = open_engines(operation, known, constants, args.threads, folder)
        for level, total in LEVELS.items():
            inputs = make_inputs(operation, width, total, rng)
            actions = prepare(operation, engines, inputs, constants, not args.no_compile)
            actions["copy"] = copy(total)
            times = blocks.medians(actions, args.rounds, args.threads)
            moved = inputs["x"].nbytes * (len(inputs) + 1)
            rates = {name: 1e-9 * moved / t for name, t in times.items() if name != "copy"}
            row = {"operation": operation.name, "width": width, "level": level, **rates}
            row["copy"] = 1e-9 * total / times["copy"]
            row["ahead"] = rates["dyn"] / max(v for n, v in rates.items() if n != "dyn")
            row["of copy"] = rates["dyn"] / row["copy"]
            yield row


def main():
    parser = argparse.ArgumentParser(prog="x bench --rows", description=__doc__)
    parser.add_argument("operations", nargs="*", help=f"of {', '.join(OPERATIONS)}; default: all")
    parser.add_argument("--widths", help="by commas")
    parser.add_argument("--no-compile", action="store_true", help="without torch.compile")
    single.add_arguments(parser)
    args = parser.parse_args()
    for name in set(args.operations) - set(OPERATIONS):
        parser.error(f"no operation '{name}'")
    args.no_compile |= args.quick
    single.settle(args.threads)

    import torch

    widths = QUICK if args.quick else WIDTHS
    if args.widths:
        widths = tuple(map(int, args.widths.split(",")))
    table = []
    with tempfile.TemporaryDirectory() as temporary, torch.inference_mode():
        for name in args.operations or OPERATIONS:
            for row in measure(OPERATIONS[name], widths, args, pathlib.Path(temporary)):
                table.append(row)
                print(markdown([row]).splitlines()[-1], flush=True)
    single.write(args, "rows", {"rows": table}, markdown(table))


if __name__ == "__main__":
    sys.exit(main())
