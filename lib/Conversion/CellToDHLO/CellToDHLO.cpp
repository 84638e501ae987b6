//===- CellToDHLO.cpp - From routes to tensors ----------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Routes are tensors of integers, and the weights. Operations are lowered in
// the order of the program, so that routes are lowered before their users, and
// those of a region before the operation that it belongs to, which inlines it.

#include "dyn/Conversion/CellToDHLO/CellToDHLO.h"

#include "dyn/Dialect/Cell/IR/CellLayout.h"
#include "dyn/Dialect/Cell/IR/VisitOp.h"
#include "dyn/Dialect/Cell/Transforms/Choices.h"
#include "dyn/Dialect/Cell/Transforms/RowWise.h"
#include "dyn/Dialect/DHLO/IR/RouteMarks.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"

namespace dyn {
#define GEN_PASS_DEF_CONVERTCELLTODHLOPASS
#include "dyn/Conversion/CellToDHLO/Passes.h.inc"
} // namespace dyn

using namespace mlir;
using namespace dyn;
using dyn::dhlo::DimExpr;
using dyn::dhlo::Sizes;

namespace {
/// The tensors of routes in dhlo, with k choices of each of N cells.
struct RouteTensors {
  Value offsets; // [P + 1]
  Value order;   // [R] the number of each row's choice; -1 past the last
  Value seats;   // [N, k] rows of each cell, ascending; -1 after the last
  Value paths;   // [N * k] the path of each choice
  Value weights; // [N * k] the weight of each choice, or null
  bool mayDrop;  // whether there can be fewer rows than choices
  // The `dhlo.group`, whose i-th line is of cell sorted[i] if cells were sorted
  // by priority.
  dhlo::GroupOp group;
  Value sorted;
  // The path of all cells, if they are the rows: then no group is needed.
  std::optional<int64_t> onlyPath;
  // The load that a profile tells, or null.
  Attribute load;

  /// Numbers of choices or rows as indices: 0 for -1, if that may occur.
  Value toIndices(TensorBuilder &b, Value numbers) const {
    return mayDrop ? b.clampToZero(numbers) : numbers;
  }
};

struct ConvertCellToDHLOPass
    : dyn::impl::ConvertCellToDHLOPassBase<ConvertCellToDHLOPass> {
  void runOnOperation() override;

private:
  void findUnreadRests();
  void lowerBlock(Block &block);
  void lower(cell::SplitOp op);
  void lower(cell::JoinOp op);
  void lower(cell::RouteOp op);
  void lowerToOnlyPath(cell::RouteOp op, int64_t path);
  void runOnlyPath(cell::SwitchOp op, int64_t path);
  void lower(cell::OffsetsOp op);
  void lower(cell::PathsOp op);
  void lower(cell::DispatchOp op);
  void lower(cell::CombineOp op);
  void lower(cell::SwitchOp op);
  void lower(cell::SelectOp op);
  void lower(cell::ProbeOp op);

  DimBuilder *symbols = nullptr;
  llvm::DenseMap<Value, RouteTensors> routes;
  /// Dispatched rows whose rest, past the last row, is unread.
  llvm::DenseSet<Value> leavesRest;
};
} // namespace

//===----------------------------------------------------------------------===//
// Rows past the last
//===----------------------------------------------------------------------===//

void ConvertCellToDHLOPass::findUnreadRests() {
  getOperation().walk([&](cell::DispatchOp op) {
    if (cell::areOnlyRowsRead(op.getRows(), op.getRoutes(), symbols->getDims()))
      leavesRest.insert(op.getRows());
  });
}

//===----------------------------------------------------------------------===//
// Cells
//===----------------------------------------------------------------------===//

void ConvertCellToDHLOPass::lower(cell::SplitOp op) {
  TensorBuilder b(op, *symbols);
  cell::CellLayout layout(b.sizesOf(op.getOperand()), op.getAxes(),
                          op.getBlock());
  Value split = b.reshape(op.getOperand(), layout.split);
  Value cells = b.transpose(split, layout.permutation);
  op.replaceAllUsesWith(b.reshape(cells, b.sizesOf(op.getResult())));
}

