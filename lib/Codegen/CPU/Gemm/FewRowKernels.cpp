//===- FewRowKernels.cpp - Few rows by a matrix in memory -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen/CPU/Gemm/FewRowKernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace dyn;

namespace {

/// Bytes of a result.
constexpr int64_t kElement = 4;
/// Rows of N that are read at once.
constexpr int64_t kUnroll = 4;

/// Emits the body of a function.
class Emitter {
public:
  Emitter(CodeBuilder &b, ValueRange args, int64_t rows,
          const ElementSource &lhs, const ElementSource &rhs,
          const GemmArithmetic &arithmetic)
      : b(b), rows(rows), lhs(lhs), rhs(rhs), arithmetic(arithmetic),
        lanes(arithmetic.getLanes()), vectorType(arithmetic.getType()),
        a(args[0]), aRow(args[1]), aStep(args[2]), matrix(args[3]),
        bRow(args[4]), depth(args[5]), columns(args[6]), c(args[7]),
        cRow(args[8]) {}

  void emitRowsOfN();
  void emitRowsOfK(int64_t vectors);

private:
  /// The elements `k`, `k + 1`, ... of each row of A, in every lane.
  SmallVector<Value> loadLhs(Value k, int64_t count);
  /// Adds `count` rows of B from `k` on to the results, or writes these.
  void emitRows(Value k, int64_t count, bool isFirst);
  /// The results of `vectors` vectors of columns, which begin at `start`.
  SmallVector<Value> emitColumns(Value start, int64_t vectors);

