//===- VerifyKernels.cpp - Checks the level of kernels --------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryOps.h"

#include "dyn/Dialect/DLHLO/Transforms/Passes.h"

#include "mlir/IR/AttrTypeSubElements.h"

namespace dyn::dlhlo {
#define GEN_PASS_DEF_VERIFYKERNELSPASS
#include "dyn/Dialect/DLHLO/Transforms/Passes.h.inc"
} // namespace dyn::dlhlo

using namespace mlir;
using namespace dyn;
using namespace dyn::dlhlo;

namespace {

struct VerifyKernelsPass
    : dlhlo::impl::VerifyKernelsPassBase<VerifyKernelsPass> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    SymbolTable symbols(getOperation());
    bool bad = failed(checkEntryOps(getOperation(), [&](Operation *op) {
      return checkEntryOp(op, symbols);
    }));
    for (auto kernel : getOperation().getOps<KernelOp>())
      bad |= failed(checkKernel(kernel));
    if (bad)
      signalPassFailure();
  }

private:
  LogicalResult checkEntryOp(Operation *op, const SymbolTable &symbols) {
    auto launch = llvm::dyn_cast<LaunchOp>(op);
    if (!launch)
      return isBetweenKernels(op) || llvm::isa<LaunchManyOp, YieldOp>(op)
                 ? success()
                 : op->emitOpError("expected to be in a kernel");
    // A launch must agree with its kernel up to the names of sizes, and pass
    // those that are constant.
    auto kernel = symbols.lookup<KernelOp>(launch.getKernel());
    Block &body = kernel.getBody().front();
    llvm::DenseMap<StringAttr, dhlo::DimExpr> passed =
        getPassed(kernel, launch);
    auto compare = [&](TypeRange given, TypeRange expected,
                       StringRef what) -> LogicalResult {
      for (auto [i, types] : llvm::enumerate(llvm::zip(given, expected))) {
        auto from = llvm::cast<RankedTensorType>(std::get<0>(types));
        auto to = llvm::cast<RankedTensorType>(std::get<1>(types));
        if (!areSame(from, to, passed) ||
            from.getElementType() != to.getElementType())
          return launch.emitOpError("expected ")
                 << what << ' ' << i << " to match the kernel's " << to
                 << ", found " << from;
      }
      return success();
    };
    if (failed(compare(launch.getInputs().getTypes(), body.getArgumentTypes(),
                       "operand")))
      return failure();
    return compare(launch.getResultTypes(),
                   body.getTerminator()->getOperandTypes(), "result");
  }

  /// The expression that a launch passes for each size of its kernel.
  static llvm::DenseMap<StringAttr, dhlo::DimExpr> getPassed(KernelOp kernel,
                                                             LaunchOp launch) {
    llvm::DenseMap<StringAttr, dhlo::DimExpr> passed;
    auto next = launch.getDims().begin();
    for (auto dim : kernel.getBody().getOps<dhlo::DimOp>()) {
      dhlo::DimExpr definition = dim.getDefinitionAttr();
      passed[dim.getSymNameAttr()] =
          definition ? substitute(definition, passed)
                     : llvm::cast<dhlo::DimExprAttr>(*next++);
    }
    return passed;
  }

  static dhlo::DimExpr
  substitute(dhlo::DimExpr size,
             const llvm::DenseMap<StringAttr, dhlo::DimExpr> &passed) {
    return dhlo::substitute(size, [&](StringAttr name) {
      auto known = passed.find(name);
      return known == passed.end() ? dhlo::getSymbolDim(name) : known->second;
    });
  }

  /// Whether constant sizes of `from` are what `to` has, or is passed, and
  /// other sizes are not constant in either.
  static bool areSame(RankedTensorType from, RankedTensorType to,
                      const llvm::DenseMap<StringAttr, dhlo::DimExpr> &passed) {
    if (from.getShape() == to.getShape())
      return true;
    if (from.getRank() != to.getRank() || !isDims(from) || !isDims(to))
      return false;
    auto sizes = llvm::zip_equal(dhlo::getDims(from), dhlo::getDims(to));
    return llvm::all_of(sizes, [&](auto pair) {
      auto [given, size] = pair;
      return given.isConst() ? given == substitute(size, passed)
                             : !size.isConst();
    });
  }

  /// Whether sizes are all that a type's encoding tells, if there is one.
  static bool isDims(RankedTensorType type) {
    return !type.getEncoding() || llvm::isa<dhlo::DimsAttr>(type.getEncoding());
  }

  LogicalResult checkKernel(KernelOp kernel) {
    SymbolTable declared(kernel);
    StringAttr missing;
    AttrTypeWalker walker;
    auto check = [&](StringAttr name) {
      if (!declared.lookup<dhlo::DimOp>(name))
        missing = name;
    };
    walker.addWalk(
        [&](dhlo::DimsAttr dims) { llvm::for_each(dims.getNames(), check); });
    walker.addWalk([&](dhlo::DimExprAttr expr) {
      if (expr.isSymbol())
        check(expr.getName());
    });
    for (Type type : kernel.getBody().getArgumentTypes())
      walker.walk(type);
    kernel.getBody().walk([&](Operation *op) {
      walker.walk(op->getAttrDictionary());
      for (Type type : op->getResultTypes())
        walker.walk(type);
    });
    if (missing)
      return kernel.emitOpError("expected a declaration of the size @")
             << missing.getValue() << " in the kernel";
    return success();
  }
};

} // namespace
