//===- BlockedChannels.cpp - Channels in blocks
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// ONNX Runtime keeps channels of images in blocks, of as many as a vector of
// the processor holds: com.microsoft.nchwc, set 1. Nothing but these operators
// and elementwise ones see the order within a block, so that the importer keeps
// tensors [N, C, spatial] in order, and puts filters in order. Of blocks the
// padding of the channels is left, which is zero.

#include "../GraphImporter.h"
#include "Activations.h"
#include "ChannelsLast.h"
#include "Convolution.h"
#include "Pooling.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using llvm::Twine;

/// Sizes of blocks of processors without AVX-512 and with it.
constexpr int64_t kSmall = 8, kLarge = 16;

static int64_t getBlockOfHost() {
  return llvm::sys::getHostCPUFeatures().lookup("avx512f") ? kLarge : kSmall;
}

/// The size of the blocks, as the sizes of filters and the channels that leave
/// the blocks tell it; 0 if both fit.
static int64_t findBlock(const Graph &graph) {
  llvm::StringMap<const Tensor *> tensors;
  for (const Tensor &tensor : graph.initializers)
    tensors[tensor.name] = &tensor;
  llvm::StringMap<const Node *> producers;
  for (const Node &node : graph.nodes)
    for (StringRef output : node.outputs)
      producers[output] = &node;
  auto getFilter = [&](const Node &node) -> const Tensor * {
    if (node.domain != kBlocked || node.opType != "Conv" ||
        node.inputs.size() < 2)
      return nullptr;
    const Tensor *filter = tensors.lookup(node.inputs[1]);
    return filter && filter->dims.size() > 2 ? filter : nullptr;
  };
  for (const Node &node : graph.nodes) {
    if (const Tensor *filter = getFilter(node)) {
      if (filter->dims[0] % kLarge != 0)
        return kSmall;
      // Fewer channels than a block are not in blocks, and need not fill one.
      if (filter->dims[1] > kSmall && filter->dims[1] < kLarge &&
          filter->dims[1] % kSmall != 0)
        return kLarge;
    }
    if (node.domain != kBlocked || node.opType != "ReorderOutput")
      continue;
    int64_t channels = 0;
    for (const NodeAttribute &attribute : node.attributes)
      if (attribute.name == "channels")
        channels = attribute.i;
    // Up to the convolution whose result this is.
    const Node *at = &node;
    for (int steps = 0; at && steps < 64 && !getFilter(*at); ++steps)
      at = at->inputs.empty() ? nullptr : producers.lookup(at->inputs[0]);
    const Tensor *filter = at ? getFilter(*at) : nullptr;
    if (filter && llvm::alignTo(channels, kSmall) <
                      static_cast<uint64_t>(filter->dims[0]))
      return kLarge;
  }
  return 0;
}

int64_t GraphImporter::getChannelBlock() {
  if (channelBlock)
    return channelBlock;
  channelBlock = findBlock(*model.graph);
  if (channelBlock == 0) {
    channelBlock = getBlockOfHost();
    emitWarning(fileLoc)
        << "filters are read in blocks of " << channelBlock
        << " channels, as ONNX Runtime orders them on this processor; those "
           "that another one wrote may have other blocks: "
           "ORT_ENABLE_EXTENDED writes none";
  }
  return channelBlock;
}

