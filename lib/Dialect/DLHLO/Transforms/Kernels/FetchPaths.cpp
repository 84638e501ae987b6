//===- FetchPaths.cpp - Announces weights when rows of paths are known ----===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DLHLO/Transforms/Passes.h"

#include "dyn/Dialect/DHLO/Analysis/SymbolicDims.h"
#include "dyn/Dialect/DHLO/IR/RouteMarks.h"

#include "Dialect/DLHLO/Transforms/Buffers/Readers.h"
#include "Dialect/DLHLO/Transforms/Fusion/FusionRules.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace dyn::dlhlo {
#define GEN_PASS_DEF_FETCHPATHSPASS
#include "dyn/Dialect/DLHLO/Transforms/Passes.h.inc"
} // namespace dyn::dlhlo

using namespace mlir;
using namespace dyn;
using namespace dyn::dlhlo;
using dyn::dhlo::DimExpr;

/// The value that a fusion takes as an argument of its body; null if its body
/// computes it.
static Value getInput(FusionOp fusion, Value value) {
  auto argument = dyn_cast<BlockArgument>(getViewSource(value));
  return argument ? getViewSource(fusion.getInputs()[argument.getArgNumber()])
                  : Value();
}

static int64_t countPaths(Value offsets) {
  return cast<RankedTensorType>(offsets.getType()).getDimSize(0) - 1;
}

namespace {

/// Announces the weights that a function reads.
class Announcer {
public:
  Announcer(FunctionOpInterface function, const SymbolicDims &dims, bool all)
      : function(function), dims(dims), all(all) {}

  void readMarks();
  /// Weights that the fusion reads are fetched.
  void add(FusionOp fusion);
  /// Leaves constants that others read, too.
  void leaveOthers();
  /// Returns the number of fetches.
  unsigned createFetches();
  unsigned createPredictedFetches();

  llvm::DenseSet<StringAttr> constants;

private:
  struct Router {
    dhlo::ProbeOp probe;
    DictionaryAttr preload;
  };
  /// The number of rows of a path.
  struct Count {
    Value offsets;
    int64_t path;
  };
  using Ranges = llvm::SetVector<RangeAttr>;

  void addGroups(FusionOp fusion, Operation *op, Value weight, Value offsets);
  /// Adds `count` equal parts of a constant, those of paths from `path` on.
  void addParts(Value offsets, GetConstantOp constant, int64_t path,
                int64_t count);
  const Count *findCount(FusionOp fusion) const;
  bool hasElements(FusionOp fusion, StringAttr zero) const;
  FetchOp createFetch(OpBuilder &b, Value offsets, ArrayRef<RangeAttr> ranges,
                      bool isPredicted);
  /// Whether fetches announce all that an operation reads of a constant.
  bool isAnnounced(GetConstantOp constant, Operation *reader) const;
  /// False if the router's prediction is not known before it.
  bool predict(const Router &router, const Ranges &ranges);

  FunctionOpInterface function;
  const SymbolicDims &dims;
  bool all;
  llvm::MapVector<StringAttr, Router> routers;
  llvm::DenseMap<StringAttr, Count> counts;
  /// Those that are read by offsets, in program order.
  llvm::MapVector<Value, Ranges> reads;
  /// Operations on groups, and fusions that compute nothing without rows.
  llvm::DenseSet<Operation *> announced;
};

} // namespace

//===----------------------------------------------------------------------===//
// What is read
//===----------------------------------------------------------------------===//

void Announcer::readMarks() {
  function.walk([&](dhlo::ProbeOp probe) {
    routers[probe.getKeyAttr()] = {
        probe, dyn_cast_or_null<DictionaryAttr>(
                   probe->removeAttr(dhlo::DHLODialect::kPreloadAttr))};
  });
  function.walk([&](dhlo::BindOp bind) {
    auto rows =
        dyn_cast_or_null<ArrayAttr>(bind->removeAttr(dhlo::kRowsOfAttr));
    if (!rows)
      return;
    Router router = routers.lookup(cast<StringAttr>(rows[0]));
    if (router.probe && (all || router.preload))
      counts[bind.getSymbolAttr().getAttr()] = {
          router.probe.getOffsets(), cast<IntegerAttr>(rows[1]).getInt()};
  });
}

