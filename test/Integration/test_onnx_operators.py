# ===- test_onnx_operators.py - Operators of ONNX at sizes of our own ------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that the importer decomposes, compared with ONNX's reference evaluator.

All sizes are dynamic when a model is imported, unless its graph states one. Each model is
run at several sizes, by the interpreter and compiled.
"""

import dataclasses

import numpy as np
import onnx
import onnx.parser
import onnxruntime
import pytest
from onnx.reference import ReferenceEvaluator
from test_onnx_suite import compare, run, translate


@dataclasses.dataclass
class Case:
    name: str
    opset: int
    graph: str  # in the syntax of onnx.parser
    calls: list  # sizes of the inputs, or arrays
    #: For operators that the reference evaluator lacks: ONNX Runtime is used.
    runtime: bool = False


def ints(*values):
    return np.array(values, np.int64)


CASES = [
    Case(
        "attention_window",
        25,
        "(float[N,4,S,D] q, float[N,2,T,D] k, float[N,2,T,E] v) => (float[A,B,C,F] y)"
        "{ y = Attention <left_window_size = 2, right_window_size = 1> (q, k, v) }",
        [[(2, 4, 5, 6), (2, 2, 7, 6), (2, 2, 7, 3)], [(1, 4, 1, 3), (1, 2, 9, 3), (1, 2, 9, 5)]],
    ),
    Case(
        "attention_padding",
        25,
        "(float[N,4,S,D] q, float[N,2,T,D] k, int64[N] l) => (float[A,B,C,F] y)"
        "{ y = Attention <is_causal = 1, left_window_size = 3> (q, k, k, , , , l) }",
        [
            [(3, 4, 2, 6), (3, 2, 7, 6), ints(7, 4, 1)],
            [(1, 4, 4, 5), (1, 2, 4, 5), ints(4)],
        ],
    ),
    Case(
        "attention_softcap",
        25,
        "(float[N,S,24] q, float[N,T,12] k, float[S,T] m) => (float[A,B,C] y, float[A,D,B,E] z)"
        "{ y, , , z = Attention <q_num_heads = 4, kv_num_heads = 2, softcap = 1.5,"
        " qk_matmul_output_mode = 2, softmax_precision = 11> (q, k, k, m) }",
        [[(2, 3, 24), (2, 5, 12), (3, 5)], [(1, 1, 24), (1, 1, 12), (1, 1)]],
    ),
    Case(
        "rotary",
        23,
        "(float[N,H,S,D] x, float[N,S,K] c, float[N,S,K] s) => (float[A,B,C,E] y)"
        "{ y = RotaryEmbedding(x, c, s) }",
        [[(2, 3, 4, 6), (2, 4, 3), (2, 4, 3)], [(1, 1, 7, 2), (1, 7, 1), (1, 7, 1)]],
    ),
    Case(
        "linear_attention",
        27,
        "(float[N,T,Q] q, float[N,T,K] k, float[N,T,V] v, float[N,2,D,E] p, float[N,T,L] d,"
        " float[N,T,M] b) => (float[A,B,C] y, float[A,F,G,H] s)"
        "{ y, s = LinearAttention <q_num_heads = 4, kv_num_heads = 2> (q, k, v, p, d, b) }",
        [
            [(2, 5, 12), (2, 5, 6), (2, 5, 8), (2, 2, 3, 4), (2, 5, 6), (2, 5, 1)],
            [(1, 1, 8), (1, 1, 4), (1, 1, 2), (1, 2, 2, 1), (1, 1, 2), (1, 1, 2)],
        ],
    ),
    Case(
        "causal_conv",
        27,
        "(float[N,C,L] x, float[3,1,4] w, float[3] b, float[N,C,P] p)"
        " => (float[A,B,D] y, float[A,B,E] s)"
        '{ y, s = CausalConvWithState <activation = "silu"> (x, w, b, p) }',
        [
            [(2, 3, 9), (3, 1, 4), (3,), (2, 3, 3)],
            [(1, 3, 1), (3, 1, 4), (3,), (1, 3, 3)],
        ],
    ),
    Case(
        "sequence_positions",
        17,
        "(float[N,M] x, float[N,K] z) => (float[A,B] y, float[N,K] w, int64 n)"
        "<int64 last = {-1}, int64 first = {0}> {"
        " e = SequenceEmpty() a = SequenceInsert(e, x) b = SequenceInsert(a, z, first)"
        " c = SequenceInsert(b, x, last) d = SequenceErase(c, last) n = SequenceLength(c)"
        " w = SequenceAt(d, first) y = ConcatFromSequence <axis = -1> (d) }",
        [[(2, 3), (2, 4)], [(1, 1), (1, 0)]],
    ),
    Case(
        "sequence_split",
        11,
        "(float[N,7] x, int64 i) => (float[N] y, float[N,A] z, float[B,N,C] w) <int64 k = {3}> {"
        " s = SplitToSequence <axis = 1, keepdims = 0> (x) y = SequenceAt(s, i)"
        " t = SplitToSequence <axis = -1> (x, k) l = SequenceLength(t) o = Constant <value = int64 {1}> ()"
        " m = Sub(l, o) z = SequenceAt(t, m)"
        " u = SequenceErase(t) w = ConcatFromSequence <axis = 0, new_axis = 1> (u) }",
        [[(4, 7), ints(-1).reshape(())], [(1, 7), ints(2).reshape(())]],
    ),
    Case(
        "sequence_map",
        17,
        "(float[N,M] x, float[M] v) => (float[A,B] y) <int64[3] k = {1, 0, 2}> {"
        " s = SplitToSequence <axis = 0> (x, k)"
        " m, n = SequenceMap <body = b (float[P,M] p, float[M] q) => (float[P,M] r, float[P,M] t)"
        " { r = Add(p, q) t = Mul(r, q) }> (s, v) u = ConcatFromSequence <axis = 0> (n)"
        " w = ConcatFromSequence <axis = 0> (m) y = Concat <axis = 1> (u, w) }",
        [[(3, 4), (4,)], [(3, 1), (1,)]],
    ),
    Case(
        "sequence_branch",
        17,
        "(bool p, float[N] x) => (float[A] y) {"
        " s = If <then_branch = t () => (seq(float[N]) a) { c = Neg(x) a = SequenceConstruct(x, c) },"
        " else_branch = e () => (seq(float[N]) b) { d = Concat <axis = 0> (x, x)"
        " b = SequenceConstruct(d, x) }> (p) y = ConcatFromSequence <axis = 0> (s) }",
        [[np.array(True), (3,)], [np.array(False), (5,)]],
    ),
    Case(
        "sequence_loop",
        17,
        "(float[N] x) => (float[A,N] y, float[B,N] z) <int64 n = {4}, bool go = {1}> {"
        " s = SequenceEmpty() w, t, z = Loop <body = b (int64 i, bool c, float[N] a, seq(float[N]) q)"
        " => (bool d, float[N] e, seq(float[N]) r, float[N] f)"
        " { o = Constant <value = int64 {2}> () d = Less(i, o) e = Add(a, x) f = Mul(e, a)"
        " r = SequenceInsert(q, f) }> (n, go, x, s)"
        " y = ConcatFromSequence <axis = 0, new_axis = 1> (t) }",
        [[(3,)], [(1,)]],
    ),
    Case(
        "suppression",
        11,
        "(float[N,B,4] b, float[N,C,B] s, int64[1] m, float[1] t, float[1] l) => (int64[K,3] y)"
        "{ y = NonMaxSuppression(b, s, m, t, l) }",
        [
            [(2, 30, 4), (2, 3, 30), ints(5), np.float32([0.2]), np.float32([-0.5])],
            [(1, 12, 4), (1, 1, 12), ints(100), np.float32([0.0]), np.float32([0.0])],
            [(1, 4, 4), (1, 2, 4), ints(0), np.float32([0.5]), np.float32([0.0])],
            [(1, 4, 4), (1, 2, 4), ints(3), np.float32([0.5]), np.float32([9.0])],
        ],
    ),
    Case(
        "dft",
        20,
        "(float[N,L,M,P] x, int64 n) => (float[A,B,C,D] y) <int64 a = {1}>"
        "{ y = DFT <onesided = 1> (x, n, a) }",
        [
            [(2, 7, 3, 1), ints(7)[0]],
            [(1, 8, 2, 2), ints(5)[0]],
            [(1, 4, 1, 2), ints(9)[0]],
        ],
    ),
    Case(
        "irfft",
        20,
        "(float[N,L,2] x, int64 n) => (float[A,B,1] y)"
        "{ y = DFT <onesided = 1, inverse = 1> (x, n) }",
        [[(2, 5, 2), ints(8)[0]], [(1, 4, 2), ints(7)[0]], [(1, 9, 2), ints(6)[0]]],
    ),
    Case(
        "stft",
        17,
        "(float[N,L,1] x, float[W] w) => (float[A,B,C,2] y) <int64 s = {3}>"
        "{ y = STFT <onesided = 1> (x, s, w) }",
        [[(2, 20, 1), (8,)], [(1, 5, 1), (5,)]],
    ),
    # As PyTorch writes it.
    Case(
        "stft_real",
        17,
        "(float[N,L] x, float[W] w) => (float[A,B,C,2] y) <int64 s = {3}>"
        "{ y = STFT <onesided = 1> (x, s, w) }",
        [[(2, 20), (8,)], [(1, 5), (5,)]],
        runtime=True,
    ),
    Case(
        "mel",
        17,
        "(int64 b, int64 n, int64 r, float l, float h) => (float[A,B] y)"
        "{ y = MelWeightMatrix(b, n, r, l, h) }",
        [
            [*ints(6, 64, 16000), np.float32(20), np.float32(7000)],
            [*ints(3, 17, 8000), np.float32(0), np.float32(4000)],
        ],
    ),
    Case(
        "det",
        11,
        "(float[A,B,N,N] x) => (float[A,B] y) { y = Det(x) }",
        [[(2, 3, 4, 4)], [(1, 1, 1, 1)], [np.float32([[[[0, 2], [3, 0]], [[1, 2], [2, 4]]]])]],
    ),
    Case(
        "shift",
        11,
        '(int16[N,M] x, int16[M] n) => (int16[A,B] y){ y = BitShift <direction = "RIGHT"> (x, n) }',
        [[np.int16([[-5, 7, -300, 9]]), np.int16([1, 15, 16, -1])]],
    ),
    Case(
        "batch_training",
        15,
        "(float[N,C,L] x, float[C] s, float[C] b, float[C] m, float[C] v)"
        " => (float[A,B,D] y, float[B] p, float[B] q)"
        "{ y, p, q = BatchNormalization <training_mode = 1, momentum = 0.7> (x, s, b, m, v) }",
        [[(3, 2, 5), (2,), (2,), (2,), (2,)], [(1, 4, 3), (4,), (4,), (4,), (4,)]],
    ),
    Case(
        "blocks",
        21,
        "(float[N,M] x, float[N,B] s, int8[N,B] z) => (int8[A,C] y, float[A,C] w)"
        "{ y = QuantizeLinear <block_size = 3> (x, s, z)"
        "  w = DequantizeLinear <block_size = 3> (y, s, z) }",
        [
            [(2, 6), np.float32([[0.1, 0.2], [0.3, 0.4]]), np.int8([[1, 2], [-3, 4]])],
            [(1, 3), np.float32([[0.5]]), np.int8([[0]])],
        ],
    ),
    Case(
        "empty_update",
        24,
        "(float[N,S,D] c, float[N,U,D] u, int64[N] p) => (float[A,B,E] y)"
        "{ y = TensorScatter <axis = 1> (c, u, p) }",
        [[(2, 5, 3), (2, 0, 3), ints(1, 4)], [(2, 5, 3), (2, 2, 3), ints(1, 3)]],
    ),
    Case(
        "unique_rows",
        11,
        "(int64[N,M,K] x) => (int64[A,B,C] y, int64[D] f, int64[E] i, int64[G] n)"
        "{ y, f, i, n = Unique <axis = 1, sorted = 1> (x) }",
        [
            [np.array([[[2, 1], [1, 5], [2, 1], [1, 4]], [[0, 3], [7, 7], [0, 3], [7, 7]]])],
            [np.array([[[3], [1], [3], [2], [1]]])],
        ],
    ),
    Case(
        "bits",
        26,
        "(uint32[N] x, int8[M] z) => (int32[A] y, uint8[B] w)"
        "{ y = BitCast <to = 6> (x) w = BitCast <to = 2> (z) }",
        [[np.uint32([0, 2**31, 2**32 - 1]), np.int8([-128, -1, 5])]],
    ),
    Case(
        "deform_conv",
        19,
        "(float[N,C,H,W] x, float[4,2,2,3] w, float[N,O,P,Q] o, float[4] b, float[N,M,P,Q] m)"
        " => (float[A,D,E,F] y)"
        "{ y = DeformConv <group = 2, offset_group = 2, strides = [2, 1], pads = [1, 0, 0, 1],"
        " dilations = [2, 1]> (x, w, o, b, m) }",
        [
            [(2, 4, 7, 6), (4, 2, 2, 3), (2, 24, 3, 5), (4,), (2, 12, 3, 5)],
            [(1, 4, 4, 2), (4, 2, 2, 3), (1, 24, 2, 1), (4,), (1, 12, 2, 1)],
        ],
    ),
    Case(
        "scan",
        21,
        "(float[S] z, float[N,M] x) => (float[A] t, float[B,C] y)"
        "{ t, y = Scan <num_scan_inputs = 1, body = b (float[K] s, float[L] a)"
        " => (float[K] n, float[K] o) { n = Add(s, a) o = Mul(n, n) }> (z, x) }",
        [[(4,), (3, 4)], [(1,), (5, 1)]],
    ),
    Case(
        "pool_indices",
        12,
        "(float[N,C,H,W] x) => (float[A,B,D,E] y, int64[A,B,D,E] p)"
        "{ y, p = MaxPool <kernel_shape = [3, 2], strides = [2, 1], pads = [1, 1, 2, 0],"
        " dilations = [1, 2]> (x) }",
        [[(2, 3, 7, 6)], [(1, 1, 3, 3)], [np.zeros((1, 2, 4, 4), np.float32)]],
    ),
    Case(
        "pool_indices_columns",
        12,
        "(float[N,C,H,W] x) => (float[A,B,D,E] y, int64[A,B,D,E] p)"
        "{ y, p = MaxPool <kernel_shape = [2, 3], storage_order = 1> (x) }",
        [[(2, 3, 4, 6)], [(1, 2, 2, 3)]],
        runtime=True,
    ),
    Case(
        "region_pool",
        21,
        "(float[N,C,H,W] x, float[R,5] r) => (float[A,B,3,2] y)"
        "{ y = MaxRoiPool <pooled_shape = [3, 2], spatial_scale = 0.5> (x, r) }",
        [
            [(2, 3, 7, 6), np.float32([[1, 2, 1, 9, 12], [0, 0, 0, 0, 0], [0, 9, 9, 40, 50]])],
            [(1, 1, 1, 1), np.float32([[0, 0, 0, 0, 0]])],
            [(1, 2, 9, 9), np.float32([[0, 30, 30, 40, 40], [0, 5, 3, 2, 1]])],
        ],
        runtime=True,
    ),
    *(
        Case(
            f"region_align_{mode}_{coordinates}",
            16,
            "(float[N,C,H,W] x, float[R,4] r, int64[R] i) => (float[A,B,D,E] y)"
            f'{{ y = RoiAlign <mode = "{mode}", output_height = 3, output_width = 2,'
            f' coordinate_transformation_mode = "{coordinates}", spatial_scale = 0.5> (x, r, i) }}',
            [
                [
                    (2, 3, 9, 8),
                    np.float32([[1, 2, 17, 15], [3, 3, 3, 3], [2, 9, 4, 30]]),
                    ints(1, 0, 1),
                ],
                [(1, 1, 1, 1), np.float32([[0, 0, 0, 0]]), ints(0)],
                [(1, 2, 30, 5), np.float32([[-3, -8, 9, 59], [1, 40, 2, 41]]), ints(0, 0)],
                [(1, 2, 4, 4), (0, 4), np.zeros(0, np.int64)],
            ],
            runtime=True,
        )
        for mode in ("avg", "max")
        for coordinates in ("half_pixel", "output_half_pixel")
    ),
    Case(
        "grams",
        9,
        "(int64[N,C] x) => (float[A,B] y)"
        '{ y = TfIdfVectorizer <mode = "TFIDF", min_gram_length = 1, max_gram_length = 3,'
        " max_skip_count = 1, pool_int64s = [2, 0, 7, 1, 2, 2, 0, 0, 1, 2],"
        " ngram_counts = [0, 3, 7], ngram_indexes = [5, 1, 0, 2, 3, 4],"
        " weights = [1.0, 0.5, 2.0, 3.0, 0.25, 4.0]> (x) }",
        [
            [np.array([[0, 1, 2, 1, 2, 2, 0, 0], [7, 7, 2, 0, 0, 1, 1, 2]])],
            [np.array([[0, 1, 2], [2, 2, 0], [1, 0, 2]])],
            [np.array([[0]])],
        ],
        runtime=True,
    ),
    Case(
        "grams_that_share_columns",
        9,
        "(int64[C] x) => (float[A] y)"
        '{ y = TfIdfVectorizer <mode = "TFIDF", min_gram_length = 1, max_gram_length = 1,'
        " max_skip_count = 0, pool_int64s = [2, 0, 7], ngram_counts = [0],"
        " ngram_indexes = [0, 4, 4], weights = [1.0, 10.0, 100.0]> (x) }",
        [[np.array([0, 1, 2, 7, 7, 7])], [np.array([2])]],
        runtime=True,
    ),
    Case(
        "rnn_activations",
        14,
        "(float[T,B,3] x, float[1,2,3] w, float[1,2,2] r) => (float[T,1,B,2] y, float[T,1,B,2] z)"
        '{ y = RNN <hidden_size = 2, activations = ["Tanh", "Tanh"]> (x, w, r)'
        ' z = RNN <hidden_size = 2, activations = ["ThresholdedRelu"],'
        " activation_alpha = [0.1]> (x, w, r) }",
        [[(4, 2, 3), (1, 2, 3), (1, 2, 2)]],
        runtime=True,
    ),
    Case(
        "gru_activations",
        14,
        "(float[T,B,3] x, float[2,6,3] w, float[2,6,2] r) => (float[T,2,B,2] y, float[T,2,B,2] z)"
        "{ y = GRU <hidden_size = 2, direction = "
        '"bidirectional", activations = ["HardSigmoid", "Softsign", "Affine", "LeakyRelu"],'
        " activation_alpha = [0.3, 0.5, 0.2], activation_beta = [0.4, 0.1]> (x, w, r)"
        ' z = GRU <hidden_size = 2, direction = "bidirectional",'
        " activation_alpha = [0.0], activation_beta = [0.0]> (x, w, r) }",
        [[(4, 2, 3), (2, 6, 3), (2, 6, 2)], [(1, 1, 3), (2, 6, 3), (2, 6, 2)]],
        runtime=True,
    ),
    Case(
        "lstm_activations",
        14,
        "(float[T,B,3] x, float[1,8,3] w, float[1,8,2] r) => (float[T,1,B,2] y)"
        "{ y = LSTM <hidden_size = 2, activations = "
        '["Sigmoid", "ScaledTanh", "Elu"], activation_alpha = [0.7, 0.9],'
        " activation_beta = [0.6]> (x, w, r) }",
        [[(4, 2, 3), (1, 8, 3), (1, 8, 2)]],
        runtime=True,
    ),
    Case(
        "scan_within_lengths",
        8,
        "(int64[N] l, float[N,K] z, float[N,T,K] x) => (float[N,K] t, float[N,T,K] y)"
        "{ t, y = Scan <num_scan_inputs = 1, directions = [1], body = b (float[K] s,"
        " float[K] a) => (float[K] n, float[K] o) { n = Add(s, a) o = Mul(n, n) }> (l, z, x) }",
        [[ints(2, 4, 1), (3, 3), (3, 4, 3)], [ints(1), (1, 2), (1, 1, 2)]],
        runtime=True,
    ),
    Case(
        "shrunk_by_the_first_resize",
        10,
        "(float[1,1,N,M] x) => (float[1,1,A,B] y, float[1,1,C,D] z)"
        "<float[4] s = {1.0, 1.0, 0.6, 0.6}, float[4] t = {1.0, 1.0, 1.5, 0.4}>"
        '{ y = Resize <mode = "nearest"> (x, s) z = Resize <mode = "nearest"> (x, t) }',
        [[(1, 1, 2, 4)], [(1, 1, 5, 9)]],
        runtime=True,
    ),
    Case(
        "centres_of_the_first_resize",
        11,
        "(float[1,1,N] x) => (float[1,1,A] y)"
        "<float[6] r = {0.0, 0.0, 0.0, 1.0, 1.0, 1.0}, float[3] s = {1.0, 1.0, 2.6}>"
        '{ y = Resize <mode = "nearest", nearest_mode = "floor",'
        ' coordinate_transformation_mode = "tf_half_pixel_for_nn"> (x, r, s) }',
        [[(1, 1, 4)], [(1, 1, 7)]],
        runtime=True,
    ),
    Case(
        "resized_to_one",
        18,
        "(float[1,1,1,N] x) => (float[1,1,1,A] y) <int64[4] s = {1, 1, 1, 1}>"
        '{ y = Resize <mode = "cubic", exclude_outside = 1,'
        ' coordinate_transformation_mode = "pytorch_half_pixel"> (x, , , s) }',
        [[(1, 1, 1, 3)], [(1, 1, 1, 6)]],
        runtime=True,
    ),
    Case(
        "turned_round",
        13,
        "(float[N,3] x) => (float[A,3] y, float[B,3] z)"
        "<int64[1] s = {-1}, int64[1] e = {-9223372036854775808}, int64[1] a = {0},"
        " int64[1] d = {-1}, int64[1] f = {-2}>"
        "{ y = Slice(x, s, e, a, d) z = Slice(x, s, e, a, f) }",
        [[(0, 3)], [(1, 3)], [(4, 3)]],
    ),
    Case(
        "sequence_until",
        17,
        "(float[N] x) => (float[A,N] y) <bool go = {1}> {"
        " s = SequenceEmpty() t = Loop <body = b (int64 i, bool c, seq(float[N]) q)"
        " => (bool d, seq(float[N]) r)"
        " { o = Constant <value = int64 {2}> () d = Less(i, o) r = SequenceInsert(q, x) }> (, go, s)"
        " y = ConcatFromSequence <axis = 0, new_axis = 1> (t) }",
        [[(3,)]],
    ),
    Case(
        "sizes_as_unsigned",
        13,
        "(float[N,M] x) => (uint64[2] y, uint32[2] z)"
        "{ s = Shape(x) y = Cast <to = 13> (s) z = Cast <to = 12> (s) }",
        [[(3, 4)], [(0, 1)]],
    ),
    Case(
        "grams_of_a_row",
        9,
        "(int32[C] x) => (float[A] y)"
        '{ y = TfIdfVectorizer <mode = "IDF", min_gram_length = 2, max_gram_length = 2,'
        " max_skip_count = 0, pool_int64s = [9, 8, 1, 2, 3, 4], ngram_counts = [0, 2],"
        " ngram_indexes = [0, 3, 1, 2]> (x) }",
        [[np.int32([1, 2, 1, 2, 3])], [np.int32([4])]],
        runtime=True,
    ),
]


CASES += [
    Case(
        "short_sums",
        13,
        "(float[N,M,1] x, float[N,1,L] f, float[M,3] u, float[3,L] v) => (float[N,M,L] y)"
        "{ a = MatMul(x, f) b = MatMul(u, v) y = Add(a, b) }",
        [[(2, 5, 1), (2, 1, 17), (5, 3), (3, 17)], [(0, 1, 1), (0, 1, 1), (1, 3), (3, 1)]],
    ),
]


def col2im(sizes, block, attributes=""):
    axes = ", ".join("ABCDE"[: 2 + len(sizes)])
    sizes, block = (
        f"int64[{len(v)}] {n} = {{{str(v)[1:-1]}}}" for n, v in (("s", sizes), ("b", block))
    )
    return (
        f"(float[N,C,L] x) => (float[{axes}] y) <{sizes}, {block}>"
        f"{{ y = Col2Im <{attributes}> (x, s, b) }}"
    )


CASES += [
    Case(
        "col2im_strides",
        18,
        col2im((7, 8), (3, 2), "strides = [2, 3], pads = [1, 0, 2, 1]"),
        [[(2, 12, 12)], [(1, 6, 12)]],
        runtime=True,
    ),
    Case(
        "col2im_dilations",
        18,
        col2im((8, 7), (2, 3), "strides = [3, 1], dilations = [2, 2]"),
        [[(1, 6, 6)], [(3, 18, 6)]],
        runtime=True,
    ),
    Case(
        "col2im_blocks", 18, col2im((6, 6), (3, 2), "strides = [3, 2]"), [[(2, 6, 6)]], runtime=True
    ),
    Case(
        "col2im_volume",
        18,
        col2im((3, 2, 4), (2, 1, 2), "strides = [1, 1, 2]"),
        [[(2, 8, 8)]],
        runtime=True,
    ),
]


def resize(attributes, inputs="(x, , s)", constant="<float[2] s = {0.6, 1.7}>"):
    return f"(float[N,M] x) => (float[A,B] y) {constant} {{ y = Resize <{attributes}> {inputs} }}"


CASES += [
    Case("antialias", 19, resize('mode = "linear", antialias = 1'), [[(7, 9)], [(20, 5)]]),
    Case("antialias_cubic", 19, resize('mode = "cubic", antialias = 1'), [[(7, 9)], [(20, 5)]]),
    Case("outside", 19, resize('mode = "cubic", exclude_outside = 1'), [[(7, 9)], [(20, 5)]]),
    Case(
        "symmetric",
        19,
        resize('mode = "linear", coordinate_transformation_mode = "half_pixel_symmetric"'),
        [[(7, 9)], [(20, 5)]],
    ),
    Case(
        "corners",
        19,
        resize('mode = "linear", coordinate_transformation_mode = "align_corners"'),
        [[(7, 9)], [(20, 5)]],
    ),
    Case(
        "crop",
        19,
        resize(
            'mode = "linear", coordinate_transformation_mode = "tf_crop_and_resize",'
            " extrapolation_value = 9.0",
            "(x, r, , s)",
            "<int64[2] s = {4, 5}, float[4] r = {0.2, -0.1, 0.7, 1.2}>",
        ),
        [[(7, 9)], [(20, 5)]],
    ),
    Case(
        "ratio",
        19,
        resize(
            'mode = "linear", keep_aspect_ratio_policy = "not_larger"',
            "(x, , , s)",
            "<int64[2] s = {7, 8}>",
        ),
        [[(3, 4)], [(10, 6)], [(9, 21)]],
    ),
]


def fill(random, value):
    if isinstance(value, tuple):
        return random.standard_normal(value).astype(np.float32)
    return np.asarray(value)


class Runner:
    """A model, imported or compiled once."""

    def __init__(self, model, folder, compiled):
        self.folder = folder
        path = folder / "model.onnx"
        done = translate(model, path, compiled)
        assert done.returncode == 0, done.stderr
        self.program = [f"{path}.so"] if compiled else ["--reference", f"{path}.mlir"]

    def __call__(self, inputs):
        np.savez(self.folder / "in.npz", **inputs)
        result = f"{self.folder}/out.npz"
        done = run(
            ["dyn-run", *self.program, "--inputs", f"{self.folder}/in.npz", "--output", result]
        )
        if "no interpreter" in done.stderr:
            pytest.skip("dyn-run is built without the interpreter")
        assert done.returncode == 0, done.stderr
        with np.load(result) as found:
            return dict(found)


def parse(opset, graph):
    return onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["" : {opset}]> g {graph}')


def evaluate(case, model, inputs):
    if not case.runtime:
        return ReferenceEvaluator(model).run(None, inputs)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    return session.run(None, inputs)


@pytest.mark.parametrize("compiled", [False, True], ids=["interpreted", "compiled"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_onnx_operator(tmp_path, case, compiled):
    model = parse(case.opset, case.graph)
    program = Runner(model, tmp_path, compiled)
    random = np.random.default_rng(20)
    names = [value.name for value in model.graph.input]
    for call in case.calls:
        inputs = dict(zip(names, (fill(random, value) for value in call)))
        if case.name == "batch_training":
            inputs["v"] = abs(inputs["v"])
        found = program(inputs)
        expected = evaluate(case, model, inputs)
        for value, want in zip(model.graph.output, expected):
            got, want = found[value.name], np.asarray(want)
            assert got.shape == want.shape, value.name
            assert compare(want, got, 1e-4, 1e-5), f"{value.name}: {got} for {want}"


@pytest.mark.parametrize("compiled", [False, True], ids=["interpreted", "compiled"])
def test_scan_of_a_batch(tmp_path, compiled):
    """Scan of opset 8, which the reference evaluator lacks: running sums of rows with
    lengths, from their own end if the direction is reversed."""
    model = parse(
        8,
        "(int64[N] l, float[N,K] z, float[N,T,K] x, float[N,T,K] w)"
        " => (float[N,K] t, float[N,T,K] y)"
        "{ t, y = Scan <num_scan_inputs = 2, directions = [0, 1], body = b (float[K] s,"
        " float[K] a, float[K] c) => (float[K] n, float[K] o)"
        " { m = Add(s, a) n = Add(m, c) o = Identity(n) }> (l, z, x, w) }",
    )
    program = Runner(model, tmp_path, compiled)
    random = np.random.default_rng(20)
    for lengths, size in (((5, 0, 3), 4), ((1,), 1)):
        batch, steps = len(lengths), max(lengths)
        z, x, w = (fill(random, (batch, *s, size)) for s in ((), (steps,), (steps,)))
        found = program({"l": ints(*lengths), "z": z, "x": x, "w": w})
        for row, length in enumerate(lengths):
            steps = x[row, :length] + w[row, :length][::-1]
            sums = np.cumsum([z[row], *steps], axis=0)
            assert compare(sums[-1], found["t"][row], 1e-4, 1e-5)
            assert compare(sums[1:], found["y"][row, :length], 1e-4, 1e-5)
            assert not found["y"][row, length:].any()


@pytest.mark.parametrize("compiled", [False, True], ids=["interpreted", "compiled"])
def test_multinomial(tmp_path, compiled):
    """The number of draws of each class is close to its expectation."""
    model = parse(
        22,
        "(float[N,C] x) => (int64[N,S] y)"
        "{ y = Multinomial <sample_size = 20000, dtype = 7, seed = 3.0> (x) }",
    )
    program = Runner(model, tmp_path, compiled)
    for odds in ([[0.5, 0.1, 0.4], [0.0, 1.0, 0.0]], [[1.0]]):
        with np.errstate(divide="ignore"):
            logits = np.log(np.float32(odds)) + np.float32(2)
        drawn = program({"x": logits})["y"]
        assert drawn.shape == (len(odds), 20000)
        for row, expected in zip(drawn, odds):
            found = np.bincount(row, minlength=len(expected)) / row.size
            assert np.allclose(found, expected, atol=0.02)
            assert not found[np.equal(expected, 0)].any()
