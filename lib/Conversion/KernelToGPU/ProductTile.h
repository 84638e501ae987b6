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
/// threads multiply them and share out the sums.
class ProductTile {
public:
  /// Rows and columns.
  static constexpr int64_t kSize = 64;
  /// Sums of neighbours in a row, in a vector.
  struct Part {
    mlir::OpFoldResult row, column; ///< of the first, in the tile
    mlir::Value sums;
  };

  virtual ~ProductTile() = default;

  /// The elements of shared memory that a factor takes.
  virtual int64_t getSharedSize() = 0;
  /// Where the element at step `step` is, of row or column `free`.
  virtual mlir::OpFoldResult getPlace(KernelBuilder &b, mlir::OpFoldResult free,
                                      mlir::OpFoldResult step) = 0;
  /// How many neighbours in memory neighbouring threads bring, along the sum or
  /// across: whole sectors, and no two to one bank.
  virtual int64_t getFillWidth(bool isAlongSum) = 0;
  /// A thread's sums at first.
  virtual llvm::SmallVector<mlir::Value> getZeros(KernelBuilder &b) = 0;
  /// The sums with all steps that are in shared memory.
  virtual llvm::SmallVector<mlir::Value> multiply(KernelBuilder &b,
                                                  mlir::Value left,
                                                  mlir::Value right,
                                                  mlir::ValueRange sums) = 0;
  virtual llvm::SmallVector<Part> getParts(KernelBuilder &b,
                                           mlir::ValueRange sums) = 0;

  int64_t steps = 0;  ///< in shared memory
  mlir::Type element; ///< in shared memory
};

/// By multiply-adds of a thread.
std::unique_ptr<ProductTile> createFmaTile(mlir::Type sum);
/// By tensor cores, of f16 or bf16 with sums in f32.
std::unique_ptr<ProductTile> createMmaTile(mlir::Type element);

} // namespace dyn

#endif // DYN_LIB_CONVERSION_KERNELTOGPU_PRODUCTTILE_H
