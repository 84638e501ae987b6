//===- DimExpr.cpp - Normal form of size expressions ----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DHLO/IR/DHLO.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

#include <vector>

using namespace mlir;

namespace dyn::dhlo {

namespace {

DimExpr make(DimExprKind kind, MLIRContext *context, int64_t value,
             StringAttr name, ArrayRef<DimExpr> operands) {
  SmallVector<Attribute> attrs(operands.begin(), operands.end());
  return DimExprAttr::get(context, kind, value, name, attrs);
}

/// Orders expressions structurally, independently of addresses: by kind, then
/// by operands, then by value or name. Operands are uniqued, so only the first
/// pair that differs is compared recursively.
int compare(DimExpr lhs, DimExpr rhs) {
  if (lhs == rhs)
    return 0;
  if (lhs.getKind() != rhs.getKind())
    return lhs.getKind() < rhs.getKind() ? -1 : 1;
  if (lhs.isSymbol())
    return lhs.getName().getValue().compare(rhs.getName().getValue());
  unsigned common = std::min(lhs.getNumOperands(), rhs.getNumOperands());
  for (unsigned i = 0; i != common; ++i)
    if (int order = compare(lhs.getOperand(i), rhs.getOperand(i)))
      return order;
  if (lhs.getNumOperands() != rhs.getNumOperands())
    return lhs.getNumOperands() < rhs.getNumOperands() ? -1 : 1;
  return lhs.getValue() < rhs.getValue() ? -1 : 1;
}

bool isBefore(DimExpr lhs, DimExpr rhs) { return compare(lhs, rhs) < 0; }

/// A polynomial over atoms: terms with their sorted atoms and coefficients, in
/// order. The constant term, without atoms, is the first one. Coefficients wrap
/// around, as sizes do where a program computes them. Sums may have hundreds of
/// terms, so that they are merged rather than inserted one by one.
class Polynomial {
public:
  using Term = std::pair<SmallVector<DimExpr>, int64_t>;

  /// The operands of a sum are in order.
  explicit Polynomial(DimExpr expr) {
    if (expr.isConst()) {
      append({}, expr.getValue());
    } else if (expr.getKind() == DimExprKind::Add) {
      allTerms.reserve(expr.getNumOperands() + 1);
      append({}, expr.getValue());
      for (unsigned i = 0; i != expr.getNumOperands(); ++i)
        append(expr.getOperand(i));
    } else {
      append(expr);
    }
  }
  Polynomial() = default;

  ArrayRef<Term> terms() const { return allTerms; }

  /// Adds a term with sorted atoms that comes after all others.
  void append(SmallVector<DimExpr> atoms, int64_t coefficient) {
    if (coefficient != 0)
      allTerms.emplace_back(std::move(atoms), coefficient);
  }

  /// The same for a summand of a sum.
  void append(DimExpr expr) {
    if (expr.getKind() != DimExprKind::Mul)
      return append({expr}, 1);
    SmallVector<DimExpr> atoms;
    for (unsigned i = 0; i != expr.getNumOperands(); ++i)
      atoms.push_back(expr.getOperand(i));
    append(std::move(atoms), expr.getValue());
  }

  void operator+=(const Polynomial &other) {
    std::vector<Term> all;
    all.reserve(allTerms.size() + other.allTerms.size());
    std::merge(allTerms.begin(), allTerms.end(), other.allTerms.begin(),
               other.allTerms.end(), std::back_inserter(all), isInOrder);
    setSorted(std::move(all));
  }

  Polynomial operator*(const Polynomial &other) const {
    std::vector<Term> all;
    all.reserve(allTerms.size() * other.allTerms.size());
    for (auto &[atoms, coefficient] : allTerms)
      for (auto &[otherAtoms, otherCoefficient] : other.allTerms) {
        SmallVector<DimExpr> both(atoms);
        both.append(otherAtoms.begin(), otherAtoms.end());
        if (!atoms.empty() && !otherAtoms.empty())
          llvm::sort(both, isBefore);
        all.emplace_back(std::move(both), int64_t(uint64_t(coefficient) *
                                                  uint64_t(otherCoefficient)));
      }
    // A number changes no order.
    if (!isNumber() && !other.isNumber())
      llvm::stable_sort(all, isInOrder);
    Polynomial product;
    product.setSorted(std::move(all));
    return product;
  }

