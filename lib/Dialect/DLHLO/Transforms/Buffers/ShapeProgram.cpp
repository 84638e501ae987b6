//===- ShapeProgram.cpp - Sizes as values of type index -------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeProgram.h"

#include "Dialect/DLHLO/Transforms/Kernels/LaunchSizes.h"
#include "Sites.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dlhlo;
using dhlo::DimExpr;
using dhlo::DimExprKind;

//===----------------------------------------------------------------------===//
// SiteTable
//===----------------------------------------------------------------------===//

SiteTable::SiteTable(ModuleOp module) {
  if (auto known = module->getAttrOfType<ArrayAttr>(DLHLODialect::kSitesAttr))
    sites.append(known.begin(), known.end());
}

int64_t SiteTable::add(ArrayRef<Attribute> more) {
  int64_t first = sites.size();
  sites.append(more.begin(), more.end());
  return more.empty() ? 0 : first;
}

void SiteTable::store(ModuleOp module) const {
  module->setAttr(DLHLODialect::kSitesAttr,
                  ArrayAttr::get(module.getContext(), sites));
}

//===----------------------------------------------------------------------===//
// ShapeProgram
//===----------------------------------------------------------------------===//

Value ShapeProgram::get(OpBuilder &builder, DimExpr expr, Operation *user) {
  for (Scope &scope : llvm::reverse(scopes))
    if (Value value = scope.values.lookup(expr))
      return value;
  Value value = compute(builder, expr, user);
  if (value)
    scopes.back().values[expr] = value;
  return value;
}

Value ShapeProgram::getSize(OpBuilder &builder, DimExpr size, Operation *op,
                            Operation *user) {
  Value value = get(builder, size, user);
  if (value && mayBeNegative(size, dims) && isNewCheck(value, value)) {
    Location loc = user->getLoc();
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value negative = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::slt, value, zero);
    fail(builder, negative, value, SiteKind::Size, op->getName().getStringRef(),
         loc);
  }
  return value;
}

LogicalResult ShapeProgram::getSizes(OpBuilder &builder, RankedTensorType type,
                                     Operation *user,
                                     SmallVectorImpl<Value> &sizes) {
  for (DimExpr size : dhlo::getDims(type)) {
    Value value = getSize(builder, size, user, user);
    if (!value)
      return failure();
    sizes.push_back(value);
  }
  return success();
}

bool ShapeProgram::isNewCheck(Value lhs, Value rhs) {
  std::pair<Value, Value> pair(lhs, rhs);
  if (llvm::any_of(scopes,
                   [&](const Scope &s) { return s.checked.contains(pair); }))
    return false;
  return scopes.back().checked.insert(pair).second;
}

/// Sizes that must agree, for a message of the runtime; nothing if they are
/// long.
static std::string describeSizes(DimExpr lhs, DimExpr rhs) {
  constexpr size_t kMost = 60;
  std::string text = " of ";
  llvm::raw_string_ostream os(text);
  dhlo::printDimExpr(os, lhs);
  os << " and ";
  dhlo::printDimExpr(os, rhs);
  llvm::erase(text, '@');
  return text.size() <= kMost ? text : "";
}

LogicalResult ShapeProgram::check(OpBuilder &builder, Operation *op,
                                  ArrayRef<dhlo::SizeCheck> checks,
                                  Operation *user) {
  Location loc = user->getLoc();
  for (dhlo::SizeCheck check : checks) {
    if (dhlo::isProven(check, dims))
      continue;
    bool isEqual = check.kind == dhlo::SizeCheck::Equal;
    Value lhs = get(builder, check.lhs, user);
    Value rhs = get(builder, check.rhs, user);
    if (!lhs || !rhs)
      return failure();
    if (lhs == rhs || !isNewCheck(lhs, rhs))
      continue;
    auto predicate =
        isEqual ? arith::CmpIPredicate::ne : arith::CmpIPredicate::sgt;
    Value broken = arith::CmpIOp::create(builder, loc, predicate, lhs, rhs);
    std::string name = op->getName().getStringRef().str();
    if (isEqual)
      name += describeSizes(check.toldLhs ? check.toldLhs : check.lhs,
                            check.toldRhs ? check.toldRhs : check.rhs);
    fail(builder, broken, isEqual ? rhs : lhs,
         isEqual ? SiteKind::SizeMismatch : SiteKind::Index, name, loc);
  }
  return success();
}

