//===- SharedSizes.h - Names for what sizes have in common ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_DLHLO_TRANSFORMS_KERNELS_SHAREDSIZES_H
#define DYN_LIB_DIALECT_DLHLO_TRANSFORMS_KERNELS_SHAREDSIZES_H

#include "dyn/Dialect/DLHLO/IR/DLHLO.h"

namespace dyn::dlhlo {

/// Names the parts that sizes of a kernel share, if its sizes are long. A size
/// after n layers, each of which uses the one before twice, has n parts, but
/// its text has 2^n: and kernels are printed for the keys of caches.
///
///   dhlo.dim @d1 = @d0 + @d0 mod 3 + (@d0 + @d0 mod 3) mod 4
///
/// becomes
///
///   dhlo.dim @d1 = @d0 + @d3 + @d2 mod 4
///   dhlo.dim @d2 = @d0 + @d3
///   dhlo.dim @d3 = @d0 mod 3
///
/// Names have definitions: launches pass what they did, and all that could be
/// proved remains so.
void nameSharedSizes(KernelOp kernel);

} // namespace dyn::dlhlo

#endif // DYN_LIB_DIALECT_DLHLO_TRANSFORMS_KERNELS_SHAREDSIZES_H
