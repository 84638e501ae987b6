//===- WinogradTransforms.cpp - Transforms of Winograd's algorithm --------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Both transforms multiply a square of vectors by one small matrix from the
// left and by its transpose from the right. The matrix is applied to the
// columns, then to the rows of the result. With the points a and b of
// Winograd.h:
//
//         | aabb    0  -aa-bb    0   1  0 |
//         |  0   -abb    -bb     a   1  0 |         | 1   1   1    1   1  0 |
//   B^T = |  0    abb    -bb    -a   1  0 |   A^T = | 0   a  -a    b  -b  0 |
//         |  0   -aab    -aa     b   1  0 |         | 0  aa  aa   bb  bb  0 |
//         |  0    aab    -aa    -b   1  0 |         | 0 aaa -aaa bbb -bbb 1 |
//         |  0   aabb     0  -aa-bb  0  1 |
//
// Rows of a and -a are the sum and the difference of the same two terms.

#include "Codegen/CPU/Convolution/WinogradTransforms.h"

#include "dyn/Support/Winograd.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::winograd;

namespace {
constexpr int64_t kElement = 4;
constexpr int64_t kPanelBytes = 16 * kElement;

using Vectors = SmallVector<Value>;

/// The matrices applied to a column of vectors.
struct Columns {
  Columns(CodeBuilder &b, Isa isa, int64_t lanes)
      : b(b), type(VectorType::get({lanes}, b.builder().getF32Type())),
        fused(hasFma(isa)) {}
  Columns(CodeBuilder &b, Isa isa) : Columns(b, isa, getVectorBits(isa) / 32) {}

  /// Bytes of a vector.
  Value step() { return b.constant(type.getNumElements() * kElement); }

  CodeBuilder &b;
  VectorType type;
  bool fused;

  Value add(Value x, Value y) {
    return arith::AddFOp::create(b.builder(), b.getLoc(), x, y);
  }
  Value sub(Value x, Value y) {
    return arith::SubFOp::create(b.builder(), b.getLoc(), x, y);
  }
  Value splat(float factor) {
    return arith::ConstantOp::create(b.builder(), b.getLoc(),
                                     DenseElementsAttr::get(type, factor));
  }
  Value scale(float factor, Value x) {
    return arith::MulFOp::create(b.builder(), b.getLoc(), splat(factor), x);
  }
  /// factor * x + y
  Value axpy(float factor, Value x, Value y) {
    return b.multiplyAdd(splat(factor), x, y, fused);
  }

  Vectors input(ArrayRef<Value> d) {
    Value evenA = axpy(-kB2, d[2], d[4]), oddA = axpy(-kB2, d[1], d[3]);
    Value evenB = axpy(-kA2, d[2], d[4]), oddB = axpy(-kA2, d[1], d[3]);
    return {axpy(kA2 * kB2, d[0], axpy(-kA2 - kB2, d[2], d[4])),
            axpy(kA, oddA, evenA),
            axpy(-kA, oddA, evenA),
            axpy(kB, oddB, evenB),
            axpy(-kB, oddB, evenB),
            axpy(kA2 * kB2, d[1], axpy(-kA2 - kB2, d[3], d[5]))};
  }
  Vectors output(ArrayRef<Value> m) {
    Value evenA = add(m[1], m[2]), oddA = sub(m[1], m[2]);
    Value evenB = add(m[3], m[4]), oddB = sub(m[3], m[4]);
    return {add(add(m[0], evenA), evenB), axpy(kA, oddA, scale(kB, oddB)),
            axpy(kA2, evenA, scale(kB2, evenB)),
            axpy(kA2 * kA, oddA, axpy(kB2 * kB, oddB, m[5]))};
  }
};

/// Applies `transform` to the columns of a square of 6 x 6 and to the rows of
/// the result. `load` and `store` are called with row and column.
void emitTransform(llvm::function_ref<Vectors(ArrayRef<Value>)> transform,
                   llvm::function_ref<Value(int64_t, int64_t)> load,
                   llvm::function_ref<void(int64_t, int64_t, Value)> store) {
  SmallVector<Vectors> rows;
  for (int64_t j = 0; j < kInputs; ++j) {
    Vectors column;
    for (int64_t i = 0; i < kInputs; ++i)
      column.push_back(load(i, j));
    Vectors results = transform(column);
    rows.resize(results.size());
    for (auto [row, result] : llvm::zip_equal(rows, results))
      row.push_back(result);
  }
  for (auto [i, row] : llvm::enumerate(rows))
    for (auto [j, result] : llvm::enumerate(transform(row)))
      store(i, j, result);
}

/// Calls `body` with the offsets of vectors that cover `count` elements: of
/// `lanes`, the last of which overlaps the one before, or of fewer if there are
/// fewer elements.
void forVectors(CodeBuilder &b, Value count, int64_t lanes,
                llvm::function_ref<void(Value, int64_t)> body) {
  Value zero = b.constant(0), width = b.constant(lanes);
  if (lanes == 1)
    return b.forLoop(count, [&](Value i) { body(i, 1); });
  b.ifThen(
      b.le(width, count),
      [&] {
        Value rest = b.rem(count, lanes);
        b.forLoop(zero, b.sub(count, rest), width,
                  [&](Value i) { body(i, lanes); });
        b.ifThen(b.lt(zero, rest), [&] { body(b.sub(count, width), lanes); });
      },
      [&] { forVectors(b, count, lanes > 4 ? lanes / 2 : 1, body); });
}
} // namespace