void ShapeProgram::fail(OpBuilder &builder, Value condition, Value value,
                        SiteKind kind, StringRef op, Location loc) {
  auto site =
      SiteAttr::get(builder.getContext(), kind, op, getLocationName(loc));
  FailIfOp::create(builder, loc, condition, value, sites.add(site));
}

/// `value`, or the maximum index if `overflows`.
static Value saturate(OpBuilder &builder, Location loc, Value overflows,
                      Value value) {
  Value most = arith::ConstantIndexOp::create(
      builder, loc, std::numeric_limits<int64_t>::max());
  return builder.createOrFold<arith::SelectOp>(loc, overflows, most, value);
}

Value ShapeProgram::add(OpBuilder &builder, Location loc, Value lhs,
                        Value rhs) {
  // A sum has overflowed if its sign differs from those of both operands.
  Value sum = builder.createOrFold<arith::AddIOp>(loc, lhs, rhs);
  Value left = builder.createOrFold<arith::XOrIOp>(loc, lhs, sum);
  Value right = builder.createOrFold<arith::XOrIOp>(loc, rhs, sum);
  Value both = builder.createOrFold<arith::AndIOp>(loc, left, right);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value overflows = builder.createOrFold<arith::CmpIOp>(
      loc, arith::CmpIPredicate::slt, both, zero);
  return saturate(builder, loc, overflows, sum);
}

Value ShapeProgram::multiply(OpBuilder &builder, Location loc, Value lhs,
                             Value rhs) {
  // A multiplication fits if its upper half is the sign extension of the lower
  // one. Halves exist for integers only: an index has no width.
  auto cast = [&](Type type, Value value) -> Value {
    return arith::IndexCastOp::create(builder, loc, type, value);
  };
  Type integer = builder.getI64Type();
  auto product = arith::MulSIExtendedOp::create(
      builder, loc, cast(integer, lhs), cast(integer, rhs));
  Value shift = arith::ConstantIntOp::create(builder, loc, integer, 63);
  Value sign = arith::ShRSIOp::create(builder, loc, product.getLow(), shift);
  Value overflows = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ne, product.getHigh(), sign);
  return saturate(builder, loc, overflows,
                  cast(builder.getIndexType(), product.getLow()));
}

/// floordiv and mod round towards minus infinity, ceildiv towards infinity.
Value ShapeProgram::divide(OpBuilder &builder, DimExpr expr, Value lhs,
                           Value rhs, Operation *user) {
  Location loc = user->getLoc();
  DimExpr dividend = expr.getOperand(0), divisor = expr.getOperand(1);
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  auto compare = [&](arith::CmpIPredicate predicate, Value a,
                     Value b) -> Value {
    return arith::CmpIOp::create(builder, loc, predicate, a, b);
  };
  // A division without a quotient would trap.
  bool mayBeZero = !dims.isAtLeast(divisor, 1);
  bool mayBeBelow = mayBeZero && !dims.isAtLeast(divisor, 0);
  if (mayBeZero) {
    Value illegal = compare(arith::CmpIPredicate::eq, rhs, index(0));
    if (mayBeBelow) {
      Value isLeast = compare(arith::CmpIPredicate::eq, lhs,
                              index(std::numeric_limits<int64_t>::min()));
      Value negates = compare(arith::CmpIPredicate::eq, rhs, index(-1));
      Value overflows = arith::AndIOp::create(builder, loc, isLeast, negates);
      illegal = arith::OrIOp::create(builder, loc, illegal, overflows);
    }
    auto name = llvm::isa<LaunchOp>(user) ? dhlo::DivOp::getOperationName()
                                          : user->getName().getStringRef();
    fail(builder, illegal, rhs, SiteKind::Division, name, loc);
  }
  bool isPositive = dims.isAtLeast(dividend, 0) && !mayBeBelow;
  bool isMod = expr.getKind() == DimExprKind::Mod;
  bool isCeil = expr.getKind() == DimExprKind::CeilDiv;
  auto divideTowardsZero = [&]() -> Value {
    return arith::DivSIOp::create(builder, loc, lhs, rhs);
  };
  if (isPositive && !isMod && !isCeil)
    return divideTowardsZero();
  Value remainder = arith::RemSIOp::create(builder, loc, lhs, rhs);
  if (isPositive && isMod)
    return remainder;
  // With a remainder, division truncates upwards if the remainder and the
  // divisor differ in sign, else downwards.
  Value isOther = compare(arith::CmpIPredicate::ne, remainder, index(0));
  if (!isPositive) {
    Value signs = arith::XOrIOp::create(builder, loc, remainder, rhs);
    Value isWrong =
        compare(isCeil ? arith::CmpIPredicate::sge : arith::CmpIPredicate::slt,
                signs, index(0));
    isOther = arith::AndIOp::create(builder, loc, isOther, isWrong);
  }
  Value result = isMod ? remainder : divideTowardsZero();
  Value change = isMod ? rhs : index(isCeil ? 1 : -1);
  Value other = arith::AddIOp::create(builder, loc, result, change);
  return arith::SelectOp::create(builder, loc, isOther, other, result);
}

