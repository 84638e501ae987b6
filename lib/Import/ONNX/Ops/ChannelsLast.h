//===- ChannelsLast.h - Operators whose channels may be the last axis -----===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_IMPORT_ONNX_OPS_CHANNELSLAST_H
#define DYN_LIB_IMPORT_ONNX_OPS_CHANNELSLAST_H

#include "../OpContext.h"

namespace dyn::onnx {

/// [N, spatial, C] as [N, C, spatial].
Value toChannelsFirst(Emitter &e, Value x);
/// [N, C, spatial] as [N, spatial, C].
Value toChannelsLast(Emitter &e, Value x);

/// A Reshape that splits an axis of channels into blocks, or merges it: the
/// importer's tensors have no blocks.
mlir::LogicalResult reshapeBlocks(OpContext &c);

} // namespace dyn::onnx

#endif // DYN_LIB_IMPORT_ONNX_OPS_CHANNELSLAST_H
