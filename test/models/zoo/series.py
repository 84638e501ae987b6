# ===- series.py - Time series ---------------------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Forecasters and classifiers of time series: written out, and of transformers."""

import functools

from models.zoo import draws
from models.zoo.entry import Entry, register
from models.zoo.stock import stock

#: Steps of the past, of 16 variables.
SHAPES = ({"batch": 8, "steps": 96}, {"batch": 16, "steps": 168}, {"batch": 32, "steps": 73})
BATCHES = ({"batch": 8}, {"batch": 21}, {"batch": 32})
SERIES = draws.floats("series", "batch", "steps", 16)
WINDOW = draws.floats("series", "batch", 96, 16)


def series(name, build, *arguments, ports=(SERIES,), shapes=SHAPES):
    register(Entry(name, name, functools.partial(build, *arguments), ports, shapes))


def recurrent(kind, width, layers, both):
    """LSTM, GRU or a plain recurrent layer, and a forecast from the last state."""
    from torch import nn

    class Recurrent(nn.Module):
        def __init__(self):
            super().__init__()
            options = dict(num_layers=layers, bidirectional=both, batch_first=True)
            self.layers = getattr(nn, kind)(16, width, **options)
            self.head = nn.Linear(width * (2 if both else 1), 24)

        def forward(self, x):
            return self.head(self.layers(x)[0][:, -1])

    return Recurrent()


