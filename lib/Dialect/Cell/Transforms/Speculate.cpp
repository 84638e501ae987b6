//===- Speculate.cpp - Runs paths before their router has chosen ----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A prediction is routes like others, so paths run on its rows as on those of
// the router. Rows that it lacks are computed later, by the same paths. The
// rows of a path do not depend on each other, so a row has the same bits
// whichever way it was computed; a wrong guess is merely not selected. A guess
// that the runtime switches off has no cells, so that nothing is computed.

#include "IndependentRows.h"
#include "PredictRoutes.h"

#include "dyn/Dialect/Cell/Analysis/NarrowFloats.h"
#include "dyn/Dialect/Cell/Transforms/Passes.h"
#include "dyn/Dialect/DHLO/Analysis/CopySizes.h"
#include "dyn/Dialect/DHLO/IR/RouteMarks.h"
#include "dyn/Dialect/DHLO/Transforms/TensorBuilder.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

namespace dyn::cell {
#define GEN_PASS_DEF_SPECULATEPASS
#include "dyn/Dialect/Cell/Transforms/Passes.h.inc"
} // namespace dyn::cell

using namespace mlir;
using namespace dyn;
using namespace dyn::cell;
using dyn::dhlo::DimExpr;

/// Why a switch does not run by a prediction; nothing if it may. If guesses can
/// be switched off, they may fail.
static std::optional<Reason>
whyNotPredicted(SwitchOp op, const SymbolicDims &dims, bool mayFail) {
  for (Value input : op.getInputs()) {
    auto dispatch = input.getDefiningOp<DispatchOp>();
    if (!dispatch || dispatch.getRoutes() != op.getRoutes())
      return Reason{op, "its rows are not dispatched from cells"};
  }
  return whyNotIndependent(op, dims, mayFail);
}

/// The cells whose rows a switch takes.
static SmallVector<Value> getCells(SwitchOp op) {
  return llvm::map_to_vector(op.getInputs(), [](Value rows) -> Value {
    return rows.getDefiningOp<DispatchOp>().getCells();
  });
}

/// The first operation, from that of the router on, before which all values
/// exist that a switch uses, except for its routes.
static Operation *findPosition(SwitchOp op, RouteOp route) {
  SetVector<Value> used;
  getUsedValuesDefinedAbove(op.getPaths(), used);
  used.insert_range(getCells(op));
  Block *block = op->getBlock();
  Operation *position = route->getBlock() == block ? route : op;
  for (Value value : used)
    if (Operation *maker = value.getDefiningOp())
      if (Operation *here = block->findAncestorOpInBlock(*maker))
        if (!here->isBeforeInBlock(position))
          position = here->getNextNode();
  return position;
}

/// The rows of cells by routes, which may be of the first cells alone.
static SmallVector<Value> dispatch(TensorBuilder &b, ValueRange cells,
                                   Value routes) {
  auto type = cast<RoutesType>(routes.getType());
  return llvm::map_to_vector(cells, [&](Value value) -> Value {
    dhlo::Sizes sizes = b.sizesOf(value);
    sizes.front() = type.getRows();
    return DispatchOp::create(
        b, b.getTensorType(sizes, b.typeOf(value).getElementType()),
        takeFirst(b, value, type.getCells()), routes);
  });
}

/// Runs the paths on the rows of the guess, and then on the rest.
static void speculate(SwitchOp op, RouteOp route, RouteOp guess, RouteOp rest,
                      DimBuilder &symbols) {
  SmallVector<Value> cells = getCells(op);
  TensorBuilder b(findPosition(op, route), symbols);
  b.setLoc(op.getLoc());
  IRMapping map;
  map.map(op.getRoutes(), guess.getRoutes());
  map.map(op.getInputs(), dispatch(b, cells, guess.getRoutes()));
  auto shadow = cast<SwitchOp>(b.clone(*op, map));
  CopySizes(op, symbols).apply(shadow);
  for (Value result : shadow.getResults()) {
    dhlo::Sizes sizes = b.sizesOf(result);
    sizes.front() = guess.getRoutes().getType().getRows();
    result.setType(b.getTensorType(sizes, b.typeOf(result).getElementType()));
  }

  b.setInsertionPoint(op);
  SmallVector<Value> rows = dispatch(b, cells, rest.getRoutes());
  Value routes = op.getRoutes();
  op->setAttr(dhlo::kAfterGuessAttr, b.getUnitAttr());
  op.getRoutesMutable().assign(rest.getRoutes());
  op.getInputsMutable().assign(rows);
  b.setInsertionPointAfter(op);
  for (auto [redone, guessed] :
       llvm::zip_equal(op.getResults(), shadow.getResults())) {
    // Those of the rest first: they are the ones to take if both exist.
    auto select =
        SelectOp::create(b, redone.getType(), routes,
                         ValueRange{rest.getRoutes(), guess.getRoutes()},
                         ValueRange{redone, guessed});
    redone.replaceAllUsesExcept(select, select);
  }
}

