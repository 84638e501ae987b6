//===- SymbolicDims.cpp - Declarations, expansion and equality ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DHLO/Analysis/SymbolicDims.h"

#include "Interval.h"
#include "Memoize.h"

#include <cmath>
#include <numeric>

using namespace mlir;
using namespace dyn;
using namespace dyn::dhlo;

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

SymbolicDims::SymbolicDims(Operation *symbolTable) : symbolTable(symbolTable) {
  SmallVector<StringAttr> order;
  for (Region &region : symbolTable->getRegions())
    for (DimOp dim : region.getOps<DimOp>()) {
      order.push_back(dim.getSymNameAttr());
      declarations[dim.getSymNameAttr()] = dim;
      if (dim.getDefinitionAttr())
        definitions[dim.getSymNameAttr()] = dim.getDefinitionAttr();
    }
  dropCyclicDefinitions();
  for (StringAttr name : order)
    recordName(name);
}

void SymbolicDims::dropCyclicDefinitions() {
  enum class State { Active, Done };
  llvm::DenseMap<StringAttr, State> states;
  SmallVector<StringAttr> cyclic;
  std::function<void(StringAttr)> visit = [&](StringAttr name) {
    auto definition = definitions.find(name);
    if (definition == definitions.end())
      return;
    auto [state, isNew] = states.try_emplace(name, State::Active);
    if (!isNew) {
      if (state->second == State::Active)
        cyclic.push_back(name);
      return;
    }
    walkSymbols(definition->second, visit);
    states[name] = State::Done;
  };
  for (auto &[name, definition] : definitions)
    visit(name);
  for (StringAttr name : cyclic)
    definitions.erase(name);
}

void SymbolicDims::recordName(StringAttr symbol) {
  DimExpr value = canonicalize(getSymbolDim(symbol));
  if (!value.isConst())
    names.try_emplace(value, symbol);
}

void SymbolicDims::addDeclaration(DimOp dim) {
  declarations[dim.getSymNameAttr()] = dim;
  if (dim.getDefinitionAttr())
    definitions[dim.getSymNameAttr()] = dim.getDefinitionAttr();
  recordName(dim.getSymNameAttr());
}

DimExpr SymbolicDims::findName(DimExpr expr) const {
  if (expr.isConst() || expr.isSymbol())
    return expr;
  DimExpr canonical = canonicalize(expr);
  if (canonical.isConst())
    return canonical;
  auto known = names.find(canonical);
  return known == names.end() ? DimExpr() : getSymbolDim(known->second);
}

//===----------------------------------------------------------------------===//
// Expansion
//===----------------------------------------------------------------------===//

DimExpr SymbolicDims::expandDefinitions(DimExpr expr) const {
  return substitute(expr, [&](StringAttr name) -> DimExpr {
    auto definition = definitions.find(name);
    if (definition == definitions.end())
      return {};
    return expand(definition->second);
  });
}

DimExpr SymbolicDims::expand(DimExpr expr) const {
  if (expr.isConst())
    return expr;
  return memoize(expansions, expr,
                 [&] { return simplify(expandDefinitions(expr)); });
}

DimExpr SymbolicDims::canonicalize(DimExpr expr) const {
  if (expr.isConst())
    return expr;
  return memoize(canonicals, expr, [&] {
    DimExpr scaled = substitute(expand(expr), [&](StringAttr name) -> DimExpr {
      DimOp dim = declarations.lookup(name);
      int64_t divisor = dim ? dim.getMultipleOf().value_or(1) : 1;
      if (divisor <= 1)
        return {};
      // No declaration has this name: names of symbols do not contain `/`.
      auto part = StringAttr::get(
          name.getContext(), name.getValue() + "/" + std::to_string(divisor));
      hidden[part] = {name, divisor};
      return mul(getSymbolDim(part), divisor);
    });
    return simplify(scaled);
  });
}

namespace {
/// The operands of a min, max or broadcast; else the expression itself.
SmallVector<DimExpr> getOperandsOf(DimExpr expr, DimExprKind kind) {
  if (expr.getKind() != kind)
    return {expr};
  SmallVector<DimExpr> operands;
  for (unsigned i = 0; i != expr.getNumOperands(); ++i)
    operands.push_back(expr.getOperand(i));
  return operands;
}
} // namespace

DimExpr SymbolicDims::simplify(DimExpr expr) const {
  if (expr.isConst())
    return expr;
  if (expr.isSymbol()) {
    Range range = getSymbolRange(expr.getName());
    return range.min == range.max ? getConstDim(expr.getContext(), range.min)
                                  : expr;
  }
  return memoize(simplified, expr, [&] { return simplifyParts(expr); });
}