void ConvertCellToDHLOPass::lower(cell::JoinOp op) {
  TensorBuilder b(op, *symbols);
  Sizes whole = b.sizesOf(op.getResult());
  cell::CellLayout layout(whole, op.getAxes(), op.getBlock());
  Value cells = b.reshape(
      op.getOperand(), dhlo::inferTranspose(layout.split, layout.permutation));
  Value split = b.transpose(cells, invertPermutationVector(layout.permutation));
  op.replaceAllUsesWith(b.reshape(split, whole));
}

//===----------------------------------------------------------------------===//
// Routers
//===----------------------------------------------------------------------===//

/// Inlines the router's body before it and returns its choices.
static cell::ChooseOp inlineRouter(cell::RouteOp op, OpBuilder &b) {
  IRMapping map;
  Block &block = op.getRouter().front();
  map.map(block.getArguments(), op.getInputs());
  for (Operation &inner : block)
    b.clone(inner, map);
  return cast<cell::ChooseOp>(std::prev(b.getInsertionPoint()));
}

/// The rows are the cells.
void ConvertCellToDHLOPass::lowerToOnlyPath(cell::RouteOp op, int64_t path) {
  TensorBuilder b(op, *symbols);
  cell::RoutesType type = op.getRoutes().getType();
  DimExpr one = dhlo::getConstDim(&getContext(), 1);
  Value paths = b.fill(b.getI64IntegerAttr(path), {type.getCells()});
  Value order = b.iota(0, paths);
  SmallVector<Attribute> offsets(path + 1, dhlo::getConstDim(&getContext(), 0));
  offsets.resize(type.getPaths() + 1, type.getCells());
  RouteTensors tensors;
  tensors.offsets = dhlo::FromDimsOp::create(
      b, RankedTensorType::get({type.getPaths() + 1}, b.getI64Type()),
      b.getArrayAttr(offsets));
  tensors.order = order;
  tensors.seats = b.reshape(order, {type.getCells(), one});
  tensors.paths = paths;
  tensors.mayDrop = false;
  tensors.onlyPath = path;
  routes[op.getRoutes()] = tensors;
  ++numRouters;
}

/// The prediction of the router, as operations on its groups have it.
static DictionaryAttr getPreload(cell::RouteOp op) {
  auto prediction =
      op->getAttrOfType<cell::PredictionAttr>(cell::CellDialect::kPreloadAttr);
  if (!prediction)
    return {};
  Builder b(op.getContext());
  SmallVector<NamedAttribute> attributes;
  if (StringAttr after = prediction.getAfter())
    attributes.emplace_back(b.getStringAttr("after"), after);
  if (!prediction.getPaths().empty())
    attributes.emplace_back(b.getStringAttr("paths"),
                            b.getDenseI64ArrayAttr(prediction.getPaths()));
  return b.getDictionaryAttr(attributes);
}

void ConvertCellToDHLOPass::lower(cell::RouteOp op) {
  std::optional<int64_t> path = cell::getOnlyPath(op);
  if (path && llvm::none_of(op->getUsers(), llvm::IsaPred<cell::ProbeOp>))
    return lowerToOnlyPath(op, *path);
  TensorBuilder b(op, *symbols);
  cell::ChooseOp choose = inlineRouter(op, b);
  cell::RoutesType type = op.getRoutes().getType();
  Value ids = choose.getChoices();
  bool mayDrop = op.getCapacity() || choose.isMask() ||
                 !cell::areAlwaysPaths(ids, type.getPaths());
  ids = cell::getIds(b, ids);
  Sizes sizes = b.sizesOf(ids);
  DimExpr choices = dhlo::mul(sizes[0], sizes[1]);

  // Cells of higher priority are grouped first.
  Value cells;
  if (Value priorities = choose.getPriorities()) {
    cells = b.argsort(priorities, /*descending=*/true);
    ids = b.gatherRows(ids, cells);
  }
  auto group = dhlo::GroupOp::create(
      b,
      b.getTensorType({dhlo::getConstDim(&getContext(), type.getPaths() + 1)},
                      b.getI64Type()),
      b.getTensorType({choices}, b.getI64Type()), ids.getType(), ids,
      op.getCapacityAttr());
  RouteTensors tensors = {group.getOffsets(),
                          group.getOrder(),
                          group.getSeats(),
                          b.reshape(ids, {choices}),
                          Value(),
                          mayDrop,
                          group,
                          cells,
                          std::nullopt,
                          op->getAttr(dhlo::DHLODialect::kLoadAttr)};
  if (DictionaryAttr preload = getPreload(op))
    group->setAttr(dhlo::DHLODialect::kPreloadAttr, preload);
  if (cells) {
    // From numbers among the sorted cells back to those of the router.
    Value order = b.clampToZero(group.getOrder());
    Value each = b.fillSize(sizes[1], order);
    Value cell = b.gatherRows(cells, dhlo::DivOp::create(b, order, each));
    Value slot = dhlo::RemOp::create(b, order, each);
    Value number =
        dhlo::AddOp::create(b, dhlo::MulOp::create(b, cell, each), slot);
    tensors.order = b.select(b.isValid(group.getOrder()), number,
                             b.fillInteger(-1, number));
    Value inverse = b.argsort(cells, /*descending=*/false);
    tensors.seats = b.gatherRows(group.getSeats(), inverse);
    tensors.paths = b.reshape(b.gatherRows(ids, inverse), {choices});
  }
  if (Value weights = choose.getWeights())
    tensors.weights = b.reshape(weights, {choices});
  routes[op.getRoutes()] = tensors;
  choose.erase();
  ++numRouters;
  numDropping += mayDrop;
}

