//===- Readers.h - Operations that read a value or views of it ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_DLHLO_TRANSFORMS_BUFFERS_READERS_H
#define DYN_LIB_DIALECT_DLHLO_TRANSFORMS_BUFFERS_READERS_H

#include "mlir/IR/Operation.h"

namespace dyn::dlhlo {

/// The value whose bytes `value` is a view of.
mlir::Value getViewSource(mlir::Value value);

/// Calls `visit` for each reader of a value or of a view of it, until it
/// returns false. Returns whether it never did.
bool visitReaders(mlir::Value value,
                  llvm::function_ref<bool(mlir::Operation *)> visit);

/// Whether a result of an operation may be one of its operands, so that later
/// reads are not visible: a branch or a loop.
bool mayGive(mlir::Operation *op);

/// The operation up to which `reader` reads: an exchange that it begins lasts
/// to its end.
mlir::Operation *getEndOfRead(mlir::Operation *reader);

/// The last operation of the block that reads a value or a view of it; null if
/// the value may be read until the block ends.
mlir::Operation *getLastReader(mlir::Value value);

} // namespace dyn::dlhlo

#endif // DYN_LIB_DIALECT_DLHLO_TRANSFORMS_BUFFERS_READERS_H
