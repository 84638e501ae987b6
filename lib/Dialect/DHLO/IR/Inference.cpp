//===- Inference.cpp - Result sizes of dhlo operations --------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DHLO/IR/Inference.h"

using namespace mlir;

namespace dyn::dhlo {

namespace {
/// The more specific of two equal sizes.
DimExpr prefer(DimExpr lhs, DimExpr rhs) {
  return !lhs || (rhs && rhs.isConst()) ? rhs : lhs;
}
} // namespace

Sizes toSizes(ArrayAttr exprs) {
  return llvm::to_vector(exprs.getAsRange<DimExprAttr>());
}

SmallVector<StringAttr> toNames(ArrayAttr symbols) {
  return llvm::map_to_vector(
      symbols.getAsRange<FlatSymbolRefAttr>(),
      [](FlatSymbolRefAttr symbol) { return symbol.getAttr(); });
}

//===----------------------------------------------------------------------===//
// Elementwise and data movement
//===----------------------------------------------------------------------===//

Sizes inferBroadcast(ArrayRef<DimExpr> lhs, ArrayRef<DimExpr> rhs) {
  if (lhs.size() < rhs.size())
    std::swap(lhs, rhs);
  Sizes result(lhs);
  size_t offset = lhs.size() - rhs.size();
  for (auto [axis, size] : llvm::enumerate(rhs))
    result[offset + axis] = broadcast(result[offset + axis], size);
  return result;
}

Sizes inferTranspose(ArrayRef<DimExpr> operand, ArrayRef<int64_t> permutation) {
  Sizes result;
  for (int64_t axis : permutation)
    result.push_back(operand[axis]);
  return result;
}

Sizes inferPad(ArrayRef<DimExpr> operand, ArrayRef<DimExpr> low,
               ArrayRef<DimExpr> high) {
  Sizes result;
  for (auto [size, before, after] : llvm::zip_equal(operand, low, high))
    result.push_back(add(add(before, size), after));
  return result;
}

Sizes inferConcat(ArrayRef<Sizes> operands, int64_t axis) {
  Sizes result(operands.front());
  for (const Sizes &operand : operands.drop_front())
    for (auto [i, size] : llvm::enumerate(operand))
      result[i] = static_cast<int64_t>(i) == axis ? add(result[i], size)
                                                  : prefer(result[i], size);
  return result;
}

Sizes inferGather(ArrayRef<DimExpr> operand, ArrayRef<DimExpr> indices,
                  int64_t axis, int64_t batch) {
  Sizes result(operand.take_front(axis));
  for (int64_t i = 0; i != batch; ++i)
    result[i] = prefer(result[i], indices[i]);
  llvm::append_range(result, indices.drop_front(batch));
  llvm::append_range(result, operand.drop_front(axis + 1));
  return result;
}

Sizes inferGatherNd(ArrayRef<DimExpr> operand, ArrayRef<DimExpr> indices,
                    int64_t batch) {
  int64_t depth = indices.back().getValue();
  Sizes result(indices.drop_back());
  for (int64_t i = 0; i != batch; ++i)
    result[i] = prefer(result[i], operand[i]);
  llvm::append_range(result, operand.drop_front(batch + depth));
  return result;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

Sizes inferReduce(ArrayRef<DimExpr> operand, ArrayRef<int64_t> axes) {
  Sizes result;
  for (auto [axis, size] : llvm::enumerate(operand))
    if (!llvm::is_contained(axes, static_cast<int64_t>(axis)))
      result.push_back(size);
  return result;
}

DimExpr inferWindowCount(DimExpr size, DimExpr window, int64_t stride,
                         int64_t dilation) {
  DimExpr reach = add(mul(add(window, -1), dilation), 1);
  return add(floorDiv(sub(size, reach), stride), 1);
}

Sizes inferReduceWindow(ArrayRef<DimExpr> operand, ArrayRef<int64_t> window,
                        ArrayRef<int64_t> strides, ArrayRef<int64_t> dilations,
                        ArrayRef<DimExpr> low, ArrayRef<DimExpr> high) {
  Sizes result = inferPad(operand, low, high);
  for (auto [size, width, stride, dilation] :
       llvm::zip_equal(result, window, strides, dilations))
    size = inferWindowCount(size, getConstDim(size.getContext(), width), stride,
                            dilation);
  return result;
}

Sizes inferSegmentReduce(ArrayRef<DimExpr> operand, DimExpr offsets) {
  Sizes result(operand);
  result.front() = add(offsets, -1);
  return result;
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

Sizes inferDotGeneral(ArrayRef<DimExpr> lhs, ArrayRef<DimExpr> rhs,
                      int64_t batch, ArrayRef<int64_t> lhsContract,
                      ArrayRef<int64_t> rhsContract) {
  Sizes result;
  for (int64_t i = 0; i != batch; ++i)
    result.push_back(prefer(lhs[i], rhs[i]));
  auto appendFree = [&](ArrayRef<DimExpr> sizes, ArrayRef<int64_t> contract) {
    for (int64_t axis = batch, e = sizes.size(); axis != e; ++axis)
      if (!llvm::is_contained(contract, axis))
        result.push_back(sizes[axis]);
  };
  appendFree(lhs, lhsContract);
  appendFree(rhs, rhsContract);
  return result;
}

Sizes inferConvolution(ArrayRef<DimExpr> input, ArrayRef<DimExpr> filter,
                       Layout layout, ArrayRef<int64_t> strides,
                       ArrayRef<DimExpr> low, ArrayRef<DimExpr> high,
                       ArrayRef<int64_t> inputDilation,
                       ArrayRef<int64_t> filterDilation) {
  bool isFirst = layout == Layout::ChannelsFirst;
  size_t spatialRank = input.size() - 2;
  ArrayRef<DimExpr> space = input.slice(isFirst ? 2 : 1, spatialRank);
  ArrayRef<DimExpr> window = filter.slice(isFirst ? 2 : 0, spatialRank);
  DimExpr channels = isFirst ? filter.front() : filter.back();

  Sizes result = {input.front()};
  if (isFirst)
    result.push_back(channels);
  for (size_t i = 0; i != spatialRank; ++i) {
    DimExpr dilated = add(mul(add(space[i], -1), inputDilation[i]), 1);
    result.push_back(inferWindowCount(add(add(low[i], dilated), high[i]),
                                      window[i], strides[i],
                                      filterDilation[i]));
  }
  if (!isFirst)
    result.push_back(channels);
  return result;
}

//===----------------------------------------------------------------------===//
// Composites
//===----------------------------------------------------------------------===//

Sizes inferAttention(ArrayRef<DimExpr> query, ArrayRef<DimExpr> value) {
  return {prefer(query[0], value[0]), query[1], query[2], value[3]};
}

SmallVector<Sizes> inferLstm(ArrayRef<DimExpr> gates,
                             ArrayRef<DimExpr> recurrent) {
  DimExpr steps = gates[0], batch = gates[1];
  DimExpr directions = recurrent[0], hidden = recurrent[1];
  Sizes state = {directions, batch, hidden};
  return {{steps, directions, batch, hidden}, state, state};
}

} // namespace dyn::dhlo
