//===- Fingerprint.h - Hashes of the computations of values ---------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_CELL_TRANSFORMS_FINGERPRINT_H
#define DYN_LIB_DIALECT_CELL_TRANSFORMS_FINGERPRINT_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

#include <string>

namespace dyn::cell {

/// Hashes each operation of a module together with everything that its operands
/// are computed from, in one walk. The hashes are the same in every process and
/// do not depend on names of symbols, source locations or values of weights.
class Fingerprints {
public:
  explicit Fingerprints(mlir::ModuleOp module);

  /// 16 hexadecimal digits.
  std::string get(mlir::Operation *op) const;

private:
  uint64_t hashOp(mlir::Operation *op);
  uint64_t hashRegion(mlir::Region &region, uint64_t outside);

  llvm::DenseMap<mlir::Value, uint64_t> values;
  llvm::DenseMap<mlir::Operation *, uint64_t> ops;
};

} // namespace dyn::cell

#endif // DYN_LIB_DIALECT_CELL_TRANSFORMS_FINGERPRINT_H
