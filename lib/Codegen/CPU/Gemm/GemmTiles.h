//===- GemmTiles.h - Tiles of GEMMs and their epilogues -------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CODEGEN_CPU_GEMM_GEMMTILES_H
#define DYN_LIB_CODEGEN_CPU_GEMM_GEMMTILES_H

#include "Codegen/CPU/Gemm/MicroKernel.h"
#include "Codegen/CPU/Gemm/Packing.h"
#include "Codegen/CPU/Schedule.h"
#include "Codegen/Common/Elements/ElementEmitter.h"

namespace dyn {

/// One of the blocks of a GEMM along k.
struct DepthBlock {
  mlir::OpFoldResult first; ///< group of elements
  mlir::OpFoldResult size;  ///< groups of elements, of all but the last
  mlir::Value isFirst, isLast;
};

/// The split of M into tiles, and the tiles' NR. All rows are one tile, or
/// tiles of nearly equal MR: with q = rows / tiles and r = rows % tiles, the
/// first r tiles have q + 1 rows, the others q. Tiles of packed rows have the
/// same MR, and the last one overlaps the previous one.
struct RowTiles {
  mlir::OpFoldResult rows;   ///< of the GEMM
  mlir::OpFoldResult tiles;  ///< 0 if there are no rows
  mlir::OpFoldResult height; ///< of a tile, maximum
  mlir::OpFoldResult panels; ///< of a tile
  /// Whether the tiles are of packed rows; null if they never are.
  mlir::Value packed;
  /// Bounds of `rows`.
  int64_t minRows, maxRows;
  /// Panels of the GEMM if static, else the largest int64.
  int64_t panelLimit;
  /// With packed rows, so many of the last groups are one panel narrower, so
  /// that no panel is computed twice.
  int64_t narrowGroups = 0;

  /// Splits `rows` rows. `extent` is their expression. If there are enough of
  /// them and `mayPack`, the tiles are of packed rows.
  RowTiles(KernelBuilder &b, const TileShapes &shapes, dhlo::DimExpr extent,
           int64_t panelLimit, bool mayPack = false);

  /// Splits `rows` rows, which are in [minRows, maxRows].
  RowTiles(KernelBuilder &b, const TileShapes &shapes, mlir::OpFoldResult rows,
           int64_t minRows, int64_t maxRows, int64_t panelLimit);

  /// First row of a tile.
  mlir::OpFoldResult getFirst(KernelBuilder &b, mlir::OpFoldResult tile) const;
  /// Rows at the start of a tile that the previous one has computed.
  mlir::OpFoldResult getRepeated(KernelBuilder &b,
                                 mlir::OpFoldResult tile) const;
  /// Rows of a tile.
  mlir::OpFoldResult getCount(KernelBuilder &b, mlir::OpFoldResult tile) const;

  /// A group of panels, which one tile covers.
  struct Group {
    mlir::OpFoldResult panel, count; ///< the first one, and their number
    mlir::OpFoldResult start;        ///< the first one that is computed
  };
  /// Group `number` of `panels` panels.
  Group getGroup(KernelBuilder &b, mlir::OpFoldResult number,
                 mlir::OpFoldResult count) const;

  /// The first panel of the tile that covers `panel`, the first of a group, of
  /// `count` panels. The last group overlaps the previous one, so that one
  /// micro-kernel serves all groups.
  mlir::OpFoldResult getGroupStart(KernelBuilder &b, mlir::OpFoldResult panel,
                                   mlir::OpFoldResult count) const;

  /// Sets the part of the next group that tile `number` of `count` prefetches,
  /// where all tiles read a group's panels one after the other. The next group
  /// begins `distance` panels after this one. Parts are equal, as the memory is
  /// slower than a tile. A row of a panel has `rowBytes`. After a `block` along
  /// k the next block of the same group follows, after the last block the first
  /// one of the next group.
  void setAhead(KernelBuilder &b, MicroKernelCall &call,
                mlir::OpFoldResult number, mlir::OpFoldResult count,
                mlir::OpFoldResult distance, mlir::OpFoldResult panelBytes,
                int64_t rowBytes = 4 * kPanelWidth,
                const DepthBlock *block = nullptr) const;

