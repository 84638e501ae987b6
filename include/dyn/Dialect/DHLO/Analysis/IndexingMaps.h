//===- IndexingMaps.h - Indexing maps with facts on sizes -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DHLO_ANALYSIS_INDEXINGMAPS_H
#define DYN_DIALECT_DHLO_ANALYSIS_INDEXINGMAPS_H

#include "dyn/Dialect/DHLO/Analysis/SymbolicDims.h"

namespace dyn {

/// The map that an operation gives (see IndexingMap.h), with what is known of
/// the sizes: an axis that is taken as a whole is Same, one that is broadcast
/// from one element is Repeated, and one that is resampled to another size is
/// Mixed. A Broadcast is left where sizes decide at run time.
std::optional<dhlo::IndexingMap>
getIndexingMap(mlir::Operation *op, unsigned operand, const SymbolicDims &dims);

} // namespace dyn

#endif // DYN_DIALECT_DHLO_ANALYSIS_INDEXINGMAPS_H
