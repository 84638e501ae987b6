//===- ShareHelpers.cpp - The pass share-kernel-helpers -------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen/Common/Builder/CodeBuilder.h"
#include "dyn/Codegen/CPU/CodegenCPU.h"

#include "llvm/ADT/StringSet.h"

namespace dyn {
#define GEN_PASS_DEF_SHAREKERNELHELPERSPASS
#include "dyn/Codegen/CPU/Passes.h.inc"
} // namespace dyn

using namespace mlir;
using namespace dyn;

namespace {
struct ShareKernelHelpersPass
    : dyn::impl::ShareKernelHelpersPassBase<ShareKernelHelpersPass> {
  void runOnOperation() override {
    OpBuilder builder(&getContext());
    builder.setInsertionPointToStart(getOperation().getBody());
    llvm::StringSet<> known;
    for (auto module : llvm::to_vector(getOperation().getOps<ModuleOp>()))
      for (auto function : llvm::to_vector(module.getOps<func::FuncOp>())) {
        if (!function->hasAttr(kHelperAttr))
          continue;
        declare(function);
        if (!known.insert(function.getSymName()).second) {
          ++numDropped;
          function.erase();
          continue;
        }
        ++numShared;
        auto home = ModuleOp::create(builder, function.getLoc());
        function->moveBefore(home.getBody(), home.getBody()->end());
        function.setPublic();
        function->removeAttr(kHelperAttr);
        function->removeAttr("llvm.linkage");
      }
  }

private:
  /// Declares `function` at its position.
  void declare(func::FuncOp function) {
    OpBuilder builder(function);
    func::FuncOp::create(builder, function.getLoc(), function.getSymName(),
                         function.getFunctionType())
        .setPrivate();
  }
};
} // namespace
