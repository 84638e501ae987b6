//===- Folding.cpp - Operators of ONNX that invert windows ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Window.h"

#include "../OpContext.h"

#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

namespace {

/// Adjacent elements of blocks along an axis. In units of strides, those of
/// block b are in unit b + shift, from element `phase` of it on.
struct BlockRun {
  int64_t first, count, shift, phase;
};

/// An axis of overlapping blocks and of the image that they are added to.
struct BlockAxis {
  int64_t elements, stride, dilation;
  int64_t before; ///< padding of the image
  DimExpr size;   ///< of the image
  DimExpr blocks;

  SmallVector<BlockRun> getRuns() const {
    SmallVector<BlockRun> runs;
    int64_t length = dilation == 1 ? stride : 1;
    for (int64_t first = 0; first < elements; first += length) {
      int64_t at = first * dilation;
      runs.push_back({first, std::min(length, elements - first), at / stride,
                      at % stride});
    }
    return runs;
  }
  /// The units that blocks reach. If these are single elements, those that are
  /// in the image.
  DimExpr getUnits() const {
    int64_t reach = (elements - 1) * dilation / stride;
    return stride == 1 ? size : dhlo::add(blocks, reach);
  }
  /// The first unit of a run.
  int64_t getStart(const BlockRun &run) const {
    return stride == 1 ? run.shift - before : run.shift;
  }
};

/// The elements of blocks [n, c, elements..., blocks...] in `runs`, where they
/// are in the image: [n, c, phases..., units...].
Value placeRuns(Emitter &e, Value x, ArrayRef<BlockAxis> axes,
                ArrayRef<BlockRun> runs) {
  size_t spatial = axes.size();
  Sizes low(2 + 2 * spatial, e.size(0)), high = low;
  for (auto [i, axis, run] : llvm::enumerate(axes, runs)) {
    x = e.sliceAxis(x, 2 + i, e.size(run.first), e.size(run.count));
    low[2 + i] = e.size(run.phase);
    high[2 + i] = e.size(axis.stride - run.phase - run.count);
    DimExpr start = low[2 + spatial + i] = e.size(axis.getStart(run));
    high[2 + spatial + i] =
        dhlo::sub(dhlo::sub(axis.getUnits(), axis.blocks), start);
  }
  return x ? e.pad(x, e.constant(e.elementType(x), 0), dhlo::PadMode::Constant,
                   low, high)
           : Value();
}

/// Sums of the elements of overlapping blocks. All blocks' elements of a run
/// are moved together, so nothing is scattered.
LogicalResult importCol2Im(OpContext &c) {
  Emitter &e = c.e;
  Value x = c.in(0), shape = c.in(1);
  auto window = c.constantInput(2, "block_shape");
  auto sizes = shape ? e.sizesFrom(shape, "image") : std::nullopt;
  if (!x || !window || !sizes)
    return failure();
  size_t spatial = sizes->size();
  auto dilations = getSpatial(c, "dilations", spatial);
  auto strides = getSpatial(c, "strides", spatial);
  if (!dilations || !strides)
    return failure();
  SmallVector<int64_t> pads(2 * spatial, 0);
  if (auto given = c.getInts("pads"))
    pads.assign(given->begin(), given->end());
  int64_t elements = 1;
  for (int64_t size : *window)
    if (size < 1 || (elements *= size) > 1024)
      return c.error("expected blocks of 1 to 1024 elements");
  if (e.rank(x) != 3 || window->size() != spatial ||
      pads.size() != 2 * spatial ||
      llvm::any_of(pads, [](int64_t pad) { return pad < 0; }))
    return c.error("expected data of rank 3, and a size of the image, of the "
                   "block and two pads of at least 0 for each axis");

  SmallVector<BlockAxis> axes;
  Sizes split = {e.dim(x, 0),
                 dhlo::floorDiv(e.dims.expand(e.dim(x, 1)), elements)};
  for (size_t i = 0; i < spatial; ++i) {
    DimExpr size = e.dims.expand((*sizes)[i]);
    axes.push_back(
        {(*window)[i], (*strides)[i], (*dilations)[i], pads[i], size,
         e.windowSize(size, e.size(pads[i]), e.size(pads[spatial + i]),
                      (*window)[i], (*strides)[i], (*dilations)[i])});
    split.push_back(e.size((*window)[i]));
  }
  for (const BlockAxis &axis : axes)
    split.push_back(axis.blocks);
  x = e.reshape(x, split);

  SmallVector<SmallVector<BlockRun>> runs;
  int64_t combinations = 1;
  for (const BlockAxis &axis : axes) {
    runs.push_back(axis.getRuns());
    combinations *= runs.back().size();
  }
  Value sum;
  for (int64_t number = 0; number < combinations; ++number) {
    SmallVector<BlockRun> chosen;
    int64_t rest = number;
    for (ArrayRef<BlockRun> choices : runs) {
      chosen.push_back(choices[rest % choices.size()]);
      rest /= choices.size();
    }
    Value part = placeRuns(e, x, axes, chosen);
    if (!part)
      return failure();
    sum = sum ? e.add(sum, part) : part;
  }
  // The elements of units behind these, which are cut to the image.
  SmallVector<int64_t> order = {0, 1};
  Sizes joined = {split[0], split[1]}, low(2, e.size(0)), high = low;
  for (auto [i, axis] : llvm::enumerate(axes)) {
    order.append(
        {static_cast<int64_t>(2 + spatial + i), static_cast<int64_t>(2 + i)});
    joined.push_back(dhlo::mul(axis.getUnits(), axis.stride));
    int64_t before = axis.stride == 1 ? 0 : axis.before;
    low.push_back(e.size(-before));
    high.push_back(dhlo::sub(dhlo::add(axis.size, before), joined.back()));
  }
  if (llvm::any_of(axes, [](const BlockAxis &axis) { return axis.stride > 1; }))
    sum = e.transpose(sum, order);
  sum = e.reshape(sum, joined);
  return c.result(e.pad(sum, sum ? e.constant(e.elementType(sum), 0) : Value(),
                        dhlo::PadMode::Constant, low, high));
}

/// Each value at the index where max pooling found it. Indices are in the
/// result that the window implies; a larger one that is given has it in its
/// corner.
LogicalResult importMaxUnpool(OpContext &c) {
  Emitter &e = c.e;
  Value x = c.in(0), positions = c.in(1), stated = c.optional(2);
  auto window = c.getInts("kernel_shape");
  if (!x || !positions)
    return failure();
  int64_t rank = e.rank(x);
  if (rank < 3 || !window || static_cast<int64_t>(window->size()) != rank - 2)
    return c.error("expected kernel_shape with a size for each spatial axis");
  auto strides = getSpatial(c, "strides", window->size());
  if (!strides)
    return failure();
  SmallVector<int64_t> pads(2 * window->size(), 0);
  if (auto given = c.getInts("pads"))
    pads.assign(given->begin(), given->end());
  if (pads.size() != 2 * window->size())
    return c.error("expected two pads for each spatial axis");
  Sizes implied = e.sizes(x);
  for (size_t axis = 0; axis < window->size(); ++axis) {
    DimExpr size = e.dims.expand(implied[2 + axis]);
    int64_t more = (*window)[axis] - (*strides)[axis] - pads[axis] -
                   pads[window->size() + axis];
    implied[2 + axis] = dhlo::add(dhlo::mul(size, (*strides)[axis]), more);
  }
  Type type = e.elementType(x);
  DimExpr count = e.product(e.sizes(x));
  Value zeros = e.full(type, 0, {e.product(implied)});
  Value indices = e.reshape(e.index(positions), {count, e.size(1)});
  Value updates = e.reshape(x, {count});
  if (!zeros || !indices || !updates)
    return failure();
  Value result =
      dhlo::ScatterNdOp::create(e.builder, e.loc, zeros.getType(), zeros,
                                indices, updates, dhlo::ScatterKind::Replace);
  result = e.reshape(result, implied);
  if (!stated)
    return c.result(result);
  auto sizes = e.sizesFrom(stated, "size");
  if (!sizes)
    return failure();
  if (sizes->size() != implied.size())
    return c.error("expected output_shape of the data's rank");
  Sizes high;
  for (auto [wanted, size] : llvm::zip_equal(*sizes, implied))
    high.push_back(dhlo::sub(wanted, size));
  Sizes low(high.size(), e.size(0));
  return c.result(
      e.pad(result, e.constant(type, 0), dhlo::PadMode::Constant, low, high));
}

} // namespace

void onnx::registerFolding(OpRegistry &r) {
  r.add("Col2Im", 18, importCol2Im);
  r.add("MaxUnpool", 9, importMaxUnpool);
}