void Announcer::add(FusionOp fusion) {
  fusion.walk([&](Operation *op) {
    bool isMarked = op->removeAttr(dhlo::DHLODialect::kPreloadAttr) != nullptr;
    if (!isMarked && !all)
      return;
    if (auto dot = dyn_cast<dhlo::GroupedDotOp>(op))
      addGroups(fusion, op, dot.getRhs(), dot.getOffsets());
    else if (auto conv = dyn_cast<dhlo::GroupedConvolutionOp>(op))
      addGroups(fusion, op, conv.getFilter(), conv.getOffsets());
  });
  if (const Count *count = findCount(fusion)) {
    announced.insert(fusion);
    for (Value input : fusion.getInputs())
      if (auto constant = getViewSource(input).getDefiningOp<GetConstantOp>())
        addParts(count->offsets, constant, count->path, /*count=*/1);
  }
}

void Announcer::addGroups(FusionOp fusion, Operation *op, Value weight,
                          Value offsets) {
  Value given = getInput(fusion, offsets);
  if (!given || given.getParentBlock() != fusion->getBlock()) {
    op->emitRemark("its weights are not fetched: their offsets are not known "
                   "before it");
    return;
  }
  Value input = getInput(fusion, weight);
  auto constant =
      input ? input.getDefiningOp<GetConstantOp>() : GetConstantOp();
  if (!constant) {
    op->emitRemark("its weights are not fetched: they are computed, and not "
                   "read from a file");
    return;
  }
  announced.insert(op);
  addParts(given, constant, /*path=*/0, countPaths(given));
}

void Announcer::addParts(Value offsets, GetConstantOp constant, int64_t path,
                         int64_t count) {
  auto type = cast<RankedTensorType>(constant.getType());
  int64_t part = getConstantBytes(type) / count;
  constants.insert(constant.getConstantAttr().getAttr());
  for (int64_t i = 0; i != count; ++i)
    reads[offsets].insert(RangeAttr::get(type.getContext(),
                                         constant.getConstantAttr(), path + i,
                                         i * part, part));
}

bool Announcer::isAnnounced(GetConstantOp constant, Operation *reader) const {
  if (announced.contains(reader) || isView(reader))
    return true;
  auto fusion = dyn_cast<FusionOp>(reader);
  if (!fusion)
    return false;
  for (auto [input, argument] :
       llvm::zip_equal(fusion.getInputs(), fusion.getBody().getArguments()))
    if (getViewSource(input) == constant.getResult() &&
        !visitReaders(argument, [&](Operation *op) {
          return announced.contains(op) || isView(op);
        }))
      return false;
  return true;
}

void Announcer::leaveOthers() {
  llvm::DenseSet<StringAttr> others;
  function.walk([&](GetConstantOp constant) {
    StringAttr name = constant.getConstantAttr().getAttr();
    visitReaders(constant, [&](Operation *reader) {
      if (constants.contains(name) && !isAnnounced(constant, reader) &&
          others.insert(name).second)
        reader->emitRemark("reads all of '")
            << name.getValue()
            << "', of which others read the parts of paths: none is fetched";
      return true;
    });
  });
  for (auto &[offsets, ranges] : reads)
    ranges.remove_if([&](RangeAttr range) {
      return others.contains(range.getConstant().getAttr());
    });
  reads.remove_if([](auto &read) { return read.second.empty(); });
  for (StringAttr name : others)
    constants.erase(name);
}

/// The path without whose rows a fusion computes nothing.
const Announcer::Count *Announcer::findCount(FusionOp fusion) const {
  const Count *found = nullptr;
  for (Type type : fusion.getResultTypes())
    for (DimExpr size : dhlo::getDims(cast<RankedTensorType>(type)))
      dhlo::walkSymbols(dims.expand(size), [&](StringAttr symbol) {
        auto it = counts.find(symbol);
        if (!found && it != counts.end() && !hasElements(fusion, symbol))
          found = &it->second;
      });
  return found;
}