  DimExpr toExpr(MLIRContext *context) const {
    int64_t constant = 0;
    SmallVector<DimExpr> summands;
    for (auto &[atoms, coefficient] : allTerms) {
      if (atoms.empty())
        constant = coefficient;
      else if (atoms.size() == 1 && coefficient == 1)
        summands.push_back(atoms.front());
      else
        summands.push_back(
            make(DimExprKind::Mul, context, coefficient, {}, atoms));
    }
    if (summands.empty())
      return getConstDim(context, constant);
    if (summands.size() == 1 && constant == 0)
      return summands.front();
    return make(DimExprKind::Add, context, constant, {}, summands);
  }

private:
  static bool isInOrder(const Term &lhs, const Term &rhs) {
    return std::lexicographical_compare(lhs.first.begin(), lhs.first.end(),
                                        rhs.first.begin(), rhs.first.end(),
                                        isBefore);
  }

  bool isNumber() const {
    return allTerms.size() == 1 && allTerms.front().first.empty();
  }

  /// Takes terms in order, and joins those with the same atoms.
  void setSorted(std::vector<Term> terms) {
    allTerms.clear();
    for (Term &term : terms) {
      if (allTerms.empty() || allTerms.back().first != term.first) {
        dropZero();
        allTerms.push_back(std::move(term));
      } else {
        int64_t &value = allTerms.back().second;
        value = int64_t(uint64_t(value) + uint64_t(term.second));
      }
    }
    dropZero();
  }
  void dropZero() {
    if (!allTerms.empty() && allTerms.back().second == 0)
      allTerms.pop_back();
  }

