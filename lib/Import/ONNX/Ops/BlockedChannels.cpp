//===- BlockedChannels.cpp - Channels in blocks ---------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Operators of com.microsoft.nchwc, set 1; see BlockedValues.h. Only these and
// elementwise operators depend on the layout within a block, so the importer
// keeps tensors [N, C, spatial], and reorders filters.

#include "../GraphImporter.h"
#include "Activations.h"
#include "ChannelsLast.h"
#include "Convolution.h"
#include "Pooling.h"

#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using llvm::Twine;

const BlockedValues &GraphImporter::getBlockedValues() {
  if (!blockedValues)
    blockedValues.emplace(*model.graph, tensorData);
  return *blockedValues;
}

int64_t GraphImporter::getChannelBlock() {
  const BlockedValues &values = getBlockedValues();
  if (values.isBlockOfHost() && !saysBlock) {
    saysBlock = true;
    emitWarning(fileLoc)
        << "filters are read in blocks of " << values.getBlock()
        << " channels, as ONNX Runtime orders them on this processor; those "
           "that another one wrote may have other blocks: "
           "ORT_ENABLE_EXTENDED writes none";
  }
  return values.getBlock();
}

LogicalResult onnx::reshapeBlocks(OpContext &c) {
  Value x = c.in(0);
  auto shape = c.constantInput(1, "shape");
  if (!x || !shape)
    return failure();
  SmallVector<int64_t> plain(c.e.rank(x), 0);
  plain[1] = -1;
  SmallVector<int64_t> apart(plain);
  apart.push_back(c.importer.getChannelBlock());
  if (*shape != plain && *shape != apart)
    return c.error("expected a shape that gives the blocks of channels an axis "
                   "of their own, or takes it away");
  return c.result(x);
}

namespace {

/// Channels (axis 1) padded to full blocks.
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

/// The number of channels that are read of a value of the node's.
std::optional<int64_t> getChannels(OpContext &c, StringRef name) {
  return c.importer.getBlockedValues().getChannels(name);
}

/// The first elements of an axis, all if it has no more.
Value takeFirst(OpContext &c, Value x, int64_t axis, int64_t number) {
  if (!x || !c.e.hasAxis(x, axis))
    return x;
  DimExpr size = c.e.dims.expand(c.e.dim(x, axis));
  if (size.isConst() && size.getValue() <= number)
    return x;
  return c.e.sliceAxis(x, axis, c.e.size(0), c.e.size(number));
}

LogicalResult importReorderInput(OpContext &c) {
  Emitter &e = c.e;
  bool isLast = c.getInt("channels_last", 0) != 0;
  Value x = c.in(0);
  x = isLast ? toChannelsFirst(e, x) : x;
  if (!x || !e.hasAxes(x, 3))
    return failure();
  auto channels = getChannels(c, c.node.outputs[0]);
  DimExpr size = e.dims.expand(e.dim(x, 1));
  // If fewer are read than there are, the others are dropped.
  if (!channels || !size.isConst() || size.getValue() < *channels)
    x = fillBlocks(c, x, c.importer.getChannelBlock());
  return c.result(channels ? takeFirst(c, x, 1, *channels) : x);
}

LogicalResult importReorderOutput(OpContext &c) {
  Emitter &e = c.e;
  bool isLast = c.getInt("channels_last", 0) != 0;
  int64_t channels = c.getInt("channels", 0);
  Value x = c.in(0);
  if (!x || !e.hasAxes(x, 3))
    return failure();
  if (channels > 0)
    x = takeFirst(c, x, 1, channels);
  DimExpr size = e.dims.expand(e.dim(x, 1));
  if (size.isConst() && size.getValue() < channels)
    return c.error("expected a value of at least " + Twine(channels) +
                   " channels, found " + Twine(size.getValue()));
  return c.result(isLast ? toChannelsLast(e, x) : x);
}

/// A filter [O, I, spatial]. Its elements are stored in blocks of outputs,
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
    return e.fail("expected a filter of static sizes, whose number is a "
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
  int64_t groups = c.getInt("group", 1);
  Value filter = orderFilter(c, c.in(1), groups), bias = c.optional(2);
  auto inputs = getChannels(c, c.node.inputs[0]);
  auto outputs = getChannels(c, c.node.outputs[0]);
  if (inputs && groups == 1)
    filter = takeFirst(c, filter, 1, *inputs);
  if (outputs) {
    filter = takeFirst(c, filter, 0, *outputs);
    bias = takeFirst(c, bias, 0, *outputs);
    // Only a filter for each channel has groups that can be dropped.
    if (groups != 1)
      groups = *outputs;
  }
  return c.result(
      convolveFused(c, c.in(0), filter, bias, c.optional(3), groups));
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

/// Pixels repeated, or interpolated linearly.
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
