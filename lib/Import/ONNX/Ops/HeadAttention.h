//===- HeadAttention.h - Attention as defined by ONNX Runtime -------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_IMPORT_ONNX_OPS_HEADATTENTION_H
#define DYN_LIB_IMPORT_ONNX_OPS_HEADATTENTION_H

#include "Attention.h"

namespace dyn::onnx {

/// Attention of heads, with the terms that are added to its scores.
struct HeadAttention {
  /// [B, H, S, D], [B, G, T, D] and [B, G, T, E].
  Value queries, keys, values;
  /// Added to the scores, of rank 4; or whether a key is seen. May be null.
  Value bias;
  /// Whether query i sees no key after `past` + i.
  bool isCausal = false;
  DimExpr past;
  double softcap = 0;
  /// An additional score for each head, of a key whose value is zero: [H], or
  /// null.
  Value sink;

  /// [B, S, H * E]. `scores` receives what the softmax reads, if not null.
  Value emit(OpContext &c, Value *scores = nullptr) const;
};

/// `mask_filter_value` where a key is hidden, else 0: [B, 1, 1 or S, T]. The
/// mask is a length or a length and a start for each batch, or a boolean for
/// each key, or query and key.
Value getMaskBias(OpContext &c, Value mask, DimExpr batch, DimExpr queries,
                  DimExpr past, DimExpr keys, mlir::Type type);

/// Keys or values of earlier calls, and those of this one.
struct Cache {
  /// [B, H, T, D]: all that are seen.
  Value all;
  /// The past of the next call.
  Value present;
};

/// Appends `fresh` [B, H, S, D] to `past` [B, H, P, D]. With `used`, the past
/// is a buffer of constant size, of which so many are used.
Cache append(Emitter &e, Value past, Value fresh, DimExpr used);

/// The number in input `i` as a size; null, with an error, if it is not a
/// number.
DimExpr getSize(OpContext &c, unsigned i, llvm::StringRef hint);

/// Whether an unsupported input is given; reports it.
bool refuses(OpContext &c, unsigned i, llvm::StringRef name);

} // namespace dyn::onnx

#endif // DYN_LIB_IMPORT_ONNX_OPS_HEADATTENTION_H