//===----------------------------------------------------------------------===//
// Routes
//===----------------------------------------------------------------------===//

void ConvertCellToDHLOPass::lower(cell::OffsetsOp op) {
  op.replaceAllUsesWith(routes.find(op.getRoutes())->second.offsets);
}

/// `values` for the valid ones of `numbers`, else zeros.
static Value dropInvalid(TensorBuilder &b, Value numbers, Value values) {
  return b.select(b.isValid(numbers), values, b.fillZero(values));
}

void ConvertCellToDHLOPass::lower(cell::PathsOp op) {
  TensorBuilder b(op, *symbols);
  const RouteTensors &tensors = routes.find(op.getRoutes())->second;
  Value order = tensors.order;
  Value paths = b.gatherRows(tensors.paths, tensors.toIndices(b, order));
  if (tensors.mayDrop)
    paths = dropInvalid(b, order, paths);
  op.replaceAllUsesWith(b.reshape(paths, b.sizesOf(op.getResult())));
}

void ConvertCellToDHLOPass::lower(cell::DispatchOp op) {
  TensorBuilder b(op, *symbols);
  const RouteTensors &tensors = routes.find(op.getRoutes())->second;
  if (tensors.onlyPath) {
    op.replaceAllUsesWith(b.reshape(op.getCells(), b.sizesOf(op.getResult())));
    return;
  }
  Value order = tensors.order;
  Value choice = tensors.toIndices(b, order);
  DimExpr k = b.sizesOf(tensors.seats)[1];
  if (!k.isConst(1))
    choice = dhlo::DivOp::create(b, choice, b.fillSize(k, choice));
  Value rows = b.gatherRows(op.getCells(), choice);
  if (tensors.mayDrop && !leavesRest.contains(op.getRows()))
    rows = dropInvalid(b, order, rows);
  op.replaceAllUsesWith(b.reshape(rows, b.sizesOf(op.getResult())));
}

/// The rows of each cell, [N, k, ...]; `missing` where there is none.
static Value gatherSeats(TensorBuilder &b, const RouteTensors &tensors,
                         Value rows, llvm::function_ref<Value(Value)> missing) {
  Value found = b.gatherRows(rows, tensors.toIndices(b, tensors.seats));
  return tensors.mayDrop
             ? b.select(b.isValid(tensors.seats), found, missing(found))
             : found;
}

