# ===- speech.py - Models of sound -----------------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Encoders of waves and of spectra, recognisers and codecs: of transformers and torchaudio."""

import functools

from models.zoo import draws
from models.zoo.entry import Entry, register
from models.zoo.stock import stock

#: Samples of the wave.
WAVES = (
    {"batch": 1, "samples": 8000},
    {"batch": 1, "samples": 16160},
    {"batch": 3, "samples": 6400},
)
FRAMES = ({"batch": 1, "frames": 100}, {"batch": 1, "frames": 230}, {"batch": 3, "frames": 80})
WAVE = draws.floats("input_values", "batch", "samples")
SMALL = dict(
    hidden_size=256, num_hidden_layers=3, num_attention_heads=4, intermediate_size=1024,
    vocab_size=100,
)  # fmt: skip
CONVOLUTIONS = dict(
    conv_dim=(128, 128, 128, 128, 128), conv_kernel=(10, 3, 3, 3, 2), conv_stride=(5, 4, 4, 2, 2),
    num_feat_extract_layers=5, num_conv_pos_embeddings=32, num_conv_pos_embedding_groups=8,
)  # fmt: skip


def wave(family, model, **settings):
    """Registers an encoder of waves."""
    settings = {k: v for k, v in {**SMALL, **CONVOLUTIONS, **settings}.items() if v is not None}
    config = model.removesuffix("Model") + "Config"
    stock(family, family, model, config, (WAVE,), WAVES, Keep=slice(1), **settings)


wave("wav2vec2", "Wav2Vec2Model")
wave("wav2vec2-conformer", "Wav2Vec2ConformerModel", position_embeddings_type="relative")
wave("hubert", "HubertModel")
wave("wavlm", "WavLMModel", num_buckets=32, max_bucket_distance=80)
wave("unispeech", "UniSpeechModel")
wave("unispeech-sat", "UniSpeechSatModel")
wave("data2vec-audio", "Data2VecAudioModel", num_conv_pos_embeddings=3)
wave("sew", "SEWModel", squeeze_factor=2)
wave("sew-d", "SEWDModel", squeeze_factor=2, pos_att_type=("p2c", "c2p"))
stock("wav2vec2-bert", "wav2vec2-bert", "Wav2Vec2BertModel", "Wav2Vec2BertConfig",
      (draws.floats("input_features", "batch", "frames", 160),), FRAMES, Keep=slice(1),
      **{**SMALL, "output_hidden_size": 256})  # fmt: skip
WHISPER = dict(
    d_model=256, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
    decoder_attention_heads=4, encoder_ffn_dim=1024, decoder_ffn_dim=1024, vocab_size=1000,
    pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=1,
)  # fmt: skip
TARGETS = (
    {"batch": 1, "frames": 100, "target": 7},
    {"batch": 1, "frames": 230, "target": 30},
    {"batch": 3, "frames": 80, "target": 11},
)
TARGET = draws.ids("decoder_input_ids", "batch", "target")
stock("whisper", "whisper", "WhisperForConditionalGeneration", "WhisperConfig",
      (draws.floats("input_features", "batch", 80, 300), TARGET),
      [{"batch": 1, "target": 7}, {"batch": 1, "target": 40}, {"batch": 2, "target": 11}],
      dict(use_cache=False), num_mel_bins=80, max_source_positions=150, **WHISPER)  # fmt: skip
stock("speech-to-text", "speech-to-text", "Speech2TextForConditionalGeneration",
      "Speech2TextConfig", (draws.floats("input_features", "batch", "frames", 80), TARGET), TARGETS,
      dict(use_cache=False), max_source_positions=600, **WHISPER)  # fmt: skip
stock("moonshine", "moonshine", "MoonshineForConditionalGeneration", "MoonshineConfig",
      (WAVE, TARGET),
      [{"batch": 1, "samples": 8000, "target": 7}, {"batch": 1, "samples": 16160, "target": 30},
       {"batch": 3, "samples": 6400, "target": 11}], dict(use_cache=False),
      hidden_size=256, encoder_num_hidden_layers=2, decoder_num_hidden_layers=2,
      encoder_num_attention_heads=4, decoder_num_attention_heads=4, intermediate_size=1024,
      vocab_size=1000)  # fmt: skip
