//===- Resampling.h - Resampling of an axis by a filter -------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_IMPORT_ONNX_OPS_RESAMPLING_H
#define DYN_LIB_IMPORT_ONNX_OPS_RESAMPLING_H

#include "../OpContext.h"

namespace dyn::onnx {

/// How Resize interpolates along an axis, by its attributes.
struct Resampling {
  dhlo::ResizeMode mode = dhlo::ResizeMode::Nearest;
  dhlo::RoundMode round = dhlo::RoundMode::Floor;
  /// The name of `coordinate_transformation_mode`.
  llvm::StringRef coord = "asymmetric";
  double coefficient = -0.75;
  bool antialias = false;
  bool excludesOutside = false;
  double extrapolation = 0;
};

/// The part of an axis that is read, as shares of it (scalars in f64); null for
/// all of it.
struct ReadPart {
  Value begin, end;
};

/// `x` with an axis resampled to `size` elements by a filter's weights, for
/// features that `dhlo.resize` does not have. `scale`, a scalar in f64, may
/// differ from the ratio of the sizes; `stated` is its value if that is static,
/// else 0.
Value resample(OpContext &c, Value x, int64_t axis, DimExpr size, Value scale,
               double stated, const ReadPart &region, const Resampling &r);

} // namespace dyn::onnx

#endif // DYN_LIB_IMPORT_ONNX_OPS_RESAMPLING_H