/// The weighted sum of the rows of each cell, as one dot product for each cell:
/// a chain of FMAs in the order of the cell's seats.
static Value sumSeats(TensorBuilder &b, const RouteTensors &tensors,
                      Value rows) {
  auto zeros = [&](Value like) { return b.fillZero(like); };
  Value found = gatherSeats(b, tensors, rows, zeros);
  Type element = b.typeOf(rows).getElementType();
  Value weights;
  if (tensors.weights) {
    Value byRow =
        b.gatherRows(tensors.weights, tensors.toIndices(b, tensors.order));
    weights = gatherSeats(b, tensors, byRow, zeros);
  } else {
    weights = b.fill(cast<TypedAttr>(b.getOneAttr(element)),
                     b.sizesOf(tensors.seats));
  }
  // Weights of another type are multiplied with the rows in the type of the
  // sums.
  Type sum = b.typeOf(weights).getElementType() == element || element.isF64()
                 ? element
                 : Type(b.getF32Type());
  found = b.convert(found, sum);
  weights = b.convert(weights, sum);
  Sizes sizes = b.sizesOf(rows);
  sizes.front() = b.sizesOf(tensors.seats).front();
  Value dot = dhlo::DotGeneralOp::create(
      b, b.getTensorType(sizes, sum), weights, found,
      /*batch=*/1, ArrayRef<int64_t>{1}, ArrayRef<int64_t>{1});
  return b.convert(dot, element);
}

/// The row of each cell's last path.
static Value takeLastSeat(TensorBuilder &b, const RouteTensors &tensors,
                          Value rows) {
  Value last = tensors.seats;
  Sizes sizes = b.sizesOf(last);
  if (!sizes[1].isConst(1))
    last = dhlo::ReduceOp::create(
        b, b.getTensorType({sizes[0]}, b.getI64Type()), dhlo::ReduceKind::Max,
        last, ArrayRef<int64_t>{1});
  last = b.reshape(last, {sizes[0]});
  return b.gatherRows(rows, tensors.toIndices(b, last));
}

static Value maximizeSeats(TensorBuilder &b, const RouteTensors &tensors,
                           Value rows) {
  Type element = b.typeOf(rows).getElementType();
  Value found = gatherSeats(b, tensors, rows, [&](Value like) {
    return b.fillLeast(element, b.sizesOf(like));
  });
  Sizes sizes = b.sizesOf(rows);
  sizes.front() = b.sizesOf(tensors.seats).front();
  return dhlo::ReduceOp::create(b, b.getTensorType(sizes, element),
                                dhlo::ReduceKind::Max, found,
                                ArrayRef<int64_t>{1});
}

/// Whether each cell has a row: its first seat is valid.
static Value hasRow(TensorBuilder &b, const RouteTensors &tensors) {
  Sizes sizes = b.sizesOf(tensors.seats);
  DimExpr zero = dhlo::getConstDim(b.getContext(), 0);
  DimExpr one = dhlo::getConstDim(b.getContext(), 1);
  Value first = dhlo::SliceOp::create(
      b, b.getTensorType({sizes[0], one}, b.getI64Type()), tensors.seats,
      b.getArrayAttr({zero, zero}), ArrayRef<int64_t>{1, 1});
  return b.isValid(b.reshape(first, {sizes[0]}));
}

void ConvertCellToDHLOPass::lower(cell::CombineOp op) {
  TensorBuilder b(op, *symbols);
  const RouteTensors &tensors = routes.find(op.getRoutes())->second;
  Value cells;
  switch (op.getKind()) {
  case cell::CombineKind::Sum:
    cells = sumSeats(b, tensors, op.getRows());
    break;
  case cell::CombineKind::Last:
    cells = takeLastSeat(b, tensors, op.getRows());
    break;
  case cell::CombineKind::Max:
    cells = maximizeSeats(b, tensors, op.getRows());
    break;
  }
  cells = b.reshape(cells, b.sizesOf(op.getResult()));
  // The sum of no rows is already zero.
  bool isZero = op.getKind() == cell::CombineKind::Sum && !op.getOtherwise();
  if (tensors.mayDrop && !isZero)
    cells = b.select(hasRow(b, tensors), cells,
                     op.getOtherwise() ? op.getOtherwise() : b.fillZero(cells));
  op.replaceAllUsesWith(cells);
}

