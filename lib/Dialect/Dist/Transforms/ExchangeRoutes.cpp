//===- ExchangeRoutes.cpp - Runs each path on the rank that holds it ------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Routes are all that is needed: a row that came from another rank is a cell of
// a second router, which has the paths of this rank. So what was received by
// source and path is sorted by path as any routes are, and goes back by a
// combine of one row each.
//
//   home    cells to rows, by all paths
//   sorted  those rows to rows by rank, if the paths of a rank are no range
//           ... exchange ...
//   here    rows that came to rows of this rank's paths
//
// `here` sorts stably, ranks send the rows of a path in the order of cells, and
// blocks of cells ascend with ranks: the rows of a path have the order that
// they have on one rank, so a path may do with them what it likes.

#include "AxisSlice.h"
#include "Division.h"
#include "PlacedPaths.h"
#include "RouterBlock.h"
#include "RowExchange.h"

#include "dyn/Dialect/Cell/IR/VisitOp.h"
#include "dyn/Dialect/Cell/Transforms/Choices.h"
#include "dyn/Dialect/Dist/Transforms/Passes.h"
#include "dyn/Dialect/Dist/Transforms/PathRows.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/MapVector.h"

namespace dyn::dist {
#define GEN_PASS_DEF_EXCHANGEROUTESPASS
#include "dyn/Dialect/Dist/Transforms/Passes.h.inc"
} // namespace dyn::dist

using namespace mlir;
using namespace dyn;
using namespace dyn::dist;
using dyn::dhlo::DimExpr;
using dyn::dhlo::Sizes;

namespace {

/// Replaces one router of the function of a rank.
class Exchanger {
public:
  Exchanger(cell::RouteOp route, PartAttr part, const PlacedPaths &placed,
            PathRows &rows, DimBuilder &symbols)
      : route(route), placed(placed), rows(rows), symbols(symbols),
        b(route, symbols), among(getStageRanks(part)),
        rank(llvm::find(among, part.getRank()) - among.begin()),
        type(route.getRoutes().getType()), divided(choosesApart(route)) {}

  /// Whether cells are divided: their choices depend on no others.
  bool isDivided() const { return divided; }
  void run();

private:
  cell::ChooseOp getChoose() {
    return cast<cell::ChooseOp>(route.getRouter().front().getTerminator());
  }
  int64_t getNumRanks() const { return among.size(); }
  ArrayRef<int64_t> getOwnPaths() const { return placed.getPaths(rank); }

  // Values of few numbers.
  Value getTable(ArrayRef<int64_t> numbers);
  Value getSizes(ArrayRef<DimExpr> sizes);
  /// The ranges of the rows of each rank by the offsets of slots.
  Value getRangesOfRanks(Value offsets);
  /// The scalar at an index of a vector, with the sizes of `like`.
  Value repeatElement(Value vector, int64_t index, Value like);

  // Blocks of cells.
  DimExpr getFirstCell(int64_t of) const;
  Value takeOwnCells(Value cells);
  Value gatherCells(Value cells);

  // Routes.
  /// A router that chooses what it is given.
  Value createRoute(Value ids, int64_t paths, Value weights = {},
                    Value priorities = {}, DimExpr capacity = {});
  Value getOffsets(Value routes);
  Value dispatch(Value cells, Value routes);
  Value combine(Value rows, Value routes);
  /// Numbers below `end`, the element of a vector, else -1.
  Value dropFrom(Value numbers, Value vector, int64_t end);
  Value exchange(Value rows, DimExpr count, Value sends, Value receives);

  void inlineRouter();
  Choices chooseForOwnCells();
  /// Routes the rows of `home` by rank. Sets `sorted` and `offsets`.
  void sortByRank();
  void routeDivided();
  void routeEverywhere();
  Value toPaths(Value cells);
  Value toHome(Value rows);
  Value takeOwnPaths(Value stacked);
  void replace(cell::DispatchOp op);
  void replace(cell::CombineOp op);
  void replace(cell::SwitchOp op);
  void replace(cell::ProbeOp op) { op.getRoutesMutable().assign(home); }
  void replace(cell::OffsetsOp op) {
    if (here)
      op.replaceAllUsesWith(getOffsets(here));
  }
  void replace(cell::PathsOp op);

