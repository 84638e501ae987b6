//===- DimExprSize.cpp - The complexity of size expressions ---------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DHLO/IR/DimExprSize.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dyn::dhlo;

unsigned dyn::dhlo::getNumTerms(DimExpr expr) {
  if (expr.getKind() != DimExprKind::Add)
    return 1;
  return expr.getNumOperands() + (expr.getValue() != 0);
}

/// Subtracts the printed leaves of an expression from `budget`, or fails.
static bool spend(DimExpr expr, unsigned &budget) {
  if (expr.getNumOperands() == 0)
    return budget-- != 0;
  for (unsigned i = 0; i != expr.getNumOperands(); ++i)
    if (!spend(expr.getOperand(i), budget))
      return false;
  return true;
}

bool dyn::dhlo::isShort(DimExpr expr, unsigned most) {
  return spend(expr, most);
}

//===----------------------------------------------------------------------===//
// Expanded sizes
//===----------------------------------------------------------------------===//

/// The maximum number of factors of a term.
static uint64_t getNumFactors(DimExpr expr) {
  if (expr.isConst())
    return 0;
  if (expr.getKind() == DimExprKind::Mul)
    return expr.getNumOperands();
  uint64_t factors = 1;
  if (expr.getKind() == DimExprKind::Add)
    for (unsigned i = 0; i != expr.getNumOperands(); ++i)
      factors = std::max(factors, getNumFactors(expr.getOperand(i)));
  return factors;
}

uint64_t ExpansionMeter::countLeaves(DimExpr expr) {
  if (expr.getNumOperands() == 0)
    return 1;
  // The operands of what is legal have been counted.
  auto it = leaves.find(expr);
  if (it != leaves.end())
    return it->second;
  uint64_t count = 0;
  for (unsigned i = 0; i != expr.getNumOperands(); ++i)
    count = llvm::SaturatingAdd(count, countLeaves(expr.getOperand(i)));
  return leaves[expr] = count;
}

ExpansionMeter::Expanded
ExpansionMeter::visit(DimExpr expr, Definition definition, uint64_t level) {
  if (expr.isConst())
    return {expr, {}};
  auto [it, isNew] = known.try_emplace(expr, Expanded{expr, {1, 1, 1, 1}});
  // A symbol that is being visited is defined in terms of itself.
  if (!isNew)
    return it->second;
  // Deeper levels are not visited, to bound the stack. A name that is defined
  // as another name is a level here, but does not add to the depth.
  constexpr uint64_t kMostLevels = 4 * ExpandedSize::kMostDepth;
  Expanded result{expr, {1, 1, 1, 1}, kMostLevels};
  if (level <= kMostLevels)
    result = visitParts(expr, definition, level + 1);
  // Some of the levels may have been known.
  if (++result.levels > kMostLevels)
    result = {{}, {1, 1, ExpandedSize::kMostDepth + 1, 1}};
  return known[expr] = result;
}

ExpansionMeter::Expanded ExpansionMeter::visitParts(DimExpr expr,
                                                    Definition definition,
                                                    uint64_t level) {
  if (expr.isSymbol()) {
    DimExpr value = definition(expr.getName());
    return value ? visit(value, definition, level)
                 : Expanded{expr, {1, 1, 1, 1}};
  }
  // Mul and Add store their constant in `value`.
  DimExprKind kind = expr.getKind();
  Expanded result;
  if (kind == DimExprKind::Mul || kind == DimExprKind::Add)
    result.expr = getConstDim(expr.getContext(), expr.getValue());
  uint64_t levels = 0;
  for (unsigned i = 0; i != expr.getNumOperands(); ++i) {
    Expanded part = visit(expr.getOperand(i), definition, level);
    ++part.size.depth;
    bool isFirst = i == 0 && !result.expr;
    result = isFirst ? part : combine(kind, result, part);
    if (!result.size.isLegal())
      return {{}, result.size};
    levels = std::max(levels, part.levels);
  }
  result.levels = levels;
  return result;
}

