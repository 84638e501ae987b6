//===- MicroKernel.h - The innermost code of products and convolutions ----===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A micro-kernel multiplies a few rows by a few panels of 16 columns and keeps
// the whole tile of results in registers:
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
// A matrix product has one tap at offset 0. A convolution over rows of pixels
// has one tap per filter row (or per filter element, if dilated), whose offset
// leads to the input pixels under it: the same code, and the same chain of
// fused multiply-adds over ascending (tap, k) for every element, whatever the
// tile. That is the bit contract: results do not depend on which micro-kernel
// computed them.
//
// Products of bytes (ui8 by i8, summed in i32) are the same code: what is an
// element of f32 is a group of four bytes along k there, and a fused
// multiply-add is the sum of four products (ProductArithmetic.h).
//
// With registers of rows (TileRegisters.h), another function does the same.
//
// Of products with very many rows A is packed, too, tile by tile, so that the
// elements that a step of k multiplies by lie side by side: mkp_RxP, which
// ignores row_stride.
//
// Deep sums are computed block by block, so that a block's part of B stays in
// the second-level cache for all rows. mks_RxP and mkp_RxP begin theirs at
// start[r * start_stride + p * 16 + n]: the chain is the same.
//
// Sizes and strides are arguments, so one set of functions per instruction set
// and type serves every product and convolution of a module.
//
// Two details make the code what it is (zero spills, one instruction per load):
//   - Rows are addressed from every fifth row's pointer with the stride scaled
//     by 1, 2, 3 and 4, which fits x86's addressing modes and 5 registers.
//   - The pointers are made opaque in each iteration. Otherwise loop strength
//     reduction invents pointers of its own, and the scheduler, which then sees
//     loads from one address side by side, hoists them until registers spill.

#ifndef DYN_CONVERSION_KERNELTOVECTOR_MICROKERNEL_H
#define DYN_CONVERSION_KERNELTOVECTOR_MICROKERNEL_H

#include "dyn/Conversion/KernelToVector/CodeBuilder.h"
#include "dyn/Conversion/KernelToVector/ProductArithmetic.h"
#include "dyn/Support/Isa.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dyn {

/// Columns of a panel; part of the layout of packed constants.
inline constexpr int64_t kPanelWidth = 16;

/// Which tiles an instruction set's registers hold.
struct TileShapes {
  TileShapes(Isa isa, Factors factors);

  /// Rows of the largest tile of a tall product.
  int64_t maxRows;
  /// Tall products are cut into tiles of at most `maxRows` rows, of nearly
  /// equal height, so that no tile is small. Up to this many rows are one tile.
  int64_t maxSingle;
  /// Panels of a tile of a tall product.
  int64_t tallPanels;
  /// From `minPacked` rows on, tiles of `packedRows` rows, no more and no
  /// fewer, by `packedPanels` panels may read packed rows; 0 where that does
  /// not pay.
  int64_t minPacked = 0, packedRows = 0, packedPanels = 0;
  /// Rows up to which a tile reads B faster than a second-level cache gives it.
  int64_t slowRows = 0;
  /// Whether one function serves all heights, on registers of rows.
  bool anyHeight = false;
  /// Panels of a tile that holds all rows, by the number of rows, up to
  /// `smallPanels.size() - 1`, which is at least `minTallRows() - 1`. Entry 0
  /// is unused.
  llvm::SmallVector<int64_t> smallPanels;

  /// Rows up to which all rows are one tile of `smallPanels` panels.
  int64_t maxSmall() const { return smallPanels.size() - 1; }
  int64_t maxPanels() const;
  /// Panels of a tile of a product of `rows` rows and `limit` panels.
  int64_t getPanels(int64_t rows, int64_t limit) const;
  /// Rows of the lowest tile of a product that takes more than one.
  int64_t minTallRows() const { return (maxSingle + 1) / 2; }
  /// Rows of any tile.
  int64_t rowLimit() const { return std::max(maxRows, maxSingle); }
};

/// Arguments of a call. All are i64 or pointers; strides are bytes.
struct MicroKernelCall {
  /// While the kernel multiplies, it brings what is multiplied next into the
  /// second-level cache: from `ahead` bytes behind `b` on, four lines in each
  /// iteration, that begin `aheadStep` bytes behind those of the one before.
  mlir::Value ahead, aheadStep;
  mlir::Value a, rowStride;
  mlir::Value taps, tapCount, depth;
  /// Where `begin` wrote what the processor has loaded.
  mlir::Value config;
  mlir::Value b, panelStride;
  mlir::Value c, cStride;
  /// Where the sums begin, laid out like c; null: at zero. Packed rows always
  /// have it.
  mlir::Value start, startStride;
};

/// Makes and calls micro-kernels for factors of one type and one instruction
/// set.
class MicroKernels {
public:
  /// Functions are added to the body of `symbolTable`.
  MicroKernels(mlir::Operation *symbolTable, Isa isa,
               Factors factors = Factors::F32)
      : symbolTable(symbolTable), isa(isa), factors(factors),
        shapes(isa, factors) {}

  const TileShapes &getShapes() const { return shapes; }
  Isa getIsa() const { return isa; }

  /// Surround the code of items: kernels that are called between them multiply
  /// `depth` groups along k, and have tiles::kConfigBytes at `config`.
  void begin(CodeBuilder &b, mlir::Value config, mlir::Value depth);
  void end(CodeBuilder &b);

  /// Calls the micro-kernel of `rows` (a constant) by `panels`, of packed rows
  /// or others.
  void call(CodeBuilder &b, int64_t rows, int64_t panels,
            const MicroKernelCall &call, bool packed = false);

  /// Calls the micro-kernel of `rows`, an i64 value, by a branch on the value:
  /// the rows of a tile of a product with `total` rows, which is in [minTotal,
  /// maxTotal]. The product has at most `panelLimit` panels.
  void call(CodeBuilder &b, mlir::Value rows, mlir::Value total,
            int64_t minTotal, int64_t maxTotal, int64_t panelLimit,
            const MicroKernelCall &call);

private:
  /// The same by the function for all heights.
  void callAnyHeight(CodeBuilder &b, mlir::Value rows, mlir::Value total,
                     int64_t minTotal, int64_t maxTotal, int64_t panelLimit,
                     const MicroKernelCall &call);

  mlir::Operation *symbolTable;
  Isa isa;
  Factors factors;
  TileShapes shapes;
};

} // namespace dyn

#endif // DYN_CONVERSION_KERNELTOVECTOR_MICROKERNEL_H