  cell::RouteOp route;
  const PlacedPaths &placed;
  PathRows &rows;
  DimBuilder &symbols;
  TensorBuilder b;
  /// The ranks that share the paths, and the index of this one. All below are
  /// such indices.
  SmallVector<int64_t> among;
  int64_t rank;
  cell::RoutesType type;
  bool divided;
  /// The router's choices for all cells.
  Value ids, weights, priorities;
  /// Routes; `sorted` is null where `home` is, and `here` without paths.
  Value home, sorted, here;
  /// The offsets of slots among the rows that leave or return.
  Value offsets;
  /// The ranges by which rows are sent to paths. They return by the same.
  Value sends, receives;
};

struct ExchangeRoutesPass
    : dist::impl::ExchangeRoutesPassBase<ExchangeRoutesPass> {
  void runOnOperation() override;

private:
  LogicalResult partition();
  LogicalResult exchange(cell::RouteOp route, DimBuilder &symbols);
  /// Removes exchanges that gather what no rank needs of the others.
  void dropGathers(const SymbolicDims &dims);
};

} // namespace

//===----------------------------------------------------------------------===//
// Values of few numbers
//===----------------------------------------------------------------------===//

Value Exchanger::getTable(ArrayRef<int64_t> numbers) {
  auto type = RankedTensorType::get({int64_t(numbers.size())}, b.getI64Type());
  return dhlo::ConstantOp::create(b, DenseElementsAttr::get(type, numbers));
}

Value Exchanger::getSizes(ArrayRef<DimExpr> sizes) {
  auto type = RankedTensorType::get({int64_t(sizes.size())}, b.getI64Type());
  return dhlo::FromDimsOp::create(
      b, type, b.getArrayAttr(SmallVector<Attribute>(sizes)));
}

Value Exchanger::getRangesOfRanks(Value offsets) {
  SmallVector<int64_t> bounds;
  for (int64_t of = 0; of != getNumRanks(); ++of) {
    bounds.push_back(placed.first[of]);
    bounds.push_back(placed.first[of + 1]);
  }
  return b.gatherRows(offsets, getTable(bounds));
}

static Value slice(TensorBuilder &b, Value value, DimExpr start, DimExpr size) {
  Sizes sizes = b.sizesOf(value);
  sizes[0] = size;
  return sliceAxis(b, b.getLoc(), value, 0, start,
                   b.getTensorType(sizes, b.typeOf(value).getElementType()));
}

static Value slice(TensorBuilder &b, Value value, int64_t start, int64_t size) {
  return slice(b, value, dhlo::getConstDim(b.getContext(), start),
               dhlo::getConstDim(b.getContext(), size));
}

Value Exchanger::repeatElement(Value vector, int64_t index, Value like) {
  Value scalar = b.reshape(slice(b, vector, index, 1), {});
  return dhlo::BroadcastOp::create(
      b, b.getTensorType(b.sizesOf(like), b.getI64Type()), scalar,
      ArrayRef<int64_t>());
}

//===----------------------------------------------------------------------===//
// Blocks of cells
//===----------------------------------------------------------------------===//

DimExpr Exchanger::getFirstCell(int64_t of) const {
  return getBlockBegin(type.getCells(), getNumRanks(), of, b.getDims());
}

Value Exchanger::takeOwnCells(Value cells) {
  DimExpr first = getFirstCell(rank);
  return slice(b, cells, first, dhlo::sub(getFirstCell(rank + 1), first));
}

Value Exchanger::gatherCells(Value cells) {
  DimExpr own = dhlo::sub(getFirstCell(rank + 1), getFirstCell(rank));
  SmallVector<DimExpr> mine, all;
  for (int64_t of = 0; of != getNumRanks(); ++of) {
    mine.append({dhlo::getConstDim(b.getContext(), 0), own});
    all.append({getFirstCell(of), getFirstCell(of + 1)});
  }
  return exchange(cells, type.getCells(), getSizes(mine), getSizes(all));
}

//===----------------------------------------------------------------------===//
// Routes
//===----------------------------------------------------------------------===//

Value Exchanger::createRoute(Value ids, int64_t paths, Value weights,
                             Value priorities, DimExpr capacity) {
  Sizes sizes = b.sizesOf(ids);
  SmallVector<Value> inputs = {ids};
  for (Value value : {weights, priorities})
    if (value)
      inputs.push_back(value);
  auto created = cell::RouteOp::create(
      b,
      cell::RoutesType::get(b.getContext(), sizes[0], paths,
                            dhlo::mul(sizes[0], sizes[1])),
      inputs, capacity, /*key=*/StringAttr());
  SmallVector<Location> locations(inputs.size(), b.getLoc());
  Block &block = created.getRouter().emplaceBlock();
  block.addArguments(ValueRange(inputs).getTypes(), locations);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&block);
  unsigned next = 1;
  Value chosen = block.getArgument(0);
  Value weight = weights ? block.getArgument(next++) : Value();
  cell::ChooseOp::create(b, chosen, weight,
                         priorities ? block.getArgument(next) : Value());
  return created.getRoutes();
}

