# ===- __init__.py - Routes in models of PyTorch ---------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conditional routing: which parts of a model process which parts of its data.

    cells = dyn.annotate(x, dims=(0, 1))              # tokens of a batch of sentences
    routes = self.router(cells)                       # self.router = dyn.Router(...)
    y = dyn.switch(routes, cells, self.experts).join()

Eager models run it as plain PyTorch, with gradients. In programs of torch.export and
torch.compile it becomes operations of the dialect `cell`. See docs/Routes.md. The names of
`dyn` above are in dyn/__init__.py, which imports this package lazily.
"""
