# ===- corpus.py - Valid files, to be damaged ------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small files of each kind that tools read. Each function writes some to a folder, with the
other files that the tools need, and returns their paths."""

import pathlib
import subprocess
import sys

import numpy as np
from generator import generate
from program import WEIGHTS_FILE, write_weights
from routes import generate_routed

MODELS = {
    "layers": """<ir_version: 10, opset_import: ["" : 21]>
layers (float[N, 8] x) => (float[N, 4] y)
<float[8, 4] w = {WEIGHT}, float[4] b = {1, 2, 3, 4}> {
  h = MatMul (x, w)
  s = Add (h, b)
  e = Erf (s)
  g = Mul (e, s)
  y = Softmax <axis = 1> (g)
}""",
    "image": """<ir_version: 10, opset_import: ["" : 21]>
image (float[N, 2, H, W] x) => (float[N, 4, P, Q] y)
<float[4, 2, 2, 2] w = {WEIGHT}, float[4] one = {1, 1, 1, 1}> {
  c = Conv <kernel_shape = [2, 2], pads = [1, 1, 1, 1]> (x, w)
  n = BatchNormalization <epsilon = 0.001> (c, one, one, one, one)
  r = Relu (n)
  p = MaxPool <kernel_shape = [2, 2], strides = [2, 2], ceil_mode = 1> (r)
  scales = Constant <value_floats = [1.0, 1.0, 2.0, 2.0]> ()
  y = Resize <mode = "linear"> (p, , scales)
}""",
    "shapes": """<ir_version: 10, opset_import: ["" : 21]>
shapes (float[N, M] x, int64[K] i) => (float[A, B] y, int64[C, D] z)
<int64[2] sizes = {-1, 4}, int64[4] widths = {0, 1, 2, 0}, int64[1] one = {1},
 int64[1] last = {1000}> {
  s = Shape (x)
  g = Gather <axis = 0> (s, one)
  t = Concat <axis = 0> (g, one)
  u = Slice (x, one, last)
  r = Reshape (x, sizes)
  w = Gather <axis = 0> (r, i)
  e = Unsqueeze (w, one)
  q = Squeeze (e, one)
  y = Pad (q, widths)
  z = NonZero (u)
}""",
    "control": """<ir_version: 10, opset_import: ["" : 21]>
control (float[N] x, int64 n, bool c) => (float[N] y, float[T, N] all)
<float two = {2}> {
  y, all = Loop (n, c, x) <body = body (int64 i, bool p, float[N] v) =>
      (bool q, float[N] w, float[N] o) {
    q = Identity (p)
    w = If (p) <then_branch = yes () => (float[N] a) { a = Mul (v, two) },
                else_branch = no () => (float[N] b) { b = Neg (v) }>
    o = Identity (w)
  }>
}""",
    "sequences": """<ir_version: 10, opset_import: ["" : 21]>
sequences (float[4, N] x, float[M, N] z, bool p, int64 i) => (float[A, N] y, int64 n, float[N] r)
<int64 two = {2}, int64 first = {0}> {
  s = SplitToSequence <axis = 0> (x, two)
  t = SequenceInsert (s, z, first)
  m = SequenceMap <body = body (float[P, N] a) => (float[P, N] b) { b = Abs (a) }> (t)
  u = If (p) <then_branch = yes () => (seq(float[P, N]) c) { c = SequenceErase (m) },
              else_branch = no () => (seq(float[P, N]) d) { d = SequenceConstruct (x, z) }>
  l = Loop (two, , u) <body = step (int64 j, bool q, seq(float[P, N]) v) =>
      (bool w, seq(float[P, N]) k) {
    w = Identity (q)
    e = SequenceAt (v, j)
    k = SequenceInsert (v, e)
  }>
  n = SequenceLength (l)
  y = ConcatFromSequence <axis = 0> (l)
  h = SplitToSequence <keepdims = 0> (x)
  r = SequenceAt (h, i)
}""",
    "attention": """<ir_version: 13, opset_import: ["" : 26, "ai.onnx.preview" : 1]>
attention (float[B, 4, S, D] q, float[B, 2, T, D] k, float[B, 2, T, 3] v) => (float[B, 4, S, 3] y)
<float two = {2}> {
  y = ai.onnx.preview.FlexAttention <
      score_mod = score (float[B, H, S, T] a) => (float[B, H, S, T] b) { b = Mul (a, two) },
      prob_mod = weigh (float[B, H, S, T] c) => (float[B, H, S, T] d) { d = Sqrt (c) }> (q, k, v)
}""",
    "recurrent": """<ir_version: 10, opset_import: ["" : 21]>
recurrent (float[T, B, 2] x) => (float[T, D, B, 2] y, float[D, B, 2] h)
<float[1, 8, 2] w = {WEIGHT}, float[1, 8, 2] r = {WEIGHT}> {
  y, h = LSTM <hidden_size = 2> (x, w, r)
}""",
    "quantised": """<ir_version: 10, opset_import: ["" : 21]>
