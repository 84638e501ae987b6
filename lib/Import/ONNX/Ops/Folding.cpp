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
using dhlo::CompareDirection;

namespace {

/// For pixels of an axis: the block that begins with an element of their
/// windows.
struct Blocks {
  Value number; ///< of the block, clamped
  Value exists; ///< whether there is one
};

/// Sums of the elements of overlapping blocks. Each pixel gathers from every
/// element of a window, so nothing is scattered.
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

  Type i64 = e.builder.getI64Type();
  DimExpr batch = e.dim(x, 0);
  DimExpr channels = dhlo::floorDiv(e.dims.expand(e.dim(x, 1)), elements);
  x = e.reshape(x, {batch, channels, e.size(elements), e.dim(x, 2)});
  Sizes counts;
  for (size_t axis = 0; axis < spatial; ++axis)
    counts.push_back(e.windowSize((*sizes)[axis], e.size(pads[axis]),
                                  e.size(pads[spatial + axis]), (*window)[axis],
                                  (*strides)[axis], (*dilations)[axis]));
  auto getBlocks = [&](size_t axis, int64_t element) -> Blocks {
    Sizes along(spatial, e.size(1));
    along[axis] = (*sizes)[axis];
    Value at = e.iota(axis, along, i64);
    at = e.add(at,
               e.constantInt(i64, pads[axis] - element * (*dilations)[axis]));
    Value stride = e.constantInt(i64, (*strides)[axis]);
    Value zero = e.constantInt(i64, 0), count = e.fromSize(counts[axis]);
    Value number = e.div(at, stride);
    Value exists = e.binary<dhlo::AndOp>(
        e.compare(CompareDirection::EQ, e.mul(number, stride), at),
        e.binary<dhlo::AndOp>(e.compare(CompareDirection::GE, at, zero),
                              e.compare(CompareDirection::LT, number, count)));
    Value last = e.sub(count, e.constantInt(i64, 1));
    return {e.maximum(e.minimum(number, last), zero), exists};
  };
  Value sum;
  for (int64_t number = 0; number < elements; ++number) {
    Value index, exists;
    int64_t rest = number;
    SmallVector<int64_t> element(spatial);
    for (size_t axis = spatial; axis-- > 0; rest /= (*window)[axis])
      element[axis] = rest % (*window)[axis];
    for (size_t axis = 0; axis < spatial; ++axis) {
      Blocks blocks = getBlocks(axis, element[axis]);
      Value before = index ? e.mul(index, e.fromSize(counts[axis])) : Value();
      index = before ? e.add(before, blocks.number) : blocks.number;
      exists =
          exists ? e.binary<dhlo::AndOp>(exists, blocks.exists) : blocks.exists;
    }
    Value own = e.squeeze(e.sliceAxis(x, 2, e.size(number), e.size(1)), {2});
    Value value = e.gather(own, index, 2);
    if (!value)
      return failure();
    value = e.select(exists, value, e.constant(e.elementType(x), 0));
    sum = sum ? e.add(sum, value) : value;
  }
  return c.result(sum);
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