DimExpr SymbolicDims::simplifyParts(DimExpr expr) const {
  DimExprKind kind = expr.getKind();
  SmallVector<DimExpr> operands;
  for (unsigned i = 0; i != expr.getNumOperands(); ++i)
    operands.push_back(simplify(expr.getOperand(i)));

  switch (kind) {
  case DimExprKind::Add:
  case DimExprKind::Mul: {
    DimExpr result = getConstDim(expr.getContext(), expr.getValue());
    for (DimExpr operand : operands)
      result = combine(kind, result, operand);
    return result;
  }
  case DimExprKind::Broadcast: {
    DimExpr result = operands.front();
    for (DimExpr operand : llvm::drop_begin(operands))
      result = combine(kind, result, operand);
    // Legal operands broadcast to a size above 1 if one of them has it.
    for (DimExpr operand : getOperandsOf(result, kind))
      if (computeRange(operand, 2).min > 1)
        return operand;
    // min(1, n) differs from 1 only if n is 0, and then everything that is at
    // most n is 0 too.
    auto yieldsTo = [&](DimExpr lhs, DimExpr rhs) {
      SmallVector<DimExpr> operands = getOperandsOf(lhs, DimExprKind::Min);
      auto one =
          llvm::find_if(operands, [](DimExpr n) { return n.isConst(1); });
      if (one == operands.end())
        return false;
      operands.erase(one);
      return llvm::all_of(operands, [&](DimExpr n) {
        return computeRange(sub(rhs, n), 2).max <= 0;
      });
    };
    if (result.getKind() == kind && result.getNumOperands() == 2)
      for (unsigned i : {0, 1})
        if (yieldsTo(result.getOperand(1 - i), result.getOperand(i)))
          return result.getOperand(i);
    return result;
  }
  case DimExprKind::Min:
  case DimExprKind::Max: {
    DimExpr all = operands.front();
    for (DimExpr operand : llvm::drop_begin(operands))
      all = combine(kind, all, operand);
    SmallVector<DimExpr> kept;
    for (DimExpr operand : getOperandsOf(all, kind)) {
      // Whether `rhs` makes `lhs` redundant.
      auto yields = [&](DimExpr lhs, DimExpr rhs) {
        Range difference = computeRange(sub(lhs, rhs), 2);
        return kind == DimExprKind::Min ? difference.min >= 0
                                        : difference.max <= 0;
      };
      if (llvm::any_of(kept, [&](DimExpr k) { return yields(operand, k); }))
        continue;
      llvm::erase_if(kept, [&](DimExpr k) { return yields(k, operand); });
      kept.push_back(operand);
    }
    DimExpr result = kept.front();
    for (DimExpr operand : llvm::drop_begin(kept))
      result = combine(kind, result, operand);
    return result;
  }
  case DimExprKind::FloorDiv:
  case DimExprKind::CeilDiv:
  case DimExprKind::Mod:
    return substituteAtoms(
        combine(kind, operands[0], operands[1]), [&](DimExpr atom) {
          if (atom.getKind() == DimExprKind::Mod) {
            // A value below the divisor is its own remainder.
            DimExpr value = atom.getOperand(0), divisor = atom.getOperand(1);
            if (computeRange(value, 2).min >= 0 &&
                computeRange(sub(value, divisor), 2).max < 0)
              return value;
          }
          Range range = computeRange(atom, 2);
          return range.min == range.max
                     ? getConstDim(atom.getContext(), range.min)
                     : atom;
        });
  case DimExprKind::Const:
  case DimExprKind::Symbol:
    break;
  }
  llvm_unreachable("constants and symbols are handled above");
}

//===----------------------------------------------------------------------===//
// Equality
//===----------------------------------------------------------------------===//

bool SymbolicDims::isEqual(DimExpr lhs, DimExpr rhs) const {
  return lhs == rhs || canonicalize(lhs) == canonicalize(rhs);
}

bool SymbolicDims::isDistinct(DimExpr lhs, DimExpr rhs) const {
  DimExpr difference = sub(canonicalize(lhs), canonicalize(rhs));
  if (difference.isConst())
    return difference.getValue() != 0;
  Range range = getRange(difference);
  if (range.min > 0 || range.max < 0)
    return true;
  // 4 * S and 2 * T + 1 differ, as no multiple of 2 is odd.
  if (difference.getKind() != DimExprKind::Add)
    return false;
  int64_t divisor = computeMultiple(add(difference, -difference.getValue()));
  return divisor > 1 && difference.getValue() % divisor != 0;
}

DimExpr SymbolicDims::getNumElements(RankedTensorType type) const {
  DimExpr product = getConstDim(type.getContext(), 1);
  for (DimExpr size : getDims(type))
    product = mul(product, size);
  return expand(product);
}

bool SymbolicDims::hasSameNumElements(RankedTensorType lhs,
                                      RankedTensorType rhs) const {
  return isEqual(getNumElements(lhs), getNumElements(rhs));
}

bool SymbolicDims::hasSameSizes(RankedTensorType lhs,
                                RankedTensorType rhs) const {
  return lhs.getRank() == rhs.getRank() &&
         llvm::all_of(llvm::zip(dhlo::getDims(lhs), dhlo::getDims(rhs)),
                      [&](auto sizes) {
                        return isEqual(std::get<0>(sizes), std::get<1>(sizes));
                      });
}

DimExpr SymbolicDims::getDim(Value tensor, int64_t axis) const {
  return dhlo::getDim(cast<RankedTensorType>(tensor.getType()), axis);
}
