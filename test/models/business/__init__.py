# ===- __init__.py - Models of four businesses -----------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models as services run them, with weights from a seed: sizes differ from request to
request, and some are data-dependent."""

from models.business.ads import ADS
from models.business.formula import FORMULA
from models.business.model import Business, tensors
from models.business.speech import SPEECH
from models.business.voice import VOICE

ALL = {business.name: business for business in (SPEECH, VOICE, ADS, FORMULA)}

__all__ = ["ALL", "Business", "tensors"]
