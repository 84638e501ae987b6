//===- DimExprSize.cpp - The complexity of size expressions
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

/// The size of the expanded result of a multiplication.
static void multiply(ExpandedSize &size, const ExpandedSize &other) {
  size.terms = llvm::SaturatingMultiply(size.terms, other.terms);
  size.factors = llvm::SaturatingAdd(size.factors, other.factors);
  size.depth = std::max(size.depth, other.depth + 1);
}

ExpandedSize ExpansionMeter::visit(DimExpr expr, Definition definition,
                                   uint64_t level) {
  if (expr.isConst())
    return {};
  auto [it, isNew] = known.try_emplace(expr, ExpandedSize{1, 1, 1});
  // A symbol that is being visited is defined in terms of itself.
  if (!isNew)
    return it->second;
  // Deeper levels are not visited, to bound the stack. A name that is defined
  // as another name is a level here, but does not add to the depth.
  constexpr uint64_t kMostLevels = 4 * ExpandedSize::kMostDepth;
  ExpandedSize size{1, 1, ExpandedSize::kMostDepth + 1};
  if (level <= kMostLevels)
    size = visitParts(expr, definition, level + 1);
  return known[expr] = size;
}

ExpandedSize ExpansionMeter::visitParts(DimExpr expr, Definition definition,
                                        uint64_t level) {
  if (expr.isSymbol()) {
    DimExpr value = definition(expr.getName());
    return value ? visit(value, definition, level) : ExpandedSize{1, 1, 1};
  }
  ExpandedSize size;
  if (expr.getKind() == DimExprKind::Mul) {
    for (unsigned i = 0; i != expr.getNumOperands(); ++i)
      multiply(size, visit(expr.getOperand(i), definition, level));
    return size;
  }
  // A division may produce a quotient and a remainder.
  bool isSum = expr.getKind() == DimExprKind::Add;
  size.terms = isSum ? expr.getValue() != 0 : 1;
  for (unsigned i = 0; i != expr.getNumOperands(); ++i) {
    if (expr.getOperand(i).isConst())
      continue;
    ExpandedSize part = visit(expr.getOperand(i), definition, level);
    size.terms = llvm::SaturatingAdd(size.terms, part.terms);
    size.factors = std::max(size.factors, part.factors);
    size.depth = std::max(size.depth, part.depth + 1);
  }
  return size;
}

ExpandedSize ExpansionMeter::measure(RankedTensorType type,
                                     Definition definition) {
  ExpandedSize size;
  for (DimExpr axis : getDims(type))
    if (axis)
      multiply(size, measure(axis, definition));
  return size;
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
  else
    say(ExpandedSize::kMostFactors, "factors in a term", measured.factors);
  return diag;
}

namespace {
/// Checks declarations when all of them exist and before any is expanded: MLIR
/// calls this after it has parsed or changed a symbol table.
struct DeclarationCheck
    : SymbolUserOpInterface::ExternalModel<DeclarationCheck, DimOp> {
  LogicalResult verifySymbolUses(Operation *op,
                                 SymbolTableCollection &symbols) const {
    Operation *table = op->getParentOp();
    auto definition = [&](StringAttr name) -> DimExpr {
      auto dim =
          llvm::dyn_cast_or_null<DimOp>(symbols.lookupSymbolIn(table, name));
      return dim ? dim.getDefinitionAttr() : DimExpr();
    };
    auto dim = llvm::cast<DimOp>(op);
    ExpansionMeter meter;
    // dim_c3
    for (auto [expr, what] :
         {std::pair(dim.getDefinitionAttr(), "a definition"),
          std::pair(dim.getAtMostAttr(), "a bound")})
      if (expr &&
          failed(verifyExpanded(op, meter.measure(expr, definition), what)))
        return failure();
    return success();
  }
};
} // namespace

void dyn::dhlo::attachDeclarationCheck(MLIRContext *context) {
  DimOp::attachInterface<DeclarationCheck>(*context);
}
