//===- InsertProbes.cpp - Names routers and records their routes ----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fingerprint.h"

#include "dyn/Dialect/Cell/Analysis/CellOrigins.h"
#include "dyn/Dialect/Cell/Transforms/Passes.h"

#include "llvm/ADT/StringSet.h"

namespace dyn::cell {
#define GEN_PASS_DEF_INSERTPROBESPASS
#include "dyn/Dialect/Cell/Transforms/Passes.h.inc"
} // namespace dyn::cell

using namespace mlir;
using namespace dyn;
using namespace dyn::cell;

namespace {

/// The name that the source model gave; source lines change too often.
StringRef getModulePath(Location loc) {
  if (auto name = dyn_cast<NameLoc>(loc))
    return name.getName();
  if (auto call = dyn_cast<CallSiteLoc>(loc))
    return getModulePath(call.getCallee());
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      if (StringRef name = getModulePath(part); !name.empty())
        return name;
  return {};
}

/// The probe of a router, or null.
ProbeOp getProbe(RouteOp route) {
  for (Operation *user : route->getUsers())
    if (auto probe = dyn_cast<ProbeOp>(user))
      return probe;
  return {};
}

/// Whether `first` has always run when `second` does.
bool isAlwaysBefore(Operation *first, Operation *second) {
  return first->getBlock()->findAncestorOpInBlock(*second) != nullptr;
}

struct InsertProbesPass : cell::impl::InsertProbesPassBase<InsertProbesPass> {
  void runOnOperation() override {
    SmallVector<RouteOp> routers;
    getOperation().walk<WalkOrder::PreOrder>(
        [&](RouteOp route) { routers.push_back(route); });
    if (routers.empty())
      return markAllAnalysesPreserved();
    taken.clear();
    unnamed.clear();
    Fingerprints fingerprints(getOperation());
    markAnalysesPreserved<SymbolicDims>();
    const auto &dims = getAnalysis<SymbolicDims>();
    for (RouteOp route : routers)
      if (ProbeOp probe = getProbe(route))
        taken.insert(probe.getKey());
    CellOrigins origins(dims);
    for (RouteOp route : routers) {
      SmallVector<RouteOp> before = origins.add(route);
      if (getProbe(route))
        continue;
      ProbeOp probe = insertProbe(route, fingerprints.get(route));
      setAfter(route, probe, before, dims);
    }
  }

private:
  ProbeOp insertProbe(RouteOp route, const std::string &fingerprint) {
    OpBuilder b(&getContext());
    b.setInsertionPointAfter(route);
    ++numProbes;
    return ProbeOp::create(
        b, route.getLoc(), b.getStringAttr(makeKey(route)), route.getRoutes(),
        route->getAttrOfType<StringAttr>(CellDialect::kLabelAttr),
        route->getAttrOfType<StringAttr>(CellDialect::kKindAttr),
        b.getStringAttr(fingerprint), /*after=*/StringAttr());
  }

  std::string makeKey(RouteOp route) {
    std::string name = route.getKey().value_or("").str();
    if (name.empty())
      name = getModulePath(route.getLoc()).str();
    if (name.empty()) {
      auto function = route->getParentOfType<func::FuncOp>();
      StringRef entry = function ? function.getSymName() : "module";
      name = (entry + "." + Twine(unnamed[entry]++)).str();
    }
    std::string key = name;
    for (unsigned number = 2; !taken.insert(key).second; ++number)
      key = name + "#" + std::to_string(number);
    return key;
  }

  /// `before` are the routers of the same cells.
  void setAfter(RouteOp route, ProbeOp probe, ArrayRef<RouteOp> before,
                const SymbolicDims &dims) {
    for (RouteOp other : llvm::reverse(before)) {
      if (!isAlwaysBefore(other, route) ||
          !dims.isEqual(other.getRoutes().getType().getCells(),
                        route.getRoutes().getType().getCells()))
        continue;
      probe.setAfterAttr(getProbe(other).getKeyAttr());
      ++numAfter;
      return;
    }
  }

  llvm::StringSet<> taken;
  llvm::StringMap<unsigned> unnamed;
};

} // namespace
