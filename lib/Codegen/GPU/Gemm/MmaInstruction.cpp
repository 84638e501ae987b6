//===- MmaInstruction.cpp - A warp's matmul by tensor cores ---------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MmaInstruction.h"

#include "Codegen/GPU/GpuSchedule.h"
#include "Codegen/GPU/GpuThread.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace dyn;

MmaInstruction::MmaInstruction(KernelBuilder &b, Type element)
    : b(b), element(element) {
  OpFoldResult lane = b.rem(GpuThread(b).getThread(), b.constant(kWarp));
  g = b.div(lane, b.constant(kRowLanes));
  t = b.rem(lane, b.constant(kRowLanes));
}

// The instruction takes pairs of bf16 as integers.

Value MmaInstruction::loadPair(Value shared, OpFoldResult index) {
  GpuThread self(b);
  if (element.isBF16())
    return self.loadShared(shared, b.div(index, b.constant(2)), b.getI32Type(),
                           1);
  return self.loadShared(shared, index, element, 2);
}

Value MmaInstruction::toPair(Value word) {
  return element.isBF16()
             ? word
             : LLVM::BitcastOp::create(b, VectorType::get({2}, element), word)
                   .getResult();
}

Value MmaInstruction::makePair(Value first, Value second) {
  Value wide = vector::FromElementsOp::create(
      b, VectorType::get({2}, b.getF32Type()), ValueRange{first, second});
  Value pair = b.toStorage(wide, element);
  return element.isBF16()
             ? LLVM::BitcastOp::create(b, b.getI32Type(), pair).getResult()
             : pair;
}

SmallVector<Value> MmaInstruction::multiply(ValueRange lhs, ValueRange rhs,
                                            ValueRange sums) {
  auto type = LLVM::LLVMStructType::getLiteral(
      b.getContext(), SmallVector<Type>(4, b.getF32Type()));
  auto kind = element.isBF16() ? NVVM::MMATypes::bf16 : NVVM::MMATypes::f16;
  Value result = NVVM::MmaOp::create(
      b, type, lhs, rhs, sums, {kRows, kColumns, kDepth},
      /*b1Op=*/std::nullopt, /*intOverflow=*/std::nullopt,
      std::array{kind, kind},
      std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
  SmallVector<Value> next;
  for (int64_t i = 0; i < 4; ++i)
    next.push_back(LLVM::ExtractValueOp::create(b, result, i));
  return next;
}
