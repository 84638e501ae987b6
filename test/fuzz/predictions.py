# ===- predictions.py - Random predictions of routers ----------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gives each router of a program a random prediction, nearly always a wrong one."""

import random
import re

# A router: its result, key, cells and number of paths;
# the end of its region; a probe.
PARTS = re.compile(
    r"(?P<name>%[\w.]+) = cell\.route\([^)]*\)(?: capacity = <[^>]*>)?(?P<key> key = [^:]+)?"
    r"(?P<type> : [^\n]*!cell\.routes<(?P<cells>[^,]*), (?P<paths>\d+), [^\n]*{)"
    r"|(?P<end>cell\.choose [^\n]*\n\s*})"
    r'|cell\.probe "(?P<probe>[^"]+)" (?P<probed>%[\w.]+)'
)


KINDS = ("majority", "after", "early")


def predicted(text, seed, kind=None):
    """The program with a key and a prediction of each router, of a random kind or of this
    one, where routers have it."""
    rng, parts, last, known = random.Random(seed), [], 0, {}
    for match in PARTS.finditer(text):
        if match["probe"]:
            known[match["probed"]] = (match["probe"], *known[match["probed"]][1:])
            continue
        if match["end"]:
            parts += [text[last : match.end()], f" {{cell.speculate = {prediction}}}"]
            last = match.end()
            continue
        cells, paths = match["cells"], int(match["paths"])
        prediction = draw(rng, paths, [r for r in known.values() if r[1] == cells], kind)
        key = f"predicted.{len(known)}"
        parts += [text[last : match.start("type")].removesuffix(match["key"] or "")]
        parts += [f' key = "{key}"']
        last = match.start("type")
        known[match["name"]] = (key, cells, paths)
    return "".join(parts) + text[last:]


def draw(rng, paths, known, kind):
    """A prediction of a router of `paths` paths, after `known` ones."""
    share = f"share = {rng.randint(0, 1024)}"
    kind = kind or rng.choice(["majority"] * 3 + ["after"] * 3 + ["early"])
    if kind == "after" and known:
        key, _, count = rng.choice(known)
        table = [rng.randrange(paths) for _ in range(count)]
        return f'#cell.prediction<after of "{key}", {share}, paths = {table}>'
    if kind == "early":
        return f"#cell.prediction<early, {share}>"
    chosen = rng.sample(range(paths), rng.choice([1, 1, min(2, paths)]))
    return f"#cell.prediction<majority, {share}, paths = {chosen}>"


def without_guesses(text):
    """A program whose guesses are switched off."""

    def bind(match):
        value = f"%off.{match[1]}"
        zero = f"{value} = dhlo.constant dense<0> : tensor<i64>"
        return f"{zero}\ndhlo.bind @{match[1]} = {value} : tensor<i64>"

    return re.sub(r"dhlo\.guess @([\w.]+) = .*", bind, text)