  CodeBuilder &b;
  int64_t rows;
  const ElementSource &lhs, &rhs;
  const GemmArithmetic &arithmetic;
  int64_t lanes;
  VectorType vectorType;
  Value a, aRow, aStep, matrix, bRow, depth, columns, c, cRow;
};

SmallVector<Value> Emitter::loadLhs(Value k, int64_t count) {
  SmallVector<Value> values;
  Value first = b.offset(a, b.mul(k, aStep));
  for (int64_t i = 0; i < count; ++i) {
    Value ptr = first;
    for (int64_t m = 0; m < rows; ++m) {
      values.push_back(
          b.splat(vectorType, lhs.load(b, vectorType.getElementType(), ptr,
                                       b.constant(0))));
      ptr = b.offset(ptr, aRow);
    }
    first = b.offset(first, aStep);
  }
  return values;
}

//===----------------------------------------------------------------------===//
// Rows of N
//===----------------------------------------------------------------------===//

void Emitter::emitRows(Value k, int64_t count, bool isFirst) {
  SmallVector<Value> factors = loadLhs(k, count);
  SmallVector<Value> starts;
  for (int64_t i = 0; i < count; ++i)
    starts.push_back(b.offset(matrix, b.mul(b.add(k, i), bRow)));
  // The last vector ends with the last column. Its sums are behind those of the
  // others, which have some of the same columns.
  Value last = b.sub(columns, b.constant(lanes));
  b.forLoop(b.constant(0), columns, b.constant(lanes), [&](Value column) {
    Value from = b.min(column, last);
    SmallVector<Value> vectors;
    for (Value start : starts)
      vectors.push_back(rhs.load(b, vectorType, start, from));
    Value to = b.offset(c, b.mul(column, kElement));
    for (int64_t m = 0; m < rows; ++m) {
      Value sum = isFirst ? b.zero(vectorType) : b.load(vectorType, to);
      for (int64_t i = 0; i < count; ++i)
        sum = arithmetic.multiplyAdd(b, factors[i * rows + m], vectors[i], sum);
      b.store(sum, to);
      to = b.offset(to, cRow);
    }
  });
}

void Emitter::emitRowsOfN() {
  // The first rows, so many that a multiple of kUnroll follows.
  Value begin = b.constant(0);
  Value first =
      b.sub(depth, b.mul(b.div(b.sub(depth, b.constant(1)), kUnroll), kUnroll));
  first = b.select(b.le(depth, begin), begin, first);
  for (int64_t count = 0; count <= kUnroll; ++count)
    b.ifThen(b.eq(first, b.constant(count)),
             [&] { emitRows(begin, count, /*isFirst=*/true); });
  b.forLoop(first, depth, b.constant(kUnroll),
            [&](Value k) { emitRows(k, kUnroll, /*isFirst=*/false); });
  // Move the last vector's sums to their columns.
  Value behind = b.mul(b.div(b.sub(columns, b.constant(1)), lanes), lanes);
  Value from = b.offset(c, b.mul(behind, kElement));
  Value to = b.offset(c, b.mul(b.sub(columns, b.constant(lanes)), kElement));
  for (int64_t m = 0; m < rows; ++m) {
    b.store(b.load(vectorType, from), to);
    from = b.offset(from, cRow);
    to = b.offset(to, cRow);
  }
}

//===----------------------------------------------------------------------===//
// Rows of K
//===----------------------------------------------------------------------===//

/// Rows of K from several pointers, each of which kRowsPerPointer use: strides
/// scaled by 1, 2 and 4 fit x86's addressing modes (MicroKernel.h).
constexpr int64_t kRowsPerPointer = 5;

SmallVector<Value> Emitter::emitColumns(Value start, int64_t vectors) {
  int64_t piece = getColumnPiece(lanes), count = vectors * lanes;
  SmallVector<Value> carried(rows * vectors, b.zero(vectorType));
  SmallVector<Value> rowOffsets;
  for (int64_t i = 0; i <= kRowsPerPointer; ++i)
    rowOffsets.push_back(b.mul(bRow, i));
  for (int64_t i = 0; i < count; i += kRowsPerPointer) {
    carried.push_back(start);
    start = b.offset(start, rowOffsets.back());
  }
  // The columns `vector * lanes`, ..., of which `pointers` have the first ones.
  auto getStarts = [&](ValueRange pointers, int64_t vector) {
    SmallVector<Value> starts;
    for (int64_t i = vector * lanes; i < (vector + 1) * lanes; ++i)
      starts.push_back(b.offset(pointers[i / kRowsPerPointer],
                                rowOffsets[i % kRowsPerPointer]));
    return starts;
  };
  // Multiplies the next `size` elements along k, which begin at `k`.
  using LoadFn = llvm::function_ref<SmallVector<Value>(ArrayRef<Value> starts)>;
  auto multiply = [&](Value k, int64_t size, ValueRange carried, LoadFn load,
                      Value skipped = {}) {
    SmallVector<Value> next(carried), pointers;
    for (Value &pointer : MutableArrayRef(next).drop_front(rows * vectors)) {
      pointers.push_back(b.opaque(pointer));
      pointer = b.offset(pointers.back(), size * rhs.getBytes());
    }
    SmallVector<Value> factors = loadLhs(k, size);
    for (int64_t v = 0; v < vectors; ++v) {
      SmallVector<Value> columns = load(getStarts(pointers, v));
      for (int64_t i = 0; i < size; ++i)
        for (int64_t m = 0; m < rows; ++m) {
          Value &sum = next[m * vectors + v];
          Value added =
              arithmetic.multiplyAdd(b, factors[i * rows + m], columns[i], sum);
          sum = skipped ? b.select(b.le(skipped, b.constant(i)), added, sum)
                        : added;
        }
    }
    return next;
  };
  Value zero = b.constant(0), one = b.constant(1), step = b.constant(piece);
  auto loadPiece = [&](ArrayRef<Value> starts) {
    return loadColumns(b, rhs, starts, zero);
  };
  auto loadSingle = [&](ArrayRef<Value> starts) -> SmallVector<Value> {
    Value column = b.zero(vectorType);
    for (auto [i, start] : llvm::enumerate(starts))
      column = vector::InsertOp::create(
          b.builder(), b.getLoc(),
          rhs.load(b, vectorType.getElementType(), start, zero), column, i);
    return {column};
  };

  Value rest = b.rem(depth, piece), main = b.sub(depth, rest);
  carried = b.forLoop(zero, main, step, carried, [&](Value k, ValueRange v) {
    return multiply(k, piece, v, loadPiece);
  });
  // The rest overlaps them if there are any: sums skip what they have.
  Value skipped = b.sub(step, rest);
  Value isLong = b.le(step, depth);
  Value times = b.select(isLong, b.min(rest, one), zero);
  carried = b.forLoop(zero, times, one, carried, [&](Value, ValueRange v) {
    SmallVector<Value> back(v);
    for (Value &pointer : MutableArrayRef(back).drop_front(rows * vectors))
      pointer = b.offset(pointer, b.mul(b.sub(zero, skipped), rhs.getBytes()));
    return multiply(b.sub(depth, step), piece, back, loadPiece, skipped);
  });
  carried = b.forLoop(
      b.select(isLong, depth, zero), depth, one, carried,
      [&](Value k, ValueRange v) { return multiply(k, 1, v, loadSingle); });
  carried.resize(rows * vectors);
  return carried;
}

void Emitter::emitRowsOfK(int64_t vectors) {
  auto emit = [&](Value column, int64_t count) {
    Value start = b.offset(matrix, b.mul(column, bRow));
    SmallVector<Value> sums = emitColumns(start, count);
    Value to = b.offset(c, b.mul(column, kElement));
    for (int64_t m = 0; m < rows; ++m) {
      for (int64_t v = 0; v < count; ++v)
        b.store(sums[m * count + v], b.offset(to, v * lanes * kElement));
      to = b.offset(to, cRow);
    }
  };
  int64_t width = vectors * lanes;
  Value main = b.mul(b.div(columns, width), width);
  Value last = b.sub(columns, b.constant(lanes));
  b.forLoop(b.constant(0), main, b.constant(width),
            [&](Value column) { emit(column, vectors); });
  b.forLoop(main, columns, b.constant(lanes),
            [&](Value column) { emit(b.min(column, last), 1); });
}

} // namespace

FewRowKernels::FewRowKernels(Operation *symbolTable, Isa isa, Type lhs,
                             Type rhs)
    : symbolTable(symbolTable), lhs(lhs, isa), rhs(rhs, isa),
      arithmetic(symbolTable->getContext(), isa, Factors::F32) {}

void FewRowKernels::call(CodeBuilder &b, RhsOrder order, int64_t rows,
                         bool isNarrow, const FewRowCall &call) {
  bool isRowsOfN = order == RhsOrder::RowsOfN;
  int64_t vectors = isNarrow ? 1 : 2;
  std::string name = isRowsOfN ? "rows_of_n" : "rows_of_k";
  if (!isRowsOfN && isNarrow)
    name += "_narrow";
  name = lhs.getName(rhs.getName(name + "_" + std::to_string(rows)) + "_by");
  callHelper(b, symbolTable, name,
             {call.a, call.aRow, call.aStep, call.b, call.bRow, call.depth,
              call.columns, call.c, call.cRow},
             [&](CodeBuilder &code, ValueRange args) {
               Emitter emitter(code, args, rows, lhs, rhs, arithmetic);
               isRowsOfN ? emitter.emitRowsOfN() : emitter.emitRowsOfK(vectors);
             });
}
