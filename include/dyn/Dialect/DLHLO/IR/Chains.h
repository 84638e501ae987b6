//===- Chains.h - Chains among launches that run together -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A `dlhlo.launch_many`, and the `dlhlo.dispatch_many` that it becomes, may
// hold chains: launches that wait for each other, but not for those of other
// chains. The attribute `dlhlo.chains` has the number of each launch's chain,
// from 1 on.

#ifndef DYN_DIALECT_DLHLO_IR_CHAINS_H
#define DYN_DIALECT_DLHLO_IR_CHAINS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace dyn::dlhlo {

inline constexpr llvm::StringLiteral kChainsAttr = "dlhlo.chains";

/// The chains of launches; null if each is one by itself.
inline mlir::DenseI64ArrayAttr getChains(mlir::Operation *many) {
  return many->getAttrOfType<mlir::DenseI64ArrayAttr>(kChainsAttr);
}

} // namespace dyn::dlhlo

#endif // DYN_DIALECT_DLHLO_IR_CHAINS_H
