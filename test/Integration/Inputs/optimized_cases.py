# ===- optimized_cases.py - Models that ONNX Runtime optimises -------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small models of commonly deployed kinds, exported to ONNX with dynamic sizes."""

import dataclasses

import numpy as np
import torch
import transformers as T
from torch import nn
from torch.nn import functional

HEADS, WIDTH = 4, 64
SMALL = dict(vocab_size=100, hidden_size=WIDTH, num_hidden_layers=2, num_attention_heads=HEADS,
             intermediate_size=128, max_position_embeddings=64)  # fmt: skip
TEXT = {0: "batch", 1: "sequence"}
IMAGE = {0: "batch", 2: "height", 3: "width"}


@dataclasses.dataclass
class Case:
    make: object
    inputs: object  # of a batch and a length
    names: list
    dynamic: list
    outputs: list
    #: The model type for the optimiser of transformers; None if it has none.
    kind: str = None
    #: Whether it is optimised for a GPU, which has other fusions.
    gpu: bool = False
    #: Whether it is exported by PyTorch's newer exporter.
    dynamo: bool = False


class Call(nn.Module):
    """Calls a module with positional tensors."""

    def __init__(self, module, function):
        super().__init__()
        self.module, self.function = module, function

    def forward(self, *args):
        return self.function(self.module, *args)


def ids(b, s, high=100):
    return torch.randint(0, high, (b, s))


def ones(b, s):
    return torch.ones(b, s, dtype=torch.int64)


def hugging(architecture, configuration, function, part=None, **settings):
    def make():
        model = architecture(configuration(attn_implementation="eager", **settings))
        return Call(getattr(model, part) if part else model, function)

    return make


def with_cache(model, words, *past):
    cache = T.DynamicCache()
    for layer in range(2):
        cache.update(past[2 * layer], past[2 * layer + 1], layer)
    out = model(input_ids=words, past_key_values=cache, use_cache=True)
    layers = out.past_key_values.layers
    return (out.logits, *[t for layer in layers for t in (layer.keys, layer.values)])


class Residual(nn.Module):
    """Two convolutions of a U-Net, with the time step's embedding between them."""

    def __init__(self, c):
        super().__init__()
        self.norms = nn.ModuleList([nn.GroupNorm(4, c) for _ in range(2)])
        self.convs = nn.ModuleList([nn.Conv2d(c, c, 3, padding=1) for _ in range(2)])
        self.step = nn.Linear(32, c)

    def forward(self, x, step):
        y = self.convs[0](functional.silu(self.norms[0](x)))
        y = y + self.step(functional.silu(step))[:, :, None, None]
        return x + self.convs[1](functional.silu(self.norms[1](y)))