/// Probes the results of `dhlo.group` as they are, so that no fusion has to
/// write others.
void ConvertCellToDHLOPass::lower(cell::ProbeOp op) {
  OpBuilder b(op);
  const RouteTensors &tensors = routes.find(op.getRoutes())->second;
  dhlo::GroupOp group = tensors.group;
  auto probe = dhlo::ProbeOp::create(
      b, op.getLoc(), op.getKeyAttr(), group.getOffsets(), group.getSeats(),
      tensors.sorted, op.getLabelAttr(), op.getCellAttr(),
      op.getFingerprintAttr(), op.getAfterAttr());
  // The artifact says what it was compiled for.
  if (tensors.load)
    probe->setAttr(dhlo::DHLODialect::kLoadAttr, tensors.load);
  if (Attribute preload = group->getAttr(dhlo::DHLODialect::kPreloadAttr))
    probe->setAttr(dhlo::DHLODialect::kPreloadAttr, preload);
}

//===----------------------------------------------------------------------===//
// Switch
//===----------------------------------------------------------------------===//

/// Binds each count to its path's number of rows, of `rows` in all, by the
/// router with a key, if it has one. Returns the first operation that does.
static dhlo::BindOp bindCounts(TensorBuilder &b, Value offsets, DimExpr rows,
                               ArrayRef<StringAttr> counts, StringAttr key) {
  dhlo::BindOp first;
  auto scalar = RankedTensorType::get({}, b.getI64Type());
  auto at = [&](int64_t i) -> Value {
    auto part = RankedTensorType::get({1}, b.getI64Type());
    Value one = dhlo::SliceOp::create(
        b, part, offsets,
        b.getArrayAttr({dhlo::getConstDim(b.getContext(), i)}),
        ArrayRef<int64_t>{1});
    return dhlo::ReshapeOp::create(b, scalar, one);
  };
  Operation *symbols = b.getDims().getOperation();
  for (auto [path, count] : llvm::enumerate(counts)) {
    auto dim = cast<dhlo::DimOp>(SymbolTable::lookupSymbolIn(symbols, count));
    // The counts before it have their share of the rows.
    if (!dim.getAtMostAttr())
      dim.setAtMostAttr(rows);
    rows = dhlo::sub(rows, dhlo::getSymbolDim(count));
    auto bind =
        dhlo::BindOp::create(b, FlatSymbolRefAttr::get(count),
                             dhlo::SubOp::create(b, at(path + 1), at(path)));
    if (key)
      bind->setAttr(dhlo::kRowsOfAttr,
                    b.getArrayAttr({key, b.getI64IntegerAttr(int64_t(path))}));
    first = first ? first : bind;
  }
  return first;
}

/// Rows from `first` on, as many as the type says.
static Value sliceRows(TensorBuilder &b, Value rows, DimExpr first, Type type) {
  int64_t rank = b.typeOf(rows).getRank();
  SmallVector<Attribute> starts(rank, dhlo::getConstDim(b.getContext(), 0));
  starts.front() = first;
  return dhlo::SliceOp::create(b, type, rows, b.getArrayAttr(starts),
                               SmallVector<int64_t>(rank, 1));
}

/// Runs one path on all rows, whose number is known without the routes.
void ConvertCellToDHLOPass::runOnlyPath(cell::SwitchOp op, int64_t path) {
  TensorBuilder b(op, *symbols);
  Block &block = op.getPaths()[path].front();
  Value rows = dhlo::FromDimsOp::create(
      b, RankedTensorType::get({}, b.getI64Type()),
      b.getArrayAttr({op.getRoutes().getType().getRows()}));
  dhlo::BindOp::create(b, FlatSymbolRefAttr::get(op.getRegionDims()[path]),
                       rows);
  IRMapping map;
  for (auto [argument, input] :
       llvm::zip_equal(block.getArguments(), op.getInputs()))
    map.map(argument, b.reshape(input, b.sizesOf(argument)));
  for (Operation &inner : block.without_terminator())
    b.clone(inner, map);
  for (auto [result, value] :
       llvm::zip_equal(op.getResults(), block.getTerminator()->getOperands()))
    result.replaceAllUsesWith(
        b.reshape(map.lookupOrDefault(value), b.sizesOf(result)));
  ++numSwitches;
}

