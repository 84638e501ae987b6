//===- CellOps.cpp - Verifiers and interfaces of cell operations ----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/Cell/IR/CellLayout.h"
#include "dyn/Dialect/DHLO/IR/Verify.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::cell;
using dyn::dhlo::DimExpr;
using dyn::dhlo::getConstDim;
using dyn::dhlo::Sizes;
using dyn::dhlo::sizesOf;
using dyn::dhlo::typeOf;
using dyn::dhlo::verifyElementType;
using dyn::dhlo::verifyRank;
using dyn::dhlo::verifySizes;

//===----------------------------------------------------------------------===//
// Cells
//===----------------------------------------------------------------------===//

CellLayout::CellLayout(ArrayRef<DimExpr> whole, ArrayRef<int64_t> axes,
                       ArrayRef<int64_t> block) {
  SmallVector<int64_t> rest;
  DimExpr count = getConstDim(whole.front().getContext(), 1);
  cells.push_back(count);
  auto keep = [&](DimExpr size) {
    rest.push_back(split.size());
    split.push_back(size);
    cells.push_back(size);
  };
  size_t next = 0;
  for (auto [axis, size] : llvm::enumerate(whole)) {
    if (next == axes.size() || axes[next] != int64_t(axis)) {
      keep(size);
      continue;
    }
    DimExpr blocks = dhlo::floorDiv(size, block[next]);
    count = dhlo::mul(count, blocks);
    permutation.push_back(split.size());
    split.push_back(blocks);
    if (block[next] != 1)
      keep(getConstDim(size.getContext(), block[next]));
    ++next;
  }
  cells.front() = count;
  llvm::append_range(permutation, rest);
}

/// The checks that `cell.split` and `cell.join` share: `whole` is the tensor,
/// and `cells` are its cells.
template <typename Op>
static LogicalResult verifyCells(Op op, Value whole, StringRef name,
                                 Value cells) {
  // split_c1, join_c1
  Sizes sizes = sizesOf(whole);
  ArrayRef<int64_t> axes = op.getAxes(), block = op.getBlock();
  if (failed(dhlo::verifyAscendingAxes(op, axes, sizes.size())))
    return failure();
  if (axes.empty())
    return op.emitOpError("expected at least one axis");
  // split_c2, join_c2
  if (failed(dhlo::verifyCount(op, "blocks", axes.size(), block.size())) ||
      failed(dhlo::verifyAtLeast(op, "blocks", block, 1)))
    return failure();
  // split_c3, join_c3
  for (auto [axis, extent] : llvm::zip(axes, block))
    if (std::optional<int64_t> size = dhlo::getConstantValue(sizes[axis]))
      if (*size % extent != 0)
        return op.emitOpError("expected a multiple of ")
               << extent << " at axis " << axis << ", found " << *size;
  // split_c4, join_c4
  if (failed(
          verifySizes(op, name, CellLayout(sizes, axes, block).cells, cells)))
    return failure();
  return verifyElementType(op, "result", op.getResult(),
                           typeOf(op.getOperand()).getElementType());
}

LogicalResult SplitOp::verify() {
  return verifyCells(*this, getOperand(), "result", getResult());
}

SmallVector<SmallVector<DimExpr>> SplitOp::inferSizes() {
  return {CellLayout(sizesOf(getOperand()), getAxes(), getBlock()).cells};
}

LogicalResult JoinOp::verify() {
  return verifyCells(*this, getResult(), "operand", getOperand());
}

//===----------------------------------------------------------------------===//
// Routers
//===----------------------------------------------------------------------===//

LogicalResult ChooseOp::verify() {
  // choose_c1
  if (failed(verifyRank(*this, "choices", getChoices(), 2)))
    return failure();
  if (getWeights() && failed(verifySizes(*this, "weights",
                                         sizesOf(getChoices()), getWeights())))
    return failure();
  // choose_c2
  DimExpr cells = sizesOf(getChoices()).front();
  if (getPriorities() &&
      failed(verifySizes(*this, "priorities", {cells}, getPriorities())))
    return failure();
  return success();
}

