//===- PlaneNetworks.h - Convolutions that keep channels first ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_DHLO_TRANSFORMS_LAYOUT_PLANENETWORKS_H
#define DYN_LIB_DIALECT_DHLO_TRANSFORMS_LAYOUT_PLANENETWORKS_H

#include "dyn/Dialect/DHLO/IR/DHLO.h"
#include "dyn/Support/TargetInfo.h"

#include "mlir/IR/BuiltinOps.h"

namespace dyn::dhlo {

/// The convolutions of the networks that take less time with channels first.
llvm::SmallVector<Convolves> findPlaneConvolutions(mlir::ModuleOp module,
                                                   const ConvolutionInfo &info);

} // namespace dyn::dhlo

#endif // DYN_LIB_DIALECT_DHLO_TRANSFORMS_LAYOUT_PLANENETWORKS_H
