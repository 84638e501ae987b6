//===- MicroKernel.h - The inner loops of GEMMs and convolutions ----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A micro-kernel multiplies a few rows of A by a few packed panels of 16
// columns of B and keeps the full tile of results in registers:
//
//   void mk_RxP(ptr a, i64 row_stride, ptr taps, i64 tap_count, i64 depth,
//               ptr b, i64 panel_stride, ptr c, i64 c_stride, i64 ahead,
//               i64 ahead_step)
//
//   for r in R, p in P, n in 16:
//     acc = 0
//     for t in tap_count, k in depth:
//       acc += a[r * row_stride + taps[t] + k] * b[p * panel_stride + (t *
//       depth + k) * 16 + n]
//     c[r * c_stride + p * 16 + n] = acc
//
// A GEMM has one tap at offset 0. A convolution over rows of pixels has one tap
// per filter row (or per filter element, if dilated), whose offset leads to the
// input pixels under it: the same code, and the same chain of fused
// multiply-adds over ascending (tap, k) for every element, whatever the tile.
// This is the bit contract: results do not depend on which micro-kernel
// computed them.
//
// GEMMs of bytes (ui8 by i8, summed in i32) use the same code: an element of
// f32 corresponds to a group of four bytes along k, and a fused multiply-add to
// a dot product of four elements (GemmArithmetic.h).
//
// With tile registers (TileRegisters.h), another function is used instead.
//
// If M is very large, A is packed, too, tile by tile, so that the elements of a
// step of k are consecutive: mkp_RxP, which ignores row_stride.
//
// For large K, sums are computed block by block, so that a block's part of B
// stays in the second-level cache for all rows. mks_RxP and mkp_RxP begin their
// sums at start[r * start_stride + p * 16 + n]: the chain is the same.
//
// Sizes and strides are arguments, so one set of functions per instruction set
// and type serves every GEMM and convolution of a module.
//
// Two details are essential (zero spills, one instruction per load):
//   - Rows are addressed from every fifth row's pointer with the stride scaled
//     by 1, 2, 3 and 4, which fits x86's addressing modes and 5 registers.
//   - The pointers are made opaque in each iteration. Otherwise loop strength
//     reduction creates its own pointers, and the scheduler, which then sees
//     loads from one address next to each other, hoists them until registers
//     spill.

#ifndef DYN_LIB_CODEGEN_CPU_GEMM_MICROKERNEL_H
#define DYN_LIB_CODEGEN_CPU_GEMM_MICROKERNEL_H

#include "Codegen/CPU/Gemm/GemmArithmetic.h"
#include "Codegen/Common/Builder/CodeBuilder.h"
#include "dyn/Support/Panels.h"
#include "dyn/Support/TargetInfo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dyn {

/// The register tiles of GEMMs of some factors.
struct TileShapes {
  /// Of a GEMM of `panels` panels; 0 if that does not matter.
  TileShapes(const RegisterInfo &registers, Factors factors, int64_t panels);

  /// The maximum MR of a tile, for large M.
  int64_t maxRows;
  /// Large M is split into tiles of at most `maxRows` rows, of nearly equal MR,
  /// so that no tile is small. Up to this many rows are one tile.
  int64_t maxSingle;
  /// Panels of a tile, for large M.
  int64_t tallPanels;
  /// From `minPacked` rows on, tiles of exactly `packedRows` rows by
  /// `packedPanels` panels may read packed rows; 0 if this does not pay.
  int64_t minPacked = 0, packedRows = 0, packedPanels = 0;
  /// Up to this MR a tile reads B faster than a second-level cache supplies it.
  int64_t slowRows = 0;
  /// Whether one function serves all MR, on tile registers.
  bool anyHeight = false;
  /// Panels of a tile that holds all rows, by the number of rows, up to
  /// `smallPanels.size() - 1`, which is at least `minTallRows() - 1`. Entry 0
  /// is unused.
  llvm::SmallVector<int64_t> smallPanels;

  /// Up to this many rows are one tile of `smallPanels` panels.
  int64_t maxSmall() const { return smallPanels.size() - 1; }
  int64_t maxPanels() const;
  /// Panels of a tile for `rows` rows and `limit` panels in total.
  int64_t getPanels(int64_t rows, int64_t limit) const;
  /// The minimum MR of a tile if there are several.
  int64_t minTallRows() const { return (maxSingle + 1) / 2; }
  /// The maximum MR of any tile.
  int64_t rowLimit() const { return std::max(maxRows, maxSingle); }
};

/// Arguments of a call. All are i64 or pointers; strides are bytes.
struct MicroKernelCall {
  /// While the kernel multiplies, it prefetches the next part of B into the
  /// second-level cache: four cache lines in each iteration, which start
  /// `ahead` bytes after `b`, and advance by `aheadStep` bytes.
  mlir::Value ahead, aheadStep;
  mlir::Value a, rowStride;
  mlir::Value taps, tapCount, depth;
  /// The copy of the configuration that is loaded, written by `begin`.
  mlir::Value config;
  mlir::Value b, panelStride;
  mlir::Value c, cStride;
  /// Initial values of the sums, laid out like c; null for zero. Packed rows
  /// always have them.
  mlir::Value start, startStride;
};

/// Creates and calls micro-kernels for operands of one type and one instruction
/// set.
class MicroKernels {
public:
  /// Functions are added to the body of `symbolTable`.
  MicroKernels(mlir::Operation *symbolTable, const RegisterInfo &registers,
               Factors factors = Factors::F32, int64_t panels = 0)
      : symbolTable(symbolTable), isa(registers.isa), factors(factors),
        shapes(registers, factors, panels) {}

  const TileShapes &getShapes() const { return shapes; }
  Isa getIsa() const { return isa; }

  /// Enclose the code of work items: kernels that are called between them
  /// multiply `depth` groups along k, and have tiles::kConfigBytes at `config`.
  void begin(CodeBuilder &b, mlir::Value config, mlir::Value depth);
  void end(CodeBuilder &b);

  /// Calls the micro-kernel of `rows` (a constant) by `panels`, of packed rows
  /// or others.
  void call(CodeBuilder &b, int64_t rows, int64_t panels,
            const MicroKernelCall &call, bool packed = false);

  /// Calls the micro-kernel of `rows`, an i64 value, by a branch on the value:
  /// the rows of a tile of a GEMM with M = `total`, which is in [minTotal,
  /// maxTotal]. The GEMM has at most `panelLimit` panels.
  void call(CodeBuilder &b, mlir::Value rows, mlir::Value total,
            int64_t minTotal, int64_t maxTotal, int64_t panelLimit,
            const MicroKernelCall &call);

private:
  /// The same, by the function for all MR.
  void callAnyHeight(CodeBuilder &b, mlir::Value rows, mlir::Value total,
                     int64_t minTotal, int64_t maxTotal, int64_t panelLimit,
                     const MicroKernelCall &call);

  mlir::Operation *symbolTable;
  Isa isa;
  Factors factors;
  TileShapes shapes;
};

} // namespace dyn

#endif // DYN_LIB_CODEGEN_CPU_GEMM_MICROKERNEL_H
