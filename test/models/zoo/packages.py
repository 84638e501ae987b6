# ===- packages.py - Packages that do not load as they are -----------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the models of torchaudio importable beside any PyTorch."""

import importlib.util
import sys
import types


def admit_torchaudio():
    """Lets `torchaudio.models` be imported without the rest. The package refuses to load
    beside a PyTorch for another version of CUDA, and there is none for the newest; its
    models need none of its libraries. Others that find it installed, such as transformers,
    import it by name."""
    specification = importlib.util.find_spec("torchaudio")
    if specification is None or "torchaudio" in sys.modules:
        return
    package = types.ModuleType("torchaudio")
    package.__path__ = list(specification.submodule_search_locations)
    package.__spec__ = specification
    sys.modules["torchaudio"] = package
