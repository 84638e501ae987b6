# ===- stock.py - Models of transformers by configuration ------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a model of transformers from the names of its classes and some settings."""

import functools

from models.zoo.entry import Entry, register


def stock_module(model, config, names, settings, call):
    """The model of class `model` with a configuration of class `config`. Takes inputs of
    these names, by position, and is called with `call` besides."""
    import transformers
    from models.zoo.export import Keywords

    def configuration(name, values):
        # A dictionary with a "class" is a configuration within one.
        values = {
            key: configuration(value["class"], {k: v for k, v in value.items() if k != "class"})
            if isinstance(value, dict) and "class" in value
            else value
            for key, value in values.items()
        }
        return getattr(transformers, name)(**values)

    module = getattr(transformers, model)(configuration(config, settings))
    return Keywords(module, names, **call)


def stock(name, family, model, config, ports, shapes, call=None, **settings):
    """Registers a model of transformers. `settings` with an initial capital are fields of
    the entry: `Exporter`, `Keep`, `Tolerance`, `Needs`."""
    fields = {key.lower(): value for key, value in settings.items() if key[0].isupper()}
    settings = {key: value for key, value in settings.items() if key[0].islower()}
    names = tuple(port.name for port in ports)
    build = functools.partial(stock_module, model, config, names, settings, call or {})
    register(Entry(name, family, build, tuple(ports), tuple(shapes), **fields))