Value Exchanger::getOffsets(Value routes) {
  int64_t paths = cast<cell::RoutesType>(routes.getType()).getPaths();
  return cell::OffsetsOp::create(
      b, RankedTensorType::get({paths + 1}, b.getI64Type()), routes);
}

Value Exchanger::dispatch(Value cells, Value routes) {
  Sizes sizes = b.sizesOf(cells);
  sizes[0] = cast<cell::RoutesType>(routes.getType()).getRows();
  return cell::DispatchOp::create(
      b, b.getTensorType(sizes, b.typeOf(cells).getElementType()), cells,
      routes);
}

Value Exchanger::combine(Value rows, Value routes) {
  Sizes sizes = b.sizesOf(rows);
  sizes[0] = cast<cell::RoutesType>(routes.getType()).getCells();
  return cell::CombineOp::create(
      b, b.getTensorType(sizes, b.typeOf(rows).getElementType()), rows, routes,
      /*otherwise=*/Value(), cell::CombineKind::Last);
}

Value Exchanger::dropFrom(Value numbers, Value vector, int64_t end) {
  Value isRow = b.compare(dhlo::CompareDirection::LT, b.iota(0, numbers),
                          repeatElement(vector, end, numbers));
  return b.select(isRow, numbers, b.fillInteger(-1, numbers));
}

Value Exchanger::exchange(Value rows, DimExpr count, Value sends,
                          Value receives) {
  return exchangeRows(b, b.getLoc(), symbols, rows, count, among, sends,
                      receives);
}

//===----------------------------------------------------------------------===//
// Routers
//===----------------------------------------------------------------------===//

void Exchanger::inlineRouter() {
  Block &block = route.getRouter().front();
  for (auto [argument, input] :
       llvm::zip_equal(block.getArguments(), route.getInputs()))
    argument.replaceAllUsesWith(input);
  cell::ChooseOp choose = getChoose();
  for (Operation &op : llvm::make_early_inc_range(block.without_terminator()))
    op.moveBefore(route);
  ids = cell::getIds(b, choose.getChoices());
  weights = choose.getWeights();
  priorities = choose.getPriorities();
}

Choices Exchanger::chooseForOwnCells() {
  DimExpr count = dhlo::sub(getFirstCell(rank + 1), getFirstCell(rank));
  auto take = [&](Value cells) { return takeOwnCells(cells); };
  if (std::optional<Choices> own = routeBlock(b, route, count, take))
    return {cell::getIds(b, own->ids), own->weights};
  inlineRouter();
  return {take(ids), weights ? take(weights) : Value()};
}

void Exchanger::sortByRank() {
  offsets = getOffsets(home);
  if (placed.areSorted())
    return;
  DimExpr count = cast<cell::RoutesType>(home.getType()).getRows();
  Value paths =
      cell::PathsOp::create(b, b.getTensorType({count}, b.getI64Type()), home);
  Value slots = dropFrom(b.gatherRows(getTable(placed.slots), paths), offsets,
                         type.getPaths());
  DimExpr one = dhlo::getConstDim(b.getContext(), 1);
  sorted = createRoute(b.reshape(slots, {count, one}), type.getPaths());
  offsets = getOffsets(sorted);
}

