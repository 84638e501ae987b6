//===- ReferenceProfile.cpp - Profiles of routes in the interpreter -------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReferenceProfile.h"

#include "dyn/Dialect/Cell/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/ToolOutputFile.h"

#include <chrono>

using namespace dyn;
using namespace dyn::run;
using namespace mlir;

/// The router of a probe of either level. `after` has been visited before.
template <typename Probe>
static ProfileRouter makeRouter(Probe probe, uint32_t paths, uint64_t windowMs,
                                const RouteProfile &profile) {
  ProfileRouter router;
  router.key = probe.getKey().str();
  router.label = probe.getLabel().value_or("").str();
  router.cell = probe.getCell().value_or("").str();
  router.fingerprint = probe.getFingerprint().value_or("").str();
  router.paths = paths;
  router.windowMs = windowMs;
  if (const ProfileRouter *before =
          profile.find(probe.getAfter().value_or(""))) {
    router.after = before->key;
    router.afterPaths = before->paths;
  }
  return router;
}

LogicalResult ReferenceProfile::start(ModuleOp module, uint64_t windowMs) {
  PassManager manager(module.getContext());
  manager.addPass(cell::createInsertProbesPass());
  if (failed(manager.run(module)))
    return failure();
  windowMs = windowMs ? windowMs : 1000;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto probe = dyn_cast<cell::ProbeOp>(op))
      profile.routers.push_back(makeRouter(
          probe, probe.getRoutes().getType().getPaths(), windowMs, profile));
    if (auto probe = dyn_cast<dhlo::ProbeOp>(op)) {
      auto offsets = cast<RankedTensorType>(probe.getOffsets().getType());
      profile.routers.push_back(
          makeRouter(probe, offsets.getDimSize(0) - 1, windowMs, profile));
    }
  });
  return success();
}

void ReferenceProfile::observe(InterpreterOptions &options) {
  callMs = std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::system_clock::now().time_since_epoch())
               .count();
  decided.clear();
  options.observeRoutes = [this](StringRef key, ArrayRef<int64_t> paths,
                                 int64_t choices) { add(key, paths, choices); };
}

void ReferenceProfile::add(StringRef key, ArrayRef<int64_t> paths,
                           int64_t choices) {
  auto *router = const_cast<ProfileRouter *>(profile.find(key));
  CellDecisions routes = {paths.vec(), uint64_t(choices)};
  auto before = decided.find(router->after);
  router->count(callMs, routes,
                before == decided.end() ? nullptr : &before->second);
  decided[router->key] = std::move(routes);
}

llvm::Error ReferenceProfile::write(StringRef path) const {
  std::error_code failure;
  llvm::ToolOutputFile file(path, failure, llvm::sys::fs::OF_None);
  if (failure)
    return llvm::createStringError("cannot write '" + path +
                                   "': " + failure.message());
  RouteProfile called = profile;
  llvm::erase_if(called.routers, [](const ProfileRouter &router) {
    return router.windows.empty();
  });
  called.print(file.os());
  file.keep();
  return llvm::Error::success();
}
