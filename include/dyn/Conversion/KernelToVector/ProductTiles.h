//===- ProductTiles.h - Tiles of products and what follows them -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CONVERSION_KERNELTOVECTOR_PRODUCTTILES_H
#define DYN_CONVERSION_KERNELTOVECTOR_PRODUCTTILES_H

#include "dyn/Conversion/KernelToVector/ElementEmitter.h"
#include "dyn/Conversion/KernelToVector/MicroKernel.h"
#include "dyn/Conversion/KernelToVector/Packing.h"
#include "dyn/Conversion/KernelToVector/Schedule.h"

namespace dyn {

/// One of the blocks along k of a product.
struct DepthBlock {
  mlir::OpFoldResult first; ///< group of elements
  mlir::OpFoldResult size;  ///< groups of elements, of all but the last
  mlir::Value isFirst, isLast;
};

/// How the rows of a product are cut into tiles, and the tiles' width. All
/// rows are one tile, or tiles of nearly equal height: with q = rows / tiles
/// and r = rows % tiles, the first r tiles have q + 1 rows, the others q. Tiles
/// of packed rows have the same height, and the last reaches back over rows of
/// the one before it.
struct RowTiles {
  mlir::OpFoldResult rows;   ///< of the product
  mlir::OpFoldResult tiles;  ///< 0 if there are no rows
  mlir::OpFoldResult height; ///< of a tile, at most
  mlir::OpFoldResult panels; ///< of a tile
  /// Whether the tiles are of packed rows; null if they never are.
  mlir::Value packed;
  /// Bounds of `rows`.
  int64_t minRows, maxRows;
  /// Panels of the product, if known, else the largest int64.
  int64_t panelLimit;
  /// Of packed rows, so many of the last groups are a panel narrower, so that
  /// no panel is computed twice.
  int64_t narrowGroups = 0;

  /// Cuts `rows` rows. `extent` is their expression. If there are enough of
  /// them and `mayPack`, the tiles are of packed rows.
  RowTiles(KernelBuilder &b, const TileShapes &shapes, dhlo::DimExpr extent,
           int64_t panelLimit, bool mayPack = false);

  /// Cuts `rows` rows, known to be in [minRows, maxRows].
  RowTiles(KernelBuilder &b, const TileShapes &shapes, mlir::OpFoldResult rows,
           int64_t minRows, int64_t maxRows, int64_t panelLimit);

  /// First row of a tile.
  mlir::OpFoldResult getFirst(KernelBuilder &b, mlir::OpFoldResult tile) const;
  /// Rows at the beginning of a tile that the one before it has computed.
  mlir::OpFoldResult getRepeated(KernelBuilder &b,
                                 mlir::OpFoldResult tile) const;
  /// Rows of a tile.
  mlir::OpFoldResult getCount(KernelBuilder &b, mlir::OpFoldResult tile) const;

  /// A group of panels, which one tile covers.
  struct Group {
    mlir::OpFoldResult panel, count; ///< the first, and their number
    mlir::OpFoldResult start;        ///< the first that is computed
  };
  /// Group `number` of `panels` panels.
  Group getGroup(KernelBuilder &b, mlir::OpFoldResult number,
                 mlir::OpFoldResult count) const;

  /// Where a tile starts that covers `panel`, the first of a group, when there
  /// are `count` panels. The last group reaches back over panels of the group
  /// before it, so that one micro-kernel serves all groups.
  mlir::OpFoldResult getGroupStart(KernelBuilder &b, mlir::OpFoldResult panel,
                                   mlir::OpFoldResult count) const;

