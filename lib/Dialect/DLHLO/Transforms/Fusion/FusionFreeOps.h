//===- FusionFreeOps.h - Clones and merges what costs nothing -------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Operations that cost nothing in a kernel (isFree) are cloned for each user,
// so that each cluster can have its own. Clones that turn out to be needed once
// are merged when clusters are known.

#ifndef DYN_LIB_DIALECT_DLHLO_TRANSFORMS_FUSION_FUSIONFREEOPS_H
#define DYN_LIB_DIALECT_DLHLO_TRANSFORMS_FUSION_FUSIONFREEOPS_H

#include "FusionCluster.h"

namespace dyn::dlhlo {

/// Clones an operation that costs nothing for each user in the block, and
/// removes operations without users.
void cloneFreeOps(mlir::Block &block);

/// Removes reshapes from clusters whose operand is an input or whose result is
/// an output.
void trimReshapes(ClusterGraph &graph);

/// Merges equal operations that cost nothing if they are in the same cluster,
/// or in none: they were cloned for each user until clusters were known. A
/// kernel has one argument for a value, even if it reads it several times.
/// Views of views become views of the same bytes.
void mergeFreeOps(ClusterGraph &graph);

} // namespace dyn::dlhlo

#endif // DYN_LIB_DIALECT_DLHLO_TRANSFORMS_FUSION_FUSIONFREEOPS_H