void WinogradTransforms::input(CodeBuilder &b, Value pixels, Value channels,
                               Value target, Value stride) {
  auto body = [&](CodeBuilder &code, ValueRange args) {
    Value pixels = args[0], target = args[2], stride = args[3];
    Columns columns(code, isa);
    Value bytes = code.mul(args[1], kElement);
    code.forLoop(code.constant(0), bytes, columns.step(), [&](Value at) {
      // One pointer for all matrices; 36 strides would not fit the registers.
      Value next = code.offset(target, at);
      emitTransform([&](ArrayRef<Value> d) { return columns.input(d); },
                    [&](int64_t i, int64_t j) {
                      Value slot = code.offset(pixels, (i * kInputs + j) * 8);
                      Value pixel = code.load(code.ptrType(), slot);
                      return code.load(columns.type, code.offset(pixel, at));
                    },
                    [&](int64_t, int64_t, Value v) {
                      code.store(v, next);
                      next = code.offset(next, stride);
                    });
    });
  };
  callHelper(b, symbolTable, "winograd_input",
             {pixels, channels, target, stride}, body);
}

void WinogradTransforms::output(CodeBuilder &b, Value source, Value stride,
                                Value panels, Value target, Value pixelStride) {
  auto body = [&](CodeBuilder &code, ValueRange args) {
    Value source = args[0], stride = args[1], target = args[3];
    Value pixelStride = args[4];
    Columns columns(code, isa);
    Value bytes = code.mul(args[2], kPanelBytes);
    code.forLoop(code.constant(0), bytes, columns.step(), [&](Value at) {
      // Rows are read as columns, consecutive in memory, and the result is
      // transposed.
      Value next = code.offset(source, at);
      emitTransform([&](ArrayRef<Value> m) { return columns.output(m); },
                    [&](int64_t, int64_t) {
                      Value v = code.load(columns.type, next);
                      next = code.offset(next, stride);
                      return v;
                    },
                    [&](int64_t x, int64_t y, Value v) {
                      Value pixel = code.mul(pixelStride, y * kResults + x);
                      code.store(v,
                                 code.offset(code.offset(target, pixel), at));
                    });
    });
  };
  callHelper(b, symbolTable, "winograd_output",
             {source, stride, panels, target, pixelStride}, body);
}

void WinogradTransforms::inputLines(CodeBuilder &b, const Lines &lines) {
  auto body = [&](CodeBuilder &code, ValueRange args) {
    Lines l = {args[0], args[1], args[2], args[3], args[4],
               args[5], args[6], args[7], args[8], args[9]};
    Value zeros = code.zero(
        VectorType::get({kPanelBytes / kElement}, code.builder().getF32Type()));
    Value zero = code.constant(0), before = code.mul(l.before, kElement);
    Value behind = code.add(before, code.mul(l.count, kElement));
    code.forLoop(l.tiles, [&](Value tile) {
      Value first = code.add(l.first, code.mul(tile, kResults));
      Vectors from, to;
      for (int64_t j = 0; j < kInputs; ++j) {
        Value line = code.add(first, j);
        Value isInside = code.both(code.le(zero, line), code.lt(line, l.lines));
        from.push_back(code.select(
            isInside, code.offset(l.source, code.mul(line, l.sourceStride)),
            l.zeros));
        Value number = code.add(code.mul(tile, kInputs), j);
        Value start = code.offset(l.target, code.mul(number, l.targetStride));
        code.store(zeros, start);
        code.store(zeros, code.offset(start, behind));
        to.push_back(code.offset(start, before));
      }
      forVectors(
          code, l.count, getVectorBits(isa) / 32,
          [&](Value pixel, int64_t lanes) {
            Columns columns(code, isa, lanes);
            Value at = code.mul(pixel, kElement);
            Vectors d;
            for (Value line : from)
              d.push_back(code.load(columns.type, code.offset(line, at)));
            for (auto [result, line] : llvm::zip_equal(columns.input(d), to))
              code.store(result, code.offset(line, at));
          });
    });
  };
  callHelper(b, symbolTable, "winograd_input_lines",
             {lines.source, lines.sourceStride, lines.first, lines.lines,
              lines.zeros, lines.tiles, lines.before, lines.count, lines.target,
              lines.targetStride},
             body);
}

void WinogradTransforms::outputLines(CodeBuilder &b, Value tile, Value stride) {
  auto body = [&](CodeBuilder &code, ValueRange args) {
    Columns columns(code, isa);
    code.forLoop(code.constant(0), args[1], columns.step(), [&](Value at) {
      Vectors m, addresses;
      Value next = code.offset(args[0], at);
      for (int64_t j = 0; j < kInputs; ++j) {
        addresses.push_back(next);
        m.push_back(code.load(columns.type, next));
        next = code.offset(next, args[1]);
      }
      for (auto [y, result] : llvm::enumerate(columns.output(m)))
        code.store(result, addresses[y]);
    });
  };
  callHelper(b, symbolTable, "winograd_output_lines", {tile, stride}, body);
}
