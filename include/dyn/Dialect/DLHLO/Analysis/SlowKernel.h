//===- SlowKernel.h - Why a kernel is slow --------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DLHLO_ANALYSIS_SLOWKERNEL_H
#define DYN_DIALECT_DLHLO_ANALYSIS_SLOWKERNEL_H

#include "mlir/IR/Location.h"

#include <string>

namespace dyn {

/// Why a kernel is slow, as code generation finds and explanations say.
struct SlowKernel {
  /// Of the roofline of one core, at large sizes: the time that the operations
  /// and bytes of the kernel's definition take at least, over the time of its
  /// code. At most 1.
  double share;
  /// Whether most instructions compute elements one by one.
  bool isByElement;
  std::string operation;   ///< that is to blame: "dhlo.gather_elements"
  mlir::Location location; ///< of that operation
  std::string reason;      ///< a clause: "each element has its own index"
};

} // namespace dyn

#endif // DYN_DIALECT_DLHLO_ANALYSIS_SLOWKERNEL_H
