//===- FourierRows.h - Fourier transforms of rows in scratch --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CODEGEN_CPU_SINGLE_FOURIERROWS_H
#define DYN_LIB_CODEGEN_CPU_SINGLE_FOURIERROWS_H

#include "Codegen/CPU/Single/FourierKernels.h"
#include "Codegen/Common/Builder/KernelBuilder.h"

#include <memory>

namespace dyn {

/// How rows of n complex numbers are transformed, and the memory for it: one by
/// one as a matrix, or 16 together. Both begin with rows in the first pair of
/// arrays, `pitch` elements apart.
class FourierRows {
public:
  /// The memory begins at byte `start` of the scratch. Arrays have at least
  /// `leastCapacity` elements, or rows are never matrices, if that is given.
  /// `mayConvolve` if n may have any factor.
  FourierRows(KernelBuilder &b, mlir::Type element, mlir::Value size,
              mlir::Value start, mlir::Value leastCapacity, bool mayConvolve);
  ~FourierRows();

  /// Finds the factors of n, for a geometry or for code that transforms.
  void emitPlan(bool isGeometry);
  /// Bytes of the memory.
  mlir::Value getBytes();
  /// Computes what all rows use. `roots` are those of order n times `step`.
  void emitTables(Parts roots, mlir::Value step);

  /// Elements from one row to the next.
  mlir::Value getPitch() { return pitch; }
  /// How many rows are transformed together.
  mlir::Value getTogether();
  /// Two arrays: 0 and 1 are those of transforms, 2 is a third pair that is
  /// free unless rows are matrices.
  Parts getArrays(mlir::Value set);
  Parts getArrays(int64_t set) { return getArrays(c.constant(set)); }
  /// Pointers as many elements behind.
  Parts offset(Parts pointers, mlir::Value elements);

  /// Transforms the rows in the first pair of arrays, `number` or more of them.
  /// Returns the pair with the results.
  mlir::Value emit(mlir::Value number);
  /// Transforms the columns of a matrix of n x 16 there, unless n has factors
  /// for which rows are convolved.
  mlir::Value emitColumns();
  /// Whether n has a factor for which rows are convolved.
  mlir::Value isConvolved() { return convolves; }
  FourierKernels &getKernels() { return kernels; }

  static mlir::Value roundUp(CodeBuilder &c, mlir::Value n);

private:
  void emitFactors(mlir::Value factors);
  void emitPowers();
  mlir::Value emitMatrix();
  mlir::Value emitTogether();
  mlir::Value flip(mlir::Value set) { return c.sub(c.constant(1), set); }
  /// The pair of arrays after as many passes.
  mlir::Value afterPasses(mlir::Value set, mlir::Value passes);
  void copyLines(Parts from, Parts to, mlir::Value lines, mlir::Value count,
                 mlir::Value fromPitch, mlir::Value toPitch);
  FourierKernels::Transform getTransform();

  Parts getTable(int64_t number);
  /// Cosines and sines of pi times whole numbers of f64 over `half`, for each i
  /// below `count`.
  void emitAngles(Parts to, mlir::Value count, mlir::Value half, bool isSquare);
  void emitConvolutionTables();
  void emitConvolution(Parts row);

  Parts load(Parts from, mlir::OpFoldResult i, int64_t lanes);
  void store(Parts x, Parts to, mlir::OpFoldResult i, int64_t lanes);
  /// x times y, or its conjugate.
  Parts multiply(Parts x, Parts y, bool isConjugate);

  KernelBuilder &b;
  CodeBuilder c;
  mlir::Type element;
  int64_t bytes;
  FourierKernels kernels;
  mlir::Value size, start, factorStart, leastCapacity;
  bool mayConvolve;
  Parts roots;
  mlir::Value rootStep;

  mlir::Value count;      ///< number of factors of n
  mlir::Value rows;       ///< n as rows of a matrix,
  mlir::Value rowFactors; ///< the number of their factors
  mlir::Value columns;    ///< and columns
  mlir::Value isMatrix;   ///< whether both are large enough
  mlir::Value convolves;
  mlir::Value pitch;          ///< elements of a row, up to full vectors
  mlir::Value widePitch;      ///< the same of a row of the matrix,
  mlir::Value widePitchAfter; ///< and of its transpose
  mlir::Value capacity;
  /// Of the power of two that convolutions have.
  std::unique_ptr<FourierRows> wide;
};

} // namespace dyn

#endif // DYN_LIB_CODEGEN_CPU_SINGLE_FOURIERROWS_H
