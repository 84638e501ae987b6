# ===- mutated.py - No damage to a profile is a crash ----------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# RUN: %python %s %t

# Random damage, the same in each run: damaged.py has one for each message. A valid
# profile is shown; anything else is one line that says where the fault is.

import pathlib
import random
import re
import subprocess
import sys

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
profile = (pathlib.Path(__file__).parent / "Inputs/one.json").read_bytes()
RAW = b"""{"dyn_profile_raw":1}
{"router":0,"paths":3,"key":"a"}
{"router":1,"paths":4,"key":"b","after":"a"}
{"router":0,"ms":5000,"call":0,"choices":2,"chosen":[0,1,2,-1]}
{"router":1,"ms":5000,"call":0,"choices":1,"chosen":[3,0]}
"""
ODD = b"-1 0 1 18446744073709551615 9223372036854775808 -9223372036854775808 1e400 0.5 null true"
ODD = ODD.split() + [b'"x"', b"[]", b"{}", b"\xff\xfe", b"\0", b"[" * 5000]


def mutate(text, rng):
    """The text with one to three damages: cut, bytes changed, parts lost, doubled
    or moved, numbers that are odd."""
    for _ in range(rng.choice([1, 1, 2, 3])):
        at = rng.randrange(len(text))
        end = min(len(text), at + rng.choice([1, 2, 10, 100]))
        numbers = list(re.finditer(rb"-?\d+", text))
        kind = rng.choice(["cut", "byte", "lose", "double", "move", "number", "number", "number"])
        if kind == "cut":
            text = text[: max(at, 1)]
        elif kind == "byte":
            text = text[:at] + bytes([rng.randrange(256)]) + text[at + 1 :]
        elif kind == "lose":
            text = text[:at] + text[end:] or b" "
        elif kind == "double":
            text = text[:end] + text[at:]
        elif kind == "move":
            to = rng.randrange(len(text))
            text = text[:to] + text[at:end] + text[to:]
        elif numbers:
            number = rng.choice(numbers)
            text = text[: number.start()] + rng.choice(ODD) + text[number.end() :]
    return text


def run(seed, *command):
    """Runs a tool, which may fail with a message; the exit status."""
    done = subprocess.run([str(word) for word in command], capture_output=True)
    errors = done.stderr.decode(errors="replace")
    assert done.returncode in (0, 1), (seed, command, done.returncode, errors)
    assert done.returncode == 0 or "error: " in errors, (seed, command, errors)
    assert "runtime error" not in errors and "Sanitizer" not in errors, (seed, errors)
    return done.returncode


refused = 0
for seed in range(60):
    rng = random.Random(seed)
    path = folder / f"{seed}.json"
    path.write_bytes(mutate(RAW if seed % 3 == 0 else profile, rng))
    status = run(seed, "dyn-profile", "show", path)
    refused += status
    if status == 0:
        # Sums of what was read are read again.
        merged = folder / "merged.json"
        assert run(seed, "dyn-profile", "merge", path, path, "-o", merged) == 0
        assert run(seed, "dyn-profile", "show", merged) == 0
        run(seed, "dyn-profile", "plot", path, "-o", folder / "plot.svg")
    if seed % 10 == 0:
        program = pathlib.Path(__file__).parent / "Inputs/mixture.mlir"
        passes = ["-cell-insert-probes", f"-cell-apply-profile=file={path}"]
        assert run(seed, "dyn-opt", program, *passes, "-o", "/dev/null") == status
assert 10 < refused < 55, refused
