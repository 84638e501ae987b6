//===- ImportONNX.cpp - Entry of the ONNX importer ------------------------===//
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
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace dyn;

/// The node that an operation was imported for, as diagnostics name it; empty
/// if there is none.
static std::string describeNode(Location loc) {
  auto fused = dyn_cast<FusedLocWith<StringAttr>>(loc);
  auto name =
      fused ? dyn_cast<NameLoc>(fused.getLocations().front()) : NameLoc();
  return name ? ("node '" + name.getName().strref() + "' (" +
                 fused.getMetadata().strref() + "): ")
                    .str()
              : "";
}

/// Verifies the imported module, and names the nodes in errors.
static LogicalResult verifyNodes(ModuleOp module) {
  SmallVector<std::pair<Location, std::string>> errors;
  {
    ScopedDiagnosticHandler handler(module.getContext(), [&](Diagnostic &diag) {
      if (diag.getSeverity() == DiagnosticSeverity::Error)
        errors.push_back({diag.getLocation(), diag.str()});
    });
    if (succeeded(verify(module)))
      return success();
  }
  for (auto &[loc, text] : errors)
    emitError(loc) << describeNode(loc) << text;
  return failure();
}

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
  if (!module || failed(verifyNodes(*module)))
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

/// Renames sizes that are provably equal to the first one's name.
static void mergeEqualSizes(ModuleOp module) {
  SymbolicDims dims(module);
  llvm::DenseMap<StringAttr, StringAttr> names;
  SmallVector<dhlo::DimExpr> seen;
  for (auto dim : module.getOps<dhlo::DimOp>()) {
    dhlo::DimExpr symbol = dhlo::getSymbolDim(dim.getSymNameAttr());
    auto *same = llvm::find_if(
        seen, [&](dhlo::DimExpr other) { return dims.isEqual(symbol, other); });
    if (same == seen.end())
      seen.push_back(symbol);
    else if (dim.getDefinitionAttr())
      names[dim.getSymNameAttr()] = same->getName();
  }
  if (names.empty())
    return;
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](dhlo::DimsAttr attr) {
    SmallVector<StringAttr> merged;
    for (StringAttr name : attr.getNames())
      merged.push_back(names.lookup_or(name, name));
    return std::make_pair(dhlo::DimsAttr::get(attr.getContext(), merged),
                          WalkResult::skip());
  });
  replacer.addReplacement([&](dhlo::DimExprAttr expr) {
    dhlo::DimExpr merged =
        dhlo::substitute(expr, [&](StringAttr name) -> dhlo::DimExpr {
          StringAttr other = names.lookup(name);
          return other ? dhlo::getSymbolDim(other) : dhlo::DimExpr();
        });
    return std::make_pair(merged, WalkResult::skip());
  });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  module.walk([](dhlo::ReshapeOp op) {
    if (op.getOperand().getType() != op.getResult().getType())
      return;
    op.getResult().replaceAllUsesWith(op.getOperand());
    op.erase();
  });
}

namespace {
/// Moves the binding of a size into the only branch that needs it: where the
/// other one runs, the value need not be a size.
class BindSinker {
public:
  explicit BindSinker(ModuleOp module) {
    module.walk([&](Operation *op) { collect(op); });
    for (auto dim : module.getOps<dhlo::DimOp>())
      for (dhlo::DimExpr expr : {dim.getDefinitionAttr(), dim.getAtMostAttr()})
        if (expr)
          dhlo::walkSymbols(expr, [&](StringAttr name) {
            dependents[name].push_back(dim.getSymNameAttr());
          });
    module.walk([&](dhlo::BindOp bind) { sink(bind); });
  }

private:
  /// A point of a program: the end of a region, or an operation.
  using Use = llvm::PointerUnion<Operation *, Region *>;

  template <typename T> void add(Use point, T attrOrType) {
    AttrTypeWalker walker;
    walker.addWalk([&](dhlo::DimsAttr dims) {
      for (StringAttr name : dims.getNames())
        uses[name].push_back(point);
    });
    walker.addWalk([&](dhlo::DimExprAttr expr) {
      dhlo::walkSymbols(expr,
                        [&](StringAttr name) { uses[name].push_back(point); });
      return WalkResult::skip();
    });
    walker.walk(attrOrType);
  }

  void collect(Operation *op) {
    if (isa<ModuleOp, dhlo::DimOp>(op))
      return;
    auto branches = dyn_cast<dhlo::IfOp>(op);
    for (NamedAttribute attr : op->getAttrs()) {
      if (branches && attr.getName() == branches.getThenDimsAttrName())
        add(&branches.getThenRegion(), attr.getValue());
      else if (branches && attr.getName() == branches.getElseDimsAttrName())
        add(&branches.getElseRegion(), attr.getValue());
      else
        add(op, attr.getValue());
    }
    for (Type type : op->getResultTypes())
      add(op, type);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Type type : block.getArgumentTypes())
          add(op, type);
  }

  /// All points that need a symbol, including those that need symbols defined
  /// by it.
  SmallVector<Use> getUses(StringAttr symbol) {
    llvm::SetVector<StringAttr> names;
    names.insert(symbol);
    SmallVector<Use> points;
    for (unsigned i = 0; i != names.size(); ++i) {
      StringAttr name = names[i];
      llvm::append_range(points, uses.lookup(name));
      auto more = dependents.lookup(name);
      names.insert(more.begin(), more.end());
    }
    return points;
  }

  /// The branch of an operation of the block that contains all points; null if
  /// there is none.
  static Region *findBranch(ArrayRef<Use> points, Block &block) {
    Region *branch = nullptr;
    for (Use point : points) {
      Region *region = dyn_cast<Region *>(point);
      if (!region)
        region = cast<Operation *>(point)->getParentRegion();
      while (region && region->getParentOp() &&
             region->getParentOp()->getBlock() != &block)
        region = region->getParentRegion();
      if (!region || !isa_and_nonnull<dhlo::IfOp>(region->getParentOp()) ||
          (branch && region != branch))
        return nullptr;
      branch = region;
    }
    return branch;
  }

  void sink(dhlo::BindOp bind) {
    SmallVector<Use> points = getUses(bind.getSymbolAttr().getAttr());
    llvm::erase(points, Use(bind.getOperation()));
    while (Region *branch = findBranch(points, *bind->getBlock()))
      bind->moveBefore(&branch->front(), branch->front().begin());
  }

  llvm::DenseMap<StringAttr, SmallVector<Use>> uses;
  llvm::DenseMap<StringAttr, SmallVector<StringAttr>> dependents;
};
} // namespace

void onnx::cleanUp(ModuleOp module) {
  mergeEqualSizes(module);
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
    // A bound size with tighter bounds than any size is a condition.
    SymbolTable symbols(module);
    module.walk([&](dhlo::BindOp bind) {
      StringAttr name = bind.getSymbolAttr().getAttr();
      auto dim = symbols.lookup<dhlo::DimOp>(name);
      if (dim && (dim.getMin().value_or(0) > 0 || dim.getMax()))
        used.insert(name);
      if (!used.contains(name))
        dead.push_back(bind);
    });
    for (auto dim : module.getOps<dhlo::DimOp>())
      if (!used.contains(dim.getSymNameAttr()))
        dead.push_back(dim);
    for (Operation *op : dead)
      op->erase();
    changed = !dead.empty();
  }
  BindSinker sinker(module);
}
