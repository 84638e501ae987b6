//===- RegionHash.h - Compares regions by structure
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_DLHLO_TRANSFORMS_REGIONHASH_H
#define DYN_LIB_DIALECT_DLHLO_TRANSFORMS_REGIONHASH_H

#include "mlir/IR/OperationSupport.h"

namespace dyn::dlhlo {

/// A hash of a region of one block: of its operations' names, attributes and
/// types. Locations do not count.
inline llvm::hash_code hashRegion(mlir::Region &region) {
  llvm::hash_code hash = llvm::hash_value(region.getNumArguments());
  for (mlir::Type type : region.getArgumentTypes())
    hash = llvm::hash_combine(hash, type);
  for (mlir::Operation &op : region.front())
    hash = llvm::hash_combine(
        hash, op.getName(), op.getAttrDictionary(),
        llvm::hash_combine_range(op.result_type_begin(), op.result_type_end()));
  return hash;
}

/// Whether two regions are equal but for locations.
inline bool areEqual(mlir::Region &lhs, mlir::Region &rhs) {
  return mlir::OperationEquivalence::isRegionEquivalentTo(
      &lhs, &rhs, mlir::OperationEquivalence::IgnoreLocations);
}

} // namespace dyn::dlhlo

#endif // DYN_LIB_DIALECT_DLHLO_TRANSFORMS_REGIONHASH_H
