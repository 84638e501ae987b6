//===- CodeBuilder.cpp - Short names for the operations of loop code ------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen/Common/Builder/CodeBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dyn;

std::optional<int64_t> CodeBuilder::getConstant(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

// Constants fold here, so that static sizes leave straight-line code and the
// canonicalizer has less to do.

Value CodeBuilder::constant(int64_t value) {
  return arith::ConstantIntOp::create(b, loc, b.getI64Type(), value);
}

Value CodeBuilder::add(Value lhs, Value rhs) {
  auto x = getConstant(lhs), y = getConstant(rhs);
  if (x && y)
    return constant(*x + *y);
  if (y && *y == 0)
    return lhs;
  if (x && *x == 0)
    return rhs;
  return arith::AddIOp::create(b, loc, lhs, rhs);
}

Value CodeBuilder::add(Value lhs, int64_t rhs) {
  return add(lhs, constant(rhs));
}

Value CodeBuilder::sub(Value lhs, Value rhs) {
  auto x = getConstant(lhs), y = getConstant(rhs);
  if (x && y)
    return constant(*x - *y);
  if (y && *y == 0)
    return lhs;
  return arith::SubIOp::create(b, loc, lhs, rhs);
}

Value CodeBuilder::mul(Value lhs, Value rhs) {
  auto x = getConstant(lhs), y = getConstant(rhs);
  if (x && y)
    return constant(*x * *y);
  if (y && *y == 1)
    return lhs;
  if (x && *x == 1)
    return rhs;
  return arith::MulIOp::create(b, loc, lhs, rhs);
}

Value CodeBuilder::mul(Value lhs, int64_t rhs) {
  return mul(lhs, constant(rhs));
}

Value CodeBuilder::div(Value lhs, Value rhs) {
  auto x = getConstant(lhs), y = getConstant(rhs);
  if (y && *y == 1)
    return lhs;
  if (x && y && *y > 0)
    return constant(*x / *y);
  return arith::DivUIOp::create(b, loc, lhs, rhs);
}

Value CodeBuilder::div(Value lhs, int64_t rhs) {
  return div(lhs, constant(rhs));
}

Value CodeBuilder::rem(Value lhs, Value rhs) {
  auto x = getConstant(lhs), y = getConstant(rhs);
  if (y && *y == 1)
    return constant(0);
  if (x && y && *y > 0)
    return constant(*x % *y);
  return arith::RemUIOp::create(b, loc, lhs, rhs);
}

Value CodeBuilder::rem(Value lhs, int64_t rhs) {
  return rem(lhs, constant(rhs));
}

Value CodeBuilder::ceilDiv(Value lhs, Value rhs) {
  return div(add(lhs, sub(rhs, constant(1))), rhs);
}

Value CodeBuilder::ceilDiv(Value lhs, int64_t rhs) {
  return div(add(lhs, rhs - 1), rhs);
}

Value CodeBuilder::min(Value lhs, Value rhs) {
  auto x = getConstant(lhs), y = getConstant(rhs);
  if (x && y)
    return constant(std::min(*x, *y));
  return arith::MinSIOp::create(b, loc, lhs, rhs);
}

Value CodeBuilder::max(Value lhs, Value rhs) {
  auto x = getConstant(lhs), y = getConstant(rhs);
  if (x && y)
    return constant(std::max(*x, *y));
  return arith::MaxSIOp::create(b, loc, lhs, rhs);
}

Value CodeBuilder::lt(Value lhs, Value rhs) {
  return b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, lhs,
                                       rhs);
}

Value CodeBuilder::le(Value lhs, Value rhs) {
  return b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sle, lhs,
                                       rhs);
}

Value CodeBuilder::eq(Value lhs, Value rhs) {
  return b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, lhs, rhs);
}

Value CodeBuilder::both(Value lhs, Value rhs) {
  return b.createOrFold<arith::AndIOp>(loc, lhs, rhs);
}

Value CodeBuilder::select(Value condition, Value ifTrue, Value ifFalse) {
  if (auto known = getConstant(condition))
    return *known ? ifTrue : ifFalse;
  return arith::SelectOp::create(b, loc, condition, ifTrue, ifFalse);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Type CodeBuilder::ptrType() {
  return LLVM::LLVMPointerType::get(b.getContext());
}

Value CodeBuilder::offset(Value ptr, Value bytes) {
  if (auto known = getConstant(bytes))
    return offset(ptr, *known);
  return LLVM::GEPOp::create(b, loc, ptrType(), b.getI8Type(), ptr,
                             ArrayRef<LLVM::GEPArg>{bytes});
}

Value CodeBuilder::offset(Value ptr, int64_t bytes) {
  if (bytes == 0)
    return ptr;
  // A constant index of a getelementptr has 32 bits.
  if (!llvm::isInt<32>(bytes)) {
    Value index = constant(bytes);
    return LLVM::GEPOp::create(b, loc, ptrType(), b.getI8Type(), ptr,
                               ArrayRef<LLVM::GEPArg>{index});
  }
  return LLVM::GEPOp::create(
      b, loc, ptrType(), b.getI8Type(), ptr,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(bytes)});
}