class Crossing(nn.Module):
    """Self-attention, then cross-attention to a text."""

    def __init__(self, c, text):
        super().__init__()
        self.norms = nn.ModuleList([nn.LayerNorm(c) for _ in range(3)])
        self.q = nn.ModuleList([nn.Linear(c, c, bias=False) for _ in range(2)])
        self.k = nn.ModuleList([nn.Linear(w, c, bias=False) for w in (c, text)])
        self.v = nn.ModuleList([nn.Linear(w, c, bias=False) for w in (c, text)])
        self.o = nn.ModuleList([nn.Linear(c, c) for _ in range(2)])
        self.up, self.down = nn.Linear(c, 8 * c), nn.Linear(4 * c, c)

    def attend(self, i, x, y):
        b, n, c = x.shape
        q, k, v = (
            t.reshape(t.shape[0], t.shape[1], HEADS, c // HEADS).transpose(1, 2)
            for t in (self.q[i](x), self.k[i](y), self.v[i](y))
        )
        weights = torch.softmax(q @ k.transpose(-1, -2) * (c // HEADS) ** -0.5, -1)
        return self.o[i]((weights @ v).transpose(1, 2).reshape(b, n, c))

    def forward(self, x, text):
        y = self.norms[0](x)
        x = x + self.attend(0, y, y)
        x = x + self.attend(1, self.norms[1](x), text)
        a, gate = self.up(self.norms[2](x)).chunk(2, -1)
        return x + self.down(a * functional.gelu(gate))


class Unet(nn.Module):
    def __init__(self, c=32):
        super().__init__()
        self.head, self.tail = nn.Conv2d(4, c, 3, padding=1), nn.Conv2d(c, 4, 3, padding=1)
        self.first, self.last = Residual(c), Residual(c)
        self.shrink = nn.Conv2d(c, c, 3, stride=2, padding=1)
        self.grow = nn.Conv2d(c, c, 3, padding=1)
        self.norm, self.end = nn.GroupNorm(4, c), nn.GroupNorm(4, c)
        self.into, self.out_of = nn.Conv2d(c, c, 1), nn.Conv2d(c, c, 1)
        self.cross, self.step = Crossing(c, WIDTH), nn.Linear(32, 32)

    def forward(self, x, step, text):
        angles = step[:, None] * torch.exp(-torch.arange(16) * np.log(10000) / 16)
        step = self.step(torch.cat([angles.cos(), angles.sin()], -1))
        high = self.first(self.head(x), step)
        y = self.shrink(high)
        b, c, h, w = y.shape
        z = self.into(self.norm(y)).permute(0, 2, 3, 1).reshape(b, h * w, c)
        z = self.cross(z, text).reshape(b, h, w, c).permute(0, 3, 1, 2)
        y = functional.interpolate(y + self.out_of(z), scale_factor=2.0, mode="nearest")
        y = self.last(self.grow(y) + high, step)
        return self.tail(functional.silu(self.end(y)))


class Decoder(nn.Module):
    """The decoder of a variational autoencoder."""

    def __init__(self, c=32):
        super().__init__()
        self.convs = nn.ModuleList([nn.Conv2d(i, c, 3, padding=1) for i in (4, c, c)])
        self.norm, self.end = nn.GroupNorm(4, c), nn.GroupNorm(4, c)
        self.q, self.k, self.v = (nn.Linear(c, c) for _ in range(3))
        self.tail = nn.Conv2d(c, 3, 3, padding=1)

    def forward(self, x):
        x = self.convs[0](x)
        x = x + self.convs[1](functional.silu(self.norm(x)))
        b, c, h, w = x.shape
        z = x.reshape(b, c, h * w).transpose(1, 2)
        z = torch.softmax(self.q(z) @ self.k(z).transpose(1, 2) * c**-0.5, -1) @ self.v(z)
        x = x + z.transpose(1, 2).reshape(b, c, h, w)
        x = self.convs[2](functional.interpolate(x, scale_factor=2.0, mode="nearest"))
        return self.tail(functional.silu(self.end(x)))


def layer(i, o, k, stride=1, groups=1):
    conv = nn.Conv2d(i, o, k, stride, k // 2, groups=groups, bias=False)
    norm = nn.BatchNorm2d(o)
    norm.running_mean.normal_(std=0.1)
    norm.running_var.uniform_(0.5, 2)
    return nn.Sequential(conv, norm)


class ResNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.head, self.a, self.b = layer(3, 24, 3, 2), layer(24, 24, 3), layer(24, 24, 3)
        self.c, self.d, self.skip = layer(24, 48, 3, 2), layer(48, 48, 3), layer(24, 48, 1, 2)
        self.tail = nn.Linear(48, 10)

    def forward(self, x):
        x = functional.max_pool2d(torch.relu(self.head(x)), 3, 2, 1)
        x = torch.relu(x + self.b(torch.relu(self.a(x))))
        x = torch.relu(self.skip(x) + self.d(torch.relu(self.c(x))))
        return self.tail(x.mean((2, 3)))


class MobileNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.head, self.up, self.deep = (
            layer(3, 16, 3, 2),
            layer(16, 64, 1),
            layer(64, 64, 3, 2, 64),
        )
        self.down, self.up2, self.deep2 = (
            layer(64, 24, 1),
            layer(24, 96, 1),
            layer(96, 96, 3, 1, 96),
        )
        self.down2, self.squeeze = layer(96, 24, 1), nn.Conv2d(96, 16, 1)
        self.excite, self.tail = nn.Conv2d(16, 96, 1), nn.Linear(24, 10)

    def forward(self, x):
        x = functional.hardswish(self.head(x))
        x = self.down(functional.relu6(self.deep(functional.relu6(self.up(x)))))
        y = self.deep2(functional.hardswish(self.up2(x)))
        gate = self.excite(torch.relu(self.squeeze(y.mean((2, 3), keepdim=True))))
        x = x + self.down2(y * functional.hardsigmoid(gate))
        return self.tail(x.mean((2, 3)))


WHISPER = dict(
    vocab_size=100, num_mel_bins=8, encoder_layers=2, decoder_layers=2, d_model=WIDTH,
    encoder_attention_heads=HEADS, decoder_attention_heads=HEADS, encoder_ffn_dim=128,
    decoder_ffn_dim=128, max_source_positions=32, max_target_positions=64, pad_token_id=0,
    bos_token_id=1, eos_token_id=2, decoder_start_token_id=1)  # fmt: skip
T5 = dict(vocab_size=100, d_model=WIDTH, d_kv=16, d_ff=128, num_layers=2, num_heads=HEADS)
PAST = {0: "batch", 2: "past"}
_words = ["input_ids", "attention_mask"]


def _masked(model, words, mask):
    return model(input_ids=words, attention_mask=mask, return_dict=False)[0]


def _cross(model, words, hidden):
    return model(input_ids=words, encoder_hidden_states=hidden, use_cache=False,
                 return_dict=False)[0]  # fmt: skip


CASES = {
    "bert": Case(
        hugging(T.BertModel, T.BertConfig, lambda m, i, a, t: m(
            input_ids=i, attention_mask=a, token_type_ids=t, return_dict=False)[:2], **SMALL),
        lambda b, s: (ids(b, s), ones(b, s), ids(b, s, 2)),
        [*_words, "token_type_ids"], [TEXT] * 3, ["y", "pooled"], "bert"),
    "gpt2": Case(
        hugging(T.GPT2LMHeadModel, T.GPT2Config, with_cache, vocab_size=100, n_positions=64,
                n_embd=WIDTH, n_layer=2, n_head=HEADS),
        lambda b, s: (ids(b, s), *[torch.randn(b, HEADS, s + 1, WIDTH // HEADS)
                                   for _ in range(4)]),
        ["input_ids", *[f"past{i}" for i in range(4)]], [TEXT] + [PAST] * 4,
        ["y", *[f"present{i}" for i in range(4)]], "gpt2"),
    "vit": Case(
        hugging(T.ViTModel, T.ViTConfig, lambda m, x: m(pixel_values=x, return_dict=False)[0],
                hidden_size=WIDTH, num_hidden_layers=2, num_attention_heads=HEADS,
                intermediate_size=128, image_size=32, patch_size=8),
        lambda b, s: (torch.randn(b, 3, 32, 32),), ["x"], [{0: "batch"}], ["y"], "vit"),
    "whisper-encoder": Case(
        hugging(T.WhisperModel, T.WhisperConfig, lambda m, x: m(x, return_dict=False)[0],
                "encoder", **WHISPER),
        lambda b, s: (torch.randn(b, 8, 64),), ["x"], [{0: "batch"}], ["y"], "bart"),
    "whisper-decoder": Case(
        hugging(T.WhisperModel, T.WhisperConfig, _cross, "decoder", **WHISPER),
        lambda b, s: (ids(b, s), torch.randn(b, 32, WIDTH)), ["input_ids", "hidden"],
        [TEXT, {0: "batch"}], ["y"], "bart", dynamo=True),
    "t5-encoder": Case(
        hugging(T.T5EncoderModel, T.T5Config, _masked, **T5),
        lambda b, s: (ids(b, s), ones(b, s)), _words, [TEXT] * 2, ["y"], "t5"),
    "t5-decoder": Case(
        hugging(T.T5Model, T.T5Config, _cross, "decoder", **T5),
        lambda b, s: (ids(b, s), torch.randn(b, s + 2, WIDTH)), ["input_ids", "hidden"],
        [TEXT, {0: "batch", 1: "source"}], ["y"], "t5"),
    "llama": Case(
        hugging(T.LlamaForCausalLM, T.LlamaConfig, lambda m, i, a: m(
            input_ids=i, attention_mask=a, use_cache=False, return_dict=False)[0],
            num_key_value_heads=2, **SMALL),
        lambda b, s: (ids(b, s), ones(b, s)), _words, [TEXT] * 2, ["y"], "gpt2"),
    "clip": Case(
        hugging(T.CLIPTextModel, T.CLIPTextConfig, lambda m, i: m(
            input_ids=i, return_dict=False)[0], eos_token_id=99, pad_token_id=1, bos_token_id=0,
            **SMALL),
        lambda b, s: (ids(b, s),), ["input_ids"], [TEXT], ["y"], "clip", gpu=True),
    "unet": Case(
        Unet, lambda b, s: (torch.randn(b, 4, 8, 2 * s + 2), 100 * torch.rand(b),
                            torch.randn(b, s, WIDTH)),
        ["x", "step", "text"], [IMAGE, {0: "batch"}, TEXT], ["y"], "unet", gpu=True),
    "vae": Case(
        Decoder, lambda b, s: (torch.randn(b, 4, 5, s + 2),), ["x"], [IMAGE], ["y"], "vae",
        gpu=True),
    "resnet": Case(
        ResNet, lambda b, s: (torch.randn(b, 3, 33, 32 + s),), ["x"], [IMAGE], ["y"]),
    "mobilenet": Case(
        MobileNet, lambda b, s: (torch.randn(b, 3, 33, 32 + s),), ["x"], [IMAGE], ["y"]),
}  # fmt: skip


def export(name, path):
    case = CASES[name]
    torch.manual_seed(0)
    module, inputs = case.make().eval(), case.inputs(2, 5)
    options = dict(input_names=case.names, output_names=case.outputs)
    if case.dynamo:
        shapes = (
            tuple({axis: torch.export.Dim.DYNAMIC for axis in each} for each in case.dynamic),
        )
        torch.onnx.export(module, inputs, path, dynamo=True, dynamic_shapes=shapes,
                          external_data=False, verbose=False, **options)  # fmt: skip
        return
    axes = dict(zip(case.names, case.dynamic))
    torch.onnx.export(
        module, inputs, path, dynamo=False, opset_version=17, dynamic_axes=axes, **options
    )
