//===- DebugScopes.cpp - Debug information from locations -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Target/DebugScopes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/BinaryFormat/Dwarf.h"

using namespace mlir;
using namespace dyn;

namespace {

/// The origin of an instruction, in terms of debug information.
struct Origin {
  StringRef file = "model";
  unsigned line = 1, column = 0;
};

/// The first origin in a location; false if there is none.
bool findOrigin(Location loc, Origin &origin) {
  if (auto name = dyn_cast<NameLoc>(loc)) {
    origin = {name.getName().getValue(), 1, 0};
    return true;
  }
  if (auto file = dyn_cast<FileLineColLoc>(loc)) {
    origin = {file.getFilename().getValue(), file.getLine(), file.getColumn()};
    return true;
  }
  if (auto call = dyn_cast<CallSiteLoc>(loc))
    return findOrigin(call.getCallee(), origin);
  if (auto fused = dyn_cast<FusedLoc>(loc))
    return llvm::any_of(fused.getLocations(), [&](Location part) {
      return findOrigin(part, origin);
    });
  return false;
}

/// Creates the scopes of one function.
class ScopeBuilder {
public:
  explicit ScopeBuilder(LLVM::LLVMFuncOp function)
      : context(function.getContext()) {
    findOrigin(function.getLoc(), origin);
    auto unit = LLVM::DICompileUnitAttr::get(
        DistinctAttr::create(UnitAttr::get(context)), llvm::dwarf::DW_LANG_C,
        getFile(origin), StringAttr::get(context, "dyn"),
        /*isOptimized=*/true, LLVM::DIEmissionKind::LineTablesOnly);
    auto type = LLVM::DISubroutineTypeAttr::get(context, {});
    StringAttr name = function.getNameAttr();
    scope = LLVM::DISubprogramAttr::get(
        context, DistinctAttr::create(UnitAttr::get(context)), unit,
        getFile(origin), name, name, getFile(origin), origin.line, origin.line,
        LLVM::DISubprogramFlags::Definition |
            LLVM::DISubprogramFlags::Optimized,
        type, /*retainedNodes=*/{}, /*annotations=*/{});
    function->setLoc(getLoc(origin, scope));
  }

  void attach(Operation *op) {
    Origin opOrigin = origin;
    findOrigin(op->getLoc(), opOrigin);
    LLVM::DIScopeAttr inner = scope;
    if (opOrigin.file != origin.file)
      inner = LLVM::DILexicalBlockFileAttr::get(
          context, scope, getFile(opOrigin), /*discriminator=*/0);
    op->setLoc(getLoc(opOrigin, inner));
  }

private:
  LLVM::DIFileAttr getFile(const Origin &origin) {
    return LLVM::DIFileAttr::get(context, origin.file, "");
  }
  Location getLoc(const Origin &origin, Attribute scope) {
    Location loc =
        FileLineColLoc::get(context, origin.file, origin.line, origin.column);
    return FusedLoc::get({loc}, scope, context);
  }

  MLIRContext *context;
  Origin origin;
  LLVM::DISubprogramAttr scope;
};

} // namespace

void dyn::attachDebugScopes(ModuleOp module) {
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    if (function.isExternal())
      continue;
    ScopeBuilder scopes(function);
    function.getBody().walk([&](Operation *op) { scopes.attach(op); });
  }
}