def causal_convolutions(width, layers, gated):
    """TCN: dilated convolutions that see only the past; `gated` as in WaveNet, with skips."""
    import torch
    from torch import nn

    class Layer(nn.Module):
        def __init__(self, dilation):
            super().__init__()
            outputs = 2 * width if gated else width
            self.pad = 2 * dilation
            self.conv = nn.Conv1d(width, outputs, 3, dilation=dilation)
            self.mix = nn.Conv1d(width, width, 1)

        def forward(self, x):
            y = self.conv(nn.functional.pad(x, (self.pad, 0)))
            if gated:
                a, b = y.chunk(2, 1)
                y = torch.tanh(a) * torch.sigmoid(b)
            else:
                y = torch.relu(y)
            return self.mix(y)

    class Network(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = nn.Conv1d(16, width, 1)
            self.layers = nn.ModuleList(Layer(2**n) for n in range(layers))
            self.last = nn.Conv1d(width, 16, 1)

        def forward(self, x):
            x, skips = self.first(x.transpose(1, 2)), 0
            for layer in self.layers:
                y = layer(x)
                x, skips = x + y, skips + y
            return self.last(torch.relu(skips)).transpose(1, 2)

    return Network()


def basis_expansion(width, blocks, pools):
    """N-BEATS: each block forecasts, and subtracts what it explains. With `pools` N-HiTS:
    each block sees the series at another rate, and interpolates."""
    from torch import nn

    class Block(nn.Module):
        def __init__(self, pool):
            super().__init__()
            self.pool, steps = pool, 96 // pool
            layers = [nn.Linear(steps, width), nn.ReLU()]
            for _ in range(3):
                layers += [nn.Linear(width, width), nn.ReLU()]
            self.path = nn.Sequential(*layers)
            self.back, self.fore = nn.Linear(width, steps), nn.Linear(width, 24 // pool)

        def forward(self, x):
            if self.pool == 1:
                y = self.path(x)
                return self.back(y), self.fore(y)
            y = self.path(nn.functional.max_pool1d(x, self.pool))
            up = dict(mode="linear", align_corners=False)
            return (
                nn.functional.interpolate(self.back(y), size=96, **up),
                nn.functional.interpolate(self.fore(y), size=24, **up),
            )

    class Network(nn.Module):
        def __init__(self):
            super().__init__()
            self.blocks = nn.ModuleList(Block(pools[n % len(pools)]) for n in range(blocks))

        def forward(self, x):
            x, total = x.transpose(1, 2), 0
            for block in self.blocks:
                back, fore = block(x)
                x, total = x - back, total + fore
            return total.transpose(1, 2)

    return Network()


def decomposed_linear():
    """DLinear: the trend, a moving average, and the rest, each by one linear layer."""
    import torch
    from torch import nn

    class Linear(nn.Module):
        def __init__(self):
            super().__init__()
            self.trend, self.rest = nn.Linear(96, 24), nn.Linear(96, 24)

        def forward(self, x):
            x = x.transpose(1, 2)
            ends = [x[:, :, :1].expand(-1, -1, 12), x, x[:, :, -1:].expand(-1, -1, 12)]
            trend = nn.functional.avg_pool1d(torch.cat(ends, 2), 25, 1)
            return (self.trend(trend) + self.rest(x - trend)).transpose(1, 2)

    return Linear()


def mixer(width, blocks):
    """TSMixer: layers along time and along variables, with normalisation by the window."""
    from torch import nn

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(16), nn.LayerNorm(16)
            self.time = nn.Sequential(nn.Linear(96, 96), nn.ReLU())
            self.variables = nn.Sequential(nn.Linear(16, width), nn.ReLU(), nn.Linear(width, 16))

        def forward(self, x):
            x = x + self.time(self.norm1(x).transpose(1, 2)).transpose(1, 2)
            return x + self.variables(self.norm2(x))

    class Mixer(nn.Module):
        def __init__(self):
            super().__init__()
            self.blocks = nn.Sequential(*(Block() for _ in range(blocks)))
            self.head = nn.Linear(96, 24)

        def forward(self, x):
            mean = x.mean(1, keepdim=True)
            scale = (x.var(1, keepdim=True, unbiased=False) + 1e-5).sqrt()
            x = self.blocks((x - mean) / scale)
            return self.head(x.transpose(1, 2)).transpose(1, 2) * scale + mean

    return Mixer()


def inverted_transformer(width, layers):
    """iTransformer: attention among variables, each a token of its whole past."""
    from torch import nn

    class Inverted(nn.Module):
        def __init__(self):
            super().__init__()
            layer = nn.TransformerEncoderLayer(
                width, 4, 2 * width, 0.0, "gelu", batch_first=True, norm_first=True
            )
            self.embed, self.head = nn.Linear(96, width), nn.Linear(width, 24)
            self.layers = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)

        def forward(self, x):
            return self.head(self.layers(self.embed(x.transpose(1, 2)))).transpose(1, 2)

    return Inverted()


def inception_time(width, blocks):
    """InceptionTime: convolutions of three lengths beside a pool, with residuals."""
    import torch
    from torch import nn

    class Block(nn.Module):
        def __init__(self, inputs):
            super().__init__()
            self.narrow = nn.Conv1d(inputs, 32, 1, bias=False)
            self.convs = nn.ModuleList(
                nn.Conv1d(32, width, k, padding=k // 2, bias=False) for k in (9, 19, 39)
            )
            self.side = nn.Conv1d(inputs, width, 1, bias=False)
            self.norm, self.skip = nn.BatchNorm1d(4 * width), nn.Conv1d(inputs, 4 * width, 1)

        def forward(self, x):
            y = self.narrow(x)
            side = self.side(nn.functional.max_pool1d(x, 3, 1, 1))
            y = torch.cat([*(conv(y) for conv in self.convs), side], 1)
            return torch.relu(self.norm(y) + self.skip(x))

    class Classifier(nn.Module):
        def __init__(self):
            super().__init__()
            self.blocks = nn.Sequential(
                *(Block(16 if n == 0 else 4 * width) for n in range(blocks))
            )
            self.head = nn.Linear(4 * width, 10)

        def forward(self, x):
            return self.head(self.blocks(x.transpose(1, 2)).mean(2))

    return Classifier()


def fusion(width):
    """A temporal fusion transformer's parts: gated residuals, an LSTM, attention and
    quantiles."""
    import torch
    from torch import nn

    class Gated(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = nn.Linear(width, width), nn.Linear(width, width)
            self.gate, self.norm = nn.Linear(width, 2 * width), nn.LayerNorm(width)

        def forward(self, x):
            y = self.second(nn.functional.elu(self.first(x)))
            return self.norm(x + nn.functional.glu(self.gate(y), -1))

    class Fusion(nn.Module):
        def __init__(self):
            super().__init__()
            self.each = nn.Parameter(torch.randn(16, width))
            self.select = nn.Linear(16 * width, 16)
            self.lstm = nn.LSTM(width, width, batch_first=True)
            self.parts = nn.ModuleList(Gated() for _ in range(3))
            self.attention = nn.MultiheadAttention(width, 4, batch_first=True)
            self.head = nn.Linear(width, 3)

        def forward(self, x):
            variables = x.unsqueeze(-1) * self.each
            weights = self.select(variables.flatten(2)).softmax(-1)
            x = self.parts[0]((variables * weights.unsqueeze(-1)).sum(2))
            x = self.parts[1](x + self.lstm(x)[0])
            x = self.parts[2](x + self.attention(x, x, x, need_weights=False)[0])
            return self.head(x)

    return Fusion()


def skipping(width):
    """LSTNet: a convolution, recurrence over steps and over every 24th, and a linear part."""
    import torch
    from torch import nn

    class Skipping(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv1d(16, width, 6, padding="same")
            self.steps = nn.GRU(width, width, batch_first=True)
            self.days = nn.GRU(width, 16, batch_first=True)
            self.head, self.linear = nn.Linear(width + 24 * 16, 16), nn.Linear(24, 1)

        def forward(self, x):
            y = torch.relu(self.conv(x.transpose(1, 2)))
            last = self.steps(y.transpose(1, 2))[1][0]
            days = y[:, :, -72:].unflatten(2, (3, 24)).permute(0, 3, 2, 1).reshape(-1, 3, width)
            day = self.days(days)[1][0].reshape(x.shape[0], -1)
            linear = self.linear(x[:, -24:].transpose(1, 2)).squeeze(-1)
            return self.head(torch.cat([last, day], 1)) + linear

    return Skipping()


series("lstm", recurrent, "LSTM", 192, 2, False)
series("bilstm", recurrent, "LSTM", 128, 2, True)
series("gru", recurrent, "GRU", 192, 2, False)
series("rnn", recurrent, "RNN", 192, 2, False)
series("tcn", causal_convolutions, 96, 6, False)
series("wavenet", causal_convolutions, 64, 8, True)
series("nbeats", basis_expansion, 256, 6, (1,), ports=(WINDOW,), shapes=BATCHES)
series("nhits", basis_expansion, 256, 6, (8, 4, 2), ports=(WINDOW,), shapes=BATCHES)
series("dlinear", decomposed_linear, ports=(WINDOW,), shapes=BATCHES)
series("tsmixer", mixer, 128, 6, ports=(WINDOW,), shapes=BATCHES)
series("itransformer", inverted_transformer, 256, 3, ports=(WINDOW,), shapes=BATCHES)
series("inception-time", inception_time, 32, 4)
series("temporal-fusion", fusion, 96)
series("lstnet", skipping, 96)
stock("patchtst", "patchtst", "PatchTSTForPrediction", "PatchTSTConfig",
      (draws.floats("past_values", "batch", 96, 16),), BATCHES, num_input_channels=16,
      context_length=96, prediction_length=24, patch_length=8, patch_stride=8, d_model=128,
      num_attention_heads=4, num_hidden_layers=2, ffn_dim=256, Keep=slice(1))  # fmt: skip
stock("patchtsmixer", "patchtsmixer", "PatchTSMixerForPrediction", "PatchTSMixerConfig",
      (draws.floats("past_values", "batch", 96, 16),), BATCHES, num_input_channels=16,
      context_length=96, prediction_length=24, patch_length=8, patch_stride=8, d_model=64,
      num_layers=3, Keep=slice(1))  # fmt: skip