Value ShapeProgram::compute(OpBuilder &builder, DimExpr expr, Operation *user) {
  Location loc = user->getLoc();
  if (expr.isConst())
    return arith::ConstantIndexOp::create(builder, loc, expr.getValue());
  if (expr.isSymbol()) {
    auto dim = symbols.lookup<dhlo::DimOp>(expr.getName());
    if (dim && dim.getDefinitionAttr())
      return get(builder, dim.getDefinitionAttr(), user);
    user->emitOpError("needs the size @")
        << expr.getName().getValue()
        << ", which neither an input of the entry nor an operation before it "
           "binds";
    return {};
  }

  SmallVector<Value> operands;
  for (unsigned i = 0; i != expr.getNumOperands(); ++i) {
    operands.push_back(get(builder, expr.getOperand(i), user));
    if (!operands.back())
      return {};
  }
  auto fold = [&](auto op, Value init) {
    for (Value operand : operands)
      init = init ? decltype(op)::create(builder, loc, init, operand) : operand;
    return init;
  };
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  switch (expr.getKind()) {
  case DimExprKind::Add: {
    Value sum = expr.getValue() ? constant(expr.getValue()) : Value();
    if (isBounded(expr))
      return fold(arith::AddIOp(), sum);
    for (Value operand : operands)
      sum = sum ? add(builder, loc, sum, operand) : operand;
    return sum;
  }
  case DimExprKind::Mul: {
    Value product = expr.getValue() != 1 ? constant(expr.getValue()) : Value();
    if (isBounded(expr))
      return fold(arith::MulIOp(), product);
    for (Value operand : operands)
      product = product ? multiply(builder, loc, product, operand) : operand;
    return product;
  }
  case DimExprKind::Min:
    return fold(arith::MinSIOp(), {});
  case DimExprKind::Max:
    return fold(arith::MaxSIOp(), {});
  case DimExprKind::Broadcast: {
    // The agreement of the sizes is not proven.
    auto differs = [&](Value a, Value b) -> Value {
      return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, a,
                                   b);
    };
    Value one = constant(1), result = operands.front();
    auto name = llvm::isa<LaunchOp>(user)
                    ? dhlo::BroadcastOp::getOperationName()
                    : user->getName().getStringRef();
    DimExpr before = expr.getOperand(0);
    for (auto [i, operand] : llvm::drop_begin(llvm::enumerate(operands))) {
      Value isNotOne = differs(result, one);
      Value clash = differs(result, operand);
      clash = arith::AndIOp::create(builder, loc, clash, isNotOne);
      clash = arith::AndIOp::create(builder, loc, clash, differs(operand, one));
      DimExpr other = expr.getOperand(i);
      fail(builder, clash, operand, SiteKind::SizeMismatch,
           name.str() + describeSizes(before, other), loc);
      before = dhlo::broadcast(before, other);
      result = arith::SelectOp::create(builder, loc, isNotOne, result, operand);
    }
    return result;
  }
  default:
    return divide(builder, expr, operands[0], operands[1], user);
  }
}