  /// Sets what tile `number` of the `count` that read a group's panels one
  /// after the other asks for: its share of the next group, which begins
  /// `distance` panels behind this one. Evenly, as the memory is slower than a
  /// tile. A row of a panel has `rowBytes`. After a `block` along k comes the
  /// next of the same group, after the last the first of the next group.
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

/// Where part `number` begins, if `count` things are cut into `parts` that
/// differ by one at most: the first ones have one more.
mlir::OpFoldResult getPartStart(KernelBuilder &b, mlir::OpFoldResult number,
                                mlir::OpFoldResult count,
                                mlir::OpFoldResult parts);

/// Rows whose lengths are a multiple of this many bytes share fewer than four
/// of the 64 sets of a first-level cache.
inline constexpr int64_t kSetBytes = 2048;
/// Bytes between the ends of copied rows.
inline constexpr int64_t kRowGap = 64;

/// Tiles of a chunk: rows that stay in the second-level cache while all panels
/// pass, each of `rowBytes` bytes. Tiles have `height` rows.
mlir::OpFoldResult getChunkTiles(KernelBuilder &b, mlir::OpFoldResult height,
                                 mlir::OpFoldResult rowBytes);

/// Flops that take as long as a byte: of a product of matrices, and of work
/// that waits for more than its factors.
inline constexpr int64_t kFlopsPerByte = 16, kSlowFlopsPerByte = 8;

/// Geometry::grain of a kernel whose items share so many flops and bytes
/// evenly.
mlir::OpFoldResult getProductGrain(KernelBuilder &b, mlir::OpFoldResult items,
                                   mlir::OpFoldResult flops,
                                   mlir::OpFoldResult bytes,
                                   int64_t flopsPerByte = kFlopsPerByte);

/// Panels of a product, if its columns are known, else the largest int64.
int64_t getPanelLimit(const SymbolicDims &dims, dhlo::DimExpr columns);

/// Packs panels `panel` up to `panel + count` of a matrix, whose rows are
/// contiguous along its columns, to `target`; of pairs of rows, `depth` counts
/// them.
void packPanels(KernelBuilder &b, Packing &packing, mlir::Value matrix,
                mlir::OpFoldResult depth, mlir::OpFoldResult columns,
                mlir::OpFoldResult panel, mlir::OpFoldResult count,
                mlir::Value target, mlir::Type element, bool isPairs = false);

/// The results of one call of a micro-kernel.
struct ResultTile {
  mlir::OpFoldResult row, rows;    ///< the first of them, and their number
  mlir::OpFoldResult panel, count; ///< likewise of panels
  /// The first panel that is computed, `panel` or one before it.
  mlir::OpFoldResult start;
  /// Of the rows, how many the tile before has stored.
  mlir::OpFoldResult repeated;
};

/// Emits what follows a product in its kernel on tiles that were just computed.
/// The kernel's results are functions of the product at the same position in
/// row-major order: they see it as a matrix of `rows` x `columns`.
class ProductEpilogue {
public:
  /// Whether a kernel's results are such functions.
  static bool canEmit(dlhlo::KernelOp kernel, mlir::Value product,
                      const SymbolicDims &dims);

  ProductEpilogue(KernelBuilder &b, mlir::Value product, dhlo::DimExpr rows,
                  dhlo::DimExpr columns);

  /// Calls the micro-kernel of a tile of `tiles`, whose factors `call` has, and
  /// stores the results. Where nothing follows and B is packed, so that each
  /// group of panels is whole or reaches back, the micro-kernel writes them
  /// itself, but for the last panel's if it is partial; else it writes to
  /// `scratch`, `width` elements a row. Of a `block` that is not the last, that
  /// is all.
  void multiply(const RowTiles &tiles, MicroKernels &microKernels,
                MicroKernelCall call, const ResultTile &tile, bool isPacked,
                mlir::Value scratch, int64_t width,
                const DepthBlock *block = nullptr);

  /// Stores the results of `rowCount` rows from `row`, each one or `rowStep`
  /// behind the one before, and of the columns of
  /// `panels` panels from column `column`, as far as there are columns. The
  /// product's values are at `tile`, with `tileStride` elements between rows;
  /// if there are `factors`, each row's values times its own.
  void emit(mlir::OpFoldResult row, mlir::OpFoldResult rowCount,
            mlir::OpFoldResult column, mlir::OpFoldResult panels,
            mlir::Value tile, mlir::OpFoldResult tileStride,
            mlir::Value factors = {}, mlir::OpFoldResult rowStep = {});

private:
  void emitAt(mlir::Value row, mlir::OpFoldResult column, mlir::Value tileAt,
              mlir::Value factor, int64_t lanes);

  KernelBuilder &b;
  mlir::Value product;
  dhlo::DimExpr rows, columns;
  /// Whether micro-kernels may write results themselves.
  bool direct;
};

} // namespace dyn

#endif // DYN_CONVERSION_KERNELTOVECTOR_PRODUCTTILES_H
