//===- ResizeTaps.h - The elements that a resize blends -------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CODEGEN_COMMON_ELEMENTS_RESIZETAPS_H
#define DYN_LIB_CODEGEN_COMMON_ELEMENTS_RESIZETAPS_H

#include "Codegen/Common/Builder/KernelBuilder.h"

namespace dyn {

/// An index on an axis of the operand, and the weight of its elements in f32;
/// null for 1. Both are vectors if the index in the result is one.
struct ResizeTap {
  mlir::OpFoldResult index;
  mlir::Value weight;
};

/// Computes the taps of a resize, and with them.
class ResizeTaps {
public:
  ResizeTaps(KernelBuilder &b, dhlo::ResizeOp op) : b(b), op(op) {}

  /// Whether an axis changes.
  bool isResized(int64_t axis);
  /// The taps along an axis of index `i` of the result, as many for each.
  llvm::SmallVector<ResizeTap> get(int64_t axis, mlir::OpFoldResult i);
  /// The number of taps of a blended axis.
  int64_t getCount() {
    return op.getMode() == dhlo::ResizeMode::Nearest  ? 1
           : op.getMode() == dhlo::ResizeMode::Linear ? 2
                                                      : 4;
  }

  /// An element of the operand in the type of sums: integers are blended as
  /// floats.
  mlir::Value widen(mlir::Value v, int64_t lanes);
  /// `sum`, if it is not null, and the weighted `v`.
  mlir::Value add(mlir::Value sum, mlir::Value v, const ResizeTap &tap,
                  int64_t lanes);
  /// A sum as an element of the result.
  mlir::Value narrow(mlir::Value v, int64_t lanes);

private:
  mlir::Value toFloat(mlir::OpFoldResult i);
  mlir::Value coordinate(int64_t axis, mlir::OpFoldResult i);
  /// The operand's index of an integral coordinate.
  mlir::OpFoldResult clampIndex(int64_t axis, mlir::Value whole);
  /// A number beside `like`, in as many lanes.
  mlir::Value f32(double v, mlir::Value like);

  KernelBuilder &b;
  dhlo::ResizeOp op;
};

} // namespace dyn

#endif // DYN_LIB_CODEGEN_COMMON_ELEMENTS_RESIZETAPS_H
