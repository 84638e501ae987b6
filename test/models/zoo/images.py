# ===- images.py - Models of images of transformers ------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Classifiers, dense predictors and pairs with text of transformers. Where the model fixes
the size of images, only the batch is dynamic."""

from models.zoo import draws
from models.zoo.stock import stock

#: Sizes are multiples of 32.
SHAPES = (
    {"batch": 1, "height": 128, "width": 96},
    {"batch": 1, "height": 160, "width": 192},
    {"batch": 2, "height": 96, "width": 128},
)
#: Images to enlarge, of multiples of 8.
LOW = (
    {"batch": 1, "height": 32, "width": 40},
    {"batch": 1, "height": 56, "width": 48},
    {"batch": 2, "height": 40, "width": 24},
)
BATCHES = ({"batch": 1}, {"batch": 2}, {"batch": 3})
IMAGE = draws.floats("pixel_values", "batch", 3, "height", "width")
FIXED = draws.floats("pixel_values", "batch", 3, 128, 128)
#: A small transformer on patches.
PATCHES = dict(
    hidden_size=384, num_hidden_layers=3, num_attention_heads=6, intermediate_size=1536,
    image_size=128, patch_size=16,
)  # fmt: skip
STAGES = dict(
    embed_dim=96, depths=[1, 2, 1], num_heads=[3, 6, 12], window_size=4, image_size=128,
    patch_size=4,
)  # fmt: skip


def image(family, model, config=None, shapes=SHAPES, **settings):
    """Registers a model of images of any size."""
    config = config or _config(model)
    stock(family, family, model, config, (IMAGE,), shapes, **settings)


def patches(family, model, config=None, call=None, **settings):
    """Registers a transformer on patches of images of one size."""
    config = config or _config(model)
    settings = {k: v for k, v in {**PATCHES, **settings}.items() if v is not None}
    stock(family, family, model, config, (FIXED,), BATCHES, call, **settings)


def fixed(family, model, config=None, call=None, **settings):
    """Registers another model of images of one size."""
    config = config or _config(model)
    stock(family, family, model, config, (FIXED,), BATCHES, call, **settings)


def _config(model):
    for tail in ("Model", "ForImageClassification", "ForSemanticSegmentation"):
        model = model.removesuffix(tail)
    return f"{model}Config"


patches("vit", "ViTModel")
patches("deit", "DeiTModel")
patches("beit", "BeitModel", use_relative_position_bias=True)
patches("data2vec-vision", "Data2VecVisionModel", use_relative_position_bias=True)
patches("vit-msn", "ViTMSNModel")
patches("ijepa", "IJepaModel")
patches("dinov2", "Dinov2Model", mlp_ratio=4, intermediate_size=None)
patches("dinov2-registers", "Dinov2WithRegistersModel", mlp_ratio=4, intermediate_size=None)
patches("dinov3-vit", "DINOv3ViTModel")
patches("siglip-vision", "SiglipVisionModel", "SiglipVisionConfig")
patches("clip-vision", "CLIPVisionModel", "CLIPVisionConfig")
patches("aimv2-vision", "Aimv2VisionModel", "Aimv2VisionConfig")
patches("blip-vision", "BlipVisionModel", "BlipVisionConfig")
patches("yolos", "YolosForObjectDetection", "YolosConfig", image_size=[128, 128],
        num_detection_tokens=20)  # fmt: skip
patches("vitdet", "VitDetModel", window_size=4, window_block_indices=[0, 2], mlp_ratio=4,
        intermediate_size=None, pretrain_image_size=128)  # fmt: skip
patches("dpt", "DPTForDepthEstimation", "DPTConfig", num_hidden_layers=4,
        backbone_out_indices=[0, 1, 2, 3], neck_hidden_sizes=[48, 96, 192, 384],
        fusion_hidden_size=64, is_hybrid=False)  # fmt: skip
patches("layoutlmv3-vision", "LayoutLMv3Model", "LayoutLMv3Config", visual_embed=True,
        input_size=128, image_size=None, max_position_embeddings=514)  # fmt: skip
image("convnext", "ConvNextModel", hidden_sizes=[48, 96, 192, 384], depths=[1, 1, 3, 1])
image("convnextv2", "ConvNextV2Model", hidden_sizes=[48, 96, 192, 384], depths=[1, 1, 3, 1])
image("dinov3-convnext", "DINOv3ConvNextModel", hidden_sizes=[48, 96, 192, 384],
      depths=[1, 1, 3, 1])  # fmt: skip
image("resnet", "ResNetModel", embedding_size=64, hidden_sizes=[64, 128, 256, 512],
      depths=[2, 2, 2, 2], layer_type="basic")  # fmt: skip
image("regnet", "RegNetModel", embedding_size=32, hidden_sizes=[48, 96, 192, 384],
      depths=[1, 2, 4, 1], groups_width=16)  # fmt: skip
image("bit", "BitModel", embedding_size=64, hidden_sizes=[128, 256, 512, 1024],
      depths=[1, 1, 2, 1])  # fmt: skip
image("efficientnet", "EfficientNetModel", width_coefficient=1.0, depth_coefficient=0.5,
      hidden_dim=1280)  # fmt: skip
image("mobilenet-v1", "MobileNetV1Model")
image("mobilenet-v2", "MobileNetV2Model")
image("mobilevit", "MobileViTModel", hidden_sizes=[96, 120, 144])
image("mobilevitv2", "MobileViTV2Model", width_multiplier=0.75)
image("poolformer", "PoolFormerModel", depths=[1, 1, 2, 1], hidden_sizes=[48, 96, 192, 384])
image("cvt", "CvtModel", embed_dim=[48, 96, 192], num_heads=[1, 2, 4], depth=[1, 2, 3])
image("swiftformer", "SwiftFormerModel", depths=[1, 1, 2, 1], embed_dims=[48, 56, 112, 220])
image("focalnet", "FocalNetModel", embed_dim=64, depths=[1, 1, 2, 1])
image("hgnet-v2", "HGNetV2ForImageClassification", "HGNetV2Config")
image("textnet", "TextNetModel")
image("segformer", "SegformerForSemanticSegmentation", depths=[1, 1, 1, 1],
      hidden_sizes=[32, 64, 160, 256], decoder_hidden_size=128)  # fmt: skip
image("glpn", "GLPNForDepthEstimation", "GLPNConfig", depths=[1, 1, 1, 1],
      hidden_sizes=[32, 64, 160, 256])  # fmt: skip
fixed("pvt", "PvtModel", image_size=128, depths=[1, 1, 2, 1], hidden_sizes=[64, 128, 320, 512])
image("pvt-v2", "PvtV2Model", depths=[1, 1, 2, 1], hidden_sizes=[32, 64, 160, 256])
fixed("swin", "SwinModel", **STAGES)
fixed("swinv2", "Swinv2Model", **STAGES)
fixed("donut-swin", "DonutSwinModel", **STAGES)
fixed("maskformer-swin", "MaskFormerSwinModel", **STAGES)
fixed("hiera", "HieraModel", embed_dim=64, image_size=[128, 128], depths=[1, 1, 2, 1],
      num_heads=[1, 2, 4, 8])  # fmt: skip
fixed("levit", "LevitModel", image_size=128)
image("swin2sr", "Swin2SRForImageSuperResolution", "Swin2SRConfig", LOW, embed_dim=60, depths=[2, 2],
      num_heads=[6, 6], image_size=64, window_size=8, upscale=2,
      upsampler="pixelshuffledirect")  # fmt: skip
image("superpoint", "SuperPointForKeypointDetection", "SuperPointConfig", Keep=slice(1))
image("upernet-convnext", "UperNetForSemanticSegmentation", "UperNetConfig",
      backbone_config={"class": "ConvNextConfig", "hidden_sizes": [48, 96, 192, 384],
                       "depths": [1, 1, 3, 1],
                       "out_features": ["stage1", "stage2", "stage3", "stage4"]},
      hidden_size=64, auxiliary_in_channels=192, auxiliary_channels=64, use_auxiliary_head=False,
      backbone=None)  # fmt: skip
RESNET = {
    "class": "ResNetConfig", "embedding_size": 64, "hidden_sizes": [64, 128, 256, 512],
    "depths": [1, 1, 1, 1], "layer_type": "basic",
    "out_features": ["stage2", "stage3", "stage4"],
}  # fmt: skip
DETR = dict(
    d_model=128, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
    decoder_attention_heads=4, encoder_ffn_dim=512, decoder_ffn_dim=512, num_queries=50,
)  # fmt: skip
LAST = RESNET | {"out_features": ["stage4"]}
image("detr", "DetrForObjectDetection", "DetrConfig", backbone_config=LAST, **DETR)
image("table-transformer", "TableTransformerForObjectDetection", "TableTransformerConfig",
      backbone_config=LAST, **DETR)  # fmt: skip
image("conditional-detr", "ConditionalDetrForObjectDetection", "ConditionalDetrConfig",
      backbone_config=LAST, **DETR)  # fmt: skip
image("dab-detr", "DabDetrForObjectDetection", "DabDetrConfig", backbone_config=LAST,
      **{**DETR, "d_model": None, "hidden_size": 128})  # fmt: skip
image("deformable-detr", "DeformableDetrForObjectDetection", "DeformableDetrConfig",
      backbone_config=RESNET, num_feature_levels=4, **DETR)  # fmt: skip
image("rt-detr", "RTDetrForObjectDetection", "RTDetrConfig",
      backbone_config={"class": "RTDetrResNetConfig", "hidden_sizes": [64, 128, 256, 512],
                       "depths": [1, 1, 1, 1], "layer_type": "basic", "embedding_size": 64,
                       "out_features": ["stage2", "stage3", "stage4"]},
      encoder_hidden_dim=128, d_model=128, num_queries=50, decoder_layers=2,
      encoder_in_channels=[128, 256, 512], decoder_in_channels=[128, 128, 128],
      encoder_ffn_dim=512, decoder_ffn_dim=512, feat_strides=[8, 16, 32])  # fmt: skip
image("depth-anything", "DepthAnythingForDepthEstimation", "DepthAnythingConfig",
      backbone_config={"class": "Dinov2Config", "hidden_size": 192, "num_hidden_layers": 4,
                       "num_attention_heads": 3, "image_size": 128, "patch_size": 16,
                       "out_indices": [1, 2, 3, 4], "reshape_hidden_states": False,
                       "apply_layernorm": True},
      patch_size=16, reassemble_hidden_size=192, neck_hidden_sizes=[24, 48, 96, 192],
      fusion_hidden_size=32, head_hidden_size=32)  # fmt: skip
# Videos.
VIDEO = dict(
    hidden_size=192, num_hidden_layers=3, num_attention_heads=3, intermediate_size=768,
    image_size=96, num_frames=8,
)  # fmt: skip
FRAMES = draws.floats("pixel_values", "batch", 8, 3, 96, 96)
stock("timesformer", "timesformer", "TimesformerModel", "TimesformerConfig", (FRAMES,), BATCHES,
      patch_size=16, **VIDEO)  # fmt: skip
stock("vivit", "vivit", "VivitModel", "VivitConfig", (FRAMES,), BATCHES, tubelet_size=[2, 16, 16],
      **VIDEO)  # fmt: skip
stock("videomae", "videomae", "VideoMAEModel", "VideoMAEConfig", (FRAMES,), BATCHES,
      patch_size=16, **VIDEO)  # fmt: skip
# Images with text.
TEXT = dict(
    hidden_size=256, num_hidden_layers=2, num_attention_heads=4, intermediate_size=1024,
    vocab_size=1000, max_position_embeddings=64, pad_token_id=0, bos_token_id=1, eos_token_id=2,
)  # fmt: skip
VISION = dict(
    hidden_size=256, num_hidden_layers=2, num_attention_heads=4, intermediate_size=1024,
    image_size=128, patch_size=16,
)  # fmt: skip
PAIRS = (
    {"texts": 3, "sequence": 21, "batch": 1},
    {"texts": 5, "sequence": 40, "batch": 2},
    {"texts": 7, "sequence": 13, "batch": 3},
)
WORDS = draws.ids("input_ids", "texts", "sequence")
MASK = draws.padding("attention_mask", "texts", "sequence")
for _name, _model in {"clip": "CLIP", "chinese-clip": "ChineseCLIP", "siglip": "Siglip",
                      "clipseg": "CLIPSeg", "altclip": "AltCLIP", "blip": "Blip"}.items():  # fmt: skip
    stock(_name, _name, f"{_model}Model", f"{_model}Config", (WORDS, FIXED, MASK), PAIRS,
          text_config=TEXT, vision_config=VISION, projection_dim=128)  # fmt: skip
