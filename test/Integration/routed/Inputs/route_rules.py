# ===- route_rules.py - Rules for the routers of models --------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rules that `dyn-compile --profile` has to choose for models at their published sizes,
with few layers, and the profiles by which it chooses.

Brainstorm (OSDI 2023) says which of its optimisations it applies to each model. The list
differs for two reasons. Calls run on a CPU: all paths are in the same memory, so nothing is
placed, and a launch costs a microsecond, so a router blocks nothing. And kernels of these
sizes keep both threads busy, so to run a path beside its router would not save time.
"""

import dataclasses
import json
import re
import subprocess
import typing

import dyn.models
from dyn.frontend.torch import to_dhlo
from dyn.models import routes
from routed_cases import CASES


@dataclasses.dataclass(frozen=True)
class Router:
    """The facts of a router that a profile must have to be accepted."""

    key: str
    after: str
    fingerprint: str
    paths: int


_PROBE = re.compile(
    r'dhlo\.probe "([^"]+)"\([^)]*\) \{(?:after = "([^"]*)", )?'
    r'[^}]*?fingerprint = "([0-9a-f]+)"[^}]*\} : tensor<(\d+)xi64>'
)
_RULE = re.compile(r'\{router = "([^"]+)", rule = "([^"]+)", why = "([^"]+)"\}')


def lower(program, *options):
    """The program after the passes that read rules, and what was said."""
    command = ["dyn-compile", str(program), "--emit=dhlo", *options]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return done.stdout, done.stderr


def routers_of(text):
    return [Router(key, after, mark, int(n) - 1) for key, after, mark, n in _PROBE.findall(text)]


def rules_of(text):
    """{router: (rule, why)}"""
    return {key: (rule, why) for key, rule, why in _RULE.findall(text)}


def without_rules(text):
    """A lowered program without what was said of its routers, and without the loads that
    probes keep for the artifact."""
    text = re.sub(r"dhlo\.load = #dhlo\.load<[^>]*>, ", "", text)
    return re.sub(
        r"(module attributes \{.*?)cell\.rules = \[.*?\](, |\} \{)", r"\1\2", text, count=1
    )


def write_profile(path, routers, load, calls=100):
    """A profile in which `load(router)` returns the cells of all calls, the rows of each path
    and, perhaps, the rows from each path of the router before to each path."""
    written = []
    for router in routers:
        cells, rows, *transitions = load(router)
        window = {"at": 1, "calls": calls, "cells": cells, "load": rows, "hottest": max(rows)}
        window["dropped"] = max(0, cells - sum(rows))
        entry = {"key": router.key, "paths": router.paths, "fingerprint": router.fingerprint}
        if router.after and transitions:
            entry |= {"after": router.after, "after_paths": router.paths}
            window["transitions"] = transitions[0]
        written.append({**entry, "window_ms": 1000, "windows": [window]})
    path.write_text(json.dumps({"dyn_profile": 1, "producer": "test", "routers": written}))
    return path


# ----------------------------------------------------------------------------
# Profiles
# ----------------------------------------------------------------------------


def skewed(router):
    """One path gets 5 times the mean, and at most half, as in production; four of five cells
    go from a path to the one with the same number."""
    cells = 12600
    hot = min(5 * cells // router.paths, cells // 2)
    rest = (cells - hot) // (router.paths - 1)
    rows = [hot] + [rest] * (router.paths - 1)
    transitions = []
    for path, count in enumerate(rows):
        stay = 4 * count // 5
        transitions += [[path, path, stay], [path, (path + 1) % router.paths, count - stay]]
    return sum(rows), rows, transitions


def exits(router):
    """Of 1000 images, 400 leave after the last block but one, and the others after the last:
    a published load."""
    shares = routes.MSDNET_EXITS[1]
    block = int(re.search(r"exits\.(\d+)", router.key)[1])
    leave, stay = round(1000 * shares[block]), round(1000 * sum(shares[block + 1 :]))
    return leave + stay, [leave, stay]


def gates(router):
    """A gate is open in as many of 500 images as one of those that were published."""
    often = routes.DYNAMIC_ROUTING_OPEN
    return 500, [often[sum(router.key.encode()) % len(often)]]


def patches(router):
    rows = list(routes.LIVE_SR_MOST[router.paths])
    return sum(rows), rows


# ----------------------------------------------------------------------------
# The list
# ----------------------------------------------------------------------------

#: Calls have two threads.
_ENOUGH = ("--call-threads=2",)
#: The same with memory for a few weights.
_SHORT = ("--call-threads=2", "--memory-limit=100000")


@dataclasses.dataclass
class Expected:
    """A model, and what is chosen with the options, as [(pattern of keys, rule, part of the
    reason)]: the first pattern that fits counts."""

    model: str
    load: typing.Callable
    rules: dict
    changes: dict = dataclasses.field(default_factory=dict)
    calls: int = 100

    def import_to(self, path):
        case = CASES[self.model]
        model = dyn.models.make(self.model, **self.changes)
        inputs = case.inputs(model)
        to_dhlo(model, path, args=inputs, dynamic_shapes=case._dynamic(inputs))


EXPECTED = [
    # Brainstorm: fusion. The router is a small GEMM beside large ones.
    Expected(
        "switch-transformer",
        skewed,
        {
            _ENOUGH: [("*", "fuse", "not speculated: majority (path 0), right for 50.0 %")],
            _SHORT: [("*", "fuse, preload", "preloaded by majority (path 0), right for 50.0 %")],
        },
        {"layers": 2, "vocabulary": 1000},
    ),
    # Brainstorm: fusion. A tenth to a quarter of the patches go to the hottest network.
    Expected(
        "live-sr",
        patches,
        {
            _ENOUGH: [("*", "fuse", "not speculated: majority (path 3)")],
            _SHORT: [("*", "fuse", "not preloaded: majority (path 3), right for 25.9 %")],
        },
        {"blocks": 2},
        calls=1,
    ),
    # Brainstorm: placement; its authors found the inputs large enough without fusion, which
    # costs nothing here. Later routers follow from the first one, which is a table of tasks.
    Expected(
        "task-moe",
        skewed,
        {
            _ENOUGH: [
                ("layers.0.*", "fuse", "not speculated: majority (path 0)"),
                ("*", "fuse", "not speculated: after 'layers.0.router', right for 79.9 %"),
            ],
            _SHORT: [
                ("layers.0.*", "fuse", "not preloaded: majority (path 0), right for 31."),
                ("*", "fuse, preload", "preloaded by after 'layers.0.router'"),
            ],
        },
        {"layers": 2, "vocabulary": 1000},
    ),
    # Brainstorm: placement. Which tokens an expert with a capacity drops is known last.
    Expected(
        "swin-moe",
        skewed,
        {
            _ENOUGH: [("*", "fuse", "not speculated: it has a capacity")],
            _SHORT: [("*", "fuse", "not preloaded: no profile predicts it")],
        },
        {"depths": (2, 2, 2, 2), "sparse": ((2, 1), (3, 1))},
    ),
    # Brainstorm: speculation, and fusion of the scales. One image's next block keeps two
    # threads busy; its path is no other's equal; convolutions of scales are launched together.
    Expected(
        "msdnet",
        exits,
        {
            _ENOUGH: [
                ("exits.0*", "leave", "not speculated: majority (path 1), right for 100.0 %"),
                ("exits.1*", "leave", "not speculated: majority (path 1), right for 100.0 %"),
            ],
            _SHORT: [("*", "preload", "preloaded by majority (path 1), right for 100.0 %")],
        },
        {"blocks": 3},
        calls=1000,
    ),
    # Brainstorm: speculation and preloading. A door is known with its node; a node's gate takes
    # a twentieth of its convolutions. Weights are fetched where a gate is mostly open.
    Expected(
        "dynamic-routing",
        gates,
        {
            _ENOUGH: [("*", "leave", "not speculated: ")],
            _SHORT: [
                ("grid.0.0.doors.0", "leave", "not preloaded: its paths have no weights"),
                ("grid.0.1.runs", "preload", "preloaded by majority (path 0), right for 99.3 %"),
                ("grid.1.2.runs", "leave", "not preloaded: majority (path 0), right for 13.2 %"),
                ("*", None, ""),
            ],
        },
        {"layers": 4},
        calls=500,
    ),
]
