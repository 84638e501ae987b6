//===- Packing.cpp - Packing of operands for micro-kernels ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen/CPU/Gemm/Packing.h"

#include "Codegen/CPU/Gemm/MicroKernel.h"
#include "Codegen/CPU/Gemm/Transposing.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace dyn;

static constexpr int64_t kElement = 4;
static constexpr int64_t kPanelRow = kPanelWidth * kElement;

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Emits `body(offset in bytes, type)` so that it covers `count` elements: for
/// vectors, the last of which overlaps the one before, or for the elements of
/// less than one.
static void emitSpan(CodeBuilder &b, Value count, VectorType vectorType,
                     llvm::function_ref<void(Value, Type)> body) {
  int64_t lanes = vectorType.getNumElements();
  Value size = b.constant(lanes), last = b.sub(count, size);
  Value middle = b.select(b.le(size, count), count, b.constant(0));
  b.forLoop(b.constant(0), middle, size, [&](Value i) {
    body(b.mul(b.min(i, last), kElement), vectorType);
  });
  b.forLoop(middle, count, b.constant(1), [&](Value i) {
    body(b.mul(i, kElement), vectorType.getElementType());
  });
}

void Packing::copy(CodeBuilder &b, Value source, Value count, Value target) {
  callHelper(b, symbolTable, "copy_row", {source, count, target},
             [&](CodeBuilder &code, ValueRange args) {
               auto type = VectorType::get({getVectorBits(isa) / 32},
                                           code.builder().getF32Type());
               emitSpan(code, args[1], type, [&](Value offset, Type element) {
                 code.store(code.load(element, code.offset(args[0], offset)),
                            code.offset(args[2], offset));
               });
             });
}

void Packing::clear(CodeBuilder &b, Value count, Value target) {
  callHelper(b, symbolTable, "clear_row", {count, target},
             [&](CodeBuilder &code, ValueRange args) {
               auto type = VectorType::get({getVectorBits(isa) / 32},
                                           code.builder().getF32Type());
               emitSpan(code, args[0], type, [&](Value offset, Type element) {
                 code.store(code.zero(element), code.offset(args[1], offset));
               });
             });
}

//===----------------------------------------------------------------------===//
// Panels
//===----------------------------------------------------------------------===//

void Packing::panelFromRows(CodeBuilder &b, Value first, Value stride,
                            Value depth, Value columns, Value panel,
                            Type element, bool isPairs) {
  ElementSource source(element, isa);
  callHelper(
      b, symbolTable, source.getName("panel_from_rows", isPairs),
      {first, stride, depth, columns, panel},
      [&](CodeBuilder &code, ValueRange args) {
        Value rows = args[0], stride = args[1], depth = args[2];
        Value columns = args[3], panel = args[4];
        Value groupStride = stride, groups = depth;
        if (isPairs || source.isBytes()) {
          source.groupStride = stride;
          groupStride = code.mul(stride, 4 / source.getBytes());
        }
        if (source.isBytes())
          groups = code.div(depth, 4);
        int64_t lanes = getVectorBits(isa) / 32;
        Type f32 = code.builder().getF32Type();
        auto type = VectorType::get({lanes}, f32);
        auto copy = [&](Value begin, Value end) {
          auto forRows = [&](llvm::function_ref<void(Value, Value)> body) {
            code.forLoop(begin, end, code.constant(1), [&](Value k) {
              body(code.offset(rows, code.mul(k, groupStride)),
                   code.offset(panel, code.mul(k, kPanelRow)));
            });
          };
          auto full = [&] {
            forRows([&](Value row, Value to) {
              for (int64_t n = 0; n < kPanelWidth; n += lanes)
                code.store(source.load(code, type, row, code.constant(n)),
                           code.offset(to, n * kElement));
            });
          };
          auto partial = [&] {
            forRows([&](Value row, Value to) {
              for (int64_t n = 0; n < kPanelWidth; n += lanes)
                code.store(code.zero(type), code.offset(to, n * kElement));
              code.forLoop(columns, [&](Value n) {
                code.store(source.load(code, f32, row, n),
                           code.offset(to, code.mul(n, kElement)));
              });
            });
          };
          code.ifThen(code.eq(columns, code.constant(kPanelWidth)), full,
                      partial);
        };
        copy(code.constant(0), groups);
        if (!source.isBytes())
          return;
        Value rest = code.rem(depth, 4);
        source.last = code.sub(rest, code.constant(1));
        copy(groups, code.add(groups, code.min(rest, code.constant(1))));
      });
}