namespace {

/// Channels (axis 1) filled up to whole blocks.
Value fillBlocks(OpContext &c, Value x, int64_t block) {
  Emitter &e = c.e;
  if (!x || !e.hasAxes(x, 3))
    return {};
  Sizes low(e.rank(x), e.size(0)), high(low);
  DimExpr channels = e.dims.expand(e.dim(x, 1));
  DimExpr whole = dhlo::mul(dhlo::ceilDiv(channels, e.size(block)), block);
  high[1] = dhlo::sub(whole, channels);
  if (high[1].isConst(0))
    return x;
  return e.pad(x, e.constant(e.elementType(x), 0), dhlo::PadMode::Constant, low,
               high);
}

LogicalResult importReorderInput(OpContext &c) {
  bool isLast = c.getInt("channels_last", 0) != 0;
  Value x = c.in(0);
  return c.result(fillBlocks(c, isLast ? toChannelsFirst(c.e, x) : x,
                             c.importer.getChannelBlock()));
}

LogicalResult importReorderOutput(OpContext &c) {
  Emitter &e = c.e;
  bool isLast = c.getInt("channels_last", 0) != 0;
  int64_t channels = c.getInt("channels", 0);
  Value x = c.in(0);
  if (!x || !e.hasAxes(x, 3))
    return failure();
  if (channels > 0)
    x = e.sliceAxis(x, 1, e.size(0), e.size(channels));
  return c.result(isLast ? toChannelsLast(e, x) : x);
}

/// A filter [O, I, spatial] in order. Its elements stand in blocks of outputs,
/// within them of inputs (if there is a block of these), then by position,
/// input and output.
Value orderFilter(OpContext &c, Value filter, int64_t groups) {
  Emitter &e = c.e;
  int64_t block = c.importer.getChannelBlock();
  if (!filter)
    return {};
  Sizes sizes = e.sizes(filter);
  int64_t rank = e.rank(filter), spatial = rank - 2;
  if (spatial < 1 ||
      !llvm::all_of(
          sizes, [](DimExpr size) { return size.isConst(); }) ||
      sizes[0].getValue() % block != 0)
    return e.fail("expected a filter of known sizes, whose number is a "
                  "multiple of " +
                  Twine(block));
  int64_t outputs = sizes[0].getValue(), inputs = sizes[1].getValue();
  bool hasInputBlocks = groups == 1 ? inputs >= block : inputs > 1;
  if (hasInputBlocks && inputs % block != 0)
    return e.fail("expected input channels that are a multiple of " +
                  Twine(block));
  int64_t within = hasInputBlocks ? block : 1;
  // [O / b, I / w, spatial, w, b] to [O / b, b, I / w, w, spatial].
  Sizes apart{e.size(outputs / block), e.size(inputs / within)};
  SmallVector<int64_t> order{0, spatial + 3, 1, spatial + 2};
  for (int64_t i = 0; i < spatial; ++i) {
    apart.push_back(sizes[i + 2]);
    order.push_back(i + 2);
  }
  apart.push_back(e.size(within));
  apart.push_back(e.size(block));
  return e.reshape(e.transpose(e.reshape(filter, apart), order), sizes);
}

LogicalResult importConv(OpContext &c) {
  Value filter = orderFilter(c, c.in(1), c.getInt("group", 1));
  return c.result(
      convolveFused(c, c.in(0), filter, c.optional(2), c.optional(3)));
}

LogicalResult importMaxPool(OpContext &c) {
  c.ignore({"storage_order"});
  return c.result(maxPool(c, c.in(0)));
}

LogicalResult importAveragePool(OpContext &c) {
  return c.result(averagePool(c, c.in(0)));
}

LogicalResult importGlobalMaxPool(OpContext &c) {
  return c.result(globalMaxPool(c, c.in(0)));
}

LogicalResult importGlobalAveragePool(OpContext &c) {
  return c.result(globalAveragePool(c, c.in(0)));
}

/// Pixels repeated, or between others on a line.
LogicalResult importUpsample(OpContext &c) {
  Emitter &e = c.e;
  Value x = c.in(0);
  StringRef name = c.getString("mode", "nearest");
  StringRef coord = c.getString("coordinate_transformation_mode", "asymmetric");
  auto scales = c.getInts("scales");
  auto mode = dhlo::symbolizeResizeMode(name);
  auto where = dhlo::symbolizeResizeCoord(coord);
  if (!x)
    return failure();
  Sizes sizes = e.sizes(x);
  if (!mode || !where || !scales || scales->size() != sizes.size())
    return c.error("expected a mode, a coordinate_transformation_mode and a "
                   "scale for each axis that are known");
  SmallVector<double> all;
  for (auto [size, scale] : llvm::zip_equal(sizes, *scales)) {
    size = dhlo::mul(e.dims.expand(size), scale);
    all.push_back(static_cast<double>(scale));
  }
  return c.result(dhlo::ResizeOp::create(
      e.builder, e.loc, e.type(sizes, e.elementType(x)), *mode, *where,
      dhlo::RoundMode::Floor, x, all, llvm::APFloat(-0.75)));
}

} // namespace

void onnx::registerBlockedChannels(OpRegistry &r) {
  r.add(kBlocked, "ReorderInput", {1, importReorderInput});
  r.add(kBlocked, "ReorderOutput", {1, importReorderOutput});
  r.add(kBlocked, "Conv", {1, importConv});
  r.add(kBlocked, "MaxPool", {1, importMaxPool});
  r.add(kBlocked, "AveragePool", {1, importAveragePool});
  r.add(kBlocked, "GlobalMaxPool", {1, importGlobalMaxPool});
  r.add(kBlocked, "GlobalAveragePool", {1, importGlobalAveragePool});
  r.add(kBlocked, "Upsample", {1, importUpsample});
}
