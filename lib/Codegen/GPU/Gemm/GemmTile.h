//===- GemmTile.h - How a block multiplies two tiles ----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CODEGEN_GPU_GEMM_GEMMTILE_H
#define DYN_LIB_CODEGEN_GPU_GEMM_GEMMTILE_H

#include "Codegen/Common/Builder/KernelBuilder.h"

#include <memory>

namespace dyn {

/// A block's tile of a GEMM: the layout of operands in shared memory, the code
/// that multiplies them, and the distribution of the sums over threads. Tiles
/// of all sizes accumulate a sum in the same order, so that its bits do not
/// depend on the tile.
class GemmTile {
public:
  /// An operand's part of the tile: `free` rows or columns.
  struct Factor {
    int64_t free;
    bool isAlongSum; ///< contiguous along K in memory
  };
  struct Shape {
    Factor lhs, rhs;
  };
  /// Sums of consecutive columns of a row, in a vector.
  struct Part {
    mlir::OpFoldResult row, column; ///< of the first, in the tile
    mlir::Value sums;
  };

  GemmTile(const Shape &shape, mlir::Type element, int64_t steps)
      : lhs(shape.lhs), rhs(shape.rhs), steps(steps), element(element) {}
  virtual ~GemmTile() = default;

  /// The number of elements of an operand in shared memory.
  virtual int64_t getSharedSize(const Factor &factor) = 0;
  /// The index of the element at step `step` of row or column `free`.
  virtual mlir::OpFoldResult getOffset(KernelBuilder &b, const Factor &factor,
                                       mlir::OpFoldResult free,
                                       mlir::OpFoldResult step) = 0;
  /// The number of elements adjacent in memory, from a multiple of it on, that
  /// are adjacent in shared memory: at most 16 bytes.
  virtual int64_t getLanes(const Factor &factor) = 0;
  /// The number of elements adjacent in memory that adjacent threads load one
  /// by one: full sectors, without bank conflicts.
  virtual int64_t getFillWidth(const Factor &factor) = 0;
  /// The initial sums of a thread.
  virtual llvm::SmallVector<mlir::Value> getZeros(KernelBuilder &b) = 0;
  /// The first row of the thread's warp, if warps have different rows: warps
  /// past the last row have nothing to multiply.
  virtual std::optional<mlir::OpFoldResult> getFirstRow(KernelBuilder &b) {
    return std::nullopt;
  }
  /// The sums plus all steps of the operands at `lhs` and `rhs`.
  virtual llvm::SmallVector<mlir::Value> multiply(KernelBuilder &b,
                                                  mlir::Value lhs,
                                                  mlir::Value rhs,
                                                  mlir::ValueRange sums) = 0;
  virtual llvm::SmallVector<Part> getParts(KernelBuilder &b,
                                           mlir::ValueRange sums) = 0;

  const Factor lhs, rhs;
  const int64_t steps;      ///< in shared memory
  const mlir::Type element; ///< in shared memory
};

/// With FMA. 16, 64 or 128 rows, a multiple of 64 columns.
std::unique_ptr<GemmTile> createFmaTile(const GemmTile::Shape &shape,
                                        mlir::Type sum);
/// With tensor cores, of f16 or bf16 with f32 sums. 16 rows or a multiple of
/// 32, a multiple of 64 columns.
std::unique_ptr<GemmTile> createMmaTile(const GemmTile::Shape &shape,
                                        mlir::Type element);

} // namespace dyn

#endif // DYN_LIB_CODEGEN_GPU_GEMM_GEMMTILE_H
