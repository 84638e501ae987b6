# ===- change_in_host.py - A model that changes in one host ----------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""change_in_host.py HOST OPERATOR ARTIFACT SOURCE

Calls a mixture of experts until it has compiled itself for its routes, which no profile
knew, and a static variant of its size has been measured. All calls must have the same bits.
"""

import json
import sys
import time

import numpy as np


def open_libtorch(operator, artifact):
    import torch

    torch.ops.load_library(operator)

    def run(x, path=artifact, **options):
        return torch.ops.dyn.run([torch.from_numpy(x)], path, **options)[0].numpy()

    return run, lambda: json.loads(torch.ops.dyn.report(artifact))


def open_tensorflow(operator, artifact):
    import tensorflow as tf

    operations = tf.load_op_library(operator)

    def run(x, path=artifact, **options):
        (y,) = operations.dyn_run(inputs=[tf.constant(x)], path=path, Tout=[tf.float32], **options)
        return y.numpy()

    def report():
        # Of all operations with these options, which are one, and of no others.
        (only,) = json.loads(operations.dyn_report(path=artifact).numpy())
        return only

    assert operations.dyn_report(path="none.so").numpy() == b"[]"
    return run, report


def call_until(call, report, holds, seconds=240):
    """Calls until the report is as it should be."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for _ in range(50):
            call()
        if holds(report()):
            return report()
    raise AssertionError(f"the report stays {report()}")


def main():
    host, operator, artifact, source = sys.argv[1:]
    run, report = globals()[f"open_{host}"](operator, artifact)
    x = np.repeat(np.random.default_rng(5).standard_normal((1, 16), "float32"), 512, 0)
    options = {"source": source, "mode": "auto", "reoptimise": True, "window": 0.02, "hot": 0.2}
    for name in ("window", "hot"):
        try:
            run(x, **{**options, name: -1.0})
        except Exception as error:
            assert f"{name}: expected seconds" in str(error), error
        else:
            raise AssertionError(name)
    expected = run(x, **options).tobytes()

    def call():
        assert run(x, **options).tobytes() == expected

    def has_drifted(report):
        return any("router 'layers." in variant["reason"] for variant in report["variants"])

    found = call_until(call, report, has_drifted)
    (variant,) = (v for v in found["variants"] if "router 'layers." in v["reason"])
    number = variant["number"]
    # Calls take it, except where a static variant is measured or kept.
    call_until(
        call,
        report,
        lambda report: (
            any(v["number"] == number and v["calls"] for v in report["variants"])
            and any(size["state"] in ("kept", "rejected") for size in report["auto"]["sizes"])
        ),
    )
    assert report()["failures"] == 0, report()


if __name__ == "__main__":
    main()
