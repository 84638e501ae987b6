# ===- model.py - Models of businesses, their requests and export ----------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Business class, and loops that can be exported."""

import dataclasses
import typing

import numpy
import torch

Arrays = typing.Dict[str, numpy.ndarray]


@dataclasses.dataclass(frozen=True)
class Business:
    """A model, and requests for it with sizes as in production.

    It is compiled from the ONNX file that `write` makes of its module; without `write`,
    from a program of torch.export.
    """

    name: str
    module: typing.Callable[[], torch.nn.Module]
    #: Draws inputs by the names of `forward`.
    request: typing.Callable[["numpy.random.Generator"], Arrays]
    #: The dynamic axes of each input.
    axes: typing.Dict[str, typing.Tuple[int, ...]]
    results: typing.Tuple[str, ...]
    example: Arrays
    write: typing.Optional[typing.Callable[["Business", torch.nn.Module, str], None]] = None

    def make(self):
        """The module in evaluation mode: the same weights each time."""
        torch.manual_seed(20)
        return self.module().eval().requires_grad_(False)

    def requests(self, count):
        """The first `count` requests of an infinite stream."""
        rng = numpy.random.default_rng(31)
        return [self.request(rng) for _ in range(count)]

    def compile(self, folder, **options):
        """Compiles once: a function that maps a request to the results as arrays."""
        import dyn

        module, artifact = self.make(), folder / f"{self.name}.so"
        if self.write is None:
            model = dyn.compile(
                module,
                artifact,
                kwargs=tensors(self.example),
                dynamic_shapes=self._dynamic(),
                **options,
            )
            return lambda request: [value.numpy() for value in model(**tensors(request))]
        path = str(artifact.with_suffix(".onnx"))
        self.write(self, module, path)
        dyn.compile(path, output=artifact, **options)
        loaded = dyn.load(artifact)
        return lambda request: list(loaded(**request))

    def export(self, module, path):
        """Writes the module by PyTorch's exporter."""
        export(module, tensors(self.example), self._dynamic(), self.results, path)

    def _dynamic(self):
        dynamic = torch.export.Dim.DYNAMIC
        return {name: dict.fromkeys(self.axes.get(name, ()), dynamic) for name in self.example}


def tensors(request):
    """Arrays as tensors that share their memory."""
    return {name: torch.from_numpy(numpy.asarray(value)) for name, value in request.items()}


def export(module, inputs, dynamic, results, path):
    """Writes an ONNX file by PyTorch's exporter."""
    torch.onnx.export(
        module,
        kwargs=inputs,
        f=path,
        dynamo=True,
        dynamic_shapes=dynamic,
        input_names=list(inputs),
        output_names=list(results),
        external_data=False,
        verbose=False,
    )


def repeat(condition, body, state):
    """torch.while_loop, which would compile for each shape if it is called outside of a
    compilation."""
    if torch.compiler.is_compiling():
        return torch.while_loop(condition, body, state)
    while condition(*state):
        state = body(*state)
    return state