void Exchanger::routeDivided() {
  Choices chosen = chooseForOwnCells();
  home = createRoute(chosen.ids, type.getPaths(), chosen.weights);
  sortByRank();
  sends = getRangesOfRanks(offsets);

  // The rows of each path that each rank sends. Both sides know the ranges.
  int64_t paths = type.getPaths(), own = getOwnPaths().size();
  int64_t pairs = getNumRanks() * own;
  Value counts = dhlo::SubOp::create(b, slice(b, offsets, 1, paths),
                                     slice(b, offsets, 0, paths));
  SmallVector<int64_t> asked, given, bounds;
  for (int64_t of = 0; of != getNumRanks(); ++of) {
    asked.append({placed.first[of], placed.first[of + 1]});
    given.append({of * own, (of + 1) * own});
  }
  Value came = exchange(counts, dhlo::getConstDim(b.getContext(), pairs),
                        getTable(asked), getTable(given));
  if (own == 0) {
    receives = getTable(SmallVector<int64_t>(2 * getNumRanks(), 0));
    return;
  }

  Value ends =
      dhlo::CumulativeOp::create(b, came.getType(), dhlo::ReduceKind::Sum, came,
                                 /*axis=*/0, /*exclusive=*/false,
                                 /*reverse=*/false);
  Value all = dhlo::ConcatOp::create(
      b, RankedTensorType::get({pairs + 1}, b.getI64Type()),
      ValueRange{getTable({0}), ends}, /*axis=*/0);
  receives = b.gatherRows(all, getTable(given));

  // The path of a row is by the number of pairs that end before it.
  DimExpr count = type.getRows();
  Value zeros = b.fill(b.getI64IntegerAttr(0), {dhlo::add(count, 1)});
  Value marks = dhlo::ScatterElementsOp::create(
      b, zeros.getType(), zeros, ends, b.fillInteger(1, ends),
      dhlo::ScatterKind::Add, /*axis=*/0);
  marks = slice(b, marks, dhlo::getConstDim(b.getContext(), 0), count);
  Value pair = dhlo::CumulativeOp::create(b, marks.getType(),
                                          dhlo::ReduceKind::Sum, marks,
                                          /*axis=*/0, /*exclusive=*/false,
                                          /*reverse=*/false);
  Value path = dhlo::RemOp::create(b, pair, b.fillInteger(own, pair));
  path = dropFrom(path, all, pairs);
  here = createRoute(
      b.reshape(path, {count, dhlo::getConstDim(b.getContext(), 1)}), own);
}

