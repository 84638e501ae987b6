//===- LaneNumbers.h - Numbers of lanes that diverge, in a mixed radix ----===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The quotients and remainders of a number for each lane by one extent after
// the other. Lanes near each other share the division of a scalar, and what
// they are apart is small: if the extent is greater, at most one edge lies
// between them, and a comparison finds it.

#ifndef DYN_LIB_CODEGEN_COMMON_ELEMENTS_LANENUMBERS_H
#define DYN_LIB_CODEGEN_COMMON_ELEMENTS_LANENUMBERS_H

#include "Codegen/Common/Elements/ElementEmitter.h"

namespace dyn {

class LaneNumbers {
public:
  LaneNumbers(ElementEmitter &e, const LaneIndex &index, int64_t lanes);

  /// Divides the numbers by an extent. Returns the remainders.
  mlir::Value divide(dhlo::DimExpr extent);
  /// The numbers.
  mlir::Value get() { return b.value(b.add(base, offsets)); }

private:
  mlir::Value divideNear(dhlo::DimExpr extent);

  KernelBuilder &b;
  int64_t lanes;
  /// A number is `base`, a scalar, and its offset, at most `reach`; or there is
  /// no reach, the base is a vector, and all offsets are 0.
  mlir::OpFoldResult base;
  mlir::OpFoldResult offsets;
  int64_t reach = 0;
};

} // namespace dyn

#endif // DYN_LIB_CODEGEN_COMMON_ELEMENTS_LANENUMBERS_H
