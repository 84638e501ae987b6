//===- BlockedValues.cpp - Values whose channels are in blocks ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockedValues.h"

#include "OpContext.h"
#include "TensorData.h"

#include "llvm/Support/MathExtras.h"
#include "llvm/TargetParser/Host.h"

#include <cstring>
#include <limits>

using namespace dyn::onnx;
using llvm::StringRef;

/// Sizes of blocks of processors without AVX-512 and with it.
constexpr int64_t kSmall = 8, kLarge = 16;
/// All channels of a value.
constexpr int64_t kAll = std::numeric_limits<int64_t>::max();

static int64_t getInt(const Node &node, StringRef name, int64_t byDefault) {
  for (const NodeAttribute &attribute : node.attributes)
    if (attribute.name == name)
      return attribute.i;
  return byDefault;
}

using Tensors = llvm::StringMap<const Tensor *>;

static const Tensor *getFilter(const Node &node, const Tensors &tensors) {
  if (node.domain != kBlocked || node.opType != "Conv" ||
      node.inputs.size() < 2)
    return nullptr;
  const Tensor *filter = tensors.lookup(node.inputs[1]);
  return filter && filter->dims.size() > 2 ? filter : nullptr;
}

/// The last size of a Reshape that separates an axis of blocks; else 0.
static int64_t getBlockOfReshape(const Node &node, const Tensors &tensors,
                                 TensorData &data) {
  const Tensor *shape = node.opType == "Reshape" && node.inputs.size() > 1
                            ? tensors.lookup(node.inputs[1])
                            : nullptr;
  if (!shape || shape->dims.size() != 1)
    return 0;
  mlir::RankedTensorType type;
  std::string error;
  auto elements = llvm::dyn_cast_if_present<mlir::DenseIntElementsAttr>(
      data.get(*shape, type, error));
  if (!elements || elements.getNumElements() < 4)
    return 0;
  auto sizes = llvm::to_vector(elements.getValues<llvm::APInt>());
  int64_t last = sizes.back().getSExtValue();
  bool isApart = sizes[1].isAllOnes() && (last == kSmall || last == kLarge);
  for (size_t i = 0; i + 1 < sizes.size(); ++i)
    isApart &= i == 1 || sizes[i].isZero();
  return isApart ? last : 0;
}

/// 0 if both sizes are possible.
static int64_t findBlock(const Graph &graph, const Tensors &tensors,
                         TensorData &data) {
  llvm::StringMap<const Node *> producers;
  for (const Node &node : graph.nodes)
    for (StringRef output : node.outputs)
      producers[output] = &node;
  for (const Node &node : graph.nodes) {
    if (const Tensor *filter = getFilter(node, tensors)) {
      if (filter->dims[0] % kLarge != 0)
        return kSmall;
      // Channels that are fewer than a block are not in blocks, and need not
      // fill one.
      if (filter->dims[1] > kSmall && filter->dims[1] < kLarge &&
          filter->dims[1] % kSmall != 0)
        return kLarge;
    }
    if (int64_t block = getBlockOfReshape(node, tensors, data))
      return block;
    if (node.domain != kBlocked || node.opType != "ReorderOutput")
      continue;
    // Back to the convolution that computes this.
    const Node *at = &node;
    for (int steps = 0; at && steps < 64 && !getFilter(*at, tensors); ++steps)
      at = at->inputs.empty() ? nullptr : producers.lookup(at->inputs[0]);
    const Tensor *filter = at ? getFilter(*at, tensors) : nullptr;
    if (filter && llvm::alignTo(getInt(node, "channels", 0), kSmall) <
                      static_cast<uint64_t>(filter->dims[0]))
      return kLarge;
  }
  return 0;
}

BlockedValues::BlockedValues(const Graph &graph, TensorData &data)
    : graph(graph), data(data) {
  for (const Tensor &tensor : graph.initializers)
    tensors[tensor.name] = &tensor;
  block = findBlock(graph, tensors, data);
  isOfHost = block == 0;
  if (isOfHost)
    block = llvm::sys::getHostCPUFeatures().lookup("avx512f") ? kLarge : kSmall;
  findValues();
  classes.grow(numbers.size());
  for (const Node &node : graph.nodes)
    visit(node);
  for (const ValueInfo &output : graph.outputs)
    read(output.name, kAll);
  classes.compress();
  channels.resize(classes.getNumClasses(), 0);
  for (auto [value, count] : reads) {
    std::optional<int64_t> &most = channels[classes[value]];
    if (count == kAll)
      most = std::nullopt;
    else if (most)
      most = std::max(*most, count);
  }
}

std::optional<int64_t> BlockedValues::getChannels(StringRef name) const {
  auto found = numbers.find(name);
  if (found == numbers.end())
    return std::nullopt;
  std::optional<int64_t> count = channels[classes[found->second]];
  return count && *count > 0 ? count : std::nullopt;
}