LogicalResult RouteOp::verifyRegions() {
  // route_c1
  Block &block = getRouter().front();
  if (block.getArgumentTypes() != getOperandTypes())
    return emitOpError("expected region arguments with the operands' types");
  // route_c2
  auto choose =
      dyn_cast_or_null<ChooseOp>(block.empty() ? nullptr : &block.back());
  if (!choose)
    return emitOpError("expected a region that ends in 'cell.choose'");
  // route_c3
  RoutesType routes = getRoutes().getType();
  Sizes sizes = sizesOf(choose.getChoices());
  DimExpr columns = choose.isMask()
                        ? getConstDim(getContext(), routes.getPaths())
                        : DimExpr();
  if (failed(verifySizes(*this, "choices", {routes.getCells(), columns},
                         choose.getChoices())))
    return failure();
  DimExpr rows = dhlo::mul(sizes[0], sizes[1]);
  if (rows.isConst() && routes.getRows().isConst() && rows != routes.getRows())
    return emitOpError("expected room for ")
           << rows.getValue() << " rows, found " << routes.getRows().getValue();
  return success();
}

//===----------------------------------------------------------------------===//
// Routes
//===----------------------------------------------------------------------===//

/// The sizes of `tensor` with another size on axis 0.
static Sizes withFirst(DimExpr first, Value tensor) {
  Sizes sizes = sizesOf(tensor);
  sizes.front() = first;
  return sizes;
}

/// Axis 0 of the tensor has the size `first`.
static LogicalResult verifyFirst(Operation *op, StringRef name, DimExpr first,
                                 Value tensor) {
  if (typeOf(tensor).getRank() == 0)
    return op->emitOpError("expected ")
           << name << " of rank at least 1, found rank 0";
  return verifySizes(op, name, withFirst(first, tensor), tensor);
}

LogicalResult OffsetsOp::verify() {
  // offsets_c1
  int64_t paths = getRoutes().getType().getPaths();
  return verifySizes(*this, "result", {getConstDim(getContext(), paths + 1)},
                     getResult());
}

LogicalResult PathsOp::verify() {
  // paths_c1
  return dhlo::verifyInferredSizes(*this);
}

SmallVector<SmallVector<DimExpr>> PathsOp::inferSizes() {
  return {{getRoutes().getType().getRows()}};
}

LogicalResult DispatchOp::verify() {
  // dispatch_c1
  if (failed(verifyFirst(*this, "operand", getRoutes().getType().getCells(),
                         getCells())))
    return failure();
  // dispatch_c2
  if (failed(dhlo::verifyInferredSizes(*this)))
    return failure();
  // dispatch_c3
  return verifyElementType(*this, "result", getRows(),
                           typeOf(getCells()).getElementType());
}

SmallVector<SmallVector<DimExpr>> DispatchOp::inferSizes() {
  return {withFirst(getRoutes().getType().getRows(), getCells())};
}

LogicalResult CombineOp::verify() {
  // combine_c1
  if (failed(verifyFirst(*this, "operand", getRoutes().getType().getRows(),
                         getRows())))
    return failure();
  // combine_c2
  if (failed(dhlo::verifyInferredSizes(*this)))
    return failure();
  // combine_c3
  if (getOtherwise() &&
      failed(
          verifySizes(*this, "otherwise", sizesOf(getCells()), getOtherwise())))
    return failure();
  // combine_c4
  Type element = typeOf(getRows()).getElementType();
  if (getKind() == CombineKind::Sum && !isa<FloatType>(element))
    return emitOpError("expected a sum of floats, found ") << element;
  if (getOtherwise() &&
      failed(verifyElementType(*this, "otherwise", getOtherwise(), element)))
    return failure();
  return verifyElementType(*this, "result", getCells(), element);
}

SmallVector<SmallVector<DimExpr>> CombineOp::inferSizes() {
  return {withFirst(getRoutes().getType().getCells(), getRows())};
}

//===----------------------------------------------------------------------===//
// Switch
//===----------------------------------------------------------------------===//

SmallVector<StringAttr> SwitchOp::getBoundDims() { return {}; }

