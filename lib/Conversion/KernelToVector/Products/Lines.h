//===- Lines.h - Lines, blocks and copies of convolutions -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CONVERSION_KERNELTOVECTOR_PRODUCTS_LINES_H
#define DYN_LIB_CONVERSION_KERNELTOVECTOR_PRODUCTS_LINES_H

#include "dyn/Conversion/KernelToVector/Packing.h"
#include "dyn/Conversion/KernelToVector/ProductTiles.h"

namespace dyn {

/// Along a spatial axis: sizes of input and result, and how the filter moves.
struct LineAxis {
  mlir::OpFoldResult in, out, low;
  int64_t window, stride, dilation;
};

/// The lines of a channels-last convolution and their blocks. There are always
/// three spatial axes, depth, height and width (0, 1, 2); missing ones have
/// size 1. A line is a row of pixels along the width; a block is some
/// lines that follow one another along the height.
///
/// Where lines are too short for tiles, they are joined: a block is some pixels
/// that follow one another over lines, planes and images, as one line, and what
/// they read is gathered in scratch.
struct Lines {
  /// Lines are joined if `shapes` of tiles are given.
  Lines(KernelBuilder &b, dhlo::ConvolutionOp op, bool padded, bool mergeTaps,
        const TileShapes *shapes = nullptr);

  LineAxis axes[3];
  mlir::OpFoldResult batch;
  mlir::OpFoldResult pixels; ///< of all results
  int64_t channels;          ///< of the input
  bool padded;
  /// Whether the filter elements along a line form one tap.
  bool merged;
  int64_t tapCount, depth;

  mlir::OpFoldResult linesPerBlock, blocksPerPlane, blocks;
  /// Elements between lines and planes that taps step over: of the padded copy
  /// or of the input.
  mlir::OpFoldResult lineStride, planeStride;
  mlir::OpFoldResult linePixels; ///< of such a line
  /// Elements between what neighbouring pixels of a line read.
  mlir::OpFoldResult pixelStride;
  /// Pixels of the largest block's lines, and their bounds.
  mlir::OpFoldResult blockPixels;
  int64_t minPixels, maxPixels;
  /// Scratch: the taps' offsets, then the padded copy or what is gathered.
  int64_t tapBytes;
  mlir::OpFoldResult copyBytes;

  int64_t getTapTableOffset() const { return 0; }
  int64_t getCopyOffset() const { return tapBytes; }
  mlir::OpFoldResult getScratchEnd(KernelBuilder &b) const;

  /// Writes the taps' offsets to scratch.
  void emitTapTable(KernelBuilder &b) const;

  /// A block and what it consists of.
  struct Block {
    mlir::OpFoldResult image, plane, firstLine; ///< if lines are not joined
    mlir::OpFoldResult row; ///< of the result, as pixels x channels: the first
    mlir::OpFoldResult lineCount, pixels; ///< lines, and pixels of each
    mlir::Value base; ///< what the first tap of the first pixel reads
  };
  Block getBlock(KernelBuilder &b, mlir::OpFoldResult number) const;
  /// Whether blocks read scratch.
  bool mayCopy() const { return padded || joins != Joins::Never; }
  /// Copies a block's input with its padding to scratch, if it is read there.
  void emitCopy(KernelBuilder &b, Packing &packing, mlir::Value input,
                const Block &block) const;
  /// Sets the base of a block.
  void setBase(KernelBuilder &b, mlir::Value input, Block &block) const;
  /// Address of pixel `pixel` of line `line` of a block, under the first tap.
  mlir::Value getPixel(KernelBuilder &b, const Block &block,
                       mlir::OpFoldResult line, mlir::OpFoldResult pixel) const;
  /// Row of the result of the same pixel.
  mlir::OpFoldResult getRow(KernelBuilder &b, const Block &block,
                            mlir::OpFoldResult line,
                            mlir::OpFoldResult pixel) const;

private:
  /// Whether lines are joined. Depends: on the sizes of a call, `isJoined`.
  enum class Joins { Never, Depends, Always };
  Joins joins;
  mlir::Value isJoined;
  /// Elements between the rows that are gathered for a tap, and between taps.
  int64_t gatheredLength;
  mlir::OpFoldResult tapStride;

  void join(KernelBuilder &b, const TileShapes &shapes);
  mlir::OpFoldResult choose(KernelBuilder &b, mlir::OpFoldResult joined,
                            mlir::OpFoldResult apart) const;
  void emitPadded(KernelBuilder &b, Packing &packing, mlir::Value input,
                  const Block &block) const;
  void emitGathered(KernelBuilder &b, Packing &packing, mlir::Value input,
                    const Block &block) const;
  /// A place in the input, or outside of it.
  struct Place {
    mlir::OpFoldResult image, plane, line, pixel;
  };
  /// Copies `count` pixels of a line from `from` on to `target`, zeros for
  /// those that are outside.
  void emitSpan(KernelBuilder &b, Packing &packing, mlir::Value input,
                const Place &from, mlir::OpFoldResult count,
                mlir::Value target) const;
};

} // namespace dyn

#endif // DYN_LIB_CONVERSION_KERNELTOVECTOR_PRODUCTS_LINES_H
