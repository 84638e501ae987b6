//===- SegmentFilter.cpp - The elements that come before another ----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen/CPU/Single/SegmentFilter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;

static constexpr int64_t kLanes = CodegenOptions::kLanes;

SmallVector<Value>
dyn::filterVector(ElementEmitter &e, const SegmentProblem &problem,
                  SegmentProblem::Line line, Value begin, Value bound,
                  ValueRange carried,
                  llvm::function_ref<SmallVector<Value>(Value, Value)> body) {
  KernelBuilder &b = e.getBuilder();
  Value elements = problem.key(e, line, begin, kLanes);
  Value found = problem.isBefore(b, elements, b.splat(bound, kLanes));
  Value any = vector::ReductionOp::create(b, vector::CombiningKind::OR, found);
  return b.valuesIf(any, carried, [&] { return body(elements, found); });
}

SmallVector<Value> dyn::forEachFound(
    KernelBuilder &b, Value found, ValueRange carried,
    llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  // A bit for each lane.
  Type word = b.getIntegerType(kLanes);
  SmallVector<Value> inits{LLVM::BitcastOp::create(b, word, found)};
  llvm::append_range(inits, carried);
  auto loop = scf::WhileOp::create(
      b, ValueRange(inits).getTypes(), inits,
      [&](OpBuilder &, Location, ValueRange old) {
        Value isLeft = arith::CmpIOp::create(b, CmpIPredicate::ne, old[0],
                                             b.number(0, word));
        scf::ConditionOp::create(b, isLeft, old);
      },
      [&](OpBuilder &, Location, ValueRange old) {
        Value lane = LLVM::CountTrailingZerosOp::create(
            b, word, old[0], /*is_zero_poison=*/true);
        SmallVector<Value> next = body(
            arith::ExtUIOp::create(b, b.getI64Type(), lane), old.drop_front());
        // Without the lowest bit.
        Value lower = arith::SubIOp::create(b, old[0], b.number(1, word));
        next.insert(next.begin(), arith::AndIOp::create(b, old[0], lower));
        scf::YieldOp::create(b, next);
      });
  return SmallVector<Value>(loop.getResults().drop_front());
}