/// Whether a result has elements if a number of rows is zero.
bool Announcer::hasElements(FusionOp fusion, StringAttr zero) const {
  auto isZero = [&](DimExpr size) {
    DimExpr left = dhlo::substitute(dims.expand(size), [&](StringAttr name) {
      return name == zero ? dhlo::getConstDim(name.getContext(), 0) : DimExpr();
    });
    return dhlo::getConstantValue(left) == 0;
  };
  return llvm::any_of(fusion.getResultTypes(), [&](Type type) {
    return llvm::none_of(dhlo::getDims(cast<RankedTensorType>(type)), isZero);
  });
}

//===----------------------------------------------------------------------===//
// Announcements
//===----------------------------------------------------------------------===//

FetchOp Announcer::createFetch(OpBuilder &b, Value offsets,
                               ArrayRef<RangeAttr> ranges, bool isPredicted) {
  SmallVector<Attribute> attributes(ranges.begin(), ranges.end());
  return FetchOp::create(b, function.getLoc(), offsets,
                         b.getArrayAttr(attributes), isPredicted);
}

unsigned Announcer::createFetches() {
  OpBuilder b(function.getContext());
  for (auto &[offsets, ranges] : reads) {
    b.setInsertionPointAfterValue(offsets);
    createFetch(b, offsets, ranges.getArrayRef(), /*isPredicted=*/false);
  }
  return reads.size();
}

unsigned Announcer::createPredictedFetches() {
  unsigned count = 0;
  for (auto &[key, router] : routers) {
    if (!router.preload)
      continue;
    auto it = reads.find(router.probe.getOffsets());
    if (it != reads.end())
      count += predict(router, it->second);
  }
  return count;
}

bool Announcer::predict(const Router &router, const Ranges &ranges) {
  auto decline = [&](const Twine &why) {
    dhlo::ProbeOp probe = router.probe;
    probe.emitRemark("its weights are not fetched before it: ") << why;
    return false;
  };
  auto paths = router.preload.getAs<DenseI64ArrayAttr>("paths");
  auto after = router.preload.getAs<StringAttr>("after");
  if (!paths)
    return decline("it predicts itself, by earlier values");
  SmallVector<RangeAttr> predicted;
  OpBuilder b(function.getContext());
  if (!after) {
    llvm::copy_if(ranges, std::back_inserter(predicted), [&](RangeAttr range) {
      return llvm::is_contained(paths.asArrayRef(), range.getPath());
    });
    b.setInsertionPointToStart(&function.getFunctionBody().front());
    createFetch(b, Value(), predicted, /*isPredicted=*/true);
    return true;
  }
  dhlo::ProbeOp before = routers.lookup(after).probe;
  if (!before || countPaths(before.getOffsets()) != paths.size())
    return decline("no router '" + after.getValue() + "' with " +
                   Twine(paths.size()) + " paths is before it");
  for (RangeAttr range : ranges)
    for (auto [path, next] : llvm::enumerate(paths.asArrayRef()))
      if (next == range.getPath())
        predicted.push_back(
            RangeAttr::get(range.getContext(), range.getConstant(),
                           int64_t(path), range.getOffset(), range.getBytes()));
  b.setInsertionPointAfterValue(before.getOffsets());
  createFetch(b, before.getOffsets(), predicted, /*isPredicted=*/true);
  return true;
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct FetchPathsPass : dlhlo::impl::FetchPathsPassBase<FetchPathsPass> {
  using FetchPathsPassBase::FetchPathsPassBase;

  void runOnOperation() override {
    SymbolicDims dims(getOperation());
    for (auto function : getOperation().getOps<FunctionOpInterface>()) {
      Announcer announcer(function, dims, all);
      announcer.readMarks();
      function.walk([&](FusionOp fusion) { announcer.add(fusion); });
      announcer.leaveOthers();
      // Announced before those that are predicted by the same offsets.
      numFetches += announcer.createPredictedFetches();
      numFetches += announcer.createFetches();
      numConstants += announcer.constants.size();
    }
  }
};
} // namespace
