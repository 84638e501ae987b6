//===- Bf16Bits.cpp - bf16 as its bits ------------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bf16Bits.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dyn;

static bool isBf16(Type type) { return getElementTypeOrSelf(type).isBF16(); }

/// An element type in as many lanes as another type has.
static Type withElement(Type type, Type element) {
  auto lanes = dyn_cast<VectorType>(type);
  return lanes ? Type(lanes.clone(element)) : element;
}

static Value makeNumber(ImplicitLocOpBuilder &b, Type type, uint32_t v) {
  TypedAttr attr = b.getIntegerAttr(getElementTypeOrSelf(type), v);
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, Attribute(attr));
  return LLVM::ConstantOp::create(b, type, attr);
}

/// A float as f32.
static Value makeFloat(ImplicitLocOpBuilder &b, Value x) {
  Type type = withElement(x.getType(), b.getF32Type());
  unsigned width = getElementTypeOrSelf(x.getType()).getIntOrFloatBitWidth();
  if (width == 32)
    return x;
  return width > 32 ? LLVM::FPTruncOp::create(b, type, x).getResult()
                    : LLVM::FPExtOp::create(b, type, x).getResult();
}

/// The bits of the nearest bf16 of an f32. A NaN has those that a GPU gives it.
static Value narrow(ImplicitLocOpBuilder &b, Value wide) {
  Type word = withElement(wide.getType(), b.getI32Type()),
       half = withElement(wide.getType(), b.getI16Type());
  auto top = [&](Value x) -> Value {
    return LLVM::LShrOp::create(b, x, makeNumber(b, word, 16));
  };
  Value bits = LLVM::BitcastOp::create(b, word, wide);
  Value odd = LLVM::AndOp::create(b, top(bits), makeNumber(b, word, 1));
  Value raised = LLVM::AddOp::create(
      b, LLVM::AddOp::create(b, bits, makeNumber(b, word, 0x7fff)), odd);
  Value rounded = LLVM::TruncOp::create(b, half, top(raised));
  Value isNan = LLVM::FCmpOp::create(b, LLVM::FCmpPredicate::uno, wide, wide);
  return LLVM::SelectOp::create(b, isNan, makeNumber(b, half, 0x7fff), rounded);
}

/// The f32 that has these bits as its first half.
static Value widen(ImplicitLocOpBuilder &b, Value bits) {
  Type word = withElement(bits.getType(), b.getI32Type());
  Value wide = LLVM::ZExtOp::create(b, word, bits);
  wide = LLVM::ShlOp::create(b, wide, makeNumber(b, word, 16));
  return LLVM::BitcastOp::create(b, withElement(word, b.getF32Type()), wide);
}

/// Integers become bf16 by way of f32, as for the CPU.
template <typename Op>
static Value narrowInteger(ImplicitLocOpBuilder &b, Op op) {
  Type type = withElement(op.getType(), b.getF32Type());
  return narrow(b, Op::create(b, type, op.getArg()));
}

/// The value that replaces the result of a conversion from or to bf16. Values
/// that are not results of conversions have the type of their bits.
static Value convert(ImplicitLocOpBuilder &b, Operation *op) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](LLVM::FPTruncOp op) {
        return narrow(b, makeFloat(b, op.getArg()));
      })
      .Case<LLVM::SIToFPOp, LLVM::UIToFPOp>(
          [&](auto op) { return narrowInteger(b, op); })
      .Case([&](LLVM::FPExtOp op) -> Value {
        Value wide = widen(b, op.getArg());
        if (op.getType() == wide.getType())
          return wide;
        return LLVM::FPExtOp::create(b, op.getType(), wide);
      })
      .Case([&](LLVM::BitcastOp op) {
        // Also of another number of lanes.
        return b.createOrFold<LLVM::BitcastOp>(
            isBf16(op.getType()) ? withElement(op.getType(), b.getI16Type())
                                 : op.getType(),
            op.getArg());
      })
      .Case([&](LLVM::ConstantOp op) {
        Type bits = withElement(op.getType(), b.getI16Type());
        TypedAttr value;
        if (auto number = dyn_cast<FloatAttr>(op.getValue()))
          value = b.getIntegerAttr(bits, number.getValue().bitcastToAPInt());
        else
          value =
              cast<DenseElementsAttr>(op.getValue()).bitcast(b.getI16Type());
        return LLVM::ConstantOp::create(b, bits, value);
      });
}

/// Whether an operation moves values of any type.
static bool isMovement(Operation *op) {
  // Operations of LLVM, which has no trait for them.
  return op->hasTrait<OpTrait::IsTerminator>() ||
         isa<LLVM::LoadOp, LLVM::StoreOp, LLVM::InsertElementOp,
             LLVM::ExtractElementOp, LLVM::ShuffleVectorOp, LLVM::SelectOp,
             LLVM::PoisonOp, LLVM::UndefOp, LLVM::ZeroOp, LLVM::FreezeOp>(op);
}

/// Whether `convert` replaces an operation.
static bool isConversion(Operation *op) {
  // Those of `convert`, each with a function of its own there.
  return isa<LLVM::FPTruncOp, LLVM::FPExtOp, LLVM::SIToFPOp, LLVM::UIToFPOp,
             LLVM::BitcastOp, LLVM::ConstantOp>(op);
}

LogicalResult dyn::replaceBf16(LLVM::LLVMFuncOp function) {
  SmallVector<Operation *> conversions;
  Type half = IntegerType::get(function.getContext(), 16);
  auto setType = [&](Value value) {
    if (isBf16(value.getType()))
      value.setType(withElement(value.getType(), half));
  };
  auto result = function.walk([&](Operation *op) {
    if (llvm::none_of(op->getOperandTypes(), isBf16) &&
        llvm::none_of(op->getResultTypes(), isBf16))
      return WalkResult::advance();
    if (isConversion(op))
      conversions.push_back(op);
    else if (!isMovement(op))
      return WalkResult(op->emitError("cannot be emulated: expected bf16 to be "
                                      "moved or converted"));
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  function.walk([&](Block *block) {
    llvm::for_each(block->getArguments(), setType);
    for (Operation &op : *block)
      if (!isConversion(&op))
        llvm::for_each(op.getResults(), setType);
  });
  for (Operation *op : conversions) {
    ImplicitLocOpBuilder b(op->getLoc(), op);
    op->getResult(0).replaceAllUsesWith(convert(b, op));
    op->erase();
  }
  return success();
}
