//===- ConstantTable.h - The constants of a module ------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_DLHLO_TRANSFORMS_CONSTANTS_CONSTANTTABLE_H
#define DYN_LIB_DIALECT_DLHLO_TRANSFORMS_CONSTANTS_CONSTANTTABLE_H

#include "dyn/Dialect/DLHLO/IR/DLHLO.h"

namespace dyn::dlhlo {

/// Creates `dlhlo.constant` operations before a module's functions, one for
/// each recipe.
class ConstantTable {
public:
  explicit ConstantTable(mlir::ModuleOp module);

  /// The value of a constant whose recipe is the operations that `value`
  /// depends on: a `dlhlo.get_constant` at the builder's insertion point. In
  /// recipes, other constants of the module are replaced by their recipes.
  mlir::Value get(mlir::OpBuilder &builder, mlir::Value value);

  /// The number of constants made, and of recipes that were equal to another
  /// one.
  unsigned numCreated() const { return created; }
  unsigned numMerged() const { return merged; }

private:
  mlir::ModuleOp module;
  mlir::SymbolTable symbols;
  llvm::DenseMap<llvm::hash_code, llvm::SmallVector<ConstantOp, 1>> byHash;
  unsigned created = 0, merged = 0;
};

} // namespace dyn::dlhlo

#endif // DYN_LIB_DIALECT_DLHLO_TRANSFORMS_CONSTANTS_CONSTANTTABLE_H