quantised (float[N, 4] x) => (float[N, 2] y)
<uint8[4, 2] w = {1, 2, 3, 4, 5, 6, 7, 8}, float scale = {0.1}, uint8 zero = {3}> {
  a, s, z = DynamicQuantizeLinear (x)
  m = MatMulInteger (a, w, z, zero)
  f = Cast <to = 1> (m)
  y = Mul (f, scale)
}""",
}
COUNTS = {"layers": [32], "image": [32], "recurrent": [16, 16]}
ARTIFACT = """dhlo.dim @N in [0, 64]
func.func @main(%in: tensor<?x4xf32, #dhlo.dims<N>> {dhlo.name = "in"})
    -> (tensor<?x8xf32, #dhlo.dims<N>> {dhlo.name = "out"}) attributes {dhlo.entry} {
  %w = dhlo.weight <"weights.bin", offset = 0, length = 128, key = "w"> : tensor<4x8xf32>
  %y = dhlo.dot_general %in, %w batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x4xf32, #dhlo.dims<N>>, tensor<4x8xf32>) -> tensor<?x8xf32, #dhlo.dims<N>>
  %z = dhlo.softmax %y axis = 1 : tensor<?x8xf32, #dhlo.dims<N>>
  return %z : tensor<?x8xf32, #dhlo.dims<N>>
}
"""


def written(path, data):
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def make_onnx(folder):
    import onnx.parser

    paths = []
    for name, text in MODELS.items():
        for count in COUNTS.get(name, []):
            numbers = ", ".join(str(n % 7 - 3) for n in range(count))
            text = text.replace("WEIGHT", numbers, 1)
        model = onnx.parser.parse_model(text)
        paths.append(written(folder / f"{name}.onnx", model.SerializeToString()))
    return paths


def make_nodes(folder):
    """ONNX's own tests, which consist of one or a few nodes."""
    sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "Integration" / "Inputs"))
    import onnx_suite

    models = {case.name: case.model.SerializeToString() for case in onnx_suite.collect()}
    return [
        written(folder / f"{name}.onnx", data) for name, data in models.items() if len(data) < 50000
    ]


def programs(count):
    """Short texts of random programs, half of them with routers."""
    texts = (make(seed).text() for seed in range(4 * count) for make in (generate, generate_routed))
    return [text for text in texts if len(text) < 6000][:count]


def make_text(folder):
    write_weights(folder)
    return [written(folder / f"{i}.mlir", text) for i, text in enumerate(programs(40))]


def make_bytecode(folder):
    paths = []
    for path in make_text(folder):
        paths.append(path.with_suffix(".mlirbc"))
        command = ["dyn-opt", path, "--emit-bytecode", "-o", paths[-1]]
        subprocess.run(command, check=True, capture_output=True)
    return paths


def compiled(folder):
    """An artifact with constants."""
    write_weights(folder)
    source, artifact = written(folder / "model.mlir", ARTIFACT), folder / "model.so"
    command = ["dyn-compile", source, "-o", artifact, "--isa=v2,v3", "-O1"]
    subprocess.run(command, check=True)
    return artifact


def make_artifact(folder):
    written(folder / "input.raw", np.ones((3, 4), np.float32).tobytes())
    return [compiled(folder)]


def make_weights(folder):
    """A program, and the file of its weights as PyTorch's frontend writes it."""
    from safetensors.numpy import save

    data = save({"w": np.ones((4, 8), np.float32), "b": np.ones(8, np.float32)})
    begin = 8 + int.from_bytes(data[:8], "little")
    text = ARTIFACT.replace(WEIGHTS_FILE, "weights.safetensors")
    written(folder / "weighted.mlir", text.replace("offset = 0,", f"offset = {begin + 32},"))
    return [written(folder / "weights.safetensors", data)]


def make_inputs(folder):
    compiled(folder)
    np.savez(folder / "stored.npz", **{"in": np.ones((3, 4), np.float32)})
    np.savez_compressed(folder / "deflated.npz", **{"in": np.ones((3, 4), np.float32)})
    return [folder / "stored.npz", folder / "deflated.npz"]


def make_profile(folder):
    """The profile that the interpreter records for a program."""
    program = generate_routed(3)
    source = written(folder / "routed.mlir", program.text())
    write_weights(folder)
    inputs = {
        name: np.zeros(shape, np.float32 if dtype == "f32" else np.int8)
        for name, shape, dtype in program.input_shapes({"N": 5, "M": 2})
    }
    np.savez(folder / "in.npz", **inputs)
    profile = folder / "profile.json"
    command = ["dyn-run", source, "--reference", "--inputs", folder / "in.npz"]
    subprocess.run([*command, "--profile-out", profile], check=True, capture_output=True)
    return [profile]