void ConvertCellToDHLOPass::lower(cell::SwitchOp op) {
  TensorBuilder b(op, *symbols);
  const RouteTensors &tensors = routes.find(op.getRoutes())->second;
  if (tensors.onlyPath)
    return runOnlyPath(op, *tensors.onlyPath);
  SmallVector<StringAttr> counts = op.getRegionDims();
  cell::RoutesType type = op.getRoutes().getType();
  StringAttr key;
  for (Operation *user : op.getRoutes().getUsers())
    if (auto probe = dyn_cast<cell::ProbeOp>(user))
      key = probe.getKeyAttr();
  dhlo::BindOp bind =
      bindCounts(b, tensors.offsets, type.getRows(), counts, key);
  if (op->hasAttr(dhlo::kAfterGuessAttr))
    bind->setAttr(dhlo::kAfterGuessAttr, b.getUnitAttr());

  DimExpr first = dhlo::getConstDim(&getContext(), 0);
  SmallVector<SmallVector<Value>> parts(op.getNumResults());
  for (auto [region, count] : llvm::zip_equal(op.getPaths(), counts)) {
    Block &block = region.front();
    IRMapping map;
    for (auto [argument, input] :
         llvm::zip_equal(block.getArguments(), op.getInputs()))
      map.map(argument, sliceRows(b, input, first, argument.getType()));
    for (Operation &inner : block.without_terminator())
      b.clone(inner, map);
    for (auto [part, value] :
         llvm::zip_equal(parts, block.getTerminator()->getOperands()))
      part.push_back(map.lookupOrDefault(value));
    first = dhlo::add(first, dhlo::getSymbolDim(count));
  }
  for (auto [result, part] : llvm::zip_equal(op.getResults(), parts)) {
    RankedTensorType type = b.typeOf(result);
    // The remaining capacity for rows; without drops it has no elements.
    Sizes sizes = dhlo::getDims(type);
    sizes.front() = dhlo::sub(sizes.front(), first);
    part.push_back(
        b.fill(cast<TypedAttr>(b.getZeroAttr(type.getElementType())), sizes));
    result.replaceAllUsesWith(dhlo::ConcatOp::create(b, type, part, 0));
  }
  ++numSwitches;
}

//===----------------------------------------------------------------------===//
// Select
//===----------------------------------------------------------------------===//

/// For each cell, the paths of its seats, [N, k]; `missing` where there is no
/// row.
static Value getPathsOfSeats(TensorBuilder &b, const RouteTensors &tensors,
                             int64_t missing) {
  Value paths =
      b.gatherRows(tensors.paths, tensors.toIndices(b, tensors.order));
  Value found = b.gatherRows(paths, tensors.toIndices(b, tensors.seats));
  return tensors.mayDrop ? b.select(b.isValid(tensors.seats), found,
                                    b.fillInteger(missing, found))
                         : found;
}

/// The lines of the first cells, and `missing` for the others of `cells`.
static Value padCells(TensorBuilder &b, Value lines, DimExpr cells,
                      int64_t missing) {
  Sizes sizes = b.sizesOf(lines);
  if (b.getDims().isEqual(sizes[0], cells))
    return lines;
  Sizes whole = sizes;
  whole[0] = cells;
  sizes[0] = dhlo::sub(cells, sizes[0]);
  Value rest = b.fill(b.getI64IntegerAttr(missing), sizes);
  return dhlo::ConcatOp::create(b, b.getTensorType(whole, b.getI64Type()),
                                ValueRange{lines, rest}, /*axis=*/0);
}

/// The row of `other` for each cell and path, -1 where there is none.
static Value findRows(TensorBuilder &b, const RouteTensors &other,
                      DimExpr cells, Value cell, Value path) {
  Value seats, paths, wanted = path;
  if (other.onlyPath) {
    DimExpr own = b.sizesOf(other.seats)[0];
    seats = cell;
    paths = b.fillInteger(*other.onlyPath, path);
    if (!b.getDims().isEqual(own, cells))
      seats = b.select(
          b.compare(dhlo::CompareDirection::LT, cell, b.fillSize(own, cell)),
          cell, b.fillInteger(-1, cell));
  } else {
    // A missing path differs from that of a missing row.
    seats = b.gatherRows(padCells(b, other.seats, cells, -1), cell);
    paths = b.gatherRows(padCells(b, getPathsOfSeats(b, other, -2), cells, -2),
                         cell);
    if (b.sizesOf(seats)[1].isConst(1)) {
      seats = b.reshape(seats, b.sizesOf(path));
      paths = b.reshape(paths, b.sizesOf(path));
    } else {
      wanted = dhlo::BroadcastOp::create(b, paths.getType(), path,
                                         ArrayRef<int64_t>{0});
    }
  }
  Value isSame = b.compare(dhlo::CompareDirection::EQ, paths, wanted);
  Value row = b.select(isSame, seats, b.fillInteger(-1, seats));
  if (b.typeOf(row).getRank() == 2)
    row = dhlo::ReduceOp::create(b, path.getType(), dhlo::ReduceKind::Max, row,
                                 ArrayRef<int64_t>{1});
  return row;
}

