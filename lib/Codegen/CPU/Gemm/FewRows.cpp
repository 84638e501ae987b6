//===- FewRows.cpp - GEMMs of few rows, by matrices that are not packed ---===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A work item is a matrix and 64 columns. Items of one matrix are consecutive,
// so a thread multiplies the rows by all columns of its items at once, up to as
// many as there is scratch for.

#include "Codegen/CPU/Gemm/FewRows.h"

#include "Codegen/CPU/Gemm/FewRowKernels.h"
#include "Codegen/CPU/Gemm/GemmTiles.h"
#include "Codegen/Common/Elements/OpEmitters.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;

/// Columns of an item; columns of scratch, in which the sums of a call stay in
/// the L1 cache; floats of a row of scratch before and behind them.
static constexpr int64_t kItemColumns = 64, kCallColumns = 1024, kPadding = 16;
static constexpr int64_t kRowBytes = (kCallColumns + 2 * kPadding) * 4;

/// The maximum number of rows: of rows of N, those of two calls, which pass all
/// of B.
static int64_t getMaxRows(RhsOrder order) {
  return (order == RhsOrder::RowsOfN ? 2 : 1) * FewRowKernels::kMaxRows;
}

static Type getElement(Value operand) {
  return cast<RankedTensorType>(operand.getType()).getElementType();
}

std::optional<FewRows> FewRows::create(KernelBuilder &b, const Gemm &gemm) {
  const SymbolicDims &dims = b.getDims();
  FewRows few(gemm, dims.getRange(gemm.m), dims.getRange(gemm.n));
  bool isRead =
      gemm.factors == Factors::F32 && gemm.rhsOrder != RhsOrder::Panels;
  if (!isRead || few.rows.min > getMaxRows(gemm.rhsOrder) ||
      few.columns.max < kPadding)
    return std::nullopt;
  return few;
}

Value FewRows::isFew(KernelBuilder &b) const {
  int64_t maxRows = getMaxRows(gemm.rhsOrder);
  Value result;
  auto require = [&](Value condition) {
    result = result ? arith::AndIOp::create(b, result, condition).getResult()
                    : condition;
  };
  if (rows.max > maxRows)
    require(b.cmp(CmpIPredicate::sle, b.size(gemm.m), b.constant(maxRows)));
  // A vector of columns is read at once.
  if (columns.min < kPadding)
    require(b.cmp(CmpIPredicate::sge, b.size(gemm.n), b.constant(kPadding)));
  return result;
}

OpFoldResult FewRows::getItems(KernelBuilder &b) const {
  OpFoldResult columns = b.ceilDiv(b.size(gemm.n), b.constant(kItemColumns));
  OpFoldResult hasRows = b.min(b.size(gemm.m), b.constant(1));
  return b.mul(hasRows, b.mul(b.size(gemm.g), columns));
}

OpFoldResult FewRows::getScratchBytes(KernelBuilder &b) const {
  return b.constant(FewRowKernels::kMaxRows * kRowBytes);
}

void FewRows::emitBody(KernelBuilder &b, Operation *symbolTable) const {
  FewRowKernels kernels(symbolTable, b.getOptions().isa(), getElement(gemm.lhs),
                        getElement(gemm.rhs));
  OpFoldResult m = b.size(gemm.m), n = b.size(gemm.n), k = b.size(gemm.k);
  OpFoldResult zero = b.constant(0), one = b.constant(1);
  OpFoldResult width = b.constant(kItemColumns), padding = b.constant(kPadding);
  OpFoldResult items = b.ceilDiv(n, width);
  bool isRowsOfN = gemm.rhsOrder == RhsOrder::RowsOfN;
  auto getBytes = [&](Value operand, OpFoldResult count) {
    return b.value(b.mul(count, b.constant(getElementBytes(operand))));
  };
  auto buffer = [&](Value operand, OpFoldResult first) {
    return b.address(b.buffer(cast<BlockArgument>(operand).getArgNumber()),
                     first, getStorageType(getElement(operand)));
  };
  GemmEpilogue epilogue(b, gemm.result, dhlo::mul(gemm.g, gemm.m), gemm.n);
  Type f32 = b.getF32Type();

  FewRowCall call;
  call.aRow = getBytes(gemm.lhs, gemm.lhsRows ? k : one);
  call.aStep = getBytes(gemm.lhs, gemm.lhsRows ? one : m);
  call.bRow = getBytes(gemm.rhs, isRowsOfN ? n : k);
  call.depth = b.value(k);
  call.c = b.address(b.scratch(zero), padding, f32);
  call.cRow = b.value(b.constant(kRowBytes));
  // With rows that share sets of the L1 cache, fewer are read at once.
  std::optional<int64_t> depth = getConstantIntValue(k);
  bool isNarrow =
      depth && sharesSets(b.getCpu(), *depth * getElementBytes(gemm.rhs));

  // Tiles of rows differ by at most one row.
  OpFoldResult limit = b.constant(FewRowKernels::kMaxRows);
  OpFoldResult tiles = b.ceilDiv(m, limit);
  int64_t most = std::min(rows.max, getMaxRows(gemm.rhsOrder));
  int64_t least = std::max<int64_t>(1, rows.min);
  if (most > FewRowKernels::kMaxRows) {
    most = FewRowKernels::kMaxRows;
    least = std::min(least, most / 2 + 1);
  }
  auto emitColumns = [&](OpFoldResult g, OpFoldResult column,
                         OpFoldResult count) {
    OpFoldResult offset = isRowsOfN ? column : b.mul(column, k);
    call.b = buffer(gemm.rhs, b.add(b.mul(g, b.mul(k, n)), offset));
    call.columns = b.value(count);
    b.loop(zero, tiles, 1, [&](Value tile) {
      OpFoldResult first = getPartStart(b, tile, m, tiles);
      OpFoldResult height =
          b.sub(getPartStart(b, b.add(tile, one), m, tiles), first);
      OpFoldResult above = gemm.lhsRows ? b.mul(first, k) : first;
      call.a = buffer(gemm.lhs, b.add(b.mul(g, b.mul(m, k)), above));
      CodeBuilder code(b, b.getLoc());
      for (int64_t i = least; i <= most; ++i) {
        auto emit = [&] {
          kernels.call(code, gemm.rhsOrder, i, isNarrow, call);
        };
        if (least == most)
          emit();
        else
          code.ifThen(code.eq(b.value(height), code.constant(i)), emit);
      }
      epilogue.emitColumns(b.add(b.mul(g, m), first), height, column, count,
                           call.c, b.constant(kRowBytes / 4));
    });
  };
  b.loop(b.div(b.begin(), items), b.ceilDiv(b.end(), items), 1, [&](Value g) {
    OpFoldResult before = b.mul(g, items);
    OpFoldResult first = b.max(zero, b.sub(b.begin(), before));
    OpFoldResult last = b.min(items, b.sub(b.end(), before));
    OpFoldResult end = b.min(n, b.mul(last, width));
    b.loop(b.mul(first, width), end, kCallColumns, [&](Value column) {
      emitColumns(g, column,
                  b.min(b.constant(kCallColumns), b.sub(end, column)));
    });
  });
}
