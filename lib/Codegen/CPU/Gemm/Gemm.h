//===- Gemm.h - Schedule of GEMMs -----------------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CODEGEN_CPU_GEMM_GEMM_H
#define DYN_LIB_CODEGEN_CPU_GEMM_GEMM_H

#include "Codegen/CPU/Gemm/GemmArithmetic.h"
#include "Codegen/CPU/Schedule.h"

namespace dyn {

/// The layout of the RHS.
enum class RhsOrder {
  Panels,  ///< packed constant: [g][n / 16][k][n % 16], of bytes
           ///< [g][n / 16][k / 4][n % 16][k % 4]
  RowsOfN, ///< [g][k][n]
  RowsOfK, ///< [g][n][k]
};

/// An operation of a kernel as a batch of GEMMs, G times M x K by K x N. The
/// operands are arguments of the kernel, the result is [g][m][n]. With a packed
/// RHS and G = 1, rows of the LHS may be computed in the kernel, but not bytes.
struct Gemm {
  mlir::Value lhs, rhs, result;
  dhlo::DimExpr g, m, n, k;
  RhsOrder rhsOrder;
  /// Whether the LHS is [g][m][k]; else it is [g][k][m].
  bool lhsRows;
  /// By the types; their arithmetic depends on the instruction set.
  Factors factors = Factors::F32;

  bool computesLhs() const { return !llvm::isa<mlir::BlockArgument>(lhs); }

  DeclaredFactors getDeclaredFactors() const {
    return {factors, rhsOrder == RhsOrder::Panels, dhlo::getConstantValue(k)};
  }
};

/// The view of a contraction of a kernel's arguments as GEMMs. None for types
/// and layouts that micro-kernels do not read.
std::optional<Gemm> getGemm(dhlo::DotGeneralOp op);

DeclaredFactors getDeclaredFactors(dhlo::GroupedDotOp op);

/// The schedule of a kernel with this GEMM and a fused epilogue
/// (GemmEpilogue::canEmit must hold). Its `match` does nothing.
std::unique_ptr<Schedule> createGemmSchedule(const Gemm &gemm);

/// Whether the elements of a contraction in a kernel, with what is fused with
/// it, can be computed by vectors along its last axis.
bool hasVectorContraction(dlhlo::KernelOp kernel, dhlo::DotGeneralOp op,
                          const SymbolicDims &dims);

/// The schedule of such a kernel.
std::unique_ptr<Schedule>
createVectorContractionSchedule(dhlo::DotGeneralOp op);

/// The schedule of a kernel with a grouped GEMM and a fused epilogue.
std::unique_ptr<Schedule> createGroupedGemmSchedule(dhlo::GroupedDotOp op);

} // namespace dyn

#endif // DYN_LIB_CODEGEN_CPU_GEMM_GEMM_H
