//===- VerifyDims.cpp - Checks declarations, scopes and sizes -------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VerifyDims.h"

#include "dyn/Dialect/DHLO/IR/DimExprSize.h"
#include "dyn/Dialect/DHLO/Transforms/Passes.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SetVector.h"

namespace dyn::dhlo {
#define GEN_PASS_DEF_VERIFYDIMSPASS
#include "dyn/Dialect/DHLO/Transforms/Passes.h.inc"
} // namespace dyn::dhlo

using namespace mlir;
using namespace dyn;
using namespace dyn::dhlo;

namespace {
/// Checks one symbol table. Symbols without definition get their values from a
/// function's arguments or from an operation; outside of modules, from the
/// launch of the kernel.
class Verifier {
public:
  explicit Verifier(Operation *symbolTable) : symbolTable(symbolTable) {}

  LogicalResult run() {
    collect();
    if (failed(verifyDefinitions()) || failed(verifyLengths()) ||
        failed(verifyBinders()))
      return failure();
    dims.emplace(symbolTable);
    bool bindsAll = !isa<ModuleOp>(symbolTable);
    LogicalResult result = success();
    for (Region &region : symbolTable->getRegions())
      for (Block &block : region) {
        Names scope;
        if (bindsAll)
          for (auto &[name, dim] : declarations)
            if (!dim.getDefinition())
              scope.insert(name);
        addNamesOf(block.getArgumentTypes(), scope);
        if (failed(visitBlock(block, scope)))
          result = failure();
      }
    return result;
  }

private:
  using Names = llvm::SmallSetVector<StringAttr, 8>;

  /// Whether the operation is checked by another verifier.
  bool isOther(Operation *op) {
    return op != symbolTable && op->hasTrait<OpTrait::SymbolTable>();
  }

  void collect() {
    for (Region &region : symbolTable->getRegions())
      for (DimOp dim : region.getOps<DimOp>())
        declarations[dim.getSymNameAttr()] = dim;
  }

  //===--------------------------------------------------------------------===//
  // Declarations
  //===--------------------------------------------------------------------===//

  LogicalResult verifyDefinitions() {
    LogicalResult result = success();
    for (auto &[name, dim] : declarations) {
      // dim_c2
      for (auto [expr, what] :
           {std::pair(dim.getDefinitionAttr(), "the definition"),
            std::pair(dim.getAtMostAttr(), "the bound")})
        if (expr)
          walkSymbols(expr, [&, dim = dim, what = what](StringAttr used) {
            if (!declarations.contains(used))
              result = dim->emitOpError("expected a declared size in ")
                       << what << ", found undeclared '@" << used.getValue()
                       << "'";
          });
    }
    if (failed(result))
      return failure();
    for (auto &[name, dim] : declarations) {
      Names path;
      if (reaches(name, name, path))
        return dim->emitOpError("expected a definition that does not depend on "
                                "itself");
    }
    return success();
  }

  bool reaches(StringAttr from, StringAttr to, Names &seen) {
    bool found = false;
    if (DimExpr definition = declarations.lookup(from).getDefinitionAttr())
      walkSymbols(definition, [&](StringAttr name) {
        found = found || name == to ||
                (seen.insert(name) && reaches(name, to, seen));
      });
    return found;
  }

  /// Checks that no size becomes too long when definitions are substituted, as
  /// the other checks do. Definitions themselves are checked by the verifier of
  /// `dhlo.dim`.
  LogicalResult verifyLengths() {
    ExpansionMeter meter;
    auto definition = [&](StringAttr name) {
      DimOp dim = declarations.lookup(name);
      return dim ? dim.getDefinitionAttr() : DimExpr();
    };
    llvm::DenseSet<Type> seen;
    auto verifyTypes = [&](Operation *op, TypeRange types) {
      for (Type type : types)
        if (auto tensor = dyn_cast<RankedTensorType>(type);
            tensor && !tensor.hasStaticShape() && seen.insert(tensor).second &&
            failed(verifyExpanded(op, meter.measure(tensor, definition),
                                  "a number of elements")))
          return failure();
      return success();
    };
    WalkResult result =
        symbolTable->walk<WalkOrder::PreOrder>([&](Operation *op) {
          if (isOther(op))
            return WalkResult::skip();
          bool isLong = failed(verifyTypes(op, op->getResultTypes()));
          for (Region &region : op->getRegions())
            for (Block &block : region)
              isLong |= failed(verifyTypes(op, block.getArgumentTypes()));
          AttrTypeWalker walker;
          walker.addWalk([&](DimExprAttr expr) {
            isLong = isLong ||
                     failed(verifyExpanded(op, meter.measure(expr, definition),
                                           "a size"));
            return WalkResult::skip();
          });
          if (!isa<DimOp, FunctionOpInterface>(op))
            walker.walk(op->getAttrDictionary());
          return isLong ? WalkResult::interrupt() : WalkResult::advance();
        });
    return failure(result.wasInterrupted());
  }

  LogicalResult verifyBinders() {
    llvm::DenseMap<StringAttr, Operation *> binders;
    WalkResult result =
        symbolTable->walk<WalkOrder::PreOrder>([&](Operation *op) {
          if (isOther(op))
            return WalkResult::skip();
          auto binder = dyn_cast<BindsDims>(op);
          if (!binder)
            return WalkResult::advance();
          SmallVector<StringAttr> names = binder.getBoundDims();
          llvm::append_range(names, binder.getRegionDims());
          for (StringAttr name : names)
            if (failed(verifyBinder(op, name, binders)))
              return WalkResult::interrupt();
          return WalkResult::advance();
        });
    return failure(result.wasInterrupted());
  }

