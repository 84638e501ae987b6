//===- PackRows.cpp - Computes on the rows of selected cells --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackRows.h"

#include "Dialect/DHLO/Transforms/Recognize/Match.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dhlo;

//===----------------------------------------------------------------------===//
// The operations that keep cells apart
//===----------------------------------------------------------------------===//

/// The axis of the packed tensor that corresponds to an axis; cells are axis 0.
static int64_t toRowAxis(int64_t axis, ArrayRef<int64_t> cells) {
  return axis + 1 -
         llvm::count_if(cells, [&](int64_t cell) { return cell < axis; });
}

/// Packed tensors have the rows on axis 0. Whether the operation can have its
/// other axes after them, in their order, and `packOp` knows its attributes.
static bool canFollowRows(Operation *op, ArrayRef<RowOperand> rows) {
  // Batch axes are those before all others, and the rows are the LHS's.
  if (auto dot = dyn_cast<DotGeneralOp>(op))
    return dot.getBatch() == 0 && rows.front().index == 0;
  if (auto gather = dyn_cast<GatherOp>(op))
    return gather.getAxis() == 0;
  // The operations that `packOp` rewrites.
  return op->hasTrait<dhlo::Elementwise>() ||
         isa<BroadcastOp, ConcatOp, LayerNormOp, PadOp, ReduceOp, ReshapeOp,
             RmsNormOp, SliceOp, SoftmaxOp, TransposeOp>(op);
}

std::optional<SmallVector<RowOperand>>
dhlo::getRowOperands(Operation *op, ArrayRef<int64_t> axes,
                     const CellFlow &flow) {
  if (op->getNumResults() != 1 || op->getNumRegions() != 0 ||
      op->getNumOperands() == 0 || !areWholeCells(axes))
    return std::nullopt;
  SmallVector<RowOperand> rows;
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    // A table is read in full, wherever its cells are.
    if (i == 0 && isa<GatherOp>(op))
      continue;
    auto operand = flow.getOperandAxes(op, i, axes);
    if (!operand)
      return std::nullopt;
    if (llvm::any_of(*operand, [](int64_t axis) { return axis >= 0; }))
      rows.push_back({i, *operand});
  }
  bool hasRows =
      isa<BroadcastOp>(op) ||
      (!rows.empty() && llvm::all_of(rows, [](const RowOperand &row) {
        return areWholeCells(row.axes);
      }));
  return hasRows && canFollowRows(op, rows) ? std::optional(rows)
                                            : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Cells and seats
//===----------------------------------------------------------------------===//

PackRows::PackRows(Value keep, Operation *anchor, const CellFlow &flow,
                   DimBuilder &symbols)
    : flow(flow), symbols(symbols), anchor(anchor), keep(keep) {
  TensorBuilder b(anchor, symbols);
  ArrayRef<DimExpr> sizes = flow.getSizes();
  DimExpr all = mul(sizes[0], sizes[1]);
  SymbolicDims::Range range = symbols.getDims().getRange(all);
  std::optional<int64_t> max;
  if (range.max != std::numeric_limits<int64_t>::max())
    max = range.max;
  count = symbols.createSymbol("tokens", 0, max, all);
  DimExpr two = getConstDim(b.getContext(), 2);
  auto found =
      NonzeroOp::create(b, b.getTensorType({count, two}, b.getI64Type()), keep,
                        FlatSymbolRefAttr::get(count.getName()));
  DimExpr one = getConstDim(b.getContext(), 1);
  for (int64_t i : {0, 1}) {
    Attribute starts[] = {getConstDim(b.getContext(), 0),
                          getConstDim(b.getContext(), i)};
    Value column =
        SliceOp::create(b, b.getTensorType({count, one}, b.getI64Type()), found,
                        b.getArrayAttr(starts), ArrayRef<int64_t>{1, 1});
    coordinates.push_back(b.reshape(column, {count}));
  }
  Value first =
      MulOp::create(b, coordinates[0], b.fillSize(sizes[1], coordinates[0]));
  cells = AddOp::create(b, first, coordinates[1]);
  // The number of kept cells up to and including each cell, minus one.
  Value flags = b.convert(b.reshape(keep, {all}), b.getI64Type());
  Value before = CumulativeOp::create(b, ReduceKind::Sum, flags, 0);
  seats = b.reshape(AddOp::create(b, before, b.fillInteger(-1, before)), sizes);
}

TensorBuilder PackRows::getBuilder(Operation *op) {
  bool isBefore =
      op->getBlock() == anchor->getBlock() && op->isBeforeInBlock(anchor);
  TensorBuilder b(isBefore ? anchor : op, symbols);
  b.setLoc(op->getLoc());
  return b;
}

//===----------------------------------------------------------------------===//
// Conversion between the grid and rows
//===----------------------------------------------------------------------===//

