//===- AttentionProblem.cpp - The problem of an attention -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionProblem.h"

#include "Codegen/GPU/GpuSchedule.h"

#include "Codegen/Common/Elements/VectorMath.h"
#include "dyn/Dialect/DHLO/Analysis/HeadTranspose.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

#include <cmath>

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;

std::optional<AttentionProblem>
AttentionProblem::make(dlhlo::KernelOp kernel, const SymbolicDims &dims) {
  AttentionProblem problem;
  // The first attention is the only one allowed.
  auto isAttention = [&](Operation *other) {
    auto found = dyn_cast<dhlo::AttentionOp>(other);
    if (problem.op || !found)
      return false;
    problem.op = found;
    return true;
  };
  if (failed(checkOperations(kernel, isAttention)))
    return std::nullopt;
  if (!problem.op) {
    kernel.emitError("no code generation for a GPU for kernels of kind "
                     "'attention' without one");
    return std::nullopt;
  }
  if (!hasGpuSchedule(problem.op)) {
    problem.op.emitError("no code generation for a GPU for attention on ")
        << problem.op.getValue().getType();
    return std::nullopt;
  }
  OperandRange results =
      kernel.getBody().front().getTerminator()->getOperands();
  problem.result = results.front();
  Operation *last = problem.result.getDefiningOp();
  if (swapsHeads(last))
    last = last->getOperand(0).getDefiningOp();
  if (last != problem.op || results.size() != 1) {
    problem.op.emitError("no code generation for a GPU for the consumers of "
                         "this attention in its kernel");
    return std::nullopt;
  }
  return problem;
}

bool AttentionProblem::movesOperands() {
  return llvm::any_of(
      ArrayRef<Value>{op.getQuery(), op.getKey(), op.getValue()},
      [](Value operand) {
        Operation *source = operand.getDefiningOp();
        if (swapsHeads(source))
          source = source->getOperand(0).getDefiningOp();
        return source != nullptr;
      });
}

OpFoldResult AttentionProblem::getSharing(KernelBuilder &b) {
  const SymbolicDims &dims = b.getDims();
  dhlo::DimExpr heads = dims.getDim(op.getQuery(), 1);
  dhlo::DimExpr groups = dims.getDim(op.getKey(), 1);
  return dims.isEqual(heads, groups) ? b.constant(1)
                                     : b.div(b.size(heads), b.size(groups));
}

OpFoldResult AttentionProblem::getMatrices(KernelBuilder &b) {
  return b.mul(b.size(op.getKey(), 0), b.size(op.getKey(), 1));
}

AttentionProblem::Matrix AttentionProblem::getMatrix(KernelBuilder &b,
                                                     OpFoldResult number) {
  OpFoldResult groups = b.size(op.getKey(), 1);
  return {b.div(number, groups), b.rem(number, groups)};
}

OpFoldResult AttentionProblem::getRows(KernelBuilder &b) {
  return b.mul(getSharing(b), getQueries(b));
}

AttentionProblem::Row AttentionProblem::getRow(KernelBuilder &b,
                                               const Matrix &matrix,
                                               OpFoldResult number) {
  OpFoldResult sharing = getSharing(b);
  if (getConstantIntValue(sharing) == 1)
    return {matrix.image, matrix.group, number};
  OpFoldResult queries = getQueries(b);
  return {matrix.image,
          b.add(b.mul(matrix.group, sharing), b.div(number, queries)),
          b.rem(number, queries)};
}

/// Elements of a rank-4 tensor, from the innermost index on.
static Value emitAt(KernelBuilder &b, Value tensor,
                    ArrayRef<OpFoldResult> index, int64_t lanes) {
  SmallVector<Value> values;
  for (OpFoldResult i : index)
    values.push_back(b.value(i));
  return ElementEmitter(b).emit(tensor, values, lanes);
}

Value AttentionProblem::emitQuery(KernelBuilder &b, const Row &row,
                                  OpFoldResult step, int64_t lanes) {
  return emitAt(b, op.getQuery(), {row.image, row.head, row.query, step},
                lanes);
}

