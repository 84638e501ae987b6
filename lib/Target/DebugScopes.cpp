//===- DebugScopes.cpp - Debug information from locations
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
struct Place {
  StringRef file = "model";
  unsigned line = 1, column = 0;
};

/// The first origin in a location; false if there is none.
bool findPlace(Location loc, Place &place) {
  if (auto name = dyn_cast<NameLoc>(loc)) {
    place = {name.getName().getValue(), 1, 0};
    return true;
  }
  if (auto file = dyn_cast<FileLineColLoc>(loc)) {
    place = {file.getFilename().getValue(), file.getLine(), file.getColumn()};
    return true;
  }
  if (auto call = dyn_cast<CallSiteLoc>(loc))
    return findPlace(call.getCallee(), place);
  if (auto fused = dyn_cast<FusedLoc>(loc))
    return llvm::any_of(fused.getLocations(),
                        [&](Location part) { return findPlace(part, place); });
  return false;
}

/// Creates the scopes of one function.
class ScopeBuilder {
public:
  explicit ScopeBuilder(LLVM::LLVMFuncOp function)
      : context(function.getContext()) {
    findPlace(function.getLoc(), origin);
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
    Place place = origin;
    findPlace(op->getLoc(), place);
    LLVM::DIScopeAttr inner = scope;
    if (place.file != origin.file)
      inner = LLVM::DILexicalBlockFileAttr::get(context, scope, getFile(place),
                                                /*discriminator=*/0);
    op->setLoc(getLoc(place, inner));
  }

private:
  LLVM::DIFileAttr getFile(const Place &place) {
    return LLVM::DIFileAttr::get(context, place.file, "");
  }
  Location getLoc(const Place &place, Attribute scope) {
    Location loc =
        FileLineColLoc::get(context, place.file, place.line, place.column);
    return FusedLoc::get({loc}, scope, context);
  }

  MLIRContext *context;
  Place origin;
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