  LogicalResult verifyBinder(Operation *op, StringAttr name,
                             llvm::DenseMap<StringAttr, Operation *> &binders) {
    // bind_c1
    DimOp dim = declarations.lookup(name);
    if (!dim)
      return op->emitOpError("expected to bind a declared size, found "
                             "undeclared '@")
             << name.getValue() << "'";
    if (dim.getDefinition()) {
      InFlightDiagnostic error =
          op->emitOpError(
              "expected to bind a size without definition, found '@")
          << name.getValue() << "'";
      error.attachNote(dim.getLoc()) << "defined here";
      return error;
    }
    auto [it, isNew] = binders.try_emplace(name, op);
    if (!isNew) {
      InFlightDiagnostic error = op->emitOpError("expected to bind a size that "
                                                 "is not bound yet, found '@")
                                 << name.getValue() << "'";
      error.attachNote(it->second->getLoc()) << "bound here";
      return error;
    }
    return success();
  }

  //===--------------------------------------------------------------------===//
  // Uses
  //===--------------------------------------------------------------------===//

  void addNamesOf(TypeRange types, Names &scope) {
    for (Type type : types)
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        if (auto names = dyn_cast_or_null<DimsAttr>(tensor.getEncoding()))
          scope.insert(names.getNames().begin(), names.getNames().end());
  }

  /// Checks that a symbol is declared and that its definition has a value.
  LogicalResult verifyUse(Operation *op, StringAttr name, const Names &scope) {
    DimOp dim = declarations.lookup(name);
    if (!dim)
      return op->emitOpError("uses undeclared size '@")
             << name.getValue() << "'";
    // A derived size of a function's argument has a value of its own.
    if (scope.contains(name))
      return success();
    DimExpr definition = dim.getDefinitionAttr();
    if (!definition)
      return op->emitOpError("uses size '@")
             << name.getValue() << "' where it has no value";
    LogicalResult result = success();
    walkSymbols(definition, [&](StringAttr used) {
      if (succeeded(result))
        result = verifyUse(op, used, scope);
    });
    return result;
  }

  template <typename T>
  LogicalResult verifyUses(Operation *op, T attrOrType, const Names &scope) {
    Names used;
    AttrTypeWalker walker;
    walker.addWalk([&](DimsAttr names) {
      used.insert(names.getNames().begin(), names.getNames().end());
    });
    walker.addWalk([&](DimExprAttr expr) {
      walkSymbols(expr, [&](StringAttr name) { used.insert(name); });
      return WalkResult::skip();
    });
    walker.walk(attrOrType);
    for (StringAttr name : used)
      if (failed(verifyUse(op, name, scope)))
        return failure();
    return success();
  }

  LogicalResult visitBlock(Block &block, Names scope) {
    LogicalResult result = success();
    for (Operation &op : block)
      if (!isa<DimOp>(op) && failed(visit(&op, scope)))
        result = failure();
    return result;
  }

  /// Checks the regions of an operation in their scopes.
  LogicalResult visitRegions(Operation *op, const Names &scope) {
    LogicalResult result = success();
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        Names inner = scope;
        if (auto binder = dyn_cast<BindsDims>(op)) {
          auto names = binder.getRegionDims();
          inner.insert(names.begin(), names.end());
        }
        // A function's arguments give values to their symbols.
        if (isa<SymbolOpInterface>(op))
          addNamesOf(block.getArgumentTypes(), inner);
        if (failed(visitBlock(block, inner)))
          result = failure();
      }
    return result;
  }

  LogicalResult visit(Operation *op, Names &scope) {
    LogicalResult regions = isOther(op) ? success() : visitRegions(op, scope);
    auto binder = dyn_cast<BindsDims>(op);
    if (binder) {
      auto names = binder.getBoundDims();
      scope.insert(names.begin(), names.end());
    }
    if (failed(verifyOwnUses(op, scope)))
      return failure();
    // Sizes are compared only if symbols are valid.
    if (failed(regions))
      return failure();
    return verifySizes(op, *dims);
  }

  LogicalResult verifyOwnUses(Operation *op, const Names &scope) {
    // The types of functions refer to their own arguments.
    if (isa<SymbolOpInterface>(op))
      return success();
    for (NamedAttribute attr : op->getAttrs()) {
      // The values of symbols at the end of a region are expressions over
      // symbols of the region, which its terminator uses anyway.
      StringRef name = attr.getName().getValue();
      bool isInner =
          op->getNumRegions() != 0 &&
          (name == "then_dims" || name == "else_dims" || name == "next_dims");
      if (!isInner && failed(verifyUses(op, attr.getValue(), scope)))
        return failure();
    }
    for (Type type : op->getResultTypes())
      if (failed(verifyUses(op, type, scope)))
        return failure();
    return success();
  }

  Operation *symbolTable;
  llvm::MapVector<StringAttr, DimOp> declarations;
  std::optional<SymbolicDims> dims;
};

struct VerifyDimsPass : dyn::dhlo::impl::VerifyDimsPassBase<VerifyDimsPass> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (failed(verifyAllDims(getOperation())))
      signalPassFailure();
  }
};
} // namespace

LogicalResult dyn::dhlo::verifyDims(Operation *symbolTable) {
  return Verifier(symbolTable).run();
}

LogicalResult dyn::dhlo::verifyAllDims(Operation *root) {
  bool hasFailed = false;
  root->walk([&](Operation *op) {
    if (op->hasTrait<OpTrait::SymbolTable>())
      hasFailed |= failed(verifyDims(op));
  });
  return failure(hasFailed);
}