void Exchanger::routeEverywhere() {
  inlineRouter();
  DimExpr capacity = route.getCapacityAttr();
  home = createRoute(ids, type.getPaths(), weights, priorities, capacity);
  sortByRank();
  receives = getRangesOfRanks(offsets);
  ArrayRef<int64_t> own = getOwnPaths();
  if (own.empty()) {
    sends = getTable(SmallVector<int64_t>(2 * getNumRanks(), 0));
    return;
  }
  SmallVector<int64_t> numbers(type.getPaths(), -1);
  for (auto [number, path] : llvm::enumerate(own))
    numbers[path] = number;
  Value chosen = b.gatherRows(getTable(numbers), b.clampToZero(ids));
  chosen = b.select(b.isValid(ids), chosen, b.fillInteger(-1, chosen));
  here = createRoute(chosen, own.size(), /*weights=*/Value(), priorities,
                     capacity);
  SmallVector<int64_t> bounds;
  for (int64_t i = 0; i != getNumRanks(); ++i)
    bounds.append({0, int64_t(own.size())});
  sends = b.gatherRows(getOffsets(here), getTable(bounds));
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

Value Exchanger::toPaths(Value cells) {
  if (!divided)
    return here ? dispatch(cells, here) : Value();
  Value left = dispatch(takeOwnCells(cells), home);
  if (sorted)
    left = dispatch(left, sorted);
  Value came = exchange(
      left, here ? type.getRows() : dhlo::getConstDim(b.getContext(), 0), sends,
      receives);
  return here ? dispatch(came, here) : Value();
}

Value Exchanger::toHome(Value rows) {
  if (!here) {
    Sizes sizes = b.sizesOf(rows);
    sizes[0] = dhlo::getConstDim(b.getContext(), 0);
    rows = b.fill(
        cast<TypedAttr>(b.getZeroAttr(b.typeOf(rows).getElementType())), sizes);
  }
  DimExpr count = cast<cell::RoutesType>(home.getType()).getRows();
  if (divided)
    rows = exchange(here ? combine(rows, here) : rows, count, receives, sends);
  else
    rows = exchange(rows, count, sends, receives);
  return sorted ? combine(rows, sorted) : rows;
}

//===----------------------------------------------------------------------===//
// Operations on rows
//===----------------------------------------------------------------------===//

Value Exchanger::takeOwnPaths(Value stacked) {
  ArrayRef<int64_t> own = getOwnPaths();
  if (own.back() - own.front() + 1 == int64_t(own.size()))
    return slice(b, stacked, own.front(), own.size());
  SmallVector<Value> parts;
  for (int64_t path : own)
    parts.push_back(slice(b, stacked, path, 1));
  Sizes sizes = b.sizesOf(stacked);
  sizes[0] = dhlo::getConstDim(b.getContext(), own.size());
  return dhlo::ConcatOp::create(
      b, b.getTensorType(sizes, b.typeOf(stacked).getElementType()), parts,
      /*axis=*/0);
}

void Exchanger::replace(cell::SwitchOp op) {
  if (!here)
    return;
  SmallVector<Attribute> counts;
  for (int64_t path : getOwnPaths())
    counts.push_back(op.getCounts()[path]);
  auto replaced =
      cell::SwitchOp::create(b, op.getResultTypes(), here, op.getInputs(),
                             b.getArrayAttr(counts), getOwnPaths().size());
  for (auto [number, path] : llvm::enumerate(getOwnPaths()))
    replaced.getPaths()[number].takeBody(op.getPaths()[path]);
  op.replaceAllUsesWith(replaced);
}

void Exchanger::replace(cell::PathsOp op) {
  if (!here)
    return;
  op.getRoutesMutable().assign(here);
  // Tables of paths have those of this rank. All other operations read the
  // numbers that paths have on one rank.
  auto isOther = [&](OpOperand &use) {
    return llvm::none_of(rows.stacked, [&](OpOperand *operand) {
      return operand->getOwner() == use.getOwner();
    });
  };
  if (llvm::none_of(op->getUses(), isOther))
    return;
  b.setInsertionPointAfter(op);
  Value numbers = b.gatherRows(getTable(getOwnPaths()), op.getResult());
  op.getResult().replaceUsesWithIf(numbers, [&](OpOperand &use) {
    return use.getOwner() != numbers.getDefiningOp() && isOther(use);
  });
}

void Exchanger::replace(cell::DispatchOp op) {
  if (Value came = toPaths(op.getCells()))
    op.replaceAllUsesWith(came);
}

void Exchanger::replace(cell::CombineOp op) {
  Value back = toHome(op.getRows());
  Value otherwise = op.getOtherwise();
  if (otherwise && divided)
    otherwise = takeOwnCells(otherwise);
  Sizes sizes = b.sizesOf(op.getResult());
  sizes[0] = cast<cell::RoutesType>(home.getType()).getCells();
  Value cells = cell::CombineOp::create(
      b, b.getTensorType(sizes, op.getType().getElementType()), back, home,
      otherwise, op.getKind());
  op.replaceAllUsesWith(divided ? gatherCells(cells) : cells);
}

void Exchanger::run() {
  if (divided)
    routeDivided();
  else
    routeEverywhere();
  if (Attribute load = route->getAttr(dhlo::DHLODialect::kLoadAttr))
    home.getDefiningOp()->setAttr(dhlo::DHLODialect::kLoadAttr, load);

  for (Operation *op : rows.operations) {
    b.setInsertionPoint(op);
    b.setLoc(op->getLoc());
    visitOp<void>(
        cell::Ops(), op,
        [&](auto concrete) -> decltype(this->replace(concrete)) {
          replace(concrete);
        },
        [](Operation *) {});
  }
  for (OpOperand *operand : rows.stacked) {
    if (!here)
      continue;
    b.setInsertionPoint(operand->getOwner());
    operand->set(takeOwnPaths(operand->get()));
  }
  // Without paths, nothing reads the operations on rows either.
  for (Operation *op : llvm::reverse(rows.operations))
    if (op->use_empty() && !isa<cell::ProbeOp>(op))
      op->erase();
  route.erase();
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

LogicalResult ExchangeRoutesPass::exchange(cell::RouteOp route,
                                           DimBuilder &symbols) {
  PartAttr part = getPartOf(route);
  auto ranks =
      route->getAttrOfType<DenseI64ArrayAttr>(DistDialect::kPlacementAttr);
  if (!part || !ranks)
    return success();
  int64_t count = getStageRanks(part).size();
  if (failed(verifyPlacement(route, ranks, count)))
    return failure();
  auto leave = [&](Operation *op, StringRef reason) {
    ++numLeft;
    route->removeAttr(DistDialect::kPlacementAttr);
    InFlightDiagnostic remark = route.emitRemark("paths stay on all ranks: ")
                                << reason;
    if (op != route)
      remark.attachNote(op->getLoc()) << "at this '" << op->getName() << "'";
    return success();
  };
  if (!isa<FunctionOpInterface>(route->getParentOp()))
    return leave(route, "the router is in a region");
  PathRows rows(route, symbols.getDims());
  if (std::optional<PathRows::Obstacle> obstacle = rows.find())
    return leave(obstacle->op, obstacle->reason);
  PlacedPaths placed(ranks, count);
  Exchanger exchanger(route, part, placed, rows, symbols);
  ++(exchanger.isDivided() ? numDivided : numEverywhere);
  exchanger.run();
  return success();
}

/// Whether a rank gathers blocks of all ranks and then cuts out its own alone,
/// or nothing.
static bool isForOwnBlock(ExchangeStartOp start, const SymbolicDims &dims) {
  auto sends = start.getSends().getDefiningOp<dhlo::FromDimsOp>();
  auto receives = start.getReceives().getDefiningOp<dhlo::FromDimsOp>();
  if (!sends || !receives)
    return false;
  auto getExpr = [](dhlo::FromDimsOp op, int64_t i) {
    return cast<dhlo::DimExprAttr>(op.getExprs()[i]);
  };
  int64_t own = llvm::find(start.getAmong(), getPartOf(start).getRank()) -
                start.getAmong().begin();
  auto rows = cast<RankedTensorType>(start.getRows().getType());
  DimExpr first = getExpr(receives, 2 * own);
  if (!getExpr(sends, 2 * own).isConst(0) ||
      !dims.isEqual(getExpr(sends, 2 * own + 1), dhlo::getDim(rows, 0)))
    return false;
  return llvm::all_of(getWait(start)->getUsers(), [&](Operation *user) {
    auto slice = dyn_cast<dhlo::SliceOp>(user);
    return slice && dims.hasSameSizes(slice.getType(), rows) &&
           dims.isEqual(cast<dhlo::DimExprAttr>(slice.getStarts()[0]), first) &&
           llvm::all_of(
               llvm::drop_begin(slice.getStarts().getAsRange<DimExpr>()),
               [](DimExpr start) { return start.isConst(0); }) &&
           llvm::all_of(slice.getStrides(),
                        [](int64_t stride) { return stride == 1; });
  });
}

void ExchangeRoutesPass::dropGathers(const SymbolicDims &dims) {
  // Some ranks have the same exchanges among themselves in the same order, and
  // must agree about each.
  using Group = std::pair<StringAttr, Attribute>;
  llvm::MapVector<Group, SmallVector<SmallVector<ExchangeStartOp>>> groups;
  for (auto function : getOperation().getOps<FunctionOpInterface>()) {
    PartAttr part = getPart(function);
    if (!part)
      continue;
    llvm::MapVector<Attribute, SmallVector<ExchangeStartOp>> own;
    function.walk([&](ExchangeStartOp start) {
      own[start.getAmongAttr()].push_back(start);
    });
    for (auto &[among, starts] : own)
      groups[{part.getEntry(), among}].push_back(std::move(starts));
  }
  for (auto &[group, ranks] : groups)
    for (size_t i = 0; i != ranks.front().size(); ++i) {
      if (int64_t(ranks.size()) !=
              cast<DenseI64ArrayAttr>(group.second).size() ||
          !llvm::all_of(ranks, [&](ArrayRef<ExchangeStartOp> starts) {
            return starts.size() == ranks.front().size() &&
                   isForOwnBlock(starts[i], dims);
          }))
        continue;
      for (ArrayRef<ExchangeStartOp> starts : ranks) {
        ExchangeStartOp start = starts[i];
        ExchangeWaitOp wait = getWait(start);
        for (Operation *slice : llvm::make_early_inc_range(wait->getUsers())) {
          slice->replaceAllUsesWith(ValueRange(start.getRows()));
          slice->erase();
        }
        wait.erase();
        start.erase();
        ++numDropped;
      }
    }
}

/// Makes the functions of ranks, if the routers of a global program are placed.
LogicalResult ExchangeRoutesPass::partition() {
  ModuleOp module = getOperation();
  WalkResult walk = module.walk([](cell::RouteOp route) {
    return route->hasAttr(DistDialect::kPlacementAttr) ? WalkResult::interrupt()
                                                       : WalkResult::advance();
  });
  if (module.getOps<MeshOp>().empty() || !walk.wasInterrupted())
    return success();
  OpPassManager passes(ModuleOp::getOperationName());
  passes.addPass(createPropagatePass());
  passes.addPass(createPartitionPass());
  return runPipeline(passes, module);
}

void ExchangeRoutesPass::runOnOperation() {
  if (failed(partition()))
    return signalPassFailure();
  SymbolicDims dims(getOperation());
  DimBuilder symbols(dims);
  SmallVector<cell::RouteOp> routes;
  getOperation().walk([&](cell::RouteOp route) { routes.push_back(route); });
  for (cell::RouteOp route : routes)
    if (failed(exchange(route, symbols)))
      return signalPassFailure();
  dropGathers(dims);
}
