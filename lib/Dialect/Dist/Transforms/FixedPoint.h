//===- FixedPoint.h - Visits until nothing changes ------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_DIST_TRANSFORMS_FIXEDPOINT_H
#define DYN_LIB_DIALECT_DIST_TRANSFORMS_FIXEDPOINT_H

#include "mlir/IR/Block.h"
#include "llvm/ADT/STLExtras.h"

namespace dyn::dist {

/// Visits the operations of a block but its last one, in order and then in
/// reverse, until no visit changes anything.
template <typename Forwards, typename Backwards>
void spread(mlir::Block &block, Forwards visitForwards,
            Backwards visitBackwards) {
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    for (mlir::Operation &op : block.without_terminator())
      isChanged |= visitForwards(&op);
    for (mlir::Operation &op : llvm::reverse(block.without_terminator()))
      isChanged |= visitBackwards(&op);
  }
}

} // namespace dyn::dist

#endif // DYN_LIB_DIALECT_DIST_TRANSFORMS_FIXEDPOINT_H