ExpansionMeter::Expanded ExpansionMeter::combine(DimExprKind kind,
                                                 const Expanded &lhs,
                                                 const Expanded &rhs) {
  if (!rhs.size.isLegal())
    return rhs;
  ExpandedSize size;
  size.depth = std::max(lhs.size.depth, rhs.size.depth);
  // Before equal terms are merged.
  if (kind == DimExprKind::Mul) {
    size.terms = llvm::SaturatingMultiply(lhs.size.terms, rhs.size.terms);
    size.factors = llvm::SaturatingAdd(lhs.size.factors, rhs.size.factors);
    if (!size.isLegal())
      return {{}, size};
  }
  DimExpr expr = dhlo::combine(kind, lhs.expr, rhs.expr);
  size.terms = getNumTerms(expr);
  size.factors = getNumFactors(expr);
  size.leaves = countLeaves(expr);
  return {expr, size};
}

ExpandedSize ExpansionMeter::measure(RankedTensorType type,
                                     Definition definition) {
  Expanded count{getConstDim(type.getContext(), 1), {}};
  for (DimExpr axis : getDims(type)) {
    if (axis)
      count = combine(DimExprKind::Mul, count,
                      visit(axis, definition, /*level=*/0));
    if (!count.size.isLegal())
      break;
  }
  return count.size;
}

LogicalResult dyn::dhlo::verifyExpanded(Operation *op, ExpandedSize measured,
                                        const Twine &what) {
  if (measured.isLegal())
    return success();
  InFlightDiagnostic diag = op->emitOpError("expected ")
                            << what << " of at most ";
  auto say = [&](uint64_t most, StringRef unit, uint64_t found) {
    diag << most << ' ' << unit
         << " once the definitions of its sizes are put in, found ";
    if (found == UINT64_MAX)
      diag << "more than can be counted";
    else
      diag << found;
  };
  if (measured.depth > ExpandedSize::kMostDepth)
    diag << ExpandedSize::kMostDepth
         << " sizes within sizes once their definitions are put in, found more";
  else if (measured.terms > ExpandedSize::kMostTerms)
    say(ExpandedSize::kMostTerms, "terms", measured.terms);
  else if (measured.factors > ExpandedSize::kMostFactors)
    say(ExpandedSize::kMostFactors, "factors in a term", measured.factors);
  else
    say(ExpandedSize::kMostLeaves, "constants and symbols", measured.leaves);
  return diag;
}

namespace {
/// Checks declarations when all of them exist and before any is expanded: MLIR
/// calls this after it has parsed or changed a symbol table. The first one
/// checks all: what they have in common is measured once.
struct DeclarationCheck
    : SymbolUserOpInterface::ExternalModel<DeclarationCheck, DimOp> {
  LogicalResult verifySymbolUses(Operation *op,
                                 SymbolTableCollection &symbols) const {
    auto dims = op->getBlock()->getOps<DimOp>();
    if (*dims.begin() != op)
      return success();
    Operation *table = op->getParentOp();
    auto definition = [&](StringAttr name) -> DimExpr {
      auto dim =
          llvm::dyn_cast_or_null<DimOp>(symbols.lookupSymbolIn(table, name));
      return dim ? dim.getDefinitionAttr() : DimExpr();
    };
    ExpansionMeter meter;
    // dim_c3
    for (DimOp dim : dims)
      for (auto [expr, what] :
           {std::pair(dim.getDefinitionAttr(), "a definition"),
            std::pair(dim.getAtMostAttr(), "a bound")})
        if (expr &&
            failed(verifyExpanded(dim, meter.measure(expr, definition), what)))
          return failure();
    return success();
  }
};
} // namespace

void dyn::dhlo::attachDeclarationCheck(MLIRContext *context) {
  DimOp::attachInterface<DeclarationCheck>(*context);
}