SmallVector<StringAttr> SwitchOp::getRegionDims() {
  return dhlo::toNames(getCounts());
}

/// The type of a path's rows of a tensor.
static RankedTensorType getPathType(Type rows, StringAttr count) {
  auto type = cast<RankedTensorType>(rows);
  Sizes sizes = dhlo::getDims(type);
  sizes.front() = dhlo::getSymbolDim(count);
  return dhlo::getTensorType(sizes, type.getElementType());
}

LogicalResult SwitchOp::verifyRegions() {
  // switch_c1
  RoutesType routes = getRoutes().getType();
  if (failed(dhlo::verifyCount(*this, "regions", routes.getPaths(),
                               getPaths().size())) ||
      failed(dhlo::verifyCount(*this, "counts", routes.getPaths(),
                               getCounts().size())))
    return failure();
  // switch_c2
  for (Value operand : getInputs())
    if (failed(verifyFirst(*this, "operand", routes.getRows(), operand)))
      return failure();
  for (Value result : getResults())
    if (failed(verifyFirst(*this, "result", routes.getRows(), result)))
      return failure();
  for (auto [region, count] : llvm::zip_equal(getPaths(), getRegionDims())) {
    auto toPathTypes = [&, count = count](TypeRange types) {
      return llvm::map_to_vector(
          types, [&](Type type) -> Type { return getPathType(type, count); });
    };
    unsigned number = region.getRegionNumber();
    auto check = [&](StringRef what, TypeRange expected,
                     TypeRange found) -> LogicalResult {
      if (expected == found)
        return success();
      return emitOpError("expected path ")
             << number << " to " << what << " (" << expected << "), found ("
             << found << ")";
    };
    // switch_c3
    Block &block = region.front();
    if (failed(check("take", toPathTypes(getInputs().getTypes()),
                     block.getArgumentTypes())))
      return failure();
    // switch_c4
    auto yield = dyn_cast_or_null<dhlo::YieldOp>(block.empty() ? nullptr
                                                               : &block.back());
    if (!yield)
      return emitOpError("expected path ")
             << number << " to end in 'dhlo.yield'";
    if (failed(check("yield", toPathTypes(getResultTypes()),
                     yield.getOperandTypes())))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Speculation
//===----------------------------------------------------------------------===//

LogicalResult SelectOp::verify() {
  // select_c1
  if (getRows().empty())
    return emitOpError("expected at least one tensor of rows");
  if (failed(dhlo::verifyCount(*this, "tensors of rows", getFrom().size(),
                               getRows().size())))
    return failure();
  RoutesType routes = getRoutes().getType();
  for (auto [from, rows] : llvm::zip_equal(getFrom(), getRows())) {
    // select_c2
    auto type = cast<RoutesType>(from.getType());
    if (type.getPaths() != routes.getPaths())
      return emitOpError("expected routes of ")
             << routes.getPaths() << " paths, found " << type.getPaths();
    DimExpr cells = type.getCells();
    if (cells.isConst() && routes.getCells().isConst() &&
        cells.getValue() > routes.getCells().getValue())
      return emitOpError("expected routes of at most ")
             << routes.getCells().getValue() << " cells, found "
             << cells.getValue();
    // select_c3
    if (failed(verifyFirst(*this, "rows", type.getRows(), rows)))
      return failure();
    // select_c4
    if (failed(verifySizes(*this, "result", withFirst(routes.getRows(), rows),
                           getResult())) ||
        failed(verifyElementType(*this, "result", getResult(),
                                 typeOf(rows).getElementType())))
      return failure();
  }
  return success();
}

SmallVector<SmallVector<DimExpr>> SelectOp::inferSizes() {
  return {withFirst(getRoutes().getType().getRows(), getRows().front())};
}

//===----------------------------------------------------------------------===//
// Profiles
//===----------------------------------------------------------------------===//

LogicalResult ProbeOp::verify() {
  // probe_c1
  if (getKey().empty())
    return emitOpError("expected a key that is not empty");
  return success();
}

#define GET_OP_CLASSES
#include "dyn/Dialect/Cell/IR/CellOps.cpp.inc"
