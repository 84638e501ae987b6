//===- OpContext.cpp - The context of the import of an operator -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpContext.h"
#include "GraphImporter.h"

#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

OpContext::OpContext(GraphImporter &importer, Scope &scope, Emitter &emitter,
                     const Node &node, int64_t version)
    : importer(importer), scope(scope), e(emitter), node(node),
      version(version), stated(version), outputs(node.outputs.size()),
      read(node.attributes.size()) {}

LogicalResult OpContext::error(const Twine &why) {
  // Unsupported features are refused in every branch.
  std::string text = why.str();
  return StringRef(text).ends_with("not supported") ? fatalError(text)
                                                    : report(text, false);
}

LogicalResult OpContext::fatalError(const Twine &why) {
  return report(why, true);
}

LogicalResult OpContext::report(const Twine &why, bool isFatal) {
  // The first error of a node is the most useful one.
  if (!failed)
    importer.reportAt(node, stated, why, isFatal);
  failed = true;
  return failure();
}

Value OpContext::in(unsigned i) {
  if (!has(i)) {
    (void)error("expected input " + Twine(i) + ", found none");
    return {};
  }
  return inputs[i];
}

const NodeAttribute *OpContext::attr(StringRef name) {
  for (auto [i, attribute] : llvm::enumerate(node.attributes)) {
    if (attribute.name != name)
      continue;
    read[i] = true;
    if (!attribute.refName.empty())
      return scope.findAttribute(attribute.refName);
    return &attribute;
  }
  return nullptr;
}

int64_t OpContext::getInt(StringRef name, int64_t byDefault) {
  const NodeAttribute *attribute = attr(name);
  return attribute ? attribute->i : byDefault;
}

double OpContext::getFloat(StringRef name, double byDefault) {
  const NodeAttribute *attribute = attr(name);
  return attribute ? attribute->f : byDefault;
}

StringRef OpContext::getString(StringRef name, StringRef byDefault) {
  const NodeAttribute *attribute = attr(name);
  return attribute ? attribute->s : byDefault;
}

std::optional<ArrayRef<int64_t>> OpContext::getInts(StringRef name) {
  if (const NodeAttribute *attribute = attr(name))
    return ArrayRef<int64_t>(attribute->ints);
  return std::nullopt;
}

std::optional<ArrayRef<float>> OpContext::getFloats(StringRef name) {
  if (const NodeAttribute *attribute = attr(name))
    return ArrayRef<float>(attribute->floats);
  return std::nullopt;
}

void OpContext::ignore(std::initializer_list<StringRef> names) {
  for (StringRef name : names)
    (void)attr(name);
}

std::optional<int64_t> OpContext::getAxis(StringRef name, int64_t byDefault,
                                          int64_t rank) {
  return e.axis(getInt(name, byDefault), rank);
}

std::optional<SmallVector<int64_t>> OpContext::constantInput(unsigned i,
                                                             StringRef what) {
  Value value = in(i);
  if (!value)
    return std::nullopt;
  auto values = e.constants(value);
  if (!values)
    (void)error("expected constant " + what +
                ", found values that are known at run time only");
  return values;
}

std::optional<SmallVector<int64_t>> OpContext::getAxes(StringRef name,
                                                       unsigned input,
                                                       int64_t rank,
                                                       bool &present) {
  SmallVector<int64_t> axes;
  present = false;
  if (auto ints = getInts(name)) {
    axes.assign(ints->begin(), ints->end());
    present = true;
  } else if (has(input)) {
    auto values = constantInput(input, name);
    if (!values)
      return std::nullopt;
    axes = *values;
    present = true;
  }
  for (int64_t &axis : axes) {
    std::optional<int64_t> positive = e.axis(axis, rank);
    if (!positive)
      return std::nullopt;
    axis = *positive;
  }
  llvm::sort(axes);
  if (std::adjacent_find(axes.begin(), axes.end()) != axes.end()) {
    (void)error("expected distinct axes");
    return std::nullopt;
  }
  return axes;
}

/// Whether the type is a 16-bit float.
static bool isNarrow(Type type) {
  return isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32;
}

void OpContext::widen() {
  for (auto [i, input] : llvm::enumerate(inputs)) {
    if (!input || !isNarrow(e.elementType(input)))
      continue;
    if (i == 0)
      narrowType = e.elementType(input);
    input = e.convert(input, e.builder.getF32Type());
  }
}

void OpContext::narrow() {
  for (Value &output : outputs)
    if (narrowType && output && e.elementType(output).isF32())
      output = e.convert(output, narrowType);
}

LogicalResult OpContext::finish() {
  if (failed)
    return failure();
  for (auto [i, attribute] : llvm::enumerate(node.attributes))
    if (!read[i])
      return error("attribute '" + attribute.name + "' is not supported");
  for (auto [i, value] : llvm::enumerate(outputs))
    if (!value && wants(i))
      return error("output " + Twine(i) + " is not supported");
  return success();
}

const OpRegistry::Entry *OpRegistry::lookup(StringRef domain, StringRef opType,
                                            int64_t version) const {
  auto it = operators.find((domain + ":" + opType).str());
  if (it == operators.end())
    return nullptr;
  const Entry *best = nullptr;
  for (const Entry &entry : it->second)
    if (entry.since <= version && (!best || entry.since >= best->since))
      best = &entry;
  return best;
}

void onnx::registerAllOperators(OpRegistry &registry) {
  registerElementwise(registry);
  registerActivations(registry);
  registerShape(registry);
  registerIndexing(registry);
  registerContraction(registry);
  registerConvolution(registry);
  registerPooling(registry);
  registerReduction(registry);
  registerNormalization(registry);
  registerAttention(registry);
  registerFlexAttention(registry);
  registerRecurrent(registry);
  registerResize(registry);
  registerQuantization(registry);
  registerWindows(registry);
  registerLosses(registry);
  registerSampling(registry);
  registerFolding(registry);
  registerStateful(registry);
  registerSuppression(registry);
  registerFourier(registry);
  registerElimination(registry);
  registerOptionals(registry);
  registerConstants(registry);
  registerControl(registry);
  registerScan(registry);
  registerSequences(registry);
  registerNGrams(registry);
  registerFusedElementwise(registry);
  registerFusedMatMul(registry);
  registerFusedConvolution(registry);
  registerBlockedChannels(registry);
  registerSkipNormalization(registry);
  registerEmbedding(registry);
  registerMultiHeadAttention(registry);
  registerGroupQueryAttention(registry);
  registerQuantizedMatMul(registry);
  registerQuantizedLayers(registry);
  registerPackedTokens(registry);
  registerRelativePosition(registry);
  registerExperts(registry);
  registerDistances(registry);
}