/// The start of each column of a panel; those that do not exist repeat the
/// last.
static SmallVector<Value> getStarts(CodeBuilder &b, Value base, Value stride,
                                    Value columns) {
  Value last = b.sub(columns, b.constant(1));
  SmallVector<Value> starts;
  for (int64_t n = 0; n < kPanelWidth; ++n)
    starts.push_back(b.offset(base, b.mul(b.min(b.constant(n), last), stride)));
  return starts;
}

void Packing::panelFromColumns(CodeBuilder &b, Value first, Value stride,
                               Value depth, Value columns, Value panel,
                               Type element) {
  ElementSource source(element, isa);
  callHelper(
      b, symbolTable, source.getName("panel_from_columns"),
      {first, stride, depth, columns, panel},
      [&](CodeBuilder &code, ValueRange args) {
        Value panel = args[4], depth = args[2];
        SmallVector<Value> starts = getStarts(code, args[0], args[1], args[3]);
        int64_t lanes = getVectorBits(isa) / 32;
        Type f32 = code.builder().getF32Type();
        // Groups of bytes are adjacent in a column.
        ElementSource elements = source;
        Value count = depth;
        if (source.isBytes()) {
          elements = ElementSource({}, isa);
          count = code.div(depth, 4);
        }

        int64_t piece = getColumnPiece(lanes);
        Value main = code.sub(count, code.rem(count, piece));
        code.forLoop(
            code.constant(0), main, code.constant(piece), [&](Value k) {
              Value to = code.offset(panel, code.mul(k, kPanelRow));
              for (int64_t n = 0; n < kPanelWidth; n += lanes) {
                auto columns = ArrayRef(starts).slice(n, lanes);
                for (auto [i, row] :
                     llvm::enumerate(loadColumns(code, elements, columns, k)))
                  code.store(row,
                             code.offset(to, i * kPanelRow + n * kElement));
              }
            });
        auto copyRow = [&](const ElementSource &from, Value k, Value index) {
          Value to = code.offset(panel, code.mul(k, kPanelRow));
          for (int64_t n = 0; n < kPanelWidth; ++n)
            code.store(from.load(code, f32, starts[n], index),
                       code.offset(to, n * kElement));
        };
        code.forLoop(main, count, code.constant(1),
                     [&](Value k) { copyRow(elements, k, k); });
        if (!source.isBytes())
          return;
        Value rest = code.rem(depth, 4);
        source.groupStride = code.constant(1);
        source.last = code.sub(rest, code.constant(1));
        Value end = code.add(count, code.min(rest, code.constant(1)));
        code.forLoop(count, end, code.constant(1),
                     [&](Value k) { copyRow(source, k, code.mul(k, 4)); });
      });
}

void Packing::columnsFromPanel(CodeBuilder &b, Value panel, Value stride,
                               Value depth, Value columns, Value target) {
  callHelper(b, symbolTable, "columns_from_panel",
             {panel, stride, depth, columns, target},
             [&](CodeBuilder &code, ValueRange args) {
               Value panel = args[0], depth = args[2];
               SmallVector<Value> starts =
                   getStarts(code, args[4], args[1], args[3]);
               Type f32 = code.builder().getF32Type();
               auto type = VectorType::get({getVectorBits(isa) / 32}, f32);
               int64_t lanes = type.getNumElements();
               auto at = [&](Value k, int64_t i, int64_t n) {
                 Value row = code.mul(code.add(k, i), kPanelRow);
                 return code.offset(code.offset(panel, row), n * kElement);
               };
               emitSpan(code, depth, type, [&](Value offset, Type element) {
                 Value k = code.div(offset, kElement);
                 if (element == f32) {
                   for (auto [n, start] : llvm::enumerate(starts))
                     code.store(code.load(f32, at(k, 0, n)),
                                code.offset(start, offset));
                   return;
                 }
                 for (int64_t n = 0; n < kPanelWidth; n += lanes) {
                   SmallVector<Value> rows;
                   for (int64_t i = 0; i < lanes; ++i)
                     rows.push_back(code.load(type, at(k, i, n)));
                   for (auto [i, column] :
                        llvm::enumerate(emitTranspose(code, std::move(rows))))
                     code.store(column, code.offset(starts[n + i], offset));
                 }
               });
             });
}