stock("parakeet", "parakeet", "ParakeetEncoder", "ParakeetEncoderConfig",
      (draws.floats("input_features", "batch", "frames", 80),), FRAMES, hidden_size=256,
      num_hidden_layers=2, num_attention_heads=4, intermediate_size=1024,
      subsampling_conv_channels=64)  # fmt: skip
stock("audio-spectrogram-transformer", "audio-spectrogram-transformer", "ASTModel", "ASTConfig",
      (draws.floats("input_values", "batch", 128, 64),),
      [{"batch": 1}, {"batch": 2}, {"batch": 3}], num_mel_bins=64, max_length=128,
      **SMALL)  # fmt: skip
stock("encodec", "encodec", "EncodecModel", "EncodecConfig",
      (draws.floats("input_values", "batch", 1, "samples"),), WAVES, num_filters=16,
      num_lstm_layers=1, hidden_size=64, codebook_dim=64, Keep=slice(1, 2))  # fmt: skip
stock("dac", "dac", "DacModel", "DacConfig",
      (draws.floats("input_values", "batch", 1, "samples"),),
      [{"batch": 1, "samples": 2560}, {"batch": 1, "samples": 5120}, {"batch": 2, "samples": 2560}],
      encoder_hidden_size=16, decoder_hidden_size=256, Keep=slice(1))  # fmt: skip
stock("univnet", "univnet", "UnivNetModel", "UnivNetConfig",
      (draws.floats("input_features", "batch", "frames", 100),
       draws.floats("noise_sequence", "batch", "frames", 64)),
      [{"batch": 1, "frames": 10}, {"batch": 1, "frames": 23}, {"batch": 2, "frames": 9}],
      Keep=slice(1))  # fmt: skip


def torchaudio_module(maker, settings, lookahead):
    """A model of torchaudio; where it takes lengths, rows have all frames but `lookahead`."""
    import torch
    import torchaudio.models

    class Whole(torch.nn.Module):
        def __init__(self, model):
            super().__init__()
            self.model = model

        def forward(self, x):
            return self.model(x, torch.full((x.shape[0],), x.shape[1] - lookahead))

    model = getattr(torchaudio.models, maker)(**settings)
    return model if lookahead is None else Whole(model)


