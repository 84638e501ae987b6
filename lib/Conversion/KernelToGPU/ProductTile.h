//===- ProductTile.h - How a block multiplies two tiles ---------*- C++ -*-===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CONVERSION_KERNELTOGPU_PRODUCTTILE_H
#define DYN_LIB_CONVERSION_KERNELTOGPU_PRODUCTTILE_H

#include "dyn/Conversion/KernelToVector/KernelBuilder.h"

#include <memory>

namespace dyn {

/// A block's tile of a product: where factors lie in shared memory, and how its
/// threads multiply them and share out the sums. Tiles of all sizes add up the
/// terms of a sum in the same order, so that its bits do not tell which tile it
/// was in.
class ProductTile {
public:
  /// A factor's part of the tile: `free` rows or columns.
  struct Factor {
    int64_t free;
    bool isAlongSum; ///< neighbours in memory are neighbours along the sum
  };
  struct Shape {
    Factor left, right;
  };
  /// Sums of neighbours in a row, in a vector.
  struct Part {
    mlir::OpFoldResult row, column; ///< of the first, in the tile
    mlir::Value sums;
  };

  ProductTile(const Shape &shape, mlir::Type element, int64_t steps)
      : left(shape.left), right(shape.right), steps(steps), element(element) {}
  virtual ~ProductTile() = default;

  /// The elements of shared memory that a factor takes.
  virtual int64_t getSharedSize(const Factor &factor) = 0;
  /// Where the element at step `step` is, of row or column `free`.
  virtual mlir::OpFoldResult getPlace(KernelBuilder &b, const Factor &factor,
                                      mlir::OpFoldResult free,
                                      mlir::OpFoldResult step) = 0;
  /// How many neighbours in memory, from a multiple of that on, are neighbours
  /// in shared memory: at most 16 bytes.
  virtual int64_t getLanes(const Factor &factor) = 0;
  /// How many neighbours in memory neighbouring threads bring one by one: whole
  /// sectors, and no two to one bank.
  virtual int64_t getFillWidth(const Factor &factor) = 0;
  /// A thread's sums at first.
  virtual llvm::SmallVector<mlir::Value> getZeros(KernelBuilder &b) = 0;
  /// The first row of which the thread's warp has sums, if warps have different
  /// ones: those behind the last row have nothing to multiply.
  virtual std::optional<mlir::OpFoldResult> getFirstRow(KernelBuilder &b) {
    return std::nullopt;
  }
  /// The sums with all steps of the factors at `left` and `right`.
  virtual llvm::SmallVector<mlir::Value> multiply(KernelBuilder &b,
                                                  mlir::Value left,
                                                  mlir::Value right,
                                                  mlir::ValueRange sums) = 0;
  virtual llvm::SmallVector<Part> getParts(KernelBuilder &b,
                                           mlir::ValueRange sums) = 0;

  const Factor left, right;
  const int64_t steps;      ///< in shared memory
  const mlir::Type element; ///< in shared memory
};

/// By multiply-adds of a thread. 16, 64 or 128 rows, a multiple of 64 columns.
std::unique_ptr<ProductTile> createFmaTile(const ProductTile::Shape &shape,
                                           mlir::Type sum);
/// By tensor cores, of f16 or bf16 with sums in f32. 16 rows or a multiple of
/// 32, a multiple of 64 columns.
std::unique_ptr<ProductTile> createMmaTile(const ProductTile::Shape &shape,
                                           mlir::Type element);

} // namespace dyn

#endif // DYN_LIB_CONVERSION_KERNELTOGPU_PRODUCTTILE_H