void Packing::rowsFromColumns(CodeBuilder &b, Value source, Value stride,
                              Value depth, Value rows, Value target,
                              Value targetStride) {
  callHelper(
      b, symbolTable, "rows_from_columns",
      {source, stride, depth, rows, target, targetStride},
      [&](CodeBuilder &code, ValueRange args) {
        Value depth = args[2], rows = args[3];
        int64_t lanes = getVectorBits(isa) / 32;
        Type f32 = code.builder().getF32Type();
        auto type = VectorType::get({lanes}, f32);
        auto at = [&](Value matrix, Value stride, Value row, Value column) {
          return code.offset(code.offset(matrix, code.mul(row, stride)),
                             code.mul(column, kElement));
        };
        // Squares of vectors; the last ones overlap those before.
        auto emitSquares = [&] {
          Value size = code.constant(lanes);
          Value lastK = code.sub(depth, size), lastRow = code.sub(rows, size);
          code.forLoop(code.constant(0), depth, size, [&](Value begin) {
            Value k = code.min(begin, lastK);
            code.forLoop(code.constant(0), rows, size, [&](Value first) {
              Value row = code.min(first, lastRow);
              SmallVector<Value> vectors;
              for (int64_t i = 0; i < lanes; ++i)
                vectors.push_back(
                    code.load(type, at(args[0], args[1], code.add(k, i), row)));
              for (auto [i, vector] :
                   llvm::enumerate(emitTranspose(code, std::move(vectors))))
                code.store(vector, at(args[4], args[5], code.add(row, i), k));
            });
          });
        };
        auto emitElements = [&] {
          code.forLoop(rows, [&](Value row) {
            code.forLoop(depth, [&](Value k) {
              code.store(code.load(f32, at(args[0], args[1], k, row)),
                         at(args[4], args[5], row, k));
            });
          });
        };
        code.ifThen(code.le(code.constant(lanes), code.min(rows, depth)),
                    emitSquares, emitElements);
      });
}

void Packing::tileFromRows(CodeBuilder &b, int64_t rows, Value source,
                           Value stride, Value depth, Value tile) {
  callHelper(
      b, symbolTable, ("tile_from_rows_" + Twine(rows)).str(),
      {source, stride, depth, tile}, [&](CodeBuilder &code, ValueRange args) {
        Value stride = args[1], depth = args[2], tile = args[3];
        int64_t lanes = getVectorBits(isa) / 32;
        Type f32 = code.builder().getF32Type();
        auto type = VectorType::get({lanes}, f32);
        SmallVector<Value> starts = {args[0]};
        while (starts.size() < size_t(rows))
          starts.push_back(code.offset(starts.back(), stride));

        Value main = code.sub(depth, code.rem(depth, lanes));
        code.forLoop(
            code.constant(0), main, code.constant(lanes), [&](Value k) {
              SmallVector<Value> vectors;
              for (Value start : starts)
                vectors.push_back(
                    code.load(type, code.offset(start, code.mul(k, kElement))));
              Value to = code.offset(tile, code.mul(k, rows * kElement));
              for (auto [i, vector] :
                   llvm::enumerate(emitTranspose(code, std::move(vectors))))
                code.store(vector, code.offset(to, i * lanes * kElement));
            });
        code.forLoop(main, depth, code.constant(1), [&](Value k) {
          Value to = code.offset(tile, code.mul(k, rows * kElement));
          for (auto [i, start] : llvm::enumerate(starts))
            code.store(
                code.load(f32, code.offset(start, code.mul(k, kElement))),
                code.offset(to, i * kElement));
        });
      });
}
