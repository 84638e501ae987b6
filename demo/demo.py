#!/usr/bin/env python3
# ===- demo.py - Read images with three models, each compiled once ---------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs rapidocr-onnxruntime, unchanged, on dyn and on ONNX Runtime.

The program's three dynamic models are compiled once each. Only onnxruntime.InferenceSession
is patched, before the program is imported. Exits with 1 if a text differs from ONNX
Runtime's, or a model was compiled twice.
"""

import argparse
import dataclasses
import logging
import pathlib
import statistics
import sys
import time

import numpy
import onnxruntime

import report
from images import Sample, render
from sessions import Sessions

ENGINES = ("dyn", "onnxruntime")


@dataclasses.dataclass
class Row:
    """The results for one image."""

    sample: Sample
    found: list
    texts: dict
    seconds: dict

    @property
    def same(self):
        return self.texts["dyn"] == self.texts["onnxruntime"]


def read(program, sample):
    """The program's boxes, texts and scores, and its time in seconds."""
    pixels = numpy.asarray(sample.image)[:, :, ::-1]
    start = time.perf_counter()
    found, _ = program(pixels)
    return found or [], time.perf_counter() - start


def say_progress(number, samples):
    """Prints which image is read: on one line of a terminal, on lines of a file."""
    text = f"reading image {number} of {len(samples)}"
    if sys.stdout.isatty():
        print(f"\r{text}", end="\n" if number == len(samples) else "", flush=True)
    else:
        print(f"{text}: {samples[number - 1].name}", flush=True)


def main():
    parser = argparse.ArgumentParser(prog="x demo", description=__doc__)
    parser.add_argument("--output", type=pathlib.Path, required=True, help="folder for the results")
    parser.add_argument("--repeat", type=int, default=1, help="timed runs of each image")
    args = parser.parse_args()
    args.output.mkdir(parents=True, exist_ok=True)

    sessions = Sessions(onnxruntime.InferenceSession, args.output)
    onnxruntime.InferenceSession = sessions.open
    from rapidocr_onnxruntime import RapidOCR

    logging.disable(logging.WARNING)
    programs = {}
    for engine in ENGINES:
        print(f"opening three models with {engine}", flush=True)
        sessions.engine = engine
        programs[engine] = RapidOCR()

    rows = []
    for number, sample in enumerate(samples := render(), 1):
        say_progress(number, samples)
        texts, seconds = {}, {engine: [] for engine in ENGINES}
        # The first pass compares every tensor; the timed ones alternate.
        sessions.checking = True
        found, _ = read(programs["dyn"], sample)
        sessions.checking = False
        texts["dyn"] = [text for _, text, _ in found]
        for _ in range(args.repeat):
            for engine in ENGINES:
                result, taken = read(programs[engine], sample)
                seconds[engine].append(taken)
                texts.setdefault(engine, [text for _, text, _ in result])
        medians = {engine: statistics.median(times) for engine, times in seconds.items()}
        rows.append(Row(sample, found, texts, medians))
    print()

    report.table(rows)
    report.models(sessions)
    report.annotate(rows, args.output / "images.png")
    report.plot(sessions, args.output / "latency.png")

    same = sum(row.same for row in rows)
    compiles = {model: len(times) for model, times in sessions.compiles.items()}
    print(f"\n{same} of {len(rows)} images read the same as by ONNX Runtime;", end=" ")
    print(f"{sum(compiles.values())} compiles for {len(compiles)} models")
    total = {engine: sum(row.seconds[engine] for row in rows) for engine in ENGINES}
    print(f"all images: dyn {total['dyn']:.2f} s, ONNX Runtime {total['onnxruntime']:.2f} s")
    print(f"see {args.output / 'images.png'} and {args.output / 'latency.png'}")
    return int(same < len(rows) or any(count != 1 for count in compiles.values()))


if __name__ == "__main__":
    sys.exit(main())
