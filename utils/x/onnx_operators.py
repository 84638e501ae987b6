#!/usr/bin/env python3
# ===- onnx_operators.py - The table of ONNX's operators -------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints docs/ONNXOperators.md: each operator of ai.onnx at each operator set since 6 and
each of ONNX Runtime's own, and whether dyn-translate imports it. A test compares the page
with this output.

An operator that is not imported must have its reason here, and no other one may."""

import pathlib
import re
import subprocess
import sys
import tempfile

import onnx
from onnx import helper
from onnxruntime.capi import onnxruntime_pybind11_state as runtime

OLDEST = 6
NEWEST = onnx.defs.onnx_opset_version()

_STRINGS = "strings are not supported"
REASONS = {
    "ImageDecoder": "its input is a file of images",
    "Optional": "an optional value that only a run decides",
    "RegexFullMatch": _STRINGS,
    "StringConcat": _STRINGS,
    "StringNormalizer": _STRINGS,
    "StringSplit": _STRINGS,
}

_NARROW = "weights of less than eight bits are not supported"
_FLOATS = "floats of eight bits are not supported"
_SEARCH = "a search with a model within"
_SPARSE = "sparse attention is not supported"
_ORDER = "matrices in the order of one kind of GPU"
_DEVICE = "made for one device"
_TRAINING = "of training alone"
_RARE = "no optimiser writes it"
#: Operators of com.microsoft that are not imported, by the reason.
RUNTIME_REASONS = {
    _NARROW: "GatherBlockQuantized MatMulBlockQuantizedFp4Weight MatMulBnb4 MatMulFpQ4 MatMulNBitsMlp"
    " MatMulNBitsQkv QMoE",
    _FLOATS: "DequantizeBFP GemmFloat8 MatMulBlockQuantizedFp8Weight QuantizeBFP",
    _SEARCH: "BeamSearch GreedySearch Sampling WhisperBeamSearch",
    _SPARSE: "DynamicSparseAttention PackedSparseAttentionIndexer SparseAttention"
    " SparseAttentionIndexer SparsePagedAttention",
    _ORDER: "DequantizeWithOrder QOrderedAttention QOrderedGelu QOrderedLayerNormalization"
    " QOrderedLongformerAttention QOrderedMatMul QuantizeWithOrder",
    _DEVICE: "EPContext PagedAttention Snpe",
    _STRINGS: "Tokenizer",
    _TRAINING: "BitmaskBiasDropout BitmaskDropout",
    "sparse tensors are not supported": "SparseToDenseMatMul",
    _RARE: "AttnLSTM BifurcationDetector BranchwiseRMSNorm ConvTransposeWithDynamicPads"
    " CropAndResize DecoderAttention DynamicTimeWarping EngramGate GatedAdd GatedDeltaNet"
    " GatedRMSNorm GemmaRotaryEmbedding HyperConnectionPostMix HyperConnectionPreMix"
    " IsAllFinite LinearAttentionGate LongformerAttention MRotaryEmbedding MaxpoolWithMask"
    " MurmurHash3 NGramHashMapping NGramRepeatBlock SampleOp ScaledSiLU TorchEmbedding"
    " UnfoldTensor VarlenCausalConvWithState VarlenNGramHashMapping WordConvEmbedding",
}
#: ONNX Runtime's domains: the second one has channels in blocks.
DOMAINS = ("com.microsoft", "com.microsoft.nchwc")

HEADER = f"""# Operators of ONNX

What `utils/x/onnx_operators.py` prints; [Importing ONNX models](ONNX.md) says the rest. A version is the first operator set with
that form of an operator; 6 stands for whatever an operator was up to there. This page knows the sets {OLDEST} to {NEWEST}.

| operator | versions | |
|---|---|---|"""

RUNTIME_HEADER = """
## Operators of ONNX Runtime

