//===- Lines.h - Image rows, blocks and copies ----------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CODEGEN_CPU_CONVOLUTION_LINES_H
#define DYN_LIB_CODEGEN_CPU_CONVOLUTION_LINES_H

#include "Codegen/CPU/Gemm/GemmTiles.h"
#include "Codegen/CPU/Gemm/Packing.h"

namespace dyn {

/// A spatial axis: sizes of input and result, padding, and the filter's window.
struct LineAxis {
  mlir::OpFoldResult in, out, low;
  int64_t window, stride, dilation;
};

/// The image rows (lines) of a channels-last convolution and their blocks.
/// There are always three spatial axes, depth, height and width (0, 1, 2);
/// missing ones have size 1. An image row has the pixels along the width; a
/// block is some consecutive rows along the height.
///
/// Where image rows are too short for tiles, they are joined: a block is some
/// consecutive pixels across rows, planes and images, treated as one row, and
/// their input is gathered in scratch.
struct Lines {
  /// Rows are joined if `shapes` of tiles are given.
  Lines(KernelBuilder &b, dhlo::Convolves op, bool padded,
        const TileShapes *shapes = nullptr);

  LineAxis axes[3];
  mlir::OpFoldResult batch;
  mlir::OpFoldResult pixels, inputPixels; ///< of all results, of all inputs
  int64_t channels;                       ///< of the input
  bool padded;
  /// Whether the filter elements along a row form one tap.
  bool merged;
  /// Taps, and the elements of each that a group of channels reads.
  int64_t tapCount, depth;

  mlir::OpFoldResult linesPerBlock, blocksPerPlane, blocks;
  /// Elements between rows and between planes that taps step over: of the
  /// padded copy or of the input.
  mlir::OpFoldResult lineStride, planeStride;
  mlir::OpFoldResult linePixels; ///< of such a row
  /// Elements between the inputs of adjacent pixels of a row.
  mlir::OpFoldResult pixelStride;
  /// Pixels of the largest block's rows, and their bounds.
  mlir::OpFoldResult blockPixels;
  int64_t minPixels, maxPixels;
  /// Scratch: the taps' offsets, then the padded copy or the gathered input.
  int64_t tapBytes;
  mlir::OpFoldResult copyBytes;

  int64_t getTapTableOffset() const { return 0; }
  int64_t getCopyOffset() const { return tapBytes; }
  mlir::OpFoldResult getScratchEnd(KernelBuilder &b) const;

  /// Writes the taps' offsets to scratch.
  void emitTapTable(KernelBuilder &b) const;

  /// A block of image rows or joined pixels.
  struct Block {
    mlir::OpFoldResult image, plane, firstLine; ///< if rows are not joined
    mlir::OpFoldResult row; ///< first row of the result, as pixels x channels
    mlir::OpFoldResult lineCount, pixels; ///< image rows, and pixels of each
    mlir::Value base; ///< input of the first pixel's first tap
  };
  Block getBlock(KernelBuilder &b, mlir::OpFoldResult number) const;
  /// Whether blocks read scratch.
  bool mayCopy() const { return padded || joins != Joins::Never; }
  /// Copies a block's input with its padding to scratch, if it is read there.
  /// If only the taps of getTaps() are read (`leavesOut`), so is their input
  /// alone.
  void emitCopy(KernelBuilder &b, Packing &packing, mlir::Value input,
                const Block &block, bool leavesOut = false) const;
  /// Sets the base of a block.
  void setBase(KernelBuilder &b, mlir::Value input, Block &block) const;
  /// Address of pixel `pixel` of row `line` of a block, under the first tap.
  mlir::Value getPixel(KernelBuilder &b, const Block &block,
                       mlir::OpFoldResult line, mlir::OpFoldResult pixel) const;
  /// The taps of a row of the window: how many are along it.
  int64_t getRowTaps() const { return merged ? 1 : axes[2].window; }
  /// Whether rows of the window, or taps along one, may be outside of the input
  /// for a whole image row often: those of dilated windows and of volumes.
  bool mayLeaveOut() const;
  /// Taps [lower, upper) along row `height` of plane `plane` of the window:
  /// those that are inside of the input for some pixel of row `line` of a
  /// block.
  struct Taps {
    mlir::OpFoldResult lower, upper;
  };
  Taps getTaps(KernelBuilder &b, const Block &block, mlir::OpFoldResult line,
               mlir::OpFoldResult plane, mlir::OpFoldResult height) const;
  /// Row of the result of the same pixel.
  mlir::OpFoldResult getRow(KernelBuilder &b, const Block &block,
                            mlir::OpFoldResult line,
                            mlir::OpFoldResult pixel) const;

private:
  /// Whether rows are joined. Depends: on the sizes of a call, `isJoined`.
  enum class Joins { Never, Depends, Always };
  Joins joins;
  mlir::Value isJoined;
  /// Elements between the rows that are gathered for a tap, and between taps.
  int64_t gatheredLength;
  mlir::OpFoldResult tapStride;

  void join(KernelBuilder &b, const TileShapes &shapes);
  mlir::OpFoldResult choose(KernelBuilder &b, mlir::OpFoldResult joined,
                            mlir::OpFoldResult apart) const;
  /// Taps along an image row that are inside of it for some pixel.
  Taps getTapsAlong(KernelBuilder &b) const;
  void emitPadded(KernelBuilder &b, Packing &packing, mlir::Value input,
                  const Block &block, bool leavesOut) const;
  void emitGathered(KernelBuilder &b, Packing &packing, mlir::Value input,
                    const Block &block) const;
  /// A position in the input, or outside of it.
  struct Pixel {
    mlir::OpFoldResult image, plane, line, pixel;
  };
  /// Copies `count` pixels of an image row from `from` on to `target`, zeros
  /// for those that are outside.
  void emitSpan(KernelBuilder &b, Packing &packing, mlir::Value input,
                const Pixel &from, mlir::OpFoldResult count,
                mlir::Value target) const;
};

/// The epilogue on a convolution's result as a matrix of pixels x channels.
GemmEpilogue createPixelEpilogue(KernelBuilder &b, dhlo::Convolves op);

} // namespace dyn

#endif // DYN_LIB_CODEGEN_CPU_CONVOLUTION_LINES_H
