# ===- damaged.py - Every way to damage a profile has its message ----------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# RUN: %python %s %t

import copy
import json
import pathlib
import subprocess
import sys

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
with open(pathlib.Path(__file__).parent / "Inputs/one.json") as file:
    GOOD = json.load(file)


def show(text):
    path = folder / "p.json"
    path.write_text(text)
    result = subprocess.run(["dyn-profile", "show", path], capture_output=True, text=True)
    return result.returncode, result.stdout, result.stderr.replace(str(path), "FILE")


def change(keys, value):
    """The good profile with another value at an index; None removes it."""
    profile = copy.deepcopy(GOOD)
    at = profile["routers"]
    for step in keys[:-1]:
        at = at[step]
    if value is None:
        del at[keys[-1]]
    else:
        at[keys[-1]] = value
    return json.dumps(profile)


ROUTERS = [
    (["0", 0], 7, "router 0: expected an object"),
    ([0, "key"], "", "router 0: expected a string 'key'"),
    ([0, "key"], 3, "router 0: expected a string 'key'"),
    ([0, "label"], 3, "router 'layers.0': expected a string 'label'"),
    ([0, "paths"], None, "router 'layers.0': expected a number 'paths' of at most 1048576"),
    ([0, "paths"], 1 << 40, "router 'layers.0': expected a number 'paths' of at most 1048576"),
    ([0, "paths"], 0, "router 'layers.0': expected at least one path"),
    ([0, "paths"], 3, "router 'layers.0': window 0: expected a load of 3 paths, found 4"),
    ([0, "window_ms"], 0, "router 'layers.0': expected windows of at least 1 ms"),
    ([0, "window_ms"], "x", "router 'layers.0': expected a number 'window_ms' of at most"),
    ([0, "windows"], None, "router 'layers.0': expected an array 'windows'"),
    ([0, "windows", 1], 3, "router 'layers.0': window 1: expected an object"),
    ([0, "windows", 1, "at"], None, "router 'layers.0': window 1: expected an integer 'at'"),
    (
        [0, "windows", 1, "at"],
        4,
        "router 'layers.0': window 1: expected a time after that of the window before",
    ),
    ([0, "windows", 1, "calls"], -1, "router 'layers.0': window 1: expected a number 'calls'"),
    ([0, "windows", 1, "cells"], 1 << 60, "window 1: expected a number 'cells' of at most"),
    ([0, "windows", 1, "load"], {}, "window 1: expected an array 'load'"),
    ([0, "windows", 1, "load", 2], -3, "window 1: expected numbers of rows in 'load'"),
    ([0, "windows", 1, "pairs"], 3, "window 1: expected an array 'pairs'"),
    ([0, "windows", 1, "pairs", 1], [1, 2], "'pairs' 1: expected two paths and a number"),
    (
        [0, "windows", 1, "pairs", 1],
        [1, 4, 2],
        "'pairs' 1: expected paths below 4 and 4, found 1 and 4",
    ),
    (
        [0, "windows", 1, "pairs", 1],
        [0, 1, 1 << 60],
        "window 1: 'pairs' 1: expected a number of at most 72057594037927936",
    ),
    (
        [0, "windows", 1, "at"],
        -(1 << 63),
        "window 1: expected an integer 'at' of at most 70368744177664 either way",
    ),
    ([1, "after_paths"], None, "router 'layers.1': expected a number 'after_paths' of at most"),
    (
        [1, "windows", 0, "transitions", 0],
        [4, 0, 1],
        "'transitions' 0: expected paths below 4 and 2, found 4 and 0",
    ),
    ([1, "key"], "layers.0", "router 'layers.0': found twice"),
]
for keys, value, message in ROUTERS:
    keys = [int(step) if step == "0" else step for step in keys]
    if keys == [0, 0]:
        keys = [0]
    status, output, errors = show(change(keys, value))
    expected = f"warning: FILE: {message}" if message.startswith("router") else message
    assert expected in errors and errors.rstrip().endswith("; refused"), (keys, value, errors)
    # The other router stays.
    assert status == 0 and output.startswith("1 routers"), (keys, output)

FILES = [
    ("", "error: FILE: not a profile: "),
    ("{", "error: FILE: not a profile: "),
    ("[]", "error: FILE: not a profile: expected a member 'dyn_profile'"),
    ("{}", "error: FILE: not a profile: expected a member 'dyn_profile'"),
    ('{"dyn_profile": 2}', "error: FILE: expected a profile of version 1, found 2"),
    ('{"dyn_profile": 1, "routers": ' + "[" * 100000, "expected brackets at most 64 deep"),
    ('{"dyn_profile": 1}', "error: FILE: not a profile: expected an array 'routers'"),
]
ROUTER = '{"router":0,"paths":2,"key":"r"}'
CALL = '{"router":0,"ms":5,"call":0,"choices":2,"chosen":[0,1]}'
RAW = [
    (["{}"], "FILE:2: expected a number 'router'"),
    (["3"], "FILE:2: expected an object"),
    (["{"], "FILE:2: "),
    ([CALL], "FILE:2: expected the line that names router 0 first"),
    # The largest number, which a hash table may keep for itself.
    (
        [ROUTER, CALL.replace('"router":0', f'"router":{2**64 - 1}')],
        "FILE:3: expected a number 'router' of at most 1048576",
    ),
    ([ROUTER, ROUTER], "FILE:3: router 'r' found twice"),
    ([ROUTER, ROUTER.replace('"r"', '"s"')], "FILE:3: router 0 found twice"),
    ([ROUTER.replace("}", ',"after":"q"}')], "FILE:2: expected the router 'q' before this one"),
    ([ROUTER.replace("2", "0")], "FILE:2: expected at least one path"),
    ([ROUTER, CALL.replace("[0,1]", "[0,2]")], "FILE:3: expected paths of -1 to 1"),
    ([ROUTER, CALL.replace("[0,1]", "[0]")], "FILE:3: expected 2 choices for each cell, found 1"),
    (["[" * 100000, CALL], "FILE:2: expected brackets at most 64 deep"),
    ([ROUTER, CALL.replace("chosen", "c")], "FILE:3: expected an array 'chosen'"),
    ([ROUTER, CALL.replace('"ms":5,', "")], "FILE:3: expected an integer 'ms'"),
]
for text, message in FILES:
    status, output, errors = show(text)
    assert status == 1 and message in errors, (text, errors)
for lines, message in RAW:
    status, output, errors = show("\n".join(['{"dyn_profile_raw":1}', *lines, ""]))
    assert status == 1 and f"error: {message}" in errors, (lines, errors)
status, output, errors = show('{"dyn_profile_raw":2}\n')
assert status == 1 and "FILE:1: expected raw decisions of version 1" in errors, errors

# A process that was killed.
status, output, errors = show(f'{{"dyn_profile_raw":1}}\n{ROUTER}\n{CALL}\n{CALL[:20]}')
assert status == 0 and "FILE:4: the last line is cut; refused" in errors, errors
assert "1 calls, 1 cells" in output, output