What its optimisers and quantizer write, at version 1 of each set; [Importing ONNX models](ONNX.md#models-of-onnx-runtime)
says what of an operator is not supported.

| set | operator | |
|---|---|---|"""


def schemas():
    """Each operator in a set from the oldest on: its name, its versions and the first set
    without it."""
    history = {}
    for schema in onnx.defs.get_all_schemas_with_history():
        is_experiment = schema.support_level == onnx.defs.OpSchema.SupportType.EXPERIMENTAL
        if schema.domain == "" and not is_experiment:
            history.setdefault(schema.name, {})[schema.since_version] = schema.deprecated
    for name, versions in sorted(history.items()):
        known = [since for since in sorted(versions) if not versions[since]]
        # Of the versions up to the oldest set, the newest one counts.
        older = [OLDEST] if known and known[0] <= OLDEST else []
        known = older + [since for since in known if since > OLDEST]
        end = min((since for since in versions if versions[since]), default=NEWEST + 1)
        if known and end > OLDEST:
            yield name, known, end


def refused(names, opset, folder, domain=""):
    """The operators that the importer does not know. Their input is the result of an
    unknown operator, so that the importer checks nothing else."""
    nodes = [helper.make_node("Unknown", ["x"], ["y"])]
    nodes += [
        helper.make_node(name, ["y"], [f"y{i}"], domain=domain) for i, name in enumerate(names)
    ]
    values = [
        helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1])
        for name in ["x"] + [node.output[0] for node in nodes]
    ]
    graph = helper.make_graph(nodes, "g", values[:1], values[1:])
    imports = [helper.make_opsetid("", opset)] + [helper.make_opsetid(d, 1) for d in DOMAINS]
    path = pathlib.Path(folder) / f"{opset}.onnx"
    path.write_bytes(helper.make_model(graph, opset_imports=imports).SerializeToString())
    done = subprocess.run(
        ["dyn-translate", "--import-onnx", str(path)], capture_output=True, text=True
    )
    found = re.findall(r"\((?:[a-z]+\.)*(\w+), opset \d+\): operator is not supported", done.stderr)
    assert found[:1] == ["Unknown"] and len(found) < 100, done.stderr
    return set(found[1:])


def runtime_table(folder):
    """The rows of ONNX Runtime's domains."""
    reasons = {name: why for why, names in RUNTIME_REASONS.items() for name in names.split()}
    names = {domain: set() for domain in DOMAINS}
    for schema in runtime.get_all_operator_schema():
        if schema.domain in names:
            names[schema.domain].add(schema.name)
    rows, unknown = [], set()
    for domain, own in names.items():
        own = sorted(own)
        # The number of errors for one model is limited.
        for start in range(0, len(own), 50):
            unknown |= refused(own[start : start + 50], NEWEST, folder, domain)
        rows += [f"| {domain} | {name} | {reasons.get(name, 'supported')} |" for name in own]
    if unknown != reasons.keys():
        both = unknown ^ reasons.keys()
        raise SystemExit(f"reasons and refusals differ in {sorted(both)}")
    return rows


def main():
    operators = list(schemas())
    unknown = {}
    with tempfile.TemporaryDirectory() as folder:
        for opset in range(OLDEST, NEWEST + 1):
            live = [name for name, since, end in operators if since[0] <= opset < end]
            for name in refused(live, opset, folder):
                unknown.setdefault(name, []).append(opset)
    for name, since, end in operators:
        if name in unknown and unknown[name] != list(range(since[0], end)):
            return f"{name} is refused at the sets {unknown[name]} alone"
    if unknown.keys() != REASONS.keys():
        return f"reasons for {sorted(REASONS)}, but refused are {sorted(unknown)}"
    print(HEADER)
    for name, since, end in operators:
        versions = " ".join(map(str, since)) + (f", not from {end} on" if end <= NEWEST else "")
        print(f"| {name} | {versions} | {REASONS.get(name, 'supported')} |")
    print(RUNTIME_HEADER)
    with tempfile.TemporaryDirectory() as folder:
        print("\n".join(runtime_table(folder)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
