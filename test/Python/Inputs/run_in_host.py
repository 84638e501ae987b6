# ===- run_in_host.py - Run an artifact in one host ------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""run_in_host.py HOST ARTIFACT OPERATOR INPUTS.npz OUTPUTS.npz

Runs the first entry of an artifact and saves its outputs as "0", "1", ... Each host is a
separate process, which shows that the artifact does not depend on the others. Inputs are in
the order of the archive.
"""

import sys

import numpy as np


def run_python(artifact, operator, inputs):
    import dyn

    return list(dyn.load(artifact).run(inputs))


def run_libtorch(artifact, operator, inputs):
    import torch

    torch.ops.load_library(operator)
    tensors = [torch.from_numpy(value) for value in inputs]
    return [t.numpy() for t in torch.ops.dyn.run(tensors, artifact)]


def run_tensorflow(artifact, operator, inputs):
    import dyn
    import tensorflow as tf

    operations = tf.load_op_library(operator)
    types = [port.numpy_dtype for port in dyn.load(artifact).outputs]
    outputs = operations.dyn_run(
        inputs=[tf.constant(value) for value in inputs],
        path=artifact,
        Tout=[tf.as_dtype(dtype) for dtype in types],
    )
    return [output.numpy() for output in outputs]


def main():
    host, artifact, operator, inputs, outputs = sys.argv[1:]
    with np.load(inputs) as archive:
        values = [archive[name] for name in archive.files]
    results = globals()[f"run_{host}"](artifact, operator, values)
    np.savez(outputs, **{str(i): value for i, value in enumerate(results)})


if __name__ == "__main__":
    main()
