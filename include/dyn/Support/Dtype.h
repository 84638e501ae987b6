//===- Dtype.h - Element types as the runtime numbers them ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_SUPPORT_DTYPE_H
#define DYN_SUPPORT_DTYPE_H

#include "mlir/IR/Types.h"

namespace dyn {

/// The dyn_dtype_t of an element type; 0 if there is none.
uint32_t getDtype(mlir::Type elementType);

} // namespace dyn

#endif // DYN_SUPPORT_DTYPE_H