static ProbeOp findProbe(RouteOp route) {
  for (Operation *user : route->getUsers())
    if (auto probe = dyn_cast<ProbeOp>(user))
      return probe;
  return {};
}

/// Binds the switch of a guess where the program begins, so that no segment
/// ends there, and counts what was right where the rest is known.
static void count(ProbeOp probe, DimExpr isOn, int64_t paysFrom, RouteOp guess,
                  RouteOp rest) {
  Block &entry =
      probe->getParentOfType<FunctionOpInterface>().getFunctionBody().front();
  auto b = ImplicitLocOpBuilder::atBlockBegin(probe.getLoc(), &entry);
  dhlo::GuessOp::create(b, FlatSymbolRefAttr::get(isOn.getName()),
                        probe.getKeyAttr(), b.getI64IntegerAttr(paysFrom));
  b.setInsertionPointAfter(rest);
  auto getOffsets = [&](Value routes) -> Value {
    int64_t paths = cast<RoutesType>(routes.getType()).getPaths();
    return OffsetsOp::create(
        b, RankedTensorType::get({paths + 1}, b.getI64Type()), routes);
  };
  dhlo::GuessedOp::create(b, probe.getKeyAttr(), getOffsets(probe.getRoutes()),
                          getOffsets(guess.getRoutes()),
                          getOffsets(rest.getRoutes()));
}

namespace {

/// The share of right rows, in 1024ths, from which guesses pay if nobody says.
constexpr int64_t kPaysFrom = 512;

struct SpeculatePass : cell::impl::SpeculatePassBase<SpeculatePass> {
  using SpeculatePassBase::SpeculatePassBase;

  void runOnOperation() override {
    // Inner routers first: outer paths are copied with them.
    SmallVector<RouteOp> routers;
    getOperation().walk([&](RouteOp route) {
      if (route->hasAttr(CellDialect::kSpeculateAttr))
        routers.push_back(route);
    });
    if (routers.empty())
      return markAllAnalysesPreserved();
    SymbolicDims dims(getOperation());
    DimBuilder symbols(dims);
    for (RouteOp route : routers)
      speculate(route, symbols);
  }

private:
  void decline(RouteOp route, const Twine &reason) {
    ++numDeclined;
    route.emitRemark("no path runs before this router has chosen: ") << reason;
  }

  void speculate(RouteOp route, DimBuilder &symbols) {
    auto prediction =
        cast<PredictionAttr>(route->removeAttr(CellDialect::kSpeculateAttr));
    auto paysFrom = cast_or_null<IntegerAttr>(
        route->removeAttr(CellDialect::kPaysFromAttr));
    if (!isInvariant)
      return decline(route,
                     "a library computes other bits for other numbers of rows");
    if (route.getCapacity())
      return decline(route,
                     "which rows its capacity drops depends on all cells");
    if (Operation *op =
            findNarrowFloats(route->getParentOfType<FunctionOpInterface>()))
      return decline(route, "'" + op->getName().getStringRef() +
                                "' computes floats below 32 bits, whose bits "
                                "depend on what is fused");
    // Only what is counted can be switched off.
    ProbeOp probe = findProbe(route);
    SmallVector<SwitchOp> switches;
    bool hasSwitch = false;
    for (Operation *user : route->getUsers()) {
      auto op = dyn_cast<SwitchOp>(user);
      if (!op)
        continue;
      hasSwitch = true;
      auto reason = whyNotPredicted(op, symbols.getDims(), probe != nullptr);
      if (!reason) {
        switches.push_back(op);
        continue;
      }
      op.emitRemark("paths do not run before their router has chosen")
              .attachNote(reason->op->getLoc())
          << "because of '" << reason->op->getName() << "': " << reason->text;
    }
    if (!hasSwitch)
      return decline(route, "no switch runs paths by its routes");
    if (switches.empty()) {
      ++numDeclined;
      return;
    }
    DimExpr isOn = probe ? symbols.createSymbol("guess", 0, 1) : DimExpr();
    PredictedRoutes guess = predictRoutes(route, prediction, isOn, symbols);
    if (!guess.route)
      return decline(route, guess.reason);
    RouteOp rest =
        buildRest(route, guess.route, isOn, route->getNextNode(), symbols);
    if (probe)
      count(probe, isOn, paysFrom ? paysFrom.getInt() : kPaysFrom, guess.route,
            rest);
    for (SwitchOp op : switches)
      ::speculate(op, route, guess.route, rest, symbols);
    ++numSpeculated;
    route.emitRemark(
        "paths run by a prediction before this router has chosen: ")
        << prediction;
  }
};

} // namespace
