//===- Attention.h - Code that attention operators of ONNX share ----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_IMPORT_ONNX_OPS_ATTENTION_H
#define DYN_LIB_IMPORT_ONNX_OPS_ATTENTION_H

#include "../OpContext.h"

namespace dyn::onnx {

/// The factor of scores: the attribute 'scale', or else one over the square
/// root of the queries' last size. Where that is dynamic, the queries
/// [B, H, S, D] are scaled, and the factor is 1.
double getScale(OpContext &c, Value &queries);

/// One over the square root of the queries' last size, as `getScale` says.
double getDefaultScale(OpContext &c, Value &queries);

/// [B, S, H * D] to [B, H, S, D]; tensors of rank 4 stay.
Value splitHeads(OpContext &c, Value x, int64_t heads);
/// [B, H, S, D] to [B, S, H * D].
Value mergeHeads(Emitter &e, Value x);

/// The keys that a query may see by their positions alone.
struct Sight {
  /// Keys before the first query's: `past`, plus `more` of each batch
  /// [B, 1, 1, 1] if that is given.
  DimExpr past;
  Value more;
  /// The number of keys of each batch that are not padding, [B, 1, 1, 1]; may
  /// be null.
  Value keys;
  bool isCausal = false;
  /// How many keys a query sees before and after it; -1 for all.
  int64_t left = -1, right = -1;

  /// [B or 1, 1, queries, keys]; null if every key is seen.
  Value getMask(Emitter &e, DimExpr queries, DimExpr numKeys) const;
};

/// A mask as a term to add to scores.
Value additive(OpContext &c, Value mask, mlir::Type type);

/// Pairs of a head's elements rotated by angles.
struct Rotation {
  /// [B or 1, S, half], for all heads.
  Value cosine, sine;
  /// The number of a head's elements that are rotated, from the first on.
  DimExpr turned;
  bool isInterleaved = false;

  /// `x` [B, H, S, D] rotated.
  Value rotate(OpContext &c, Value x) const;
};

/// Keys or values [B, G, T, D] for each of the heads.
Value repeatGroups(OpContext &c, Value x, DimExpr heads);

/// The type of the softmax: the attribute 'softmax_precision', or else
/// `byDefault`; null, with an error, if it is not a float type.
mlir::Type getSoftmaxType(OpContext &c, mlir::Type byDefault);

} // namespace dyn::onnx

#endif // DYN_LIB_IMPORT_ONNX_OPS_ATTENTION_H
