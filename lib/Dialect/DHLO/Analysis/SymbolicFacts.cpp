//===- SymbolicFacts.cpp - Ranges, divisors and likely values of sizes ----===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DHLO/Analysis/SymbolicDims.h"

#include "Interval.h"
#include "Memoize.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <numeric>

using namespace mlir;
using namespace dyn;
using namespace dyn::dhlo;

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

namespace {
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

/// The number of atoms that may be replaced in a sum: each at most doubles the
/// work, and real sizes have one or two atoms.
constexpr unsigned kBudget = 4;

bool isLattice(DimExprKind kind) {
  return kind == DimExprKind::Min || kind == DimExprKind::Max ||
         kind == DimExprKind::Broadcast;
}

/// The coefficient of `atom` in a sum in which it occurs in one term, alone.
std::optional<int64_t> getLinearCoefficient(DimExpr sum, DimExpr atom) {
  std::optional<int64_t> coefficient;
  for (unsigned i = 0; i != sum.getNumOperands(); ++i) {
    DimExpr term = sum.getOperand(i);
    if (term == atom) {
      coefficient = 1;
    } else if (term.getKind() == DimExprKind::Mul) {
      auto factors = llvm::seq<unsigned>(0, term.getNumOperands());
      if (llvm::none_of(factors,
                        [&](unsigned f) { return term.getOperand(f) == atom; }))
        continue;
      if (term.getNumOperands() != 1)
        return std::nullopt;
      coefficient = term.getValue();
    }
  }
  return coefficient;
}

/// Calls `fn` for the atoms of a polynomial, without visiting their operands.
void walkAtoms(DimExpr expr, llvm::function_ref<void(DimExpr)> fn) {
  if (expr.isConst())
    return;
  if (expr.getKind() != DimExprKind::Mul && expr.getKind() != DimExprKind::Add)
    return fn(expr);
  for (unsigned i = 0; i != expr.getNumOperands(); ++i)
    walkAtoms(expr.getOperand(i), fn);
}
} // namespace

SymbolicDims::Range SymbolicDims::getSymbolRange(StringAttr name) const {
  auto part = hidden.find(name);
  if (part != hidden.end()) {
    auto [symbol, divisor] = part->second;
    Range whole = getSymbolRange(symbol);
    return {llvm::divideCeilSigned(whole.min, divisor),
            whole.max == kMost ? kMost
                               : llvm::divideFloorSigned(whole.max, divisor)};
  }
  Range range{0, kMost};
  if (DimOp dim = declarations.lookup(name)) {
    range.min = dim.getMin().value_or(0);
    range.max = dim.getMax().value_or(kMost);
  }
  auto definition = definitions.find(name);
  if (definition != definitions.end())
    range = interval::intersect(
        range, computeRange(expandDefinitions(definition->second), kBudget));
  return range;
}

DimExpr SymbolicDims::getDeclaredBound(DimExpr symbol) const {
  DimOp dim = declarations.lookup(symbol.getName());
  return dim ? DimExpr(dim.getAtMostAttr()) : DimExpr();
}

