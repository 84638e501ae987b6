# ===- shelves.py - Models of timm and torchvision by name -----------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Classifiers of timm, and classifiers, segmenters, detectors and models of videos of
torchvision, without their trained weights. Sizes of images are dynamic where the model
allows it. The older exporter is used for all: their graphs are convolutions by either, and
it takes seconds instead of a minute."""

import functools

from models.zoo import draws
from models.zoo.entry import Entry, register

SHAPES = (
    {"batch": 1, "height": 128, "width": 96},
    {"batch": 1, "height": 160, "width": 192},
    {"batch": 2, "height": 96, "width": 128},
)
BATCHES = ({"batch": 1}, {"batch": 2}, {"batch": 3})


def timm_module(model, settings):
    import timm

    return timm.create_model(model, pretrained=False, **settings)


def timm(model, size=None, **settings):
    """Registers a model of timm, for images of any size or only of `size`."""
    sides = (size, size) if size else ("height", "width")
    register(
        Entry(
            f"timm-{model.replace('_', '-')}",
            f"timm-{model.partition('_')[0]}",
            functools.partial(timm_module, model, settings),
            (draws.floats("x", "batch", 3, *sides),),
            BATCHES if size else SHAPES,
            needs=("timm", "torchvision"),
            exporter="script",
        )
    )


# Convolutions.
for _model in (
    "resnet18", "resnext26ts", "seresnext26ts", "ecaresnet26t", "res2net50_14w_8s",
    "resnest14d", "skresnet18", "resnetv2_18", "regnetx_004", "regnety_004", "regnetz_005",
    "convnext_atto", "convnextv2_atto", "mobilenetv2_100", "mobilenetv3_small_100",
    "mobilenetv3_large_100", "mobilenetv4_conv_small", "efficientnet_b0", "efficientnetv2_rw_t",
    "tf_efficientnetv2_b0", "mixnet_s", "mnasnet_100", "fbnetc_100", "spnasnet_100", "tinynet_c",
    "ghostnet_100", "ghostnetv2_100", "lcnet_100", "hardcorenas_a", "rexnet_100", "repvgg_a0",
    "mobileone_s0", "densenet121", "dla34", "dpn48b", "hrnet_w18_small", "hgnet_tiny",
    "selecsls42b", "vovnet39a", "ese_vovnet19b_dw", "darknet17", "cspresnet50", "cspdarknet53",
    "cs3darknet_s", "xception41", "inception_next_atto", "inception_v3", "nf_resnet26",
    "eca_nfnet_l0", "tresnet_m", "gernet_s", "edgenext_xx_small", "fasternet_t0", "starnet_s1",
    "repghostnet_050", "repvit_m0_9", "poolformerv2_s12", "convformer_s18", "caformer_s18",
    "mambaout_femto", "rdnet_tiny", "vgg11", "shvit_s1", "cpubone_nano",
    "lowformer_b0",
):  # fmt: skip
    timm(_model)


def convmixer(depth):
    """ConvMixer-768 with `depth` of its 32 blocks; its maker in timm fixes their number."""
    import torch
    from timm.models.convmixer import ConvMixer

    return ConvMixer(768, depth, kernel_size=7, patch_size=7, act_layer=torch.nn.ReLU)


register(
    Entry(
        "timm-convmixer-768-32",
        "timm-convmixer",
        functools.partial(convmixer, 6),
        (draws.floats("x", "batch", 3, "height", "width"),),
        SHAPES,
        needs=("timm", "torchvision"),
        exporter="script",
    )
)
# Attention, and other models of one size.
for _model, _size in {
    "botnet26t_256": 256, "mobilevit_xxs": 128, "mobilevitv2_050": 128, "coat_lite_tiny": 224,
    "convit_tiny": 224,
    "cait_xxs24_224": 224, "crossvit_tiny_240": 240, "davit_tiny": 224, "deit_tiny_patch16_224": 224,
    "efficientformer_l1": 224, "efficientformerv2_s0": 224, "efficientvit_b0": 224,
    "efficientvit_m0": 224, "eva02_tiny_patch14_224": 224, "fastvit_t8": 256,
    "focalnet_tiny_srf": 224, "gcvit_xxtiny": 224, "hiera_tiny_224": 224, "levit_128s": 224,
    "maxvit_rmlp_pico_rw_256": 256, "mixer_s32_224": 224, "gmlp_ti16_224": 224,
    "resmlp_12_224": 224, "mvitv2_tiny": 224, "nest_tiny": 224, "nextvit_small": 224,
    "pit_ti_224": 224, "pvt_v2_b0": 224, "sequencer2d_s": 224, "swiftformer_xs": 224,
    "swin_tiny_patch4_window7_224": 224, "swinv2_cr_tiny_224": 224, "tiny_vit_5m_224": 224,
    "tnt_s_legacy_patch16_224": 224, "twins_svt_small": 224, "visformer_tiny": 224,
    "vit_tiny_patch16_224": 224, "vit_relpos_small_patch16_224": 224, "volo_d1_224": 224,
    "xcit_nano_12_p16_224": 224, "vit_tiny_r_s16_p8_224": 224, "efficientvim_m1": 224,
}.items():  # fmt: skip
    timm(_model, _size)


def torchvision_module(folder, maker, settings):
    import torchvision

    for part in folder.split("."):
        torchvision = getattr(torchvision, part)
    return getattr(torchvision, maker)(weights=None, **settings)


def vision(maker, ports, shapes, folder="models", keep=None, **settings):
    """Registers a model of torchvision."""
    register(
        Entry(
            f"torchvision-{maker.replace('_', '-')}",
            f"torchvision-{maker.partition('_')[0]}",
            functools.partial(torchvision_module, folder, maker, settings),
            ports,
            shapes,
            needs=("torchvision",),
            exporter="script",
            keep=keep,
        )
    )


IMAGE = (draws.floats("x", "batch", 3, "height", "width"),)
for _maker in (
    "alexnet", "squeezenet1_1", "shufflenet_v2_x1_0", "mobilenet_v3_small", "mnasnet0_5", "resnet34",
    "wide_resnet50_2", "efficientnet_v2_s", "convnext_tiny", "swin_t", "swin_v2_t",
):  # fmt: skip
    vision(_maker, IMAGE, SHAPES)
vision("googlenet", IMAGE, SHAPES, aux_logits=False, init_weights=False)
for _maker, _size in {"vit_b_32": 224, "maxvit_t": 224}.items():
    vision(_maker, (draws.floats("x", "batch", 3, _size, _size),), BATCHES)
BACKBONE = dict(weights_backbone=None)
vision("fcn_resnet50", IMAGE, ({"batch": 1, "height": 64, "width": 48},
                               {"batch": 1, "height": 96, "width": 64},
                               {"batch": 2, "height": 48, "width": 64}),
       "models.segmentation", **BACKBONE)  # fmt: skip
for _maker in ("deeplabv3_mobilenet_v3_large", "lraspp_mobilenet_v3_large"):
    vision(_maker, IMAGE, SHAPES, "models.segmentation", **BACKBONE)
VIDEO = (draws.floats("x", "batch", 3, "frames", "height", "width"),)
CLIPS = (
    {"batch": 1, "frames": 8, "height": 64, "width": 64},
    {"batch": 1, "frames": 16, "height": 64, "width": 80},
    {"batch": 2, "frames": 8, "height": 80, "width": 64},
)
for _maker in ("r3d_18", "mc3_18", "r2plus1d_18"):
    vision(_maker, VIDEO, CLIPS, "models.video")
vision("raft_small", (draws.unit("first", "batch", 3, 128, 128), draws.unit("second", "batch", 3, 128, 128)),
       BATCHES, "models.optical_flow", slice(-1, None))  # fmt: skip


def detector_module(maker, settings):
    """A detector of torchvision on one image."""
    import torch

    class One(torch.nn.Module):
        def __init__(self, detector):
            super().__init__()
            self.detector = detector

        def forward(self, image):
            found = self.detector([image])
            return tuple((found[1] if isinstance(found, tuple) else found)[0].values())

    return One(torchvision_module("models.detection", maker, settings))


for _maker in (
    "ssdlite320_mobilenet_v3_large", "fasterrcnn_mobilenet_v3_large_320_fpn",
    "retinanet_resnet50_fpn", "fcos_resnet50_fpn", "maskrcnn_resnet50_fpn",
):  # fmt: skip
    register(
        Entry(
            f"torchvision-{_maker.replace('_', '-')}",
            f"torchvision-{_maker.partition('_')[0]}",
            functools.partial(
                detector_module, _maker, {**BACKBONE, "min_size": 128, "max_size": 256}
                if "320" not in _maker else BACKBONE
            ),
            (draws.unit("image", 3, "height", "width"),),
            ({"height": 128, "width": 96}, {"height": 160, "width": 192}, {"height": 96, "width": 128}),
            needs=("torchvision",),
            exporter="script",
        )
    )  # fmt: skip