Value CodeBuilder::opaque(Value ptr) {
  return LLVM::LaunderInvariantGroupOp::create(b, loc, ptrType(), ptr);
}

static unsigned getElementAlignment(Type type) {
  if (isa<LLVM::LLVMPointerType>(type))
    return 8;
  unsigned bits = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  return std::max(1u, bits / 8);
}

Value CodeBuilder::load(Type type, Value ptr) {
  return LLVM::LoadOp::create(b, loc, type, ptr, getElementAlignment(type));
}

void CodeBuilder::store(Value value, Value ptr) {
  LLVM::StoreOp::create(b, loc, value, ptr,
                        getElementAlignment(value.getType()));
}

void CodeBuilder::prefetch(Value ptr, bool forWrite, int64_t level) {
  LLVM::Prefetch::create(b, loc, ptr, /*rw=*/forWrite ? 1 : 0,
                         /*hint=*/4 - level,
                         /*cache=*/1);
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

Value CodeBuilder::zero(Type type) {
  return arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
}

Value CodeBuilder::splat(VectorType type, Value scalar) {
  return vector::BroadcastOp::create(b, loc, type, scalar);
}

Value CodeBuilder::multiplyAdd(Value lhs, Value rhs, Value acc, bool fused) {
  if (fused)
    return math::FmaOp::create(b, loc, lhs, rhs, acc);
  Value product = arith::MulFOp::create(b, loc, lhs, rhs);
  return arith::AddFOp::create(b, loc, acc, product);
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

SmallVector<Value> CodeBuilder::forLoop(Value begin, Value end, Value step,
                                        ValueRange init, LoopBody body) {
  auto loop = scf::ForOp::create(
      b, loc, begin, end, step, init,
      [&](OpBuilder &nested, Location, Value index, ValueRange carried) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToEnd(nested.getInsertionBlock());
        SmallVector<Value> next = body(index, carried);
        scf::YieldOp::create(b, loc, next);
      });
  return SmallVector<Value>(loop.getResults());
}

void CodeBuilder::forLoop(Value begin, Value end, Value step,
                          llvm::function_ref<void(Value)> body) {
  forLoop(begin, end, step, ValueRange(), [&](Value index, ValueRange) {
    body(index);
    return SmallVector<Value>();
  });
}

void CodeBuilder::ifThen(Value condition, llvm::function_ref<void()> then,
                         llvm::function_ref<void()> otherwise) {
  if (auto known = getConstant(condition)) {
    if (*known)
      then();
    else if (otherwise)
      otherwise();
    return;
  }
  auto branch = scf::IfOp::create(b, loc, condition,
                                  /*withElseRegion=*/bool(otherwise));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
  then();
  if (!otherwise)
    return;
  b.setInsertionPoint(branch.elseBlock()->getTerminator());
  otherwise();
}

Value CodeBuilder::choose(Value condition, llvm::function_ref<Value()> then,
                          llvm::function_ref<Value()> otherwise) {
  if (auto known = getConstant(condition))
    return *known ? then() : otherwise();
  auto inBlock = [&](llvm::function_ref<Value()> value) {
    return [this, value](OpBuilder &nested, Location) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToEnd(nested.getInsertionBlock());
      scf::YieldOp::create(b, loc, value());
    };
  };
  auto branch =
      scf::IfOp::create(b, loc, condition, inBlock(then), inBlock(otherwise));
  return branch.getResult(0);
}

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

static func::FuncOp
createHelper(MLIRContext *context, Operation *symbolTable, StringRef name,
             TypeRange arguments,
             llvm::function_ref<void(CodeBuilder &, ValueRange)> body) {
  OpBuilder builder(context);
  builder.setInsertionPointToEnd(&symbolTable->getRegion(0).front());
  Location loc = UnknownLoc::get(context);
  auto function = func::FuncOp::create(builder, loc, name,
                                       builder.getFunctionType(arguments, {}));
  function.setPrivate();
  function->setAttr(kHelperAttr, builder.getUnitAttr());
  function->setAttr("llvm.linkage",
                    LLVM::LinkageAttr::get(context, LLVM::Linkage::Internal));
  function->setAttr("passthrough",
                    // Loops must not become calls to memset.
                    builder.getStrArrayAttr({"noinline", "no-builtins"}));
  Block *block = function.addEntryBlock();
  builder.setInsertionPointToEnd(block);
  CodeBuilder code(builder, loc);
  body(code, block->getArguments());
  func::ReturnOp::create(builder, loc);
  return function;
}

void dyn::callHelper(CodeBuilder &b, Operation *symbolTable, StringRef name,
                     ArrayRef<Value> operands,
                     llvm::function_ref<void(CodeBuilder &, ValueRange)> body) {
  Operation *function = SymbolTable::lookupSymbolIn(symbolTable, name);
  if (!function)
    function = createHelper(b.builder().getContext(), symbolTable, name,
                            ValueRange(operands).getTypes(), body);
  func::CallOp::create(b.builder(), b.getLoc(), cast<func::FuncOp>(function),
                       operands);
}
