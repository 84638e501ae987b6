//===- WinogradTransforms.h - Transforms of Winograd's algorithm ----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CODEGEN_CPU_CONVOLUTION_WINOGRADTRANSFORMS_H
#define DYN_LIB_CODEGEN_CPU_CONVOLUTION_WINOGRADTRANSFORMS_H

#include "Codegen/Common/Builder/CodeBuilder.h"
#include "dyn/Support/Isa.h"

namespace dyn {

/// Creates and calls the functions that multiply tiles of f32 by B and by A of
/// Winograd.h, on vectors of channels, or of pixels of image rows. Sizes are
/// i64 values, strides in bytes.
class WinogradTransforms {
public:
  /// Functions are added to the body of `symbolTable`.
  WinogradTransforms(mlir::Operation *symbolTable, Isa isa)
      : symbolTable(symbolTable), isa(isa) {}

  /// B^T d B of one tile: d[i][j] are the `channels`, a multiple of 16, at
  /// pixels[i * 6 + j], an array of pointers; the result at [i][j] goes to
  /// `target` + (i * 6 + j) * `stride`.
  void input(CodeBuilder &b, mlir::Value pixels, mlir::Value channels,
             mlir::Value target, mlir::Value stride);

  /// A^T m A of one tile and `panels` panels of 16 channels: m[i][j] is at
  /// `source` + (i * 6 + j) * `stride`, and the result at [y][x] goes to
  /// `target` + (y * 4 + x) * `pixelStride`.
  void output(CodeBuilder &b, mlir::Value source, mlir::Value stride,
              mlir::Value panels, mlir::Value target, mlir::Value pixelStride);

  /// Source and target of B^T d for one channel: d[j] of tile t is row `first`
  /// + 4 t + j of `lines`, `count` pixels at `source` + row * `sourceStride`,
  /// or `zeros` for a row that does not exist. The result, after `before`
  /// zeros, is row 6 t + j at `target`; 16 zeros after it may extend into the
  /// next.
  struct Lines {
    mlir::Value source, sourceStride, first, lines, zeros, tiles, before, count;
    mlir::Value target, targetStride;
  };
  void inputLines(CodeBuilder &b, const Lines &lines);

  /// A^T m in place: m[j] and the result at [y] are `stride` bytes, a multiple
  /// of 64, at `tile` + j * `stride`.
  void outputLines(CodeBuilder &b, mlir::Value tile, mlir::Value stride);

private:
  mlir::Operation *symbolTable;
  Isa isa;
};

} // namespace dyn

#endif // DYN_LIB_CODEGEN_CPU_CONVOLUTION_WINOGRADTRANSFORMS_H
