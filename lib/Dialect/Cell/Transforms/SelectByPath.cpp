//===- SelectByPath.cpp - Operations that select by the path of each row --===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SelectByPath.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::cell;
using dyn::dhlo::DimExpr;
using dyn::dhlo::Sizes;

static Value stackDot(dhlo::DotGeneralOp dot, Value lhs,
                      const PathValues &factors, AllRows &all) {
  TensorBuilder &b = all.getBuilder();
  // Rows times [paths, contracted, free].
  ArrayRef<int64_t> lhsSummed = dot.getLhsContract(),
                    rhsSummed = dot.getRhsContract();
  auto getFree = [](ArrayRef<int64_t> summed, int64_t rank) {
    SmallVector<int64_t> axes;
    for (int64_t axis = 0; axis != rank; ++axis)
      if (!llvm::is_contained(summed, axis))
        axes.push_back(axis);
    return axes;
  };
  Sizes lhsSizes = b.sizesOf(lhs), rhsSizes = b.sizesOf(factors[0]);
  SmallVector<int64_t> lhsOrder = getFree(lhsSummed, lhsSizes.size());
  SmallVector<int64_t> rhsFree = getFree(rhsSummed, rhsSizes.size());
  DimExpr one = dhlo::getConstDim(b.getContext(), 1), depth = one, width = one;
  Sizes sizes;
  for (int64_t axis : lhsOrder)
    sizes.push_back(lhsSizes[axis]);
  for (int64_t axis : lhsSummed)
    depth = dhlo::mul(depth, lhsSizes[axis]);
  for (int64_t axis : rhsFree)
    width = dhlo::mul(width, rhsSizes[axis]);
  llvm::append_range(lhsOrder, lhsSummed);
  Sizes lhsMatrix = sizes;
  lhsMatrix.push_back(depth);
  lhs = b.reshape(b.transpose(lhs, lhsOrder), lhsMatrix);

  SmallVector<int64_t> rhsOrder(rhsSummed);
  llvm::append_range(rhsOrder, rhsFree);
  PathValues matrices;
  for (Value factor : factors)
    matrices.push_back(
        b.reshape(b.transpose(factor, rhsOrder), {depth, width}));
  sizes.push_back(width);
  Value result = dhlo::GroupedDotOp::create(
      b, b.getTensorType(sizes, dot.getType().getElementType()), lhs,
      all.concat(matrices), all.getOffsets());
  return b.reshape(result, dhlo::getDims(all.getStackedType(dot.getType())));
}

static Value stackConvolution(dhlo::ConvolutionOp convolution, Value input,
                              const PathValues &filters, AllRows &all) {
  // With groups of channels or input dilation, a grouped convolution would be
  // computed element by element.
  bool isPlain = convolution.getGroups() == 1 &&
                 llvm::all_of(convolution.getInputDilation(),
                              [](int64_t step) { return step == 1; });
  if (!isPlain)
    return Value();
  auto ofAll = [&](ArrayAttr attr) {
    return cast<ArrayAttr>(all.toAllRows(attr, 0));
  };
  return dhlo::GroupedConvolutionOp::create(
      all.getBuilder(), all.getStackedType(convolution.getType()), input,
      all.concat(filters), all.getOffsets(), convolution.getLayoutAttr(),
      convolution.getStridesAttr(), ofAll(convolution.getLow()),
      ofAll(convolution.getHigh()), convolution.getInputDilationAttr(),
      convolution.getFilterDilationAttr(), convolution.getGroupsAttr());
}

static Value stackBroadcast(dhlo::BroadcastOp broadcast,
                            const PathValues &values, AllRows &all) {
  SmallVector<int64_t> axes = {0};
  llvm::append_range(axes, broadcast.getAxes());
  return all.broadcastTo(all.gatherByRow(values), axes,
                         all.getStackedType(broadcast.getType()));
}

template <typename Norm>
static Value stackNorm(Norm norm, Value operand, const PathValues &scales,
                       const PathValues &biases, AllRows &all) {
  TensorBuilder &b = all.getBuilder();
  // Norms with scale 1, times the scale of each row's path.
  auto element = cast<FloatType>(norm.getType().getElementType());
  Value ones = b.fill(b.getFloatAttr(element, 1.0), b.sizesOf(scales[0]));
  Value normal;
  if constexpr (std::is_same_v<Norm, dhlo::LayerNormOp>)
    normal = dhlo::LayerNormOp::create(b, operand.getType(), operand, ones,
                                       Value(), norm.getAxis(), norm.getEps());
  else
    normal = dhlo::RmsNormOp::create(b, operand.getType(), operand, ones,
                                     norm.getAxis(), norm.getEps());
  SmallVector<int64_t> axes = {0};
  for (int64_t axis = norm.getAxis(); axis < norm.getType().getRank(); ++axis)
    axes.push_back(axis);
  auto spread = [&](const PathValues &values) {
    if (values.size() == 1)
      return all.broadcastTo(values[0], ArrayRef(axes).drop_front(),
                             normal.getType());
    return all.broadcastTo(all.gatherByRow(values), axes, normal.getType());
  };
  normal = dhlo::MulOp::create(b, normal, spread(scales));
  if (!biases.empty())
    normal = dhlo::AddOp::create(b, normal, spread(biases));
  return normal;
}

Value cell::selectByPath(Operation *op, ArrayRef<PathValues> operands,
                         AllRows &all) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](dhlo::DotGeneralOp op) {
        // Grouped GEMMs are compiled for f32, f16 and bf16.
        Type element = getElementTypeOrSelf(op.getRhs());
        return isa<FloatType>(element) && !element.isF64()
                   ? stackDot(op, operands[0][0], operands[1], all)
                   : Value();
      })
      .Case([&](dhlo::ConvolutionOp op) {
        return stackConvolution(op, operands[0][0], operands[1], all);
      })
      .Case([&](dhlo::BroadcastOp op) {
        return stackBroadcast(op, operands[0], all);
      })
      .Case([&](dhlo::LayerNormOp op) {
        return stackNorm(op, operands[0][0], operands[1],
                         op.getBias() ? operands[2] : PathValues(), all);
      })
      .Case([&](dhlo::RmsNormOp op) {
        return stackNorm(op, operands[0][0], operands[1], {}, all);
      })
      .Default([](Operation *) { return Value(); });
}
