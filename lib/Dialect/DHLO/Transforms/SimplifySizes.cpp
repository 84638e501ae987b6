//===- SimplifySizes.cpp - Turns shape arithmetic into size expressions ---===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DHLO/Analysis/SymbolicValues.h"
#include "dyn/Dialect/DHLO/Transforms/Passes.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/PatternMatch.h"

namespace dyn::dhlo {
#define GEN_PASS_DEF_SIMPLIFYSIZESPASS
#include "dyn/Dialect/DHLO/Transforms/Passes.h.inc"
} // namespace dyn::dhlo

using namespace mlir;
using namespace dyn;
using namespace dyn::dhlo;

//===----------------------------------------------------------------------===//
// Symbols bound to computable values
//===----------------------------------------------------------------------===//

namespace {
/// Whether a value of the expression always satisfies the declaration, so that
/// binding it needs no check.
bool satisfies(const SymbolicDims &dims, DimExpr value, DimOp dim) {
  if (!dims.isAtLeast(value, dim.getMin().value_or(0)))
    return false;
  if (dim.getMax() && !dims.isAtMost(value, *dim.getMax()))
    return false;
  if (dim.getAtMostAttr() && !dims.isAtMost(value, dim.getAtMostAttr()))
    return false;
  return dims.isMultipleOf(value, dim.getMultipleOf().value_or(1));
}

/// Declares that the number of nonzero elements is at most the number of
/// elements. Returns the number of symbols.
unsigned boundCounts(ModuleOp module) {
  unsigned count = 0;
  module.walk([&](NonzeroOp op) {
    auto dim = module.lookupSymbol<DimOp>(op.getCountAttr());
    auto sizes = getDims(cast<RankedTensorType>(op.getOperand().getType()));
    if (!dim || dim.getAtMostAttr() || llvm::is_contained(sizes, DimExpr()))
      return;
    DimExpr all = getConstDim(module.getContext(), 1);
    for (DimExpr size : sizes)
      all = mul(all, size);
    dim.setAtMostAttr(all);
    ++count;
  });
  return count;
}

/// Defines symbols that are bound to values of size expressions. Returns their
/// number.
unsigned defineBoundSymbols(ModuleOp module, SymbolicDims &dims) {
  SmallVector<BindOp> binds;
  module.walk([&](BindOp bind) { binds.push_back(bind); });
  unsigned count = 0;
  // A definition may prove that the value of a later binding is legal.
  for (BindOp bind : binds) {
    SymbolicValues values(dims);
    DimExpr value = values.getScalar(bind.getValue());
    auto dim = module.lookupSymbol<DimOp>(bind.getSymbolAttr());
    if (!value || !dim || dim.getDefinition())
      continue;
    value = dims.expand(value);
    bool isCyclic = false;
    walkSymbols(value, [&](StringAttr name) {
      isCyclic |= name == bind.getSymbolAttr().getAttr();
    });
    if (isCyclic || !satisfies(dims, value, dim))
      continue;
    dim.setDefinitionAttr(value);
    bind.erase();
    dims = SymbolicDims(module);
    ++count;
  }
  return count;
}

//===----------------------------------------------------------------------===//
// Equal symbols
//===----------------------------------------------------------------------===//

using Replacements = llvm::DenseMap<StringAttr, DimExpr>;

/// Maps symbols to the constant or the symbol that they always equal. Symbols
/// without definition are kept; of the others, the first one declared.
Replacements findEqualSymbols(ModuleOp module, const SymbolicDims &dims) {
  Replacements result;
  SmallVector<DimOp> kept;
  auto declarations = llvm::to_vector(module.getOps<DimOp>());
  llvm::stable_sort(declarations, [](DimOp lhs, DimOp rhs) {
    return !lhs.getDefinition() && rhs.getDefinition();
  });
  llvm::DenseMap<DimExpr, StringAttr> firsts;
  for (DimOp dim : declarations) {
    DimExpr value = dims.expand(getSymbolDim(dim.getSymNameAttr()));
    if (!dim.getDefinition()) {
      firsts.try_emplace(getSymbolDim(dim.getSymNameAttr()),
                         dim.getSymNameAttr());
      continue;
    }
    if (value.isConst()) {
      result[dim.getSymNameAttr()] = value;
      continue;
    }
    auto [first, isNew] = firsts.try_emplace(value, dim.getSymNameAttr());
    if (!isNew)
      result[dim.getSymNameAttr()] = getSymbolDim(first->second);
  }
  return result;
}

/// The type with sizes replaced; null if nothing changes.
RankedTensorType replaceSizes(RankedTensorType type,
                              const Replacements &replacements) {
  auto names = dyn_cast_or_null<DimsAttr>(type.getEncoding());
  if (!names || llvm::none_of(names.getNames(), [&](StringAttr name) {
        return replacements.contains(name);
      }))
    return {};
  SmallVector<DimExpr> sizes = getDims(type);
  for (DimExpr &size : sizes)
    if (size.isSymbol())
      if (DimExpr other = replacements.lookup(size.getName()))
        size = other;
  return getTensorType(sizes, type.getElementType());
}

/// Merges equal symbols. Returns the number of removed ones.
unsigned mergeEqualSymbols(ModuleOp module, SymbolicDims &dims) {
  Replacements replacements = findEqualSymbols(module, dims);
  if (replacements.empty())
    return 0;

  AttrTypeReplacer replacer;
  replacer.addReplacement(
      [&](RankedTensorType type) -> std::optional<std::pair<Type, WalkResult>> {
        RankedTensorType other = replaceSizes(type, replacements);
        return std::make_pair(other ? Type(other) : Type(type),
                              WalkResult::skip());
      });
  replacer.addReplacement(
      [&](DimExprAttr expr) -> std::optional<std::pair<Attribute, WalkResult>> {
        DimExpr other = substitute(
            expr, [&](StringAttr name) { return replacements.lookup(name); });
        return std::make_pair(Attribute(other), WalkResult::skip());
      });
  // Kernels have symbols of their own.
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != module && op->hasTrait<OpTrait::SymbolTable>())
      return WalkResult::skip();
    if (auto dim = dyn_cast<DimOp>(op))
      if (replacements.contains(dim.getSymNameAttr()))
        return WalkResult::advance();
    replacer.replaceElementsIn(op, /*replaceAttrs=*/true,
                               /*replaceLocs=*/false, /*replaceTypes=*/true);
    return WalkResult::advance();
  });
  for (DimOp dim : llvm::make_early_inc_range(module.getOps<DimOp>()))
    if (replacements.contains(dim.getSymNameAttr()))
      dim.erase();
  dims = SymbolicDims(module);
  return replacements.size();
}

