//===- RegionHash.h - Compares regions by structure -----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_DLHLO_TRANSFORMS_KERNELS_REGIONHASH_H
#define DYN_LIB_DIALECT_DLHLO_TRANSFORMS_KERNELS_REGIONHASH_H

#include "dyn/Dialect/DLHLO/IR/DLHLO.h"

#include "mlir/IR/OperationSupport.h"

namespace dyn::dlhlo {

/// A structural hash of a region of one block: of its operations' names,
/// attributes and types. Locations are ignored.
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

/// Whether two regions are structurally equal; locations are ignored.
inline bool areEqual(mlir::Region &lhs, mlir::Region &rhs) {
  return mlir::OperationEquivalence::isRegionEquivalentTo(
      &lhs, &rhs, mlir::OperationEquivalence::IgnoreLocations);
}

/// Merges structurally equal kernels.
class KernelPool {
public:
  /// The earlier kernel that is equal to this one; null if there is none, and
  /// then this one is added.
  KernelOp findOrAdd(KernelOp kernel) {
    auto &equal = byHash[hashRegion(kernel.getBody())];
    for (KernelOp other : equal)
      if (other.getKind() == kernel.getKind() &&
          areEqual(other.getBody(), kernel.getBody()))
        return other;
    equal.push_back(kernel);
    return {};
  }

private:
  llvm::DenseMap<llvm::hash_code, llvm::SmallVector<KernelOp, 1>> byHash;
};

} // namespace dyn::dlhlo

#endif // DYN_LIB_DIALECT_DLHLO_TRANSFORMS_KERNELS_REGIONHASH_H
