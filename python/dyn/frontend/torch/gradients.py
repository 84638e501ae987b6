# ===- gradients.py - Results of dyn with PyTorch's gradients --------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attaches results of an artifact to PyTorch's gradients.

Models are often called only for their results while gradients are enabled. They run in the
artifact; if a gradient is computed after all, PyTorch computes the graph again, with its
own code, and differentiates that.
"""

import torch

from dyn.frontend.torch.snapshot import versions_of


def attached(run, graph_module, requires_grad, on_backward, args):
    """The results of `run` for `args`. Those that `requires_grad` marks have the gradients
    of `graph_module`, which computes the same. `on_backward` is called when gradients are
    computed."""
    return _Attached.apply((run, graph_module, requires_grad, on_backward), *args)


class _Attached(torch.autograd.Function):
    @staticmethod
    def forward(ctx, how, *args):
        run, _, requires_grad, _ = ctx.how = how
        ctx.autocast = torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu")
        ctx.set_materialize_grads(False)
        # save_for_backward takes longer for all parameters than a small model does.
        ctx.args, ctx.versions = args, versions_of(args)
        found = tuple(run(args))
        if not all(requires_grad):
            pairs = zip(found, requires_grad)
            others = [x for x, has in pairs if not has and isinstance(x, torch.Tensor)]
            ctx.mark_non_differentiable(*others)
        return found

    @staticmethod
    def backward(ctx, *gradients):
        _, graph_module, _, on_backward = ctx.how
        on_backward()
        if versions_of(ctx.args) != ctx.versions:
            raise RuntimeError(
                "an input or parameter has been changed in place since dyn computed a graph: its "
                "gradients cannot be computed"
            )
        # For second derivatives, the gradients computed here have gradients, too.
        again = torch.is_grad_enabled()
        enabled, dtype = ctx.autocast
        with torch.enable_grad(), torch.autocast("cpu", dtype, enabled):
            args = [_apart(x, again) if isinstance(x, torch.Tensor) else x for x in ctx.args]
            found = graph_module(*args)
            pairs = [
                (x, g)
                for x, g in zip(found, gradients)
                if g is not None and isinstance(x, torch.Tensor) and x.requires_grad
            ]
            wanted = [x for x, needs in zip(args, ctx.needs_input_grad[1:]) if needs]
            if not pairs or not wanted:
                return None, *(None for _ in ctx.args)
            results = torch.autograd.grad(
                [x for x, _ in pairs], wanted, [g for _, g in pairs], allow_unused=True,
                create_graph=again,
            )  # fmt: skip
        results = iter(results)
        return None, *(next(results) if needs else None for needs in ctx.needs_input_grad[1:])


def _apart(x, again):
    """A tensor as an input of a separate computation."""
    if again and x.requires_grad:
        return x.view_as(x)
    return x.detach().requires_grad_(x.requires_grad)