//===----------------------------------------------------------------------===//
// Small tensors
//===----------------------------------------------------------------------===//

/// The tensor as a constant or `from_dims`, or null if an element is unknown.
Value materialize(OpBuilder &builder, Location loc, RankedTensorType type,
                  ArrayRef<DimExpr> elements) {
  Type element = type.getElementType();
  if (llvm::all_of(elements, [](DimExpr e) { return e.isConst(); })) {
    SmallVector<Attribute> values;
    for (DimExpr expr : elements) {
      if (isa<FloatType>(element))
        values.push_back(builder.getFloatAttr(element, expr.getValue()));
      else
        values.push_back(IntegerAttr::get(
            element, APInt(element.getIntOrFloatBitWidth(), expr.getValue(),
                           /*isSigned=*/true, /*implicitTrunc=*/true)));
    }
    return ConstantOp::create(builder, loc,
                              DenseElementsAttr::get(type, values));
  }
  if (!element.isSignlessInteger(32) && !element.isSignlessInteger(64) &&
      !element.isF32())
    return {};
  SmallVector<Attribute> exprs(elements.begin(), elements.end());
  auto flat = type.getRank() <= 1
                  ? type
                  : RankedTensorType::get({type.getNumElements()}, element);
  Value sizes =
      FromDimsOp::create(builder, loc, flat, builder.getArrayAttr(exprs));
  if (flat != type)
    sizes = ReshapeOp::create(builder, loc, type, sizes);
  return sizes;
}

/// Replaces tensors whose elements are size expressions by `from_dims`. Returns
/// their number.
unsigned replaceSmallTensors(ModuleOp module, const SymbolicDims &dims) {
  SymbolicValues values(dims);
  SmallVector<Operation *> candidates;
  module.walk([&](Operation *op) {
    if (isa<ConstantOp, FromDimsOp>(op) || op->getNumResults() != 1 ||
        op->use_empty() || !op->hasTrait<OpTrait::ZeroRegions>() ||
        !isMemoryEffectFree(op))
      return;
    if (isa<DHLODialect>(op->getDialect()))
      candidates.push_back(op);
  });
  unsigned count = 0;
  SmallVector<Operation *> replaced;
  for (Operation *op : candidates) {
    Value result = op->getResult(0);
    std::optional<SmallVector<DimExpr>> elements = values.getIntegers(result);
    if (!elements || elements->empty())
      continue;
    for (DimExpr &element : *elements)
      element = dims.expand(element);
    // The replacement of this reshape would be such a reshape again.
    auto reshape = dyn_cast<ReshapeOp>(op);
    bool isConstant =
        llvm::all_of(*elements, [](DimExpr e) { return e.isConst(); });
    if (reshape && !isConstant && reshape.getType().getRank() > 1 &&
        reshape.getOperand().getDefiningOp<FromDimsOp>())
      continue;
    OpBuilder builder(op);
    Value sizes =
        materialize(builder, op->getLoc(),
                    cast<RankedTensorType>(result.getType()), *elements);
    if (!sizes)
      continue;
    result.replaceAllUsesWith(sizes);
    replaced.push_back(op);
    ++count;
  }
  // Users follow definitions: erase in reverse order.
  for (Operation *op : llvm::reverse(replaced))
    op->erase();
  return count;
}

void eraseDeadOperations(ModuleOp module) {
  module.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (isOpTriviallyDead(op))
      op->erase();
  });
}

struct SimplifySizesPass
    : dyn::dhlo::impl::SimplifySizesPassBase<SimplifySizesPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    numBounded += boundCounts(module);
    SymbolicDims dims(module);
    numDefined += defineBoundSymbols(module, dims);
    numMerged += mergeEqualSymbols(module, dims);
    numReplaced += replaceSmallTensors(module, dims);
    eraseDeadOperations(module);
  }
};
} // namespace