SmallVector<DimExpr> PackRows::getRest(RankedTensorType type,
                                       ArrayRef<int64_t> axes) const {
  SmallVector<DimExpr> rest;
  for (int64_t axis = 0; axis < type.getRank(); ++axis)
    if (!llvm::is_contained(axes, axis))
      rest.push_back(getDim(type, axis));
  return rest;
}

RankedTensorType PackRows::getRowType(RankedTensorType type,
                                      ArrayRef<int64_t> axes) {
  SmallVector<DimExpr> sizes = {count};
  sizes.append(getRest(type, axes));
  return symbols.getTensorType(sizes, type.getElementType());
}

static DimExpr getProduct(ArrayRef<DimExpr> sizes, MLIRContext *context) {
  DimExpr product = getConstDim(context, 1);
  for (DimExpr size : sizes)
    product = mul(product, size);
  return product;
}

/// Moves the cells' axes to the front.
static SmallVector<int64_t> getCellsFirst(int64_t rank,
                                          ArrayRef<int64_t> axes) {
  SmallVector<int64_t> permutation;
  for (int64_t axis : axes)
    if (axis >= 0)
      permutation.push_back(axis);
  for (int64_t axis = 0; axis < rank; ++axis)
    if (!llvm::is_contained(axes, axis))
      permutation.push_back(axis);
  return permutation;
}

Value PackRows::gather(TensorBuilder &b, Value value, ArrayRef<int64_t> axes) {
  ++numGathers;
  RankedTensorType type = getTensor(value);
  value = b.transpose(value, getCellsFirst(type.getRank(), axes));
  SmallVector<DimExpr> rest = getRest(type, axes);
  // Rows are as long as possible: a gather copies one at a time.
  DimExpr grid = getProduct(flow.getSizes(), b.getContext());
  Value indices = cells;
  for (auto [i, axis] : llvm::enumerate(axes))
    if (axis < 0) {
      grid = flow.getSizes()[1 - i];
      indices = coordinates[1 - i];
    }
  value = b.reshape(value, {grid, getProduct(rest, b.getContext())});
  return b.reshape(b.gatherRows(value, indices),
                   getDims(getRowType(type, axes)));
}

Value PackRows::unpack(TensorBuilder &b, Value rows, RankedTensorType type,
                       ArrayRef<int64_t> axes, std::optional<double> dropped) {
  SmallVector<DimExpr> rest = getRest(type, axes);
  rows =
      createReshape(b, b.getLoc(), rows,
                    b.getTensorType({count, getProduct(rest, b.getContext())},
                                    type.getElementType()));
  Value value = b.gatherRows(rows, seats);
  if (dropped) {
    Type element = type.getElementType();
    TypedAttr number =
        isa<FloatType>(element)
            ? TypedAttr(b.getFloatAttr(element, *dropped))
            : TypedAttr(b.getIntegerAttr(element, int64_t(*dropped)));
    value = b.select(keep, value, b.fill(number, b.sizesOf(value)));
  }
  SmallVector<int64_t> permutation = getCellsFirst(type.getRank(), axes);
  SmallVector<DimExpr> sizes;
  SmallVector<int64_t> inverse(type.getRank());
  for (auto [i, axis] : llvm::enumerate(permutation)) {
    sizes.push_back(getDim(type, axis));
    inverse[axis] = i;
  }
  return b.transpose(b.reshape(value, sizes), inverse);
}

//===----------------------------------------------------------------------===//
// Operations on rows
//===----------------------------------------------------------------------===//

Value PackRows::packAttention(TensorBuilder &b, AttentionOp op) {
  SmallVector<Value> grid;
  CellAxes axes = {0, 2};
  for (Value operand : {op.getQuery(), op.getKey(), op.getValue()}) {
    Value rows = pack(operand, axes);
    grid.push_back(unpack(b, rows, getTensor(operand), axes));
  }
  auto result = cast<AttentionOp>(b.clone(*op));
  result.getQueryMutable().assign(grid[0]);
  result.getKeyMutable().assign(grid[1]);
  result.getValueMutable().assign(grid[2]);
  --numGathers;
  return gather(b, result, axes);
}

Value PackRows::packBroadcast(TensorBuilder &b, BroadcastOp op,
                              ArrayRef<int64_t> axes) {
  auto operand = *flow.getOperandAxes(op, 0, axes);
  Value source = op.getOperand();
  RankedTensorType from = getTensor(source);
  RankedTensorType to = getRowType(op.getType(), axes);
  // Rows have no axes of size 1 that would be repeated along cells.
  SmallVector<int64_t> rowAxes;
  SmallVector<DimExpr> sizes;
  CellAxes kept(operand.size(), -1);
  for (auto [axis, resultAxis] : llvm::enumerate(op.getAxes())) {
    const auto *coordinate = llvm::find(operand, static_cast<int64_t>(axis));
    bool isCell = coordinate != operand.end();
    if (llvm::is_contained(axes, resultAxis) && !isCell)
      continue;
    if (isCell)
      kept[coordinate - operand.begin()] = sizes.size();
    else
      rowAxes.push_back(toRowAxis(resultAxis, axes));
    sizes.push_back(getDim(from, axis));
  }
  if (llvm::any_of(kept, [](int64_t axis) { return axis >= 0; })) {
    source = areWholeCells(operand) ? pack(source, operand)
                                    : gather(b, b.reshape(source, sizes), kept);
    rowAxes.insert(rowAxes.begin(), 0);
  } else {
    source = b.reshape(source, sizes);
  }
  return BroadcastOp::create(b, to, source, b.getDenseI64ArrayAttr(rowAxes));
}