def vocoder(width):
    """HiFi-GAN: a spectrum becomes a wave by transposed convolutions, each with residual
    stacks of three lengths behind it."""
    import torch
    from torch import nn

    def leaky(x):
        return nn.functional.leaky_relu(x, 0.1)

    class Stack(nn.Module):
        def __init__(self, channels, kernel):
            super().__init__()
            half = kernel // 2
            self.pairs = nn.ModuleList(
                nn.ModuleList(
                    nn.Conv1d(channels, channels, kernel, padding=half * d, dilation=d)
                    for d in (dilation, 1)
                )
                for dilation in (1, 3, 5)
            )

        def forward(self, x):
            for first, second in self.pairs:
                x = x + second(leaky(first(leaky(x))))
            return x

    class Vocoder(nn.Module):
        def __init__(self):
            super().__init__()
            widths = [width >> n for n in range(5)]
            self.first, self.last = nn.Conv1d(80, width, 7, 1, 3), nn.Conv1d(widths[-1], 1, 7, 1, 3)
            self.ups = nn.ModuleList(
                nn.ConvTranspose1d(a, b, 2 * s, s, s // 2)
                for a, b, s in zip(widths, widths[1:], (8, 8, 2, 2))
            )
            self.stacks = nn.ModuleList(
                nn.ModuleList(Stack(channels, kernel) for kernel in (3, 7, 11))
                for channels in widths[1:]
            )

        def forward(self, spectrum):
            x = self.first(spectrum)
            for up, stacks in zip(self.ups, self.stacks):
                x = up(leaky(x))
                x = sum(stack(x) for stack in stacks) / 3
            return torch.tanh(self.last(leaky(x)))

    return Vocoder()


def keywords(width):
    """Words in a wave: a spectrogram, and convolutions along it."""
    import torch
    from torch import nn

    class Keywords(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("window", torch.hann_window(256))
            layers, inputs = [], 129
            for _ in range(4):
                layers += [nn.Conv1d(inputs, width, 9, 1, 4), nn.BatchNorm1d(width), nn.ReLU()]
                inputs = width
            self.layers, self.head = nn.Sequential(*layers), nn.Linear(width, 12)

        def forward(self, wave):
            parts = torch.stft(wave, 256, 64, window=self.window, return_complex=False)
            power = torch.log1p(parts.pow(2).sum(-1))
            return self.head(self.layers(power).mean(2))

    return Keywords()


def torchaudio(name, maker, ports, shapes, lookahead=None, **settings):
    build = functools.partial(torchaudio_module, maker, settings, lookahead)
    register(Entry(name, name, build, ports, tuple(shapes), ("torchaudio",), keep=slice(1)))


register(
    Entry(
        "hifi-gan", "hifi-gan", functools.partial(vocoder, 128),
        (draws.floats("spectrum", "batch", 80, "frames"),),
        ({"batch": 1, "frames": 20}, {"batch": 1, "frames": 33}, {"batch": 2, "frames": 16}),
    )
)  # fmt: skip
register(
    Entry(
        "keywords", "keywords", functools.partial(keywords, 96),
        (draws.floats("wave", "batch", "samples"),), WAVES, exporter="script",
    )
)  # fmt: skip
torchaudio("torchaudio-conformer", "Conformer", (draws.floats("x", "batch", "frames", 80),),
           FRAMES, lookahead=0, input_dim=80, num_heads=4, ffn_dim=512, num_layers=3, depthwise_conv_kernel_size=31)  # fmt: skip
torchaudio("conv-tasnet", "ConvTasNet", (draws.floats("x", "batch", 1, "samples"),),
           [{"batch": 1, "samples": 4000}, {"batch": 1, "samples": 8000},
            {"batch": 2, "samples": 3200}],
           enc_num_feats=128, msk_num_feats=64, msk_num_hidden_feats=128, msk_num_layers=4,
           msk_num_stacks=2)  # fmt: skip
torchaudio("deepspeech", "DeepSpeech", (draws.floats("x", "batch", 1, "frames", 80),), FRAMES,
           n_feature=80, n_hidden=512)  # fmt: skip
torchaudio("wav2letter", "Wav2Letter", (draws.floats("x", "batch", 80, "frames"),), FRAMES,
           input_type="mfcc", num_features=80)  # fmt: skip
torchaudio("emformer", "Emformer", (draws.floats("x", "batch", "frames", 256),),
           FRAMES, lookahead=4, input_dim=256, num_heads=4, ffn_dim=1024, num_layers=3, segment_length=16,
           right_context_length=4)  # fmt: skip
torchaudio("wavernn", "WaveRNN",
           (draws.floats("wave", "batch", 1, 1600), draws.floats("spectrum", "batch", 1, 80, 12)),
           [{"batch": 1}, {"batch": 2}, {"batch": 3}], upsample_scales=[4, 5, 10], n_classes=64,
           hop_length=200, n_freq=80, n_res_block=2, n_rnn=128, n_fc=128)  # fmt: skip
torchaudio("squim-objective", "squim_objective_base", (draws.floats("x", "batch", "samples"),),
           [{"batch": 1, "samples": 4000}, {"batch": 1, "samples": 8000},
            {"batch": 2, "samples": 3200}])  # fmt: skip
torchaudio("torchaudio-wav2vec2", "wav2vec2_model", (draws.floats("x", "batch", "samples"),), WAVES,
           extractor_mode="group_norm",
           extractor_conv_layer_config=[[128, 10, 5], [128, 3, 4], [128, 3, 4], [128, 3, 2]],
           extractor_conv_bias=False, encoder_embed_dim=256, encoder_projection_dropout=0.0,
           encoder_pos_conv_kernel=32, encoder_pos_conv_groups=8, encoder_num_layers=3,
           encoder_num_heads=4, encoder_attention_dropout=0.0, encoder_ff_interm_features=1024,
           encoder_ff_interm_dropout=0.0, encoder_dropout=0.0, encoder_layer_norm_first=False,
           encoder_layer_drop=0.0, aux_num_out=None)  # fmt: skip