  /// Calls the micro-kernel of a tile of `count` of these rows, and of a group
  /// of `width` panels, if that matters.
  void multiply(KernelBuilder &b, MicroKernels &microKernels,
                mlir::OpFoldResult count, const MicroKernelCall &call,
                mlir::OpFoldResult width = {}) const;

private:
  mlir::OpFoldResult packedHeight;
};

/// The start of part `number` if `count` elements are split into `parts` whose
/// sizes differ by at most one: the first parts are larger.
mlir::OpFoldResult getPartStart(KernelBuilder &b, mlir::OpFoldResult number,
                                mlir::OpFoldResult count,
                                mlir::OpFoldResult parts);

/// Whether rows that are `bytes` bytes apart map to fewer than four of the sets
/// of the L1 cache.
bool sharesSets(const CpuInfo &cpu, int64_t bytes);
/// Padding between copied rows, in bytes.
inline constexpr int64_t kRowGap = CpuInfo::kLineBytes;

/// Tiles of a chunk: rows that stay in the second-level cache during a pass
/// over all panels, each of `rowBytes` bytes. Tiles have `height` rows.
mlir::OpFoldResult getChunkTiles(KernelBuilder &b, mlir::OpFoldResult height,
                                 mlir::OpFoldResult rowBytes);

/// Geometry::grain of a kernel whose work items share so many flops and bytes
/// evenly. `isSlow` says that it waits for more than its operands.
mlir::OpFoldResult getGemmGrain(KernelBuilder &b, mlir::OpFoldResult items,
                                mlir::OpFoldResult flops,
                                mlir::OpFoldResult bytes, bool isSlow = false);

/// Panels of a GEMM if N is static, else the largest int64.
int64_t getPanelLimit(const SymbolicDims &dims, dhlo::DimExpr columns);

/// Packs panels `panel` up to `panel + count` of a matrix whose rows are
/// contiguous along N to `target`; with pairs of rows, `depth` counts pairs.
void packPanels(KernelBuilder &b, Packing &packing, mlir::Value matrix,
                mlir::OpFoldResult depth, mlir::OpFoldResult columns,
                mlir::OpFoldResult panel, mlir::OpFoldResult count,
                mlir::Value target, mlir::Type element, bool isPairs = false);

/// The results of one call of a micro-kernel.
struct ResultTile {
  mlir::OpFoldResult row, rows;    ///< the first one, and their number
  mlir::OpFoldResult panel, count; ///< the same for panels
  /// The first panel that is computed, `panel` or an earlier one.
  mlir::OpFoldResult start;
  /// The number of rows that the previous tile has stored.
  mlir::OpFoldResult repeated;
};

/// Emits a GEMM's epilogue on tiles that were just computed. The kernel's
/// results are functions of the GEMM's result at the same position in row-major
/// order: they treat it as a matrix of `rows` x `columns`.
class GemmEpilogue {
public:
  /// Whether a kernel's results are such functions.
  static bool canEmit(dlhlo::KernelOp kernel, mlir::Value contraction,
                      const SymbolicDims &dims);
  /// The obstacle if they are not, a clause.
  static constexpr llvm::StringLiteral kObstacle =
      "the kernel's results are not elementwise functions of its own";

  GemmEpilogue(KernelBuilder &b, mlir::Value contraction, dhlo::DimExpr rows,
               dhlo::DimExpr columns);

  /// Calls the micro-kernel of a tile of `tiles` with the operands of `call`,
  /// and stores the results. Without an epilogue the micro-kernel writes them
  /// itself, except those of a partial last panel or, if B is not packed, of a
  /// group with fewer panels than a tile; otherwise it writes to `scratch`,
  /// `width` elements per row. For a `block` that is not the last one, nothing
  /// else is done.
  void multiply(const RowTiles &tiles, MicroKernels &microKernels,
                MicroKernelCall call, const ResultTile &tile, bool isPacked,
                mlir::Value scratch, int64_t width,
                const DepthBlock *block = nullptr);

  /// Stores the results of `rowCount` rows from `row`, consecutive or `rowStep`
  /// apart, and of the columns of `panels` panels from column `column`, up to
  /// the last column. The GEMM's values are at `tile`, with `tileStride`
  /// elements between rows; if `factors` is given, each row's values are
  /// multiplied by its factor.
  void emit(mlir::OpFoldResult row, mlir::OpFoldResult rowCount,
            mlir::OpFoldResult column, mlir::OpFoldResult panels,
            mlir::Value tile, mlir::OpFoldResult tileStride,
            mlir::Value factors = {}, mlir::OpFoldResult rowStep = {});

  /// The same for `count` columns, of which the first is at `tile`.
  void emitColumns(mlir::OpFoldResult row, mlir::OpFoldResult rowCount,
                   mlir::OpFoldResult column, mlir::OpFoldResult count,
                   mlir::Value tile, mlir::OpFoldResult tileStride);

  /// Stores the results of a vector of columns of a row, from `column` on: the
  /// GEMM's values are `values`.
  void emitVector(mlir::OpFoldResult row, mlir::OpFoldResult column,
                  mlir::Value values);

private:
  /// Returns `count` values from offset `first` of a vector on.
  using ReadFn =
      llvm::function_ref<mlir::Value(mlir::OpFoldResult first, int64_t count)>;
  void emitAt(mlir::Value row, mlir::OpFoldResult column, mlir::Value tileAt,
              mlir::Value factor, int64_t lanes);
  void emitAt(mlir::Value row, mlir::OpFoldResult column, int64_t lanes,
              ReadFn read);

  KernelBuilder &b;
  mlir::Value contraction;
  dhlo::DimExpr rows, columns;
  /// Whether micro-kernels may write results themselves.
  bool direct;
};

} // namespace dyn

#endif // DYN_LIB_CODEGEN_CPU_GEMM_GEMMTILES_H
