//===- FourierKernels.h - Fourier transforms of columns -------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CODEGEN_CPU_SINGLE_FOURIERKERNELS_H
#define DYN_LIB_CODEGEN_CPU_SINGLE_FOURIERKERNELS_H

#include "Codegen/Common/Builder/CodeBuilder.h"
#include "dyn/Support/TargetInfo.h"

namespace dyn {

/// Pointers to the real and to the imaginary parts of complex numbers; values
/// of both are complex numbers, in each lane.
struct Parts {
  mlir::Value real, imaginary;
};

/// Functions that kernels share, for one type of elements.
class FourierKernels {
public:
  /// Columns of a matrix are a multiple of as many.
  static constexpr int64_t kColumns = 16;

  FourierKernels(mlir::Operation *symbolTable, mlir::Type element,
                 const RegisterInfo &registers);

  /// A transform of each column of a matrix.
  struct Transform {
    mlir::Value size;    ///< of a column
    mlir::Value columns; ///< of the matrix
    /// Numbers of i64 whose product is the size, and how many.
    mlir::Value factors, count;
    /// Cosines and sines of a turn, of which each `rootStep`-th one is a root
    /// of 1 of order `size`.
    Parts roots;
    mlir::Value rootStep;
  };
  /// Transforms the columns of `from`; each factor is a pass to the other
  /// matrix. So the result is in `from` after an even number of factors, and in
  /// `to` otherwise.
  void transform(CodeBuilder &b, Parts from, Parts to, const Transform &t);

  /// Writes the transpose of `rows` x `columns` numbers, each divided by the
  /// one of `powers`, of length 1, if these are given.
  void transpose(CodeBuilder &b, Parts from, Parts to, mlir::Value rows,
                 mlir::Value columns, Parts powers = {});

private:
  class Emitter;

  mlir::Operation *symbolTable;
  mlir::Type element;
  int64_t lanes;
  bool isFused;
};

} // namespace dyn

#endif // DYN_LIB_CODEGEN_CPU_SINGLE_FOURIERKERNELS_H