void BlockedValues::findValues() {
  auto isBlocked = [&](const Node &node) {
    if (node.domain == kBlocked)
      return node.opType != "ReorderOutput";
    return llvm::any_of(node.inputs,
                        [&](StringRef name) { return contains(name); });
  };
  // Nodes may be in any order.
  for (bool changes = true; changes;) {
    changes = false;
    for (const Node &node : graph.nodes)
      if (isBlocked(node))
        for (StringRef output : node.outputs)
          if (!output.empty())
            changes |= numbers.try_emplace(output, numbers.size()).second;
  }
}

void BlockedValues::join(StringRef lhs, StringRef rhs) {
  auto a = numbers.find(lhs), b = numbers.find(rhs);
  if (a != numbers.end() && b != numbers.end())
    classes.join(a->second, b->second);
}

void BlockedValues::read(StringRef name, int64_t count) {
  if (auto found = numbers.find(name); found != numbers.end())
    reads.push_back({found->second, count});
}

/// All names that a graph reads, its own among them.
static void walkInputs(const Graph &graph,
                       llvm::function_ref<void(StringRef)> visit) {
  for (const Node &node : graph.nodes) {
    llvm::for_each(node.inputs, visit);
    for (const NodeAttribute &attribute : node.attributes)
      if (attribute.g)
        walkInputs(*attribute.g, visit);
  }
  for (const ValueInfo &output : graph.outputs)
    visit(output.name);
}

void BlockedValues::visit(const Node &node) {
  for (const NodeAttribute &attribute : node.attributes)
    if (attribute.g)
      walkInputs(*attribute.g, [&](StringRef name) { read(name, kAll); });
  if (node.inputs.empty() || node.outputs.empty())
    return;
  if (node.domain == kBlocked && node.opType == "Conv")
    return visitConvolution(node);
  if (node.domain == kBlocked && node.opType == "ReorderOutput") {
    int64_t count = getInt(node, "channels", 0);
    return read(node.inputs[0], count > 0 ? count : kAll);
  }
  if (node.domain == kBlocked && node.opType == "ReorderInput")
    return;
  // Elementwise operators, those along other axes, and reshapes that separate
  // an axis of blocks.
  static constexpr llvm::StringLiteral kEquivalent[] = {
      "Reshape", "Add",  "Sum",     "Mul",         "Sub",       "Max",
      "Relu",    "Tanh", "Sigmoid", "HardSigmoid", "HardSwish", "LeakyRelu",
      "Clip",    "Elu",  "Gelu",    "QuickGelu"};
  bool isEquivalent =
      node.domain == kBlocked || llvm::is_contained(kEquivalent, node.opType);
  size_t number = node.opType == "Reshape" || node.opType == "Clip"
                      ? 1
                      : node.inputs.size();
  for (StringRef input : llvm::ArrayRef(node.inputs).take_front(number))
    isEquivalent &= contains(input);
  for (StringRef input : node.inputs)
    isEquivalent ? join(input, node.outputs[0]) : read(input, kAll);
  if (!isEquivalent)
    for (StringRef output : node.outputs)
      read(output, kAll);
}

void BlockedValues::visitConvolution(const Node &node) {
  StringRef input = node.inputs[0], output = node.outputs[0];
  const Tensor *filter = getFilter(node, tensors);
  int64_t groups = getInt(node, "group", 1);
  if (node.inputs.size() > 3)
    join(node.inputs[3], output);
  if (!filter) {
    read(input, kAll);
    read(output, kAll);
  } else if (groups == 1) {
    read(input, findLastInput(*filter).value_or(kAll));
  } else if (filter->dims[1] == 1 && filter->dims[0] == groups) {
    join(input, output);
  } else {
    read(input, kAll);
    read(output, kAll);
  }
}

std::optional<int64_t>
BlockedValues::findLastInput(const Tensor &filter) const {
  int64_t inputs = filter.dims[1];
  StringRef bytes = data.getFloats(filter);
  if (bytes.empty() || inputs < block || inputs % block != 0)
    return std::nullopt;
  int64_t spatial = 1, last = 0;
  for (int64_t size : llvm::ArrayRef(filter.dims).drop_front(2))
    spatial *= size;
  // [O / block, inputs / block, spatial, block of inputs, block of outputs].
  size_t piece = block * sizeof(float);
  auto isZero = [&](StringRef floats) {
    for (size_t i = 0; i < floats.size(); i += sizeof(float)) {
      float value;
      std::memcpy(&value, floats.data() + i, sizeof(float));
      if (value != 0)
        return false;
    }
    return true;
  };
  for (int64_t i = 0, end = bytes.size() / piece; i < end; ++i) {
    int64_t channel =
        i / block / spatial % (inputs / block) * block + i % block;
    if (channel >= last && !isZero(bytes.substr(i * piece, piece)))
      last = channel + 1;
  }
  return last;
}
