# ===- runtime_cases.py - Operators of ONNX Runtime ------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nodes of com.microsoft with inputs of named sizes. The expected results are ONNX
Runtime's, or numpy's in float64 where its CPU provider has no kernel."""

import dataclasses
import math

import numpy as np

F, H, U, I8, I32, I64 = np.float32, np.float16, np.uint8, np.int8, np.int32, np.int64
WIDTH, HEADS = 16, 4


@dataclasses.dataclass
class In:
    """An input: its sizes, names or numbers, and how its elements are made."""

    sizes: tuple
    make: object = None  # of the generator, the sizes as numbers and the named sizes
    type: object = F


@dataclasses.dataclass
class Case:
    name: str
    op: str
    inputs: list  # In, an array (a weight) or None
    attributes: dict = dataclasses.field(default_factory=dict)
    outputs: int = 1
    tolerance: float = 2e-5
    #: For operators without a CPU kernel: a function of float64 arrays.
    reference: object = None
    domain: str = "com.microsoft"
    #: Whether ONNX Runtime runs the node on empty inputs.
    empty: bool = True


CASES = []


def case(name, op, inputs, outputs=1, tolerance=2e-5, reference=None, empty=True,
         domain="com.microsoft", **attributes):  # fmt: skip
    CASES.append(Case(name, op, inputs, attributes, outputs, tolerance, reference, domain, empty))


_rng = np.random.default_rng(5)


def weight(*sizes, type=F):
    return (_rng.standard_normal(sizes) / max(1, sizes[0]) ** 0.5).astype(type)


def vector(size=WIDTH, type=F):
    return _rng.standard_normal(size).astype(type)


def seq(type=F):
    return In(("B", "S", WIDTH), type=type)


def integers(low, high, *sizes, type=I32):
    return In(sizes, lambda rng, shape, env: rng.integers(low, high, shape), type)


def quantized(*sizes, type=U):
    info = np.iinfo(type)
    return integers(info.min, info.max + 1, *sizes, type=type)


def scalar(value, type=F):
    return np.array(value, type)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def erf(x):
    return np.vectorize(math.erf)(x) if x.size else x


def gelu(x):
    return x * (1 + erf(x / 2**0.5)) / 2


def fast_gelu(x):
    return x / 2 * (1 + np.tanh((2 / np.pi) ** 0.5 * (x + 0.044715 * x**3)))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def split(x, heads=HEADS):
    b, s, d = x.shape
    return x.reshape(b, s, heads, d // heads).transpose(0, 2, 1, 3)


def merge(x):
    b, h, s, d = x.shape
    return x.transpose(0, 2, 1, 3).reshape(b, s, h * d)


def attend(q, k, v, bias=0.0):
    scores = q @ k.swapaxes(-1, -2) / q.shape[-1] ** 0.5 + bias
    return softmax(scores) @ v


# Elementwise.
case("gelu", "Gelu", [seq()])
case("fast_gelu", "FastGelu", [seq(), vector()])
case("fast_gelu_alone", "FastGelu", [seq()])
case("fast_gelu_16", "FastGelu", [seq(H), vector(type=H)], tolerance=2e-3)
case("bias_gelu", "BiasGelu", [seq(), vector()])
case("quick_gelu", "QuickGelu", [seq()], alpha=1.5)
case(
    "bias_split_gelu",
    "BiasSplitGelu",
    [seq(), vector()],
    reference=lambda x, b: (x + b)[..., : WIDTH // 2] * gelu((x + b)[..., WIDTH // 2 :]),
)
case("bias_add", "BiasAdd", [seq(), vector(), seq()], reference=lambda x, b, r: x + b + r)
case("bias_dropout", "BiasDropout", [seq(), vector(), seq()], reference=lambda x, b, r: x + b + r)
case(
    "bias_softmax",
    "BiasSoftmax",
    [In(("B", 4, "S", 8)), In(("B", 1, 1, 8))],
    axis=3,
    is_inner_broadcast=1,
    reference=lambda x, b: softmax(x + b),
)
case(
    "complex_mul",
    "ComplexMul",
    [In(("B", "S", 2)), In(("B", "S", 2))],
    reference=lambda a, b: np.stack(
        [
            a[..., 0] * b[..., 0] - a[..., 1] * b[..., 1],
            a[..., 0] * b[..., 1] + a[..., 1] * b[..., 0],
        ],
        -1,
    ),
)

# Matmuls.
case("fused_matmul", "FusedMatMul", [seq(), weight(9, WIDTH)], alpha=0.25, transB=1)
case(
    "fused_matmul_batch",
    "FusedMatMul",
    [In(("S", "B", 3, 5)), In(("B", 3, 7, 5))],
    transBatchA=1,
    transB=1,
)
case("fused_matmul_a", "FusedMatMul", [In(("B", 5, "S")), In(("B", 5, 6))], transA=1)
case("transpose_matmul", "TransposeMatMul", [seq(), seq()], transB=1, alpha=2.0)
case(
    "fused_matmul_activation",
    "FusedMatMulActivation",
    [seq(), weight(WIDTH, 5)],
    activation="Relu",
    alpha=0.5,
    reference=lambda x, w: np.maximum(x @ w / 2, 0),
)
for _name, _more in {
    "Relu": {}, "LeakyRelu": {"activation_alpha": 0.2}, "Tanh": {}, "Sigmoid": {},
    "HardSigmoid": {"activation_alpha": 0.3, "activation_beta": 0.4},
}.items():  # fmt: skip
    case(
        f"fused_gemm_{_name}",
        "FusedGemm",
        [In(("S", WIDTH)), weight(5, WIDTH), vector(5)],
        transB=1,
        alpha=0.5,
        beta=2.0,
        activation=_name,
        **_more,
    )
case(
    "gemm_fast_gelu",
    "GemmFastGelu",
    [seq(), weight(WIDTH, 5), vector(5)],
    reference=lambda x, w, b: fast_gelu(x @ w + b),
)

# Normalizations.
case(
    "skip_layer_norm",
    "SkipLayerNormalization",
    [seq(), seq(), vector(), vector(), vector()],
    epsilon=1e-5,
)
case(
    "skip_layer_norm_sum",
    "SkipLayerNormalization",
    [seq(), In(("S", WIDTH)), vector(), vector()],
    outputs=4,
    epsilon=1e-5,
)
case(
    "skip_layer_norm_16",
    "SkipLayerNormalization",
    [seq(H), seq(H), vector(type=H), vector(type=H)],
    epsilon=1e-5,
    tolerance=2e-3,
)
case(
    "skip_rms_norm",
    "SkipSimplifiedLayerNormalization",
    [seq(), seq(), vector(), vector()],
    outputs=4,
    epsilon=1e-5,
)
case(
    "simplified_layer_norm",
    "SimplifiedLayerNormalization",
    [seq(), vector()],
    domain="",
    epsilon=1e-5,
    axis=-1,
)
case(
    "embed_layer_norm",
    "EmbedLayerNormalization",
    [
        integers(0, 11, "B", "S"),
        integers(0, 2, "B", "S"),
        weight(11, WIDTH),
        weight(32, WIDTH),
        weight(2, WIDTH),
        vector(),
        vector(),
        integers(0, 2, "B", "S"),
    ],
    outputs=3,
    epsilon=1e-5,
)
case("embed_layer_norm_positions", "EmbedLayerNormalization",
     [integers(0, 11, "B", "S"), None, weight(11, WIDTH), weight(32, WIDTH), None, vector(),
      vector(), None, integers(0, 32, "B", "S")], outputs=2, epsilon=1e-5)  # fmt: skip


def group_norm(x, gamma, beta, groups, last, silu):
    x = x if not last else np.moveaxis(x, -1, 1)
    y = x.reshape(len(x), groups, -1) if x.size else x.reshape(len(x), groups, 0)
    y = (y - y.mean(-1, keepdims=True)) / np.sqrt(y.var(-1, keepdims=True) + 1e-5)
    wide = (1, -1) + (1,) * (x.ndim - 2)
    y = y.reshape(x.shape) * gamma.reshape(wide) + beta.reshape(wide)
    y = y * sigmoid(y) if silu else y
    return np.moveaxis(y, 1, -1) if last else y


case(
    "group_norm",
    "GroupNorm",
    [In(("B", "S", 5, WIDTH)), vector(), vector()],
    groups=4,
    activation=1,
    epsilon=1e-5,
    reference=lambda x, g, b: group_norm(x, g, b, 4, True, True),
)
case(
    "group_norm_first",
    "GroupNorm",
    [In(("B", WIDTH, "S", 3)), vector(), vector()],
    groups=2,
    activation=0,
    channels_last=0,
    epsilon=1e-5,
    reference=lambda x, g, b: group_norm(x, g, b, 2, False, False),
)
case("skip_group_norm", "SkipGroupNorm",
     [In(("B", "S", 5, WIDTH)), vector(), vector(), In(("B", WIDTH)), vector()], outputs=2,
     groups=4, activation=0, epsilon=1e-5,
     reference=lambda x, g, b, s, v: (
         group_norm(x + s[:, None, None] + v, g, b, 4, True, False),
         x + s[:, None, None] + v))  # fmt: skip

# Attention.
PAST = In((2, "B", HEADS, "P", WIDTH // HEADS))
_projection = [weight(WIDTH, 3 * WIDTH), vector(3 * WIDTH)]


def prefix(rng, shape, env):
    """Masks of valid tokens: at least one in each sequence."""
    return np.arange(shape[1]) < rng.integers(1, max(shape[1], 1) + 1, (shape[0], 1))


def lengths(rng, shape, env):
    return rng.integers(1, max(env["S"], 1) + 1, shape)


def ends_and_starts(rng, shape, env):
    ends = rng.integers(1, max(env["S"], 1) + 1, shape[0] // 2)
    return np.concatenate([ends, ends // 2])


MASKS = {
    "none": None,
    "ends": In(("B",), lengths, I32),
    "starts": In(("2*B",), ends_and_starts, I32),
    "keys": In(("B", "S"), prefix, I32),
    "holes": In(("B", "S"), lambda rng, shape, env: rng.integers(0, 2, shape), I32),
    "pairs": In(("B", "S", "S"), lambda rng, shape, env: rng.integers(0, 2, shape), I32),
}
for _name, _mask in MASKS.items():
    # A row without keys has scores near -10000, where floats are coarse.
    _loose = 5e-3 if _name in ("holes", "pairs") else 2e-5
    for _causal in (0, 1):
        case(
            f"attention_{_name}_{_causal}",
            "Attention",
            [seq(), *_projection, _mask],
            num_heads=HEADS,
            unidirectional=_causal,
            tolerance=_loose,
        )
case(
    "attention_past",
    "Attention",
    [seq(), *_projection, None, PAST],
    outputs=2,
    num_heads=HEADS,
    unidirectional=1,
)
case(
    "attention_past_mask",
    "Attention",
    [seq(), *_projection, In(("B", "P+S"), prefix, I32), PAST],
    outputs=2,
    num_heads=HEADS,
    scale=0.3,
)
case("attention_bias", "Attention",
     [seq(), *_projection, In(("B",), lengths, I32), None, In((1, HEADS, "S", "S"))],
     num_heads=HEADS)  # fmt: skip
case("attention_values", "Attention",
     [seq(), weight(WIDTH, 2 * WIDTH + 8), vector(2 * WIDTH + 8)], num_heads=HEADS,
     qkv_hidden_sizes=[WIDTH, WIDTH, 8], mask_filter_value=-500.0)  # fmt: skip

CACHE = In(("B", HEADS, "P", WIDTH // HEADS))
OTHER = In(("B", "T", WIDTH))
case("mha", "MultiHeadAttention", [seq(), OTHER, OTHER], num_heads=HEADS)
case("mha_causal", "MultiHeadAttention", [seq(), seq(), seq()], num_heads=HEADS, unidirectional=1)
case("mha_bias", "MultiHeadAttention",
     [seq(), OTHER, In(("B", "T", 8)), vector(2 * WIDTH + 8), None,
      In((1, HEADS, "S", "T"))], num_heads=HEADS, scale=0.7)  # fmt: skip
case(
    "mha_packed",
    "MultiHeadAttention",
    [In(("B", "S", HEADS, 3, 4))],
    num_heads=HEADS,
    reference=lambda x: merge(attend(*(x[:, :, :, i].swapaxes(1, 2) for i in range(3)))),
)
case(
    "mha_packed_keys",
    "MultiHeadAttention",
    [seq(), In(("B", "T", HEADS, 2, 4))],
    num_heads=HEADS,
    reference=lambda q, k: merge(
        attend(split(q), *(k[:, :, :, i].swapaxes(1, 2) for i in range(2)))
    ),
)
case(
    "mha_cross",
    "MultiHeadAttention",
    [seq(), In(("B", HEADS, "T", 4)), In(("B", HEADS, "T", 4))],
    num_heads=HEADS,
)
case("mha_past", "MultiHeadAttention",
     [seq(), seq(), seq(), vector(3 * WIDTH), In(("B", "P+S"), prefix, I32), None, CACHE, CACHE],
     outputs=3, num_heads=HEADS)  # fmt: skip
case(
    "mha_mask",
    "MultiHeadAttention",
    [
        seq(),
        OTHER,
        OTHER,
        None,
        In(("B",), lambda rng, s, env: rng.integers(1, max(env["T"], 1) + 1, s), I32),
    ],
    num_heads=HEADS,
)
case(
    "mha_scores",
    "MultiHeadAttention",
    [seq(), OTHER, OTHER, None, None, In(("B", 1, "S", "T"))],
    outputs=4,
    num_heads=HEADS,
)
BUFFER = In(("B", HEADS, "P+1", WIDTH // HEADS))


def used(rng, shape, env):
    """The number of rows, of a buffer of P + 1, that earlier calls have filled."""
    return np.full(shape, env["P"] // 2)


_one = In(("B", 1, WIDTH))
case("decoder_mha", "DecoderMaskedMultiHeadAttention",
     [_one, _one, _one, None, None, BUFFER, BUFFER, In((1,), used, I32), None, None,
      vector(3 * WIDTH)], outputs=3, num_heads=HEADS, past_present_share_buffer=1,
     reference=None)  # fmt: skip
case("decoder_mha_cross", "DecoderMaskedMultiHeadAttention",
     [_one, In(("B", HEADS, "T", 4)), In(("B", HEADS, "T", 4)), In(("B", "T"), prefix, I32)],
     num_heads=HEADS)  # fmt: skip


def decoder(x, w, b, past, number):
    """One token after those in the buffer."""
    q, k, v = (split(part) for part in np.split(x @ w + b, 3, -1))
    at = int(number[0])
    past = past.copy()
    past[0, :, :, at], past[1, :, :, at] = k[:, :, 0], v[:, :, 0]
    return merge(attend(q, past[0, :, :, : at + 1], past[1, :, :, : at + 1])), past


case("decoder_self", "DecoderMaskedSelfAttention",
     [_one, *_projection, None, In((2, "B", HEADS, "P+1", WIDTH // HEADS)), None,
      In((1,), used, I32)], outputs=2, num_heads=HEADS, past_present_share_buffer=1,
     reference=decoder)  # fmt: skip

DEPTH, GROUPS = 16, 2
GROUPED = In(("B", GROUPS, "P", DEPTH))


def last_of_all(rng, shape, env):
    return np.full(shape, env["P"] + env["S"] - 1)


def ragged(rng, shape, env):
    """Sequences of a call of one token whose caches have different lengths."""
    return np.append(rng.integers(0, env["P"] + 1, shape[0] - 1), env["P"]) if shape[0] else []


def count_all(rng, shape, env):
    return np.array(env["P"] + env["S"])


def count_one(rng, shape, env):
    return np.array(env["P"] + 1)


_half = np.outer(np.arange(64), 1 / 10 ** np.arange(DEPTH // 2)).astype(F)
ANGLES = [np.cos(_half), np.sin(_half)]


def grouped(name, rows, total, lens, *more, past=GROUPED, type=F, tolerance=2e-5, **attributes):
    part = In(("B", rows, GROUPS * DEPTH), type=type)
    past = dataclasses.replace(past, type=type)
    case(name, "GroupQueryAttention",
         [In(("B", rows, HEADS * DEPTH), type=type), part, part, past, past,
          In(("B",), lens, I32), In((), total, I32), *more],
         outputs=3, num_heads=HEADS, kv_num_heads=GROUPS, tolerance=tolerance, empty=False,
         **attributes)  # fmt: skip


#: A first call: the cache is empty.
FIRST = In(("B", GROUPS, 0, DEPTH))


def first_total(rng, shape, env):
    return np.array(env["S"])


def first_last(rng, shape, env):
    return np.full(shape, env["S"] - 1)


grouped("gqa_first", "S", first_total, first_last, past=FIRST)
grouped("gqa_first_rotary", "S", first_total, first_last, *ANGLES, past=FIRST, do_rotary=1)
grouped("gqa_step", 1, count_one, ragged)
grouped("gqa_step_rotary", 1, count_one, ragged, *ANGLES, do_rotary=1, rotary_interleaved=1)
grouped("gqa_step_window", 1, count_one, ragged, local_window_size=3)
grouped("gqa_window", "S", first_total, first_last, past=FIRST, local_window_size=2)
grouped("gqa_softcap", 1, count_one, ragged, softcap=2.0, scale=0.5)
grouped("gqa_smooth", 1, count_one, ragged, smooth_softmax=1)
grouped("gqa_sink", "S", first_total, first_last, None, None, None, None, vector(HEADS),
        past=FIRST)  # fmt: skip
grouped("gqa_bias", "S", first_total, first_last, None, None, None,
        In(("B", HEADS, "S", "S")), past=FIRST)  # fmt: skip
grouped(
    "gqa_buffer",
    1,
    lambda rng, s, env: np.array(max(env["P"] - 1, 1)),
    lambda rng, s, env: np.full(s, max(env["P"] - 2, 0)),
)
grouped("gqa_16", 1, count_one, ragged, type=H, tolerance=3e-3)
case("gqa_packed", "GroupQueryAttention",
     [In(("B", "S", (HEADS + 2 * GROUPS) * DEPTH)), None, None, FIRST, FIRST,
      In(("B",), first_last, I32), In((), first_total, I32), *ANGLES,
      In(("B", "S"), lambda rng, s, env: np.broadcast_to(np.arange(s[1]), s), I64)],
     outputs=3, num_heads=HEADS, kv_num_heads=GROUPS, do_rotary=1, empty=False)  # fmt: skip

_positions = integers(0, 32, "B", "S", type=I64)
_small = [weight(32, 2), weight(32, 2)]
case("rotary", "RotaryEmbedding", [seq(), _positions, *_small])
case(
    "rotary_first", "RotaryEmbedding", [seq(), integers(0, 5, 1, type=I64), *_small], interleaved=1
)
case(
    "rotary_part",
    "RotaryEmbedding",
    [In(("B", "S", 24)), _positions, *_small],
    num_heads=4,
    rotary_embedding_dim=4,
)
case("rotary_heads", "RotaryEmbedding", [In(("B", HEADS, "S", 4)), _positions, *_small])
case("rotary_16", "RotaryEmbedding",
     [seq(H), _positions, weight(32, 2, type=H), weight(32, 2, type=H)],
     tolerance=2e-3)  # fmt: skip


def packed(x, w, b, offsets, sums):
    """Each sequence separately."""
    q, k, v = np.split(x @ w + b, 3, -1)
    y = np.zeros_like(q)
    for start, end in zip(sums[:-1].astype(int), sums[1:].astype(int)):
        parts = (split(part[None, start:end]) for part in (q, k, v))
        y[start:end] = merge(attend(*parts))[0]
    return y


def token_sums(rng, shape, env):
    """Lengths whose sum is N, as equal as possible."""
    n, b = env["N"], shape[0] - 1
    return np.cumsum([0] + [n // b + (i < n % b) for i in range(b)])


def token_offsets(rng, shape, env):
    sums = token_sums(rng, (shape[0] + 1,), env)
    isword = np.arange(shape[1]) < np.diff(sums)[:, None]
    return np.argsort(~isword.ravel(), kind="stable").reshape(shape)


_tokens = [In(("B", "S"), token_offsets, I32), In(("B+1",), token_sums, I32)]
case(
    "packed_attention",
    "PackedAttention",
    [In(("N", WIDTH)), *_projection, *_tokens],
    num_heads=HEADS,
    reference=packed,
    empty=False,
)
case("packed_mha", "PackedMultiHeadAttention",
     [In(("N", WIDTH)), In(("N", WIDTH)), In(("N", WIDTH)), None, *_tokens], num_heads=HEADS,
     reference=lambda q, k, v, o, s: packed(np.concatenate([q, k, v], -1), np.eye(3 * WIDTH), 0,
                                            o, s), empty=False)  # fmt: skip


def remove_padding(x, counts):
    counts = counts.astype(int)
    isword = np.arange(x.shape[1]) < counts[:, None]
    order = np.argsort(~isword.ravel(), kind="stable")
    words = order[: counts.sum()]
    return (x.reshape(-1, x.shape[-1])[words], order.reshape(isword.shape),
            np.cumsum(np.append(0, counts)), np.array([counts.max()]))  # fmt: skip


case(
    "remove_padding",
    "RemovePadding",
    [seq(), In(("B",), lengths, I32)],
    outputs=4,
    reference=remove_padding,
    empty=False,
)


def restore_padding(x, offsets):
    y = np.zeros((offsets.size, x.shape[-1]))
    y[offsets.ravel().astype(int)[: len(x)]] = x
    return y.reshape(*offsets.shape, -1)


case(
    "restore_padding",
    "RestorePadding",
    [In(("N", WIDTH)), _tokens[0]],
    reference=restore_padding,
    empty=False,
)


def position_bias(table, queries, keys, both, most):
    """Relative positions in T5's buckets."""
    heads, buckets = table.shape[1], table.shape[0]
    table = table.reshape(heads, buckets)
    way = np.arange(int(keys))[None] - np.arange(int(queries))[:, None]
    bucket = np.zeros_like(way)
    if both:
        buckets //= 2
        bucket = (way > 0) * buckets
        way = abs(way)
    else:
        way = -np.minimum(way, 0)
    exact = buckets // 2
    far = exact + (np.log(np.maximum(way, exact) / exact) / np.log(most / exact)
                   * (buckets - exact)).astype(int)  # fmt: skip
    bucket = bucket + np.where(way < exact, way, np.minimum(far, buckets - 1))
    return table[:, bucket][None]


