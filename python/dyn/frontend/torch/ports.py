# ===- ports.py - Names of inputs and outputs ------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of a program's inputs and outputs."""

import re

from torch.utils import _pytree as pytree


def input_names(nodes):
    """Names of the placeholders, without the affixes that torch.compile adds:
    ``l_kwargs_input_ids_`` is ``input_ids``."""
    names = [re.sub(r"^l_(args_|kwargs_)?(.+)_$", r"\2", name) for name in nodes]
    return names if len(set(names)) == len(names) else list(nodes)


def output_names(program):
    """A name for each flat output: its path in the model's result, such as
    ``last_hidden_state``, or ``output_0`` in a tuple."""
    spec = program.call_spec.out_spec
    try:
        tree = pytree.tree_unflatten(list(range(spec.num_leaves)), spec)
        paths = [path for path, _ in pytree.tree_flatten_with_path(tree)[0]]
    except Exception:  # a class that does not accept numbers
        paths = []
    if len(paths) != spec.num_leaves:
        return [f"output_{i}" for i in range(spec.num_leaves)]
    names = []
    for path in paths:
        words = "_".join(re.findall(r"\w+", pytree.keystr(path)))
        names.append(words if words and not words[0].isdigit() else f"output_{words}".rstrip("_"))
    return names if len(set(names)) == len(names) else [f"{n}_{i}" for i, n in enumerate(names)]