  std::vector<Term> allTerms;
};

/// The expression with `replace` applied to its operands. Few of them change,
/// usually: the others of a long sum stay in order, and an expression without
/// changes is in normal form already.
DimExpr rebuild(DimExpr expr, llvm::function_ref<DimExpr(DimExpr)> replace) {
  MLIRContext *context = expr.getContext();
  SmallVector<DimExpr> operands;
  bool isChanged = false;
  for (unsigned i = 0; i != expr.getNumOperands(); ++i) {
    operands.push_back(replace(expr.getOperand(i)));
    isChanged |= operands.back() != expr.getOperand(i);
  }
  if (!isChanged)
    return expr;
  if (expr.getKind() == DimExprKind::Add) {
    Polynomial sum;
    sum.append({}, expr.getValue());
    for (auto [i, operand] : llvm::enumerate(operands))
      if (operand == expr.getOperand(i))
        sum.append(operand);
    for (auto [i, operand] : llvm::enumerate(operands))
      if (operand != expr.getOperand(i))
        sum += Polynomial(operand);
    return sum.toExpr(context);
  }
  // The constant of a Mul is its value.
  DimExpr result;
  if (expr.getKind() == DimExprKind::Mul)
    result = getConstDim(context, expr.getValue());
  for (DimExpr operand : operands)
    result = result ? combine(expr.getKind(), result, operand) : operand;
  return result;
}

/// Whether the quotient is defined and fits.
bool hasQuotient(int64_t lhs, int64_t rhs) {
  return rhs != 0 && (rhs != -1 || lhs != std::numeric_limits<int64_t>::min());
}

/// The atoms of `dividend` without those of `divisor`, or nothing if one of
/// these is missing.
std::optional<SmallVector<DimExpr>> divideAtoms(ArrayRef<DimExpr> dividend,
                                                ArrayRef<DimExpr> divisor) {
  SmallVector<DimExpr> rest(dividend);
  for (DimExpr atom : divisor) {
    auto *it = llvm::find(rest, atom);
    if (it == rest.end())
      return std::nullopt;
    rest.erase(it);
  }
  return rest;
}

/// Lexicographic order of exponents, which is compatible with multiplication:
/// the list with the higher power of the first atom that differs is larger.
bool isLesserMonomial(ArrayRef<DimExpr> lhs, ArrayRef<DimExpr> rhs) {
  size_t i = 0;
  while (i != lhs.size() && i != rhs.size() && lhs[i] == rhs[i])
    ++i;
  if (i == lhs.size() || i == rhs.size())
    return lhs.size() < rhs.size();
  return isBefore(rhs[i], lhs[i]);
}

/// Longer quotients are not searched for.
constexpr size_t kMostQuotientTerms = 64;

/// The quotient if `divisor` divides `dividend` without remainder: long
/// division by leading terms.
std::optional<Polynomial> divideExactly(Polynomial dividend,
                                        const Polynomial &divisor) {
  auto leading = [](const Polynomial &polynomial) {
    return std::max_element(polynomial.terms().begin(),
                            polynomial.terms().end(), [](auto &lhs, auto &rhs) {
                              return isLesserMonomial(lhs.first, rhs.first);
                            });
  };
  Polynomial quotient;
  if (divisor.terms().empty())
    return std::nullopt;
  auto divisorLeading = leading(divisor);
  // Each step removes the leading term and adds smaller ones.
  while (!dividend.terms().empty()) {
    auto [atoms, coefficient] = *leading(dividend);
    auto rest = divideAtoms(atoms, divisorLeading->first);
    if (!rest || !hasQuotient(coefficient, divisorLeading->second) ||
        coefficient % divisorLeading->second != 0 ||
        quotient.terms().size() == kMostQuotientTerms)
      return std::nullopt;
    Polynomial step;
    step.append(*rest, coefficient / divisorLeading->second);
    quotient += step;
    Polynomial negative;
    negative.append({}, -1);
    dividend += step * divisor * negative;
  }
  return quotient;
}

/// Splits a sum into the terms whose coefficients are multiples of `divisor`,
/// already divided, and the remainder.
std::pair<Polynomial, Polynomial> splitMultiples(const Polynomial &sum,
                                                 int64_t divisor) {
  std::pair<Polynomial, Polynomial> result;
  for (auto &[atoms, coefficient] : sum.terms()) {
    int64_t quotient = llvm::divideFloorSigned(coefficient, divisor);
    int64_t rest = coefficient - quotient * divisor;
    if (rest == 0)
      result.first.append(atoms, quotient);
    else if (atoms.empty()) {
      result.first.append(atoms, quotient);
      result.second.append(atoms, rest);
    } else
      result.second.append(atoms, coefficient);
  }
  return result;
}

/// The constant that does not change the others' minimum or maximum. "To the
/// end" is written as the largest integer in many models, and added to others
/// it would wrap.
std::optional<int64_t> getNeutral(DimExprKind kind) {
  if (kind == DimExprKind::Min)
    return std::numeric_limits<int64_t>::max();
  if (kind == DimExprKind::Max)
    return std::numeric_limits<int64_t>::min();
  return std::nullopt;
}

/// The constant c if `larger` is max(c, expr), also as max(0, expr - c) + c.
std::optional<int64_t> getLeast(DimExpr larger, DimExpr expr) {
  int64_t offset = 0, least;
  if (larger.getKind() == DimExprKind::Add && larger.getNumOperands() == 1) {
    offset = larger.getValue();
    larger = larger.getOperand(0);
  }
  if (larger.getKind() != DimExprKind::Max || larger.getNumOperands() != 2)
    return std::nullopt;
  for (unsigned i : {0, 1}) {
    DimExpr constant = larger.getOperand(i), other = larger.getOperand(1 - i);
    if (constant.isConst() && add(other, offset) == expr &&
        !llvm::AddOverflow(constant.getValue(), offset, least))
      return least;
  }
  return std::nullopt;
}

/// Of two sizes e and max(c, e) that are equal or 1, one is the broadcast size:
/// e if c is at most 1, else the other. Without this rule, a loop of which each
/// step joins a row with itself moved by one would double its sizes each time.
void dropImplied(SmallVectorImpl<DimExpr> &operands) {
  auto isImplied = [&](DimExpr operand) {
    return llvm::any_of(operands, [&](DimExpr other) {
      auto above = getLeast(operand, other), below = getLeast(other, operand);
      return (above && *above <= 1) || (below && *below > 1);
    });
  };
  SmallVector<DimExpr> kept;
  for (DimExpr operand : operands)
    if (!isImplied(operand))
      kept.push_back(operand);
  operands = std::move(kept);
}

/// Min, max and broadcast: flatten, sort, remove duplicates, fold constants.
DimExpr makeLattice(DimExprKind kind, DimExpr lhs, DimExpr rhs) {
  MLIRContext *context = lhs.getContext();
  SmallVector<DimExpr> operands;
  std::optional<int64_t> constant;
  auto fold = [&](int64_t value) {
    if (!constant)
      constant = value;
    else if (kind == DimExprKind::Min)
      constant = std::min(*constant, value);
    else if (kind == DimExprKind::Max)
      constant = std::max(*constant, value);
    else
      constant = *constant == 1 ? value : *constant;
  };
  std::function<void(DimExpr)> collect = [&](DimExpr expr) {
    if (expr.isConst())
      return fold(expr.getValue());
    if (expr.getKind() != kind) {
      if (!llvm::is_contained(operands, expr))
        operands.push_back(expr);
      return;
    }
    for (unsigned i = 0; i != expr.getNumOperands(); ++i)
      collect(expr.getOperand(i));
  };
  collect(lhs);
  collect(rhs);
  if (constant && kind == DimExprKind::Broadcast) {
    // 1 is neutral; legal operands broadcast to any other constant.
    if (*constant != 1 || operands.empty())
      return getConstDim(context, *constant);
    constant = std::nullopt;
  }
  if (kind == DimExprKind::Broadcast)
    dropImplied(operands);
  if (constant && (operands.empty() || constant != getNeutral(kind)))
    operands.push_back(getConstDim(context, *constant));
  if (operands.size() == 1)
    return operands.front();
  llvm::sort(operands, isBefore);
  return make(kind, context, 0, {}, operands);
}

} // namespace

DimExpr getConstDim(MLIRContext *context, int64_t value) {
  return make(DimExprKind::Const, context, value, {}, {});
}

DimExpr getSymbolDim(StringAttr name) {
  return make(DimExprKind::Symbol, name.getContext(), 0, name, {});
}

DimExpr add(DimExpr lhs, DimExpr rhs) {
  Polynomial sum(lhs);
  sum += Polynomial(rhs);
  return sum.toExpr(lhs.getContext());
}

DimExpr sub(DimExpr lhs, DimExpr rhs) { return add(lhs, mul(rhs, -1)); }

DimExpr mul(DimExpr lhs, DimExpr rhs) {
  return (Polynomial(lhs) * Polynomial(rhs)).toExpr(lhs.getContext());
}

DimExpr floorDiv(DimExpr lhs, DimExpr rhs) {
  MLIRContext *context = lhs.getContext();
  if (rhs.isConst(1) || lhs.isConst(0))
    return lhs;
  if (lhs == rhs && !rhs.isConst(0))
    return getConstDim(context, 1);
  if (!rhs.isConst(0))
    if (auto quotient = divideExactly(Polynomial(lhs), Polynomial(rhs)))
      return quotient->toExpr(context);
  if (rhs.isConst() && rhs.getValue() > 0) {
    auto [multiple, rest] = splitMultiples(Polynomial(lhs), rhs.getValue());
    DimExpr quotient = multiple.toExpr(context);
    DimExpr remainder = rest.toExpr(context);
    // A constant remainder lies in [0, divisor) and vanishes.
    if (remainder.isConst())
      return quotient;
    // (x floordiv a + c) floordiv b is (x + a * c) floordiv (a * b) for
    // positive constants a and b: chains of strided windows reduce to one
    // division.
    DimExpr inner = remainder, offset = getConstDim(context, 0);
    if (remainder.getKind() == DimExprKind::Add &&
        remainder.getNumOperands() == 1) {
      inner = remainder.getOperand(0);
      offset = getConstDim(context, remainder.getValue());
    }
    int64_t product;
    if (inner.getKind() == DimExprKind::FloorDiv &&
        inner.getOperand(1).isConst() && inner.getOperand(1).getValue() > 0 &&
        !llvm::MulOverflow(inner.getOperand(1).getValue(), rhs.getValue(),
                           product)) {
      DimExpr divisor = inner.getOperand(1);
      return add(quotient,
                 floorDiv(add(inner.getOperand(0), mul(divisor, offset)),
                          getConstDim(context, product)));
    }
    return add(quotient,
               make(DimExprKind::FloorDiv, context, 0, {}, {remainder, rhs}));
  }
  return make(DimExprKind::FloorDiv, context, 0, {}, {lhs, rhs});
}

DimExpr ceilDiv(DimExpr lhs, DimExpr rhs) {
  MLIRContext *context = lhs.getContext();
  // With a constant divisor the result is a floordiv, so that both spellings of
  // a size are equal.
  if (rhs.isConst() && rhs.getValue() > 0)
    return floorDiv(add(lhs, rhs.getValue() - 1), rhs);
  if (!rhs.isConst(0))
    if (auto quotient = divideExactly(Polynomial(lhs), Polynomial(rhs)))
      return quotient->toExpr(context);
  return make(DimExprKind::CeilDiv, context, 0, {}, {lhs, rhs});
}

DimExpr mod(DimExpr lhs, DimExpr rhs) {
  MLIRContext *context = lhs.getContext();
  if (rhs.isConst(1) || lhs.isConst(0))
    return getConstDim(context, 0);
  if (!rhs.isConst(0) && divideExactly(Polynomial(lhs), Polynomial(rhs)))
    return getConstDim(context, 0);
  if (rhs.isConst() && rhs.getValue() > 0) {
    DimExpr rest =
        splitMultiples(Polynomial(lhs), rhs.getValue()).second.toExpr(context);
    if (rest.isConst())
      return rest;
    return make(DimExprKind::Mod, context, 0, {}, {rest, rhs});
  }
  return make(DimExprKind::Mod, context, 0, {}, {lhs, rhs});
}

DimExpr min(DimExpr lhs, DimExpr rhs) {
  return makeLattice(DimExprKind::Min, lhs, rhs);
}
DimExpr max(DimExpr lhs, DimExpr rhs) {
  return makeLattice(DimExprKind::Max, lhs, rhs);
}
DimExpr broadcast(DimExpr lhs, DimExpr rhs) {
  return makeLattice(DimExprKind::Broadcast, lhs, rhs);
}

DimExpr combine(DimExprKind kind, DimExpr lhs, DimExpr rhs) {
  switch (kind) {
  case DimExprKind::Add:
    return add(lhs, rhs);
  case DimExprKind::Mul:
    return mul(lhs, rhs);
  case DimExprKind::FloorDiv:
    return floorDiv(lhs, rhs);
  case DimExprKind::CeilDiv:
    return ceilDiv(lhs, rhs);
  case DimExprKind::Mod:
    return mod(lhs, rhs);
  case DimExprKind::Min:
    return min(lhs, rhs);
  case DimExprKind::Max:
    return max(lhs, rhs);
  case DimExprKind::Broadcast:
    return broadcast(lhs, rhs);
  case DimExprKind::Const:
  case DimExprKind::Symbol:
    break;
  }
  llvm_unreachable("constants and symbols are not combined");
}

std::optional<int64_t> getConstantValue(DimExpr expr) {
  if (expr && expr.isConst())
    return expr.getValue();
  return std::nullopt;
}

DimExpr substitute(DimExpr expr,
                   llvm::function_ref<DimExpr(StringAttr)> replacement) {
  // Subexpressions are shared.
  llvm::SmallDenseMap<DimExpr, DimExpr> done;
  std::function<DimExpr(DimExpr)> visit = [&](DimExpr part) -> DimExpr {
    if (part.isConst())
      return part;
    if (part.isSymbol()) {
      DimExpr other = replacement(part.getName());
      return other ? other : part;
    }
    if (DimExpr known = done.lookup(part))
      return known;
    DimExpr result = rebuild(part, visit);
    return done[part] = result;
  };
  return visit(expr);
}

void walkSymbols(DimExpr expr, llvm::function_ref<void(StringAttr)> fn) {
  llvm::SmallSetVector<DimExpr, 8> parts;
  parts.insert(expr);
  for (unsigned next = 0; next != parts.size(); ++next) {
    DimExpr part = parts[next];
    if (part.isSymbol())
      fn(part.getName());
    for (unsigned i = 0; i != part.getNumOperands(); ++i)
      parts.insert(part.getOperand(i));
  }
}

DimExpr substituteAtoms(DimExpr expr,
                        llvm::function_ref<DimExpr(DimExpr)> replacement) {
  if (expr.isConst())
    return expr;
  if (expr.getKind() != DimExprKind::Mul && expr.getKind() != DimExprKind::Add)
    return replacement(expr);
  return rebuild(expr, [&](DimExpr operand) {
    return substituteAtoms(operand, replacement);
  });
}

/// The result of an operation, if it is defined and fits.
static std::optional<int64_t> applyKind(DimExprKind kind, int64_t lhs,
                                        int64_t rhs) {
  int64_t result;
  switch (kind) {
  case DimExprKind::Add:
    if (llvm::AddOverflow(lhs, rhs, result))
      return std::nullopt;
    return result;
  case DimExprKind::Mul:
    if (llvm::MulOverflow(lhs, rhs, result))
      return std::nullopt;
    return result;
  case DimExprKind::FloorDiv:
  case DimExprKind::CeilDiv:
  case DimExprKind::Mod:
    if (!hasQuotient(lhs, rhs))
      return std::nullopt;
    if (kind == DimExprKind::CeilDiv)
      return llvm::divideCeilSigned(lhs, rhs);
    if (kind == DimExprKind::FloorDiv)
      return llvm::divideFloorSigned(lhs, rhs);
    result = lhs % rhs;
    return result != 0 && (result < 0) != (rhs < 0) ? result + rhs : result;
  case DimExprKind::Min:
    return std::min(lhs, rhs);
  case DimExprKind::Max:
    return std::max(lhs, rhs);
  case DimExprKind::Broadcast:
    if (lhs != rhs && lhs != 1 && rhs != 1)
      return std::nullopt;
    return lhs == 1 ? rhs : lhs;
  case DimExprKind::Const:
  case DimExprKind::Symbol:
    break;
  }
  llvm_unreachable("constants and symbols are not combined");
}

std::optional<int64_t>
evaluate(DimExpr expr,
         llvm::function_ref<std::optional<int64_t>(StringAttr)> value) {
  // Subexpressions are shared.
  llvm::SmallDenseMap<DimExpr, std::optional<int64_t>> done;
  std::function<std::optional<int64_t>(DimExpr)> visit =
      [&](DimExpr part) -> std::optional<int64_t> {
    if (part.isConst())
      return part.getValue();
    if (part.isSymbol())
      return value(part.getName());
    if (auto known = done.find(part); known != done.end())
      return known->second;
    std::optional<int64_t> result;
    if (part.getKind() == DimExprKind::Mul ||
        part.getKind() == DimExprKind::Add)
      result = part.getValue();
    for (unsigned i = 0; i != part.getNumOperands(); ++i) {
      std::optional<int64_t> operand = visit(part.getOperand(i));
      result = result && operand ? applyKind(part.getKind(), *result, *operand)
                                 : operand;
      if (!result)
        break;
    }
    return done[part] = result;
  };
  return visit(expr);
}

//===----------------------------------------------------------------------===//
// Sizes of tensor types
//===----------------------------------------------------------------------===//

DimExpr getDim(RankedTensorType type, int64_t axis) {
  if (!type.isDynamicDim(axis))
    return getConstDim(type.getContext(), type.getDimSize(axis));
  auto dims = llvm::dyn_cast_or_null<DimsAttr>(type.getEncoding());
  if (!dims)
    return {};
  auto before = type.getShape().take_front(axis);
  return getSymbolDim(
      dims.getNames()[llvm::count_if(before, ShapedType::isDynamic)]);
}

SmallVector<DimExpr> getDims(RankedTensorType type) {
  SmallVector<DimExpr> result;
  for (int64_t axis = 0; axis != type.getRank(); ++axis)
    result.push_back(getDim(type, axis));
  return result;
}

RankedTensorType getTensorType(ArrayRef<DimExpr> sizes, Type elementType) {
  SmallVector<int64_t> shape;
  SmallVector<StringAttr> names;
  for (DimExpr size : sizes) {
    assert((size.isConst() || size.isSymbol()) &&
           "a type holds constants and symbols only");
    shape.push_back(size.isConst() ? size.getValue() : ShapedType::kDynamic);
    if (size.isSymbol())
      names.push_back(size.getName());
  }
  Attribute encoding;
  if (!names.empty())
    encoding = DimsAttr::get(elementType.getContext(), names);
  return RankedTensorType::get(shape, elementType, encoding);
}

RankedTensorType withElementType(RankedTensorType type, Type elementType) {
  return RankedTensorType::get(type.getShape(), elementType,
                               type.getEncoding());
}

} // namespace dyn::dhlo