SymbolicDims::Range SymbolicDims::relateAtom(DimExpr sum, DimExpr atom,
                                             unsigned budget) const {
  auto replaceBy = [&](DimExpr other) {
    return substituteAtoms(sum,
                           [&](DimExpr a) { return a == atom ? other : a; });
  };
  std::optional<int64_t> coefficient = getLinearCoefficient(sum, atom);

  // A size is at most its bound.
  if (atom.isSymbol()) {
    DimExpr bound = getDeclaredBound(atom);
    if (!bound || !coefficient)
      return {};
    Range range = computeRange(replaceBy(expandDefinitions(bound)), budget);
    return *coefficient > 0 ? Range{Range().min, range.max}
                            : Range{range.min, Range().max};
  }

  // The sum equals one of the sums with an operand in place of the atom. If the
  // atom is a minimum with a positive coefficient, the sum is at most each of
  // them.
  if (isLattice(atom.getKind())) {
    std::optional<Range> united, common;
    for (unsigned i = 0; i != atom.getNumOperands(); ++i) {
      Range range = computeRange(replaceBy(atom.getOperand(i)), budget);
      united = united ? interval::unite(*united, range) : range;
      if (!common)
        common = range;
      common->min = std::max(common->min, range.min);
      common->max = std::min(common->max, range.max);
    }
    if (!coefficient) {
      // A flag is 0 or 1, even with a symbolic coefficient.
      Range flag = computeRange(atom, budget);
      if (flag.min >= 0 && flag.max <= 1) {
        auto replaceByValue = [&](int64_t value) {
          return computeRange(replaceBy(getConstDim(sum.getContext(), value)),
                              budget);
        };
        united = interval::intersect(
            *united, interval::unite(replaceByValue(0), replaceByValue(1)));
      }
      return *united;
    }
    if (atom.getKind() == DimExprKind::Broadcast)
      return *united;
    bool isBelowAll =
        (atom.getKind() == DimExprKind::Min) == (*coefficient > 0);
    if (isBelowAll)
      united->max = common->max;
    else
      united->min = common->min;
    return *united;
  }

  // d * (n floordiv d) lies in [n - d + 1, n].
  if (atom.getKind() == DimExprKind::FloorDiv && coefficient &&
      atom.getOperand(1).isConst() && atom.getOperand(1).getValue() > 0) {
    int64_t divisor = atom.getOperand(1).getValue();
    DimExpr scaled = add(mul(sub(sum, mul(atom, *coefficient)), divisor),
                         mul(atom.getOperand(0), *coefficient));
    int64_t slack;
    if (llvm::MulOverflow(*coefficient, 1 - divisor, slack))
      return {};
    Range range = interval::add(
        computeRange(scaled, budget),
        {std::min<int64_t>(slack, 0), std::max<int64_t>(slack, 0)});
    Range by = interval::of(divisor);
    return {interval::ceilDiv(range, by).min,
            interval::floorDiv(range, by).max};
  }
  return {};
}

SymbolicDims::Range SymbolicDims::computeRange(DimExpr expr,
                                               unsigned budget) const {
  if (expr.isConst())
    return interval::of(expr.getValue());
  if (expr.isSymbol())
    return getSymbolRange(expr.getName());
  return memoize(bounds, std::pair(expr, budget),
                 [&] { return computeRangeOfParts(expr, budget); });
}

/// The range of the constant of an Add or Mul. Where constants are added to
/// it, in terms that this analysis forms, it may have wrapped if it is large:
/// nothing is known of it then.
static SymbolicDims::Range getConstantRange(DimExpr expr) {
  constexpr int64_t kLarge = int64_t(1) << 62;
  int64_t value = expr.getValue();
  if (value >= kLarge || value <= -kLarge)
    return {};
  return interval::of(value);
}

SymbolicDims::Range SymbolicDims::computeRangeOfParts(DimExpr expr,
                                                      unsigned budget) const {
  switch (expr.getKind()) {
  case DimExprKind::Mul: {
    Range range = getConstantRange(expr);
    for (unsigned i = 0; i != expr.getNumOperands(); ++i) {
      Range factor = computeRange(expr.getOperand(i), budget);
      // Equal factors are adjacent, and a square is not negative.
      if (i + 1 != expr.getNumOperands() &&
          expr.getOperand(i) == expr.getOperand(i + 1)) {
        factor = interval::mul(factor, factor);
        factor.min = std::max<int64_t>(factor.min, 0);
        ++i;
      }
      range = interval::mul(range, factor);
    }
    return range;
  }
  case DimExprKind::Add: {
    Range range = getConstantRange(expr);
    for (unsigned i = 0; i != expr.getNumOperands(); ++i)
      range = interval::add(range, computeRange(expr.getOperand(i), budget));
    if (budget == 0)
      return range;
    SmallVector<DimExpr> atoms;
    walkAtoms(expr, [&](DimExpr atom) {
      bool isRelated = !atom.isSymbol() || getDeclaredBound(atom);
      if (isRelated && !llvm::is_contained(atoms, atom))
        atoms.push_back(atom);
    });
    // Bounded symbols: first those whose bounds cancel most of the sum.
    auto countCancelled = [&](DimExpr atom) {
      int64_t count = 0;
      if (!atom.isSymbol())
        return std::numeric_limits<int64_t>::max();
      walkSymbols(getDeclaredBound(atom), [&](StringAttr name) {
        count += getLinearCoefficient(expr, getSymbolDim(name)).has_value();
      });
      return count;
    };
    llvm::stable_sort(atoms, [&](DimExpr lhs, DimExpr rhs) {
      return countCancelled(lhs) > countCancelled(rhs);
    });
    for (DimExpr atom : ArrayRef(atoms).take_front(budget))
      range = interval::intersect(range, relateAtom(expr, atom, budget - 1));
    return range;
  }
  default: {
    Range range = computeRange(expr.getOperand(0), budget);
    for (unsigned i = 1; i != expr.getNumOperands(); ++i)
      range = interval::combine(expr.getKind(), range,
                                computeRange(expr.getOperand(i), budget));
    return range;
  }
  }
}

