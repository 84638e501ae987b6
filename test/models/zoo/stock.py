# ===- stock.py - Models of transformers by configuration ------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a model of transformers from the names of its classes and some settings."""

import functools

from models.zoo.entry import Entry, register


def looped_experts(self, hidden_states, top_k_index, top_k_weights):
    """Experts of transformers one by one, each on its rows: the package's own ways are a
    grouped GEMM, which ONNX lacks, and copies of the weights for each row."""
    import torch

    def linear(x, name, expert):
        weight = getattr(self, name)[expert]
        y = x @ (weight if self.is_transposed else weight.T)
        return y + getattr(self, f"{name}_bias")[expert] if self.has_bias else y

    total = torch.zeros_like(hidden_states)
    for expert in range(self.num_experts):
        row, slot = torch.where(top_k_index == expert)
        x = linear(hidden_states[row], "gate_up_proj" if self.has_gate else "up_proj", expert)
        x = linear(self._apply_gate(x) if self.has_gate else self.act_fn(x), "down_proj", expert)
        total = total.index_add(0, row, x * top_k_weights[row, slot].unsqueeze(-1))
    return total


def stock_module(model, config, names, settings, call):
    """The model of class `model` with a configuration of class `config`. Takes inputs of
    these names, by position, and is called with `call` besides."""
    import transformers
    from models.zoo.export import Keywords
    from transformers.integrations.moe import ALL_EXPERTS_FUNCTIONS

    def configuration(name, values):
        # A dictionary with a "class" is a configuration within one.
        values = {
            key: configuration(value["class"], {k: v for k, v in value.items() if k != "class"})
            if isinstance(value, dict) and "class" in value
            else value
            for key, value in values.items()
        }
        return getattr(transformers, name)(**values)

    ALL_EXPERTS_FUNCTIONS.register("looped", looped_experts)
    module = getattr(transformers, model)(configuration(config, settings))
    for part in module.modules():
        if hasattr(part, "_apply_gate"):
            part.config._experts_implementation = "looped"
    return Keywords(module, names, **call)


def stock(name, family, model, config, ports, shapes, call=None, **settings):
    """Registers a model of transformers. `settings` with an initial capital are fields of
    the entry: `Exporter`, `Keep`, `Tolerance`, `Needs`."""
    fields = {key.lower(): value for key, value in settings.items() if key[0].isupper()}
    settings = {key: value for key, value in settings.items() if key[0].islower()}
    names = tuple(port.name for port in ports)
    build = functools.partial(stock_module, model, config, names, settings, call or {})
    register(Entry(name, family, build, tuple(ports), tuple(shapes), **fields))