/// A gather from all rows and, behind them, zeros for what none of them has. So
/// each element is read once, and rows that do not exist are never read.
void ConvertCellToDHLOPass::lower(cell::SelectOp op) {
  TensorBuilder b(op, *symbols);
  const RouteTensors &tensors = routes.find(op.getRoutes())->second;
  // The cell and the path of each row: cell 0 and no path past the last one.
  Value choice = tensors.toIndices(b, tensors.order);
  Value path = b.gatherRows(tensors.paths, choice);
  if (tensors.mayDrop)
    path = b.select(b.isValid(tensors.order), path, b.fillInteger(-1, path));
  Value cell = choice;
  Sizes seats = b.sizesOf(tensors.seats);
  if (!seats[1].isConst(1))
    cell = dhlo::DivOp::create(b, choice, b.fillSize(seats[1], choice));

  SmallVector<Value> all(op.getRows());
  Sizes sizes = b.sizesOf(all.front());
  SmallVector<DimExpr> starts;
  DimExpr end = dhlo::getConstDim(&getContext(), 0);
  for (Value rows : all) {
    starts.push_back(end);
    end = dhlo::add(end, b.sizesOf(rows)[0]);
  }
  Value row = b.fillSize(end, path);
  for (unsigned i = starts.size(); i-- > 0;) {
    const RouteTensors &other = routes.find(op.getFrom()[i])->second;
    Value found = findRows(b, other, seats[0], cell, path);
    Value at =
        starts[i].isConst(0)
            ? found
            : dhlo::AddOp::create(b, found, b.fillSize(starts[i], found));
    row = b.select(b.isValid(found), at, row);
  }
  sizes[0] = dhlo::getConstDim(&getContext(), 1);
  Type element = b.typeOf(all.front()).getElementType();
  all.push_back(b.fill(cast<TypedAttr>(b.getZeroAttr(element)), sizes));
  sizes[0] = dhlo::add(end, sizes[0]);
  Value rows = dhlo::ConcatOp::create(b, b.getTensorType(sizes, element), all,
                                      /*axis=*/0);
  op.replaceAllUsesWith(
      b.reshape(b.gatherRows(rows, row), b.sizesOf(op.getResult())));
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

void ConvertCellToDHLOPass::lowerBlock(Block &block) {
  SmallVector<Operation *> lowered;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        lowerBlock(inner);
    visitOp<void>(
        cell::Ops(), &op,
        [&](auto concrete) -> decltype(this->lower(concrete)) {
          lower(concrete);
          lowered.push_back(concrete);
        },
        [](Operation *) {});
  }
  // Routes are used until the end of their block.
  for (Operation *op : llvm::reverse(lowered))
    op->erase();
}

void ConvertCellToDHLOPass::runOnOperation() {
  // Not shared with other passes: counts of rows get bounds here.
  SymbolicDims dims(getOperation());
  DimBuilder builder(dims);
  symbols = &builder;
  routes.clear();
  leavesRest.clear();
  findUnreadRests();
  lowerBlock(*getOperation().getBody());
  // Operations on groups find them by the offsets, which other levels lose.
  getOperation().walk([](dhlo::GroupOp group) {
    if (!group->removeAttr(dhlo::DHLODialect::kPreloadAttr))
      return;
    for (Operation *user : group.getOffsets().getUsers())
      if (isa<dhlo::GroupedDotOp, dhlo::GroupedConvolutionOp>(user))
        user->setAttr(dhlo::DHLODialect::kPreloadAttr,
                      UnitAttr::get(group.getContext()));
  });
}