_lengths = [In((), lambda rng, s, env: np.array(env["S"]), I64)] * 2
for _both in (0, 1):
    case(
        f"position_bias_{_both}",
        "RelativePositionBias",
        [weight(8, HEADS), *_lengths],
        max_distance=20,
        is_bidirectional=_both,
        reference=lambda t, q, k, both=_both: position_bias(t, q, k, both, 20),
    )


def gated_bias(x, b, position, w, d, factor):
    x = split(x + b) @ w + d
    half = x.shape[-1] // 2
    u, r = (sigmoid(x[..., i * half : (i + 1) * half].sum(-1, keepdims=True)) for i in (0, 1))
    return (u * (r * factor - 1) + 2) * position


case("gated_bias", "GatedRelativePositionBias",
     [seq(), vector(), In((1, HEADS, "S", "S")), weight(WIDTH // HEADS, 8), vector(8),
      weight(1, HEADS, 1, 1)], num_heads=HEADS, reference=gated_bias)  # fmt: skip


def experts(x, scores, w1, b1, w2, b2, k=2):
    y = np.zeros_like(x)
    share = softmax(scores)
    for i, row in enumerate(x):
        best = np.argsort(-share[i], kind="stable")[:k]
        for j in best:
            part = np.maximum(w1[j] @ row + b1[j], 0)
            y[i] += (w2[j] @ part + b2[j]) * share[i, j] / share[i, best].sum()
    return y


case("experts", "MoE",
     [In(("S", WIDTH)), In(("S", 5)), weight(5, 12, WIDTH), weight(5, 12), weight(5, WIDTH, 12),
      weight(5, WIDTH)], k=2, normalize_routing_weights=1, activation_type="relu",
     reference=experts)  # fmt: skip

# Convolutions.
_filter, _narrow = weight(8, 4, 3, 3), weight(8, 3, 3, 3)
IMAGE = In(("B", 4, "Y", 7))
for _name, _more in {
    "Relu": {}, "LeakyRelu": {"activation_params": [0.1]},
    "Clip": {"activation_params": [-0.5, 0.5]}, "HardSigmoid": {"activation_params": [0.2, 0.5]},
}.items():  # fmt: skip
    case(
        f"fused_conv_{_name}",
        "FusedConv",
        [IMAGE, _filter, vector(8)],
        activation=_name,
        pads=[1, 1, 1, 1],
        **_more,
    )
case("fused_conv_sum", "FusedConv", [IMAGE, _filter, vector(8), In(("B", 8, "Y", 7))],
     activation="Relu", pads=[1, 1, 1, 1])  # fmt: skip


def conv_last(x, w, b):
    """A 3 x 3 convolution with a border of one pixel."""
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    rows, columns = x.shape[1:3]
    return sum(padded[:, i:i + rows, j:j + columns] @ w[:, :, i, j].T
               for i in range(3) for j in range(3)) + b  # fmt: skip


LAST = In(("B", "Y", 7, 4))
case("nhwc_conv", "NhwcConv", [LAST, _filter.transpose(0, 2, 3, 1).copy(), vector(8)],
     pads=[1, 1, 1, 1], kernel_shape=[3, 3],
     reference=lambda x, w, b: conv_last(x, w.transpose(0, 3, 1, 2), b))  # fmt: skip
case(
    "nhwc_fused_conv",
    "NhwcFusedConv",
    [LAST, _filter, vector(8), In(("B", "Y", 7, 8))],
    pads=[1, 1, 1, 1],
    activation="Relu",
    reference=lambda x, w, b, z: np.maximum(conv_last(x, w, b) + z, 0),
)
case(
    "nhwc_max_pool",
    "NhwcMaxPool",
    [quantized("B", "Y", 7, 4)],
    kernel_shape=[2, 2],
    strides=[1, 2],
    pads=[1, 0, 0, 0],
)

# Integers. Results may differ by one where a half is rounded.
STEP = 1.01
_q = [scalar(0.02), scalar(120, U)]
_r = [scalar(0.05), scalar(7, U)]
_out = [scalar(0.06), scalar(130, U)]
BYTES = quantized("B", "S", WIDTH)
case("qlinear_add", "QLinearAdd", [BYTES, *_q, quantized("S", WIDTH), *_r, *_out], tolerance=STEP)
case("qlinear_mul", "QLinearMul", [BYTES, *_q, BYTES, *_r, *_out], tolerance=STEP)
case("qlinear_add_signed", "QLinearAdd",
     [quantized("B", "S", type=I8), scalar(0.1), scalar(3, I8), quantized("B", "S", type=I8),
      scalar(0.2), scalar(0, I8), scalar(0.15), scalar(-4, I8)], tolerance=STEP)  # fmt: skip
case("qlinear_leaky_relu", "QLinearLeakyRelu", [BYTES, *_q, *_r], alpha=0.1, tolerance=STEP)
case(
    "qlinear_sigmoid", "QLinearSigmoid", [BYTES, *_r, scalar(1 / 255), scalar(0, U)], tolerance=STEP
)
case(
    "qlinear_softmax",
    "QLinearSoftmax",
    [BYTES, *_q, scalar(1 / 255), scalar(0, U)],
    opset=13,
    axis=-1,
    tolerance=STEP,
    empty=False,
)
case("qlinear_where", "QLinearWhere",
     [In(("B", "S", 1), lambda rng, s, env: rng.integers(0, 2, s), np.bool_), BYTES, *_q, BYTES,
      *_r, *_out], tolerance=STEP)  # fmt: skip
case("qlinear_concat", "QLinearConcat", [*_out, BYTES, *_q, BYTES, *_r], axis=1, tolerance=STEP)
case(
    "qlinear_reduce_mean",
    "QLinearReduceMean",
    [BYTES, *_q, *_r],
    axes=[2],
    keepdims=1,
    tolerance=STEP,
    reference=lambda x, s, z, t, y: np.clip(
        np.round((x - z).mean(2, keepdims=True) * s / t) + y, 0, 255
    ),
)
case(
    "qlinear_average_pool",
    "QLinearAveragePool",
    [quantized("B", 4, "Y", 7), *_q, *_r],
    kernel_shape=[2, 2],
    pads=[1, 1, 0, 0],
    tolerance=STEP,
)
case(
    "qlinear_average_pool_last",
    "QLinearAveragePool",
    [quantized("B", "Y+1", 7, 4), *_q, *_r],
    kernel_shape=[2, 3],
    channels_last=1,
    tolerance=STEP,
)
case(
    "qlinear_global_pool",
    "QLinearGlobalAveragePool",
    [quantized("B", "Y", 7, 4), *_q, *_r],
    channels_last=1,
    tolerance=STEP,
    empty=False,
)
_bytes = _rng.integers(-100, 100, (8, 4, 3, 3)).astype(I8)
case("qlinear_conv", "QLinearConv",
     [quantized("B", "Y", 7, 4), *_q, _bytes, abs(vector(8)) / 50, np.zeros(8, I8),
      scalar(0.4), scalar(128, U), _rng.integers(-900, 900, 8).astype(I32)], channels_last=1,
     pads=[1, 1, 1, 1], tolerance=STEP)  # fmt: skip
_matrix = _rng.integers(-127, 128, (WIDTH, 6)).astype(I8)
case(
    "dynamic_quantize_matmul",
    "DynamicQuantizeMatMul",
    [seq(), _matrix, scalar(0.02), scalar(3, I8), vector(6)],
    tolerance=2e-4,
    empty=False,
)
case(
    "dynamic_quantize_matmul_columns",
    "DynamicQuantizeMatMul",
    [seq(), _matrix, abs(vector(6)), np.zeros(6, I8)],
    tolerance=2e-4,
    empty=False,
)
case(
    "matmul_integer_to_float",
    "MatMulIntegerToFloat",
    [BYTES, _matrix, scalar(0.1), abs(vector(6)), scalar(120, U), np.zeros(6, I8), vector(6)],
)
case("qgemm", "QGemm",
     [quantized("S", WIDTH), *_q, _matrix.T.copy(), abs(vector(6)) / 10, np.zeros(6, I8),
      _rng.integers(-900, 900, 6).astype(I32), scalar(0.3), scalar(128, U)], transB=1,
     tolerance=STEP)  # fmt: skip
case(
    "qgemm_float",
    "QGemm",
    [quantized("S", WIDTH), *_q, _matrix, scalar(0.1), scalar(0, I8), None],
    alpha=0.5,
)
for _zeros in (None, _rng.integers(0, 256, 10).astype(U)):
    case(
        f"matmul_8_bits_{_zeros is not None}",
        "MatMulNBits",
        [In(("B", "S", 20)), _rng.integers(0, 256, (5, 2, 16)).astype(U), abs(vector(10)), _zeros],
        K=20,
        N=5,
        bits=8,
        block_size=16,
        tolerance=1e-4,
    )
_projected = _rng.integers(-127, 128, (WIDTH, 3 * WIDTH)).astype(I8)
case("qattention", "QAttention",
     [BYTES, _projected, vector(3 * WIDTH), scalar(0.02), scalar(0.01), In(("B",), lengths, I32),
      scalar(120, U), scalar(0, I8)], num_heads=HEADS, tolerance=1e-4, empty=False)  # fmt: skip
case("qattention_past", "QAttention",
     [BYTES, _projected, vector(3 * WIDTH), scalar(0.02), abs(vector(3 * WIDTH)) / 99, None,
      scalar(120, U), np.zeros(3 * WIDTH, I8), PAST], outputs=2, num_heads=HEADS,
     unidirectional=1, tolerance=1e-4, empty=False)  # fmt: skip


def table(*sizes):
    return _rng.integers(0, 256, sizes).astype(U)


case("qembed_layer_norm", "QEmbedLayerNormalization",
     [integers(0, 11, "B", "S"), integers(0, 2, "B", "S"), table(11, WIDTH), table(32, WIDTH),
      table(2, WIDTH), table(WIDTH), table(WIDTH), integers(0, 2, "B", "S"),
      *[scalar(s) for s in (0.01, 0.02, 0.03, 0.04, 0.05)],
      *[scalar(z, U) for z in (120, 130, 140, 100, 90)]], outputs=2, epsilon=1e-5,
     tolerance=1e-4)  # fmt: skip
# Unlike ONNX Runtime, states are not rounded to bytes at each step.
case(
    "dynamic_quantize_lstm",
    "DynamicQuantizeLSTM",
    [
        In(("S", "B", WIDTH)),
        _rng.integers(0, 256, (2, WIDTH, 20)).astype(U),
        _rng.integers(0, 256, (2, 5, 20)).astype(U),
        weight(2, 40),
        None,
        None,
        None,
        None,
        np.full(2, 0.005, F),
        np.full(2, 128, U),
        np.full(2, 0.005, F),
        np.full(2, 128, U),
    ],
    outputs=3,
    hidden_size=5,
    direction="bidirectional",
    tolerance=2e-2,
    empty=False,
)

# Operators that ONNX has, too, and a few others.
case("trilu", "Trilu", [In(("B", "S", 5)), scalar(1, I64)], upper=0)
case("gather_nd", "GatherND", [In((3, 4, "S")), integers(0, 3, "B", 2, type=I64)])
case("grid_sample", "GridSample", [In(("B", 19, 5, 6)), In(("B", "S", 3, 2))], mode="bilinear",
     padding_mode="border", tolerance=1e-4)  # fmt: skip
case("pad", "Pad", [In(("B", "S")), np.array([0, 1, 2, 0], I64), scalar(0.5)])
case("range", "Range", [scalar(1), scalar(7)])
case("expand_dims", "ExpandDims", [seq(), scalar(1, I32)])
case("quantize", "QuantizeLinear", [seq(), scalar(0.02), scalar(9, np.uint16)], tolerance=STEP)
case("dequantize", "DequantizeLinear", [quantized("B", "S", type=np.uint16), scalar(0.02),
                                        scalar(9, np.uint16)])  # fmt: skip
case("rfft", "Rfft", [In(("B", "S", 12))], signal_ndim=1, onesided=1, normalized=0,
     reference=lambda x: np.stack([np.fft.rfft(x).real, np.fft.rfft(x).imag], -1),
     tolerance=1e-4)  # fmt: skip
case(
    "irfft",
    "Irfft",
    [In(("B", "S", 7, 2))],
    signal_ndim=1,
    onesided=1,
    normalized=0,
    reference=lambda x: np.fft.irfft(x[..., 0] + 1j * x[..., 1]),
    tolerance=1e-4,
)
case("unique", "Unique", [In(("N",), lambda rng, s, env: rng.integers(0, 5, s))], outputs=3)
case("distances", "CDist", [In(("B", WIDTH)), In(("S", WIDTH))], metric="euclidean", tolerance=1e-4)
case("inverse", "Inverse",
     [In(("B", 5, 5), lambda rng, s, env: rng.standard_normal(s) + 3 * np.eye(5))],
     tolerance=1e-4)  # fmt: skip
case(
    "reduce_sum_integer",
    "ReduceSumInteger",
    [quantized("B", "S", type=I8)],
    axes=[1],
    keepdims=0,
    reference=lambda x: x.sum(1),
)
case(
    "mul_integer",
    "MulInteger",
    [BYTES, scalar(3, U), BYTES, scalar(5, U)],
    reference=lambda a, z, b, y: (a - z) * (b - y),
)
case(
    "matmul_integer_16",
    "MatMulInteger16",
    [integers(-99, 99, "B", "S", 5, type=np.int16), integers(-99, 99, 5, 4, type=np.int16)],
)