Value PackRows::packOp(TensorBuilder &b, Operation *op, ArrayRef<int64_t> axes,
                       ArrayRef<RowOperand> operands) {
  IRMapping map;
  for (const RowOperand &row : operands)
    map.map(op->getOperand(row.index),
            pack(op->getOperand(row.index), row.axes));
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  RankedTensorType type = getRowType(result, axes);
  Value rows = map.lookup(op->getOperand(operands[0].index));
  ArrayRef<int64_t> cells = operands[0].axes;
  // Maps axes of the operand, or of attributes with an element for each axis,
  // to those of rows.
  auto toRowAxes = [&](ArrayRef<int64_t> list) {
    SmallVector<int64_t> result;
    for (int64_t axis : list)
      result.push_back(toRowAxis(axis, cells));
    return result;
  };
  auto keepRest = [&](ArrayAttr all, Attribute first) {
    SmallVector<Attribute> result = {first};
    for (auto [axis, attr] : llvm::enumerate(all))
      if (!llvm::is_contained(cells, static_cast<int64_t>(axis)))
        result.push_back(attr);
    return b.getArrayAttr(result);
  };
  Attribute zero = getConstDim(b.getContext(), 0);
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](ReshapeOp) { return ReshapeOp::create(b, type, rows); })
      .Case([&](TransposeOp op) {
        SmallVector<int64_t> permutation = {0};
        for (int64_t axis : op.getPermutation())
          if (!llvm::is_contained(cells, axis))
            permutation.push_back(toRowAxis(axis, cells));
        return b.transpose(rows, permutation);
      })
      .Case([&](ReduceOp op) {
        return ReduceOp::create(b, type, op.getKind(), rows,
                                toRowAxes(op.getAxes()));
      })
      .Case([&](SliceOp op) {
        SmallVector<int64_t> strides = {1};
        for (auto [axis, stride] : llvm::enumerate(op.getStrides()))
          if (!llvm::is_contained(cells, static_cast<int64_t>(axis)))
            strides.push_back(stride);
        return SliceOp::create(b, type, rows, keepRest(op.getStarts(), zero),
                               strides);
      })
      .Case([&](PadOp op) {
        return PadOp::create(b, type, rows, op.getValue(), op.getMode(),
                             keepRest(op.getLow(), zero),
                             keepRest(op.getHigh(), zero));
      })
      .Case([&](DotGeneralOp op) {
        return DotGeneralOp::create(b, type, rows, op.getRhs(), 0,
                                    toRowAxes(op.getLhsContract()),
                                    op.getRhsContract());
      })
      .Case([&](GatherOp op) {
        return GatherOp::create(b, type, op.getOperand(), rows, 0, 0);
      })
      .Default([&](Operation *op) {
        // Elementwise operations, norms, softmax and concat.
        Operation *copy = b.clone(*op, map);
        copy->getResult(0).setType(type);
        if (auto axis = copy->getAttrOfType<IntegerAttr>("axis"))
          copy->setAttr("axis",
                        b.getI64IntegerAttr(toRowAxis(axis.getInt(), axes)));
        return copy->getResult(0);
      });
}

Value PackRows::pack(Value value, ArrayRef<int64_t> axes) {
  auto found = packed.find(value);
  if (found != packed.end() && ArrayRef(found->second.first) == axes)
    return found->second.second;
  Operation *op = value.getDefiningOp();
  TensorBuilder b = op ? getBuilder(op) : TensorBuilder(anchor, symbols);
  Value rows;
  if (op && attentions.contains(op) && axes == ArrayRef<int64_t>{0, 2}) {
    rows = packAttention(b, cast<AttentionOp>(op));
  } else if (auto operands =
                 op ? getRowOperands(op, axes, flow) : std::nullopt) {
    rows = isa<BroadcastOp>(op) ? packBroadcast(b, cast<BroadcastOp>(op), axes)
                                : packOp(b, op, axes, *operands);
  } else {
    // Computed on the grid, and available after its operation.
    if (op && b.getInsertionPoint() == op->getIterator())
      b.setInsertionPointAfter(op);
    rows = gather(b, value, axes);
  }
  packed[value] = {CellAxes(axes), rows};
  return rows;
}