SymbolicDims::Range SymbolicDims::getRange(DimExpr expr) const {
  return memoize(ranges, expr, [&] {
    // Facts declared for a derived symbol apply only before it is expanded.
    return interval::intersect(computeRange(expr, kBudget),
                               computeRange(canonicalize(expr), kBudget));
  });
}

bool SymbolicDims::isAtLeast(DimExpr expr, int64_t value) const {
  return getRange(expr).min >= value;
}

bool SymbolicDims::isAtMost(DimExpr expr, int64_t value) const {
  return getRange(expr).max <= value;
}

bool SymbolicDims::isAtMost(DimExpr lhs, DimExpr rhs) const {
  DimExpr difference = sub(lhs, rhs);
  if (getRange(difference).max <= 0)
    return true;
  // A symbol that is 0 or 1 is one of them: S * N is at most N. Each answer
  // takes the first such symbol out of both differences.
  StringAttr either;
  difference = expand(difference);
  walkSymbols(difference, [&](StringAttr name) {
    Range range = getSymbolRange(name);
    if (!either && range.min == 0 && range.max == 1)
      either = name;
  });
  return either && llvm::all_of(ArrayRef<int64_t>{0, 1}, [&](int64_t value) {
           DimExpr rest = substitute(difference, [&](StringAttr name) {
             return name == either ? getConstDim(name.getContext(), value)
                                   : getSymbolDim(name);
           });
           return isAtMost(rest, getConstDim(either.getContext(), 0));
         });
}

//===----------------------------------------------------------------------===//
// Divisors
//===----------------------------------------------------------------------===//

namespace {
/// The least common multiple of two divisors of a value. Zero stands for a
/// value that is a multiple of everything.
int64_t joinDivisors(int64_t lhs, int64_t rhs) {
  if (lhs == 0 || rhs == 0)
    return 0;
  int64_t product;
  if (llvm::MulOverflow(lhs / std::gcd(lhs, rhs), rhs, product))
    return std::max(lhs, rhs);
  return product;
}
} // namespace

int64_t SymbolicDims::computeMultiple(DimExpr expr) const {
  return memoize(multiples, expr, [&] { return computeMultipleOfParts(expr); });
}

int64_t SymbolicDims::computeMultipleOfParts(DimExpr expr) const {
  auto gcdOfOperands = [&](int64_t start) {
    for (unsigned i = 0; i != expr.getNumOperands(); ++i)
      start = std::gcd(start, computeMultiple(expr.getOperand(i)));
    return start;
  };
  switch (expr.getKind()) {
  case DimExprKind::Const:
    return std::gcd<int64_t>(0, expr.getValue());
  case DimExprKind::Symbol: {
    int64_t divisor = 1;
    if (DimOp dim = declarations.lookup(expr.getName()))
      divisor = dim.getMultipleOf().value_or(1);
    auto definition = definitions.find(expr.getName());
    if (definition != definitions.end())
      divisor = joinDivisors(
          divisor, computeMultiple(expandDefinitions(definition->second)));
    return divisor;
  }
  case DimExprKind::Mul: {
    int64_t product = std::gcd<int64_t>(0, expr.getValue());
    for (unsigned i = 0; i != expr.getNumOperands(); ++i) {
      int64_t factor = computeMultiple(expr.getOperand(i));
      if (llvm::MulOverflow(product, factor, factor))
        return product;
      product = factor;
    }
    return product;
  }
  case DimExprKind::Add:
    return gcdOfOperands(std::gcd<int64_t>(0, expr.getValue()));
  case DimExprKind::Min:
  case DimExprKind::Max:
  case DimExprKind::Broadcast:
    return gcdOfOperands(0);
  case DimExprKind::Mod:
    return std::gcd(computeMultiple(expr.getOperand(0)),
                    computeMultiple(expr.getOperand(1)));
  case DimExprKind::FloorDiv: {
    std::optional<int64_t> divisor = getConstantValue(expr.getOperand(1));
    int64_t multiple = computeMultiple(expr.getOperand(0));
    if (divisor && *divisor > 0 && multiple % *divisor == 0)
      return multiple / *divisor;
    return 1;
  }
  case DimExprKind::CeilDiv:
    return 1;
  }
  llvm_unreachable("unknown kind of size expression");
}