Value AttentionProblem::emitKey(KernelBuilder &b, const Matrix &matrix,
                                OpFoldResult key, OpFoldResult step,
                                int64_t lanes) {
  return emitAt(b, op.getKey(), {matrix.image, matrix.group, key, step}, lanes);
}

Value AttentionProblem::emitValue(KernelBuilder &b, const Matrix &matrix,
                                  OpFoldResult key, OpFoldResult column,
                                  int64_t lanes) {
  return emitAt(b, op.getValue(), {matrix.image, matrix.group, key, column},
                lanes);
}

Value AttentionProblem::emitMask(KernelBuilder &b, const Row &row,
                                 OpFoldResult key) {
  const SymbolicDims &dims = b.getDims();
  OpFoldResult indices[] = {row.image, row.head, row.query, key};
  Value scores[] = {op.getQuery(), op.getQuery(), op.getQuery(), op.getKey()};
  SmallVector<OpFoldResult> index;
  for (int64_t axis = 0; axis < 4; ++axis) {
    dhlo::DimExpr size = dims.getDim(op.getMask(), axis);
    // Size 1 is broadcast; whether a size is 1 may be known only at run time.
    if (size.isConst(1))
      index.push_back(b.constant(0));
    else if (dims.isEqual(size,
                          dims.getDim(scores[axis], axis == 3 ? 2 : axis)))
      index.push_back(indices[axis]);
    else
      index.push_back(
          b.select(b.cmp(CmpIPredicate::eq, b.size(size), b.constant(1)),
                   b.constant(0), indices[axis]));
  }
  return emitAt(b, op.getMask(), index, 1);
}

Value AttentionProblem::emitScore(KernelBuilder &b, const Row &row,
                                  OpFoldResult key, Value dot) {
  Type sum = dot.getType();
  Value score = arith::MulFOp::create(
      b, dot, b.number(op.getScale().convertToDouble(), sum));
  if (auto cap = op.getCap())
    score = vectormath::limitSoftly(b, score, cap->convertToDouble());
  if (!op.getMask())
    return score;
  Value mask = emitMask(b, row, key);
  if (isa<FloatType>(mask.getType()))
    return arith::AddFOp::create(b, score, mask);
  return arith::SelectOp::create(b, mask, score, b.number(-INFINITY, sum));
}

OpFoldResult AttentionProblem::getSeen(KernelBuilder &b, const Row &row) {
  OpFoldResult keys = getKeys(b);
  if (!op.getCausal())
    return keys;
  return b.add(b.add(row.query, b.constant(1)), b.sub(keys, getQueries(b)));
}

OpFoldResult AttentionProblem::getSeenByAny(KernelBuilder &b,
                                            OpFoldResult first,
                                            OpFoldResult count) {
  OpFoldResult keys = getKeys(b), queries = getQueries(b);
  if (!op.getCausal())
    return keys;
  // The last row attends to the most keys. If a head ends among the rows, one
  // attends to all.
  OpFoldResult query = b.rem(first, queries);
  OpFoldResult last = b.min(queries, b.add(query, count));
  return b.max(b.constant(0), b.add(last, b.sub(keys, queries)));
}

Value AttentionProblem::emitEmptySum(KernelBuilder &b) {
  Type f32 = b.getF32Type();
  Value one = b.number(1, f32);
  if (!op.getNanIfEmpty())
    return one;
  // Sums of no values are 0: multiplied by the reciprocal of 0, NaN.
  Value hasNoKeys = b.cmp(CmpIPredicate::eq, getKeys(b), b.constant(0));
  return arith::SelectOp::create(b, hasNoKeys, one, b.number(0, f32));
}

void AttentionProblem::store(KernelBuilder &b, const Row &row,
                             OpFoldResult column, Value values, int64_t lanes) {
  SmallVector<Value> index = {b.value(row.image), b.value(row.head),
                              b.value(row.query), b.value(column)};
  if (result != op.getResult())
    std::swap(index[1], index[2]);
  ElementEmitter e(b);
  e.store(values, 0, e.atIndex(result, index, lanes), lanes);
}
