//===- SharedSizes.cpp - Names for what sizes have in common --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedSizes.h"

#include "dyn/Dialect/DHLO/Analysis/SymbolicDims.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dlhlo;
using dhlo::DimExpr;
using dhlo::DimExprKind;

/// Kernels whose sizes have fewer parts, each counted where it is written, are
/// as short without names.
static constexpr uint64_t kLeastParts = 256;

namespace {
class SharedSizes {
public:
  explicit SharedSizes(KernelOp kernel) : kernel(kernel) {}

  void run() {
    for (DimExpr size : getSizes())
      numWritten = llvm::SaturatingAdd(numWritten, visit(size));
    if (numWritten < kLeastParts)
      return;
    chooseNames();
    rewriteSizes();
    declareNames();
  }

private:
  struct Part {
    uint64_t numWritten = 1; ///< parts of its text
    unsigned numUses = 0;    ///< by different parts, and as a size
  };

  /// The sizes that the kernel's text has.
  SmallVector<DimExpr> getSizes() {
    SmallVector<DimExpr> sizes;
    AttrTypeWalker walker;
    walker.addWalk([&](dhlo::DimExprAttr size) {
      sizes.push_back(size);
      return WalkResult::skip();
    });
    kernel.getBody().walk([&](Operation *op) {
      walker.walk<WalkOrder::PreOrder>(op->getAttrDictionary());
    });
    return sizes;
  }

  /// Counts the parts of a size, operands first. Returns those of its text.
  uint64_t visit(DimExpr expr) {
    if (auto known = parts.find(expr); known != parts.end()) {
      ++known->second.numUses;
      return known->second.numWritten;
    }
    Part part;
    part.numUses = 1;
    for (unsigned i = 0; i != expr.getNumOperands(); ++i)
      part.numWritten =
          llvm::SaturatingAdd(part.numWritten, visit(expr.getOperand(i)));
    parts.insert({expr, part});
    return part.numWritten;
  }

  void chooseNames() {
    SymbolicDims dims(kernel);
    unsigned numDims = 0;
    for (auto dim : kernel.getBody().getOps<dhlo::DimOp>()) {
      ++numDims;
      if (DimExpr definition = dim.getDefinitionAttr();
          definition && canName(definition))
        names.try_emplace(definition, dim.getSymNameAttr());
    }
    for (auto &[expr, part] : parts) {
      // A symbol is not negative.
      if (part.numUses == 1 || !canName(expr) || names.contains(expr) ||
          !dims.isAtLeast(expr, 0))
        continue;
      auto name = StringAttr::get(kernel.getContext(), "d" + Twine(numDims++));
      names[expr] = name;
      added.push_back({name, expr});
    }
  }

  /// Symbols are names already, and the factors of a Mul are its parts.
  static bool canName(DimExpr expr) {
    return !expr.isConst() && !expr.isSymbol() &&
           expr.getKind() != DimExprKind::Mul;
  }

  DimExpr rewrite(DimExpr expr) {
    auto known = names.find(expr);
    return known == names.end() ? rewriteParts(expr)
                                : dhlo::getSymbolDim(known->second);
  }

  /// The expression with names for its parts.
  DimExpr rewriteParts(DimExpr expr) {
    return dhlo::substituteAtoms(expr, [&](DimExpr atom) {
      if (atom.isSymbol())
        return atom;
      return atom == expr ? rewriteOperands(atom) : rewrite(atom);
    });
  }

  DimExpr rewriteOperands(DimExpr atom) {
    if (DimExpr known = rewritten.lookup(atom))
      return known;
    DimExpr result = rewrite(atom.getOperand(0));
    for (unsigned i = 1; i != atom.getNumOperands(); ++i)
      result =
          dhlo::combine(atom.getKind(), result, rewrite(atom.getOperand(i)));
    return rewritten[atom] = result;
  }

  void rewriteSizes() {
    AttrTypeReplacer replacer;
    replacer.addReplacement(
        [&](dhlo::DimExprAttr size) -> std::pair<Attribute, WalkResult> {
          return {rewrite(size), WalkResult::skip()};
        });
    for (Operation &op : kernel.getBody().front()) {
      if (auto dim = llvm::dyn_cast<dhlo::DimOp>(op)) {
        if (DimExpr definition = dim.getDefinitionAttr())
          dim.setDefinitionAttr(rewriteParts(definition));
        continue;
      }
      replacer.recursivelyReplaceElementsIn(&op, /*replaceAttrs=*/true);
    }
  }

  void declareNames() {
    OpBuilder builder(kernel.getBody());
    for (auto dim : kernel.getBody().getOps<dhlo::DimOp>())
      builder.setInsertionPointAfter(dim);
    for (auto &[name, expr] : added)
      dhlo::DimOp::create(builder, kernel.getLoc(), name, rewriteParts(expr),
                          IntegerAttr(), IntegerAttr(), IntegerAttr(),
                          DimExpr(), DenseI64ArrayAttr());
  }

  KernelOp kernel;
  llvm::MapVector<DimExpr, Part> parts; ///< operands first
  uint64_t numWritten = 0;
  llvm::DenseMap<DimExpr, StringAttr> names;
  SmallVector<std::pair<StringAttr, DimExpr>> added;
  llvm::DenseMap<DimExpr, DimExpr> rewritten;
};
} // namespace

void dlhlo::nameSharedSizes(KernelOp kernel) { SharedSizes(kernel).run(); }
