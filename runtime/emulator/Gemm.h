//===- Gemm.h - The GEMM that cuBLASLt computes ---------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_EMULATOR_GEMM_H
#define DYN_RUNTIME_EMULATOR_GEMM_H

#include "dyn/cublas_lt.h"

namespace dyn::emu {

/// A matrix in the layout of cuBLASLt: column-major.
struct Layout {
  int type; ///< cudaDataType_t
  uint64_t rows, columns;
  int64_t line; ///< elements from one column to the next
  int32_t batch = 1;
  int64_t stride = 0; ///< elements from one matrix to the next

  size_t getElementBytes() const { return type == DYN_CUBLAS_F32 ? 4 : 2; }
  /// Bytes from the first element to the end of the last.
  size_t getBytes() const {
    return size_t(stride * (batch - 1) + line * int64_t(columns - 1) +
                  int64_t(rows)) *
           getElementBytes();
  }
};

/// D = epilogue(alpha * op(A) * op(B) + beta * C).
struct Gemm {
  bool isTransposedA = false, isTransposedB = false;
  uint32_t epilogue = DYN_CUBLAS_EPILOGUE_DEFAULT;
  const void *bias = nullptr; ///< of D's type, a number for each row
  Layout a, b, c, d;
  const void *left, *right, *addend;
  void *result;
  float alpha, beta;

  uint64_t getDepth() const { return isTransposedA ? a.rows : a.columns; }
  /// Whether the sizes of the matrices are consistent.
  bool isSound() const;
  /// Computes it. Sums run along K, in f32; with `parts`, the second half of K
  /// is accumulated there and added at the end.
  void compute(float *parts) const;
};

} // namespace dyn::emu

#endif // DYN_RUNTIME_EMULATOR_GEMM_H