int64_t SymbolicDims::getMultipleOf(DimExpr expr) const {
  return joinDivisors(computeMultiple(expr),
                      computeMultiple(canonicalize(expr)));
}

bool SymbolicDims::isMultipleOf(DimExpr expr, int64_t divisor) const {
  assert(divisor > 0 && "a divisor is positive");
  return getMultipleOf(expr) % divisor == 0;
}

//===----------------------------------------------------------------------===//
// Likely values
//===----------------------------------------------------------------------===//

namespace {
/// More combinations than this are no longer "likely".
constexpr size_t kMostCombinations = 16;
/// Estimate of an unbounded size.
constexpr int64_t kUnboundedEstimate = 64;
} // namespace

SmallVector<int64_t> SymbolicDims::getLikely(DimExpr expr) const {
  auto declared = [&](StringAttr name) -> ArrayRef<int64_t> {
    DimOp dim = declarations.lookup(name);
    if (!dim || !dim.getLikelyAttr())
      return {};
    return dim.getLikelyAttr().asArrayRef();
  };
  if (expr.isConst())
    return {expr.getValue()};
  if (expr.isSymbol() && !declared(expr.getName()).empty())
    return llvm::to_vector(declared(expr.getName()));

  // All combinations of the likely values of the bound symbols.
  DimExpr expanded = expand(expr);
  SmallVector<StringAttr> symbols;
  walkSymbols(expanded, [&](StringAttr name) { symbols.push_back(name); });
  size_t combinations = 1;
  for (StringAttr name : symbols) {
    combinations *= declared(name).size();
    if (combinations == 0 || combinations > kMostCombinations)
      return {};
  }
  SmallVector<int64_t> values;
  for (size_t index = 0; index != combinations; ++index) {
    llvm::SmallDenseMap<StringAttr, int64_t> choice;
    size_t rest = index;
    for (StringAttr name : symbols) {
      ArrayRef<int64_t> candidates = declared(name);
      choice[name] = candidates[rest % candidates.size()];
      rest /= candidates.size();
    }
    auto value = evaluate(expanded, [&](StringAttr name) {
      return std::optional<int64_t>(choice.lookup(name));
    });
    if (value && !llvm::is_contained(values, *value))
      values.push_back(*value);
  }
  return values;
}

int64_t SymbolicDims::getEstimate(DimExpr expr) const {
  SmallVector<int64_t> likely = getLikely(expr);
  if (!likely.empty())
    return likely.front();
  // The geometric mean of the bounds: sizes spread over orders of magnitude.
  auto estimateSymbol = [&](StringAttr name) -> std::optional<int64_t> {
    SmallVector<int64_t> values = getLikely(getSymbolDim(name));
    if (!values.empty())
      return values.front();
    Range range = getRange(getSymbolDim(name));
    if (range.max == kMost)
      return std::max(range.min, kUnboundedEstimate);
    double least = std::max<int64_t>(range.min, 1);
    double most = std::max<int64_t>(range.max, 1);
    int64_t middle = std::llround(std::sqrt(least * most));
    int64_t divisor = std::max<int64_t>(getMultipleOf(getSymbolDim(name)), 1);
    middle = llvm::divideCeilSigned(middle, divisor) * divisor;
    return std::clamp(middle, range.min, std::max(range.min, range.max));
  };
  Range range = getRange(expr);
  int64_t value =
      evaluate(expand(expr), estimateSymbol).value_or(kUnboundedEstimate);
  return std::clamp(value, range.min, std::max(range.min, range.max));
}
