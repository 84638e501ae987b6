//===- Packing.h - Copies operands into packed layouts --------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CODEGEN_CPU_GEMM_PACKING_H
#define DYN_LIB_CODEGEN_CPU_GEMM_PACKING_H

#include "Codegen/Common/Builder/CodeBuilder.h"
#include "dyn/Support/Isa.h"

namespace dyn {

/// Creates and calls functions that copy parts of matrices into scratch, as f32
/// or pairs of 16-bit elements. All sizes are i64 values in elements, strides
/// in bytes.
class Packing {
public:
  /// Functions are added to the body of `symbolTable`.
  Packing(mlir::Operation *symbolTable, Isa isa)
      : symbolTable(symbolTable), isa(isa) {}

  /// One panel from rows that are contiguous along N:
  ///   panel[k * 16 + n] = source[k * stride + n], n < columns <= 16.
  /// Columns past `columns` become zero.
  /// The source has elements of type `element`, f32 or a narrower float. With
  /// `isPairs`, 16-bit elements of two rows are interleaved, and `depth` counts
  /// pairs of rows. Bytes of four rows are interleaved, too, and `depth` counts
  /// rows; those past it are zero.
  void panelFromRows(CodeBuilder &b, mlir::Value source, mlir::Value stride,
                     mlir::Value depth, mlir::Value columns, mlir::Value panel,
                     mlir::Type element = {}, bool isPairs = false);

  /// One panel from columns that are contiguous along K:
  ///   panel[k * 16 + n] = source[n * stride + k], n < columns <= 16.
  /// Columns past `columns` repeat the last one. Four bytes are one element of
  /// the panel, and `depth` counts bytes; those past it are zero.
  void panelFromColumns(CodeBuilder &b, mlir::Value source, mlir::Value stride,
                        mlir::Value depth, mlir::Value columns,
                        mlir::Value panel, mlir::Type element = {});

  /// The opposite of panelFromColumns, of f32:
  ///   target[n * stride + k] = panel[k * 16 + n], n < columns <= 16.
  /// Columns past `columns` are those of the last one.
  void columnsFromPanel(CodeBuilder &b, mlir::Value panel, mlir::Value stride,
                        mlir::Value depth, mlir::Value columns,
                        mlir::Value target);

  /// Rows of f32 from columns that are contiguous:
  ///   target[r * targetStride + k] = source[k * stride + r], r < rows.
  void rowsFromColumns(CodeBuilder &b, mlir::Value source, mlir::Value stride,
                       mlir::Value depth, mlir::Value rows, mlir::Value target,
                       mlir::Value targetStride);

  /// A tile of `rows` rows, a power of two that a vector holds:
  ///   tile[k * rows + r] = source[r * stride + k].
  void tileFromRows(CodeBuilder &b, int64_t rows, mlir::Value source,
                    mlir::Value stride, mlir::Value depth, mlir::Value tile);

  /// target[i] = source[i], i < count.
  void copy(CodeBuilder &b, mlir::Value source, mlir::Value count,
            mlir::Value target);

  /// target[i] = 0, i < count.
  void clear(CodeBuilder &b, mlir::Value count, mlir::Value target);

private:
  mlir::Operation *symbolTable;
  Isa isa;
};

} // namespace dyn

#endif // DYN_LIB_CODEGEN_CPU_GEMM_PACKING_H
