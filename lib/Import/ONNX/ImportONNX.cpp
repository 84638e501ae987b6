//===- ImportONNX.cpp - Entry of the ONNX importer
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphImporter.h"
#include "dyn/Import/ONNX.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace dyn;

FailureOr<OwningOpRef<ModuleOp>> onnx::importONNX(StringRef path,
                                                  const ImportOptions &options,
                                                  MLIRContext *context) {
  context->loadDialect<dhlo::DHLODialect, func::FuncDialect>();
  std::string error;
  std::unique_ptr<Model> model = readModel(path, error);
  if (!model) {
    emitError(FileLineColLoc::get(context, path, 0, 0)) << error;
    return failure();
  }
  OwningOpRef<ModuleOp> module = GraphImporter(*model, options, context).run();
  // What the importer builds is checked once more by the verifiers.
  if (!module || failed(verify(*module)))
    return failure();
  return std::move(module);
}

/// Erases operations without effect whose results have no users, users first.
static void eraseDeadOps(Operation *root) {
  root->walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (isOpTriviallyDead(op))
      op->erase();
  });
}

void onnx::removeUnused(ModuleOp module) {
  for (bool changed = true; changed;) {
    changed = false;
    eraseDeadOps(module);
    llvm::DenseSet<StringAttr> used;
    AttrTypeWalker walker;
    walker.addWalk([&](dhlo::DimsAttr dims) {
      used.insert(dims.getNames().begin(), dims.getNames().end());
    });
    walker.addWalk([&](dhlo::DimExprAttr expr) {
      if (expr.isSymbol())
        used.insert(expr.getName());
    });
    module.walk([&](Operation *op) {
      if (op == module)
        return;
      walker.walk(op->getAttrDictionary());
      for (Type type : op->getResultTypes())
        walker.walk(type);
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (Type type : block.getArgumentTypes())
            walker.walk(type);
      // Control flow declares the symbols that it binds.
      auto binder = dyn_cast<dhlo::BindsDims>(op);
      if (!binder || isa<dhlo::BindOp>(op))
        return;
      for (StringAttr name : binder.getBoundDims())
        used.insert(name);
      for (StringAttr name : binder.getRegionDims())
        used.insert(name);
    });
    SmallVector<Operation *> dead;
    module.walk([&](Operation *op) {
      if (auto bind = dyn_cast<dhlo::BindOp>(op))
        if (!used.contains(bind.getSymbolAttr().getAttr()))
          dead.push_back(op);
      if (auto dim = dyn_cast<dhlo::DimOp>(op))
        if (!used.contains(dim.getSymNameAttr()))
          dead.push_back(op);
    });
    for (Operation *op : dead)
      op->erase();
    changed = !dead.empty();
  }
}
