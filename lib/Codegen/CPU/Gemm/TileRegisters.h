//===- TileRegisters.h - GEMMs on AMX tile registers ----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// AMX has eight registers of up to 16 rows of 64 bytes each. One instruction
// multiplies one of A, 64 bytes of up to 16 rows, by one of B, 16 groups of
// four bytes along k for 16 columns, and adds the result to one of C, 16
// columns of i32 or, if a group is two of bf16, of f32. A panel of
// #dlhlo.packed<panels16x4> or <panels16x2> has the memory layout of a column
// of such registers of B, and rows of A are read without packing.
//
// The number of rows of a register is configured at run time, so one function
// serves all MR: there is no family of micro-kernels. A tile of results is one
// block of up to 16 rows by up to 4 panels, or two blocks by 2 panels, which
// halves the reads. Two blocks of equal height cover an odd number of rows by
// computing one row twice.
//
// The configuration is not changed at the end of K. If K is not a multiple of a
// step's 64 bytes, the last step overlaps groups of B that have been multiplied
// before, where rows of A have zeros (getGap); for a K of less than a step,
// registers have fewer rows. For bf16, K is a multiple of full steps: zero
// times infinity is not zero.
//
// The configuration is in scratch and is a copy of the loaded one:
//
//   begin        writes it, with no rows
//   call         loads it if the height of blocks differs
//   end          releases the registers, so that switching threads stays cheap

#ifndef DYN_LIB_CODEGEN_CPU_GEMM_TILEREGISTERS_H
#define DYN_LIB_CODEGEN_CPU_GEMM_TILEREGISTERS_H

#include "Codegen/CPU/Gemm/GemmArithmetic.h"

namespace dyn {

struct MicroKernelCall;

namespace tiles {

/// Rows of a register, and groups of four bytes of a step along k.
inline constexpr int64_t kRows = 16, kStep = 16;
/// Bytes of a configuration.
inline constexpr int64_t kConfigBytes = 64;

/// Groups of zeros before the last, partial step of rows of A of `depth`
/// groups. Rows shorter than a step have none.
inline int64_t getGap(int64_t depth) {
  return depth < kStep ? 0 : (kStep - depth % kStep) % kStep;
}

/// Begins code that calls kernels of `depth` groups with the configuration at
/// `config`.
void begin(CodeBuilder &b, mlir::Value config, mlir::Value depth);

/// Calls the function for `blocks` blocks (1 or 2) with `rows` rows in total,
/// by `panels` panels. `call.depth` counts groups, without the gap.
void call(CodeBuilder &b, mlir::Operation *symbolTable, Factors factors,
          int64_t blocks, int64_t panels, mlir::Value rows,
          const MicroKernelCall &call);

/// Ends such code.
void end(CodeBuilder &b);

} // namespace tiles
} // namespace dyn

#endif // DYN_LIB_CODEGEN_CPU_GEMM_TILEREGISTERS_H
