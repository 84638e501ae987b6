//===- Window.h - Windows of convolutions and pools -----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_IMPORT_ONNX_OPS_WINDOW_H
#define DYN_LIB_IMPORT_ONNX_OPS_WINDOW_H

#include "../OpContext.h"

namespace dyn::onnx {

/// The attributes that convolutions and pooling share, one value for each
/// spatial axis, and the sizes that follow from them.
struct Window {
  llvm::SmallVector<int64_t> window, strides, dilations;
  /// Padding, including that of `auto_pad`.
  Sizes low, high;
  /// Sizes of the result.
  Sizes result;
  bool ceilMode = false;

  /// Reads the attributes for an input `x` of N, C, spatial axes. `window` is
  /// from `kernel_shape`, or else from `filter`. False after an error.
  bool read(OpContext &c, Value x, llvm::ArrayRef<int64_t> filter = {});
};

/// A list attribute with a value for each spatial axis in [1, 2^20], or ones.
std::optional<llvm::SmallVector<int64_t>>
getSpatial(OpContext &c, llvm::StringRef name, size_t spatial);

} // namespace dyn::onnx

#endif // DYN_LIB_IMPORT_ONNX_OPS_WINDOW_H
