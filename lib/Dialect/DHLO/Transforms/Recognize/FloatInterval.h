//===- FloatInterval.h - Ranges of the elements of float tensors ----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_DHLO_TRANSFORMS_RECOGNIZE_FLOATINTERVAL_H
#define DYN_LIB_DIALECT_DHLO_TRANSFORMS_RECOGNIZE_FLOATINTERVAL_H

#include "dyn/Dialect/DHLO/IR/DHLO.h"

#include <optional>

namespace dyn::dhlo {

/// A closed interval of numbers.
struct Interval {
  double low, high;
};

/// A range of the elements of a float tensor for all inputs. None if an element
/// may be infinite or NaN.
std::optional<Interval> getInterval(mlir::Value value);

/// The largest finite number of a type.
double getLargest(mlir::FloatType type);

} // namespace dyn::dhlo

#endif // DYN_LIB_DIALECT_DHLO_TRANSFORMS_RECOGNIZE_FLOATINTERVAL_H
