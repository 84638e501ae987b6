//===- Compare.h - Compares outputs with expected ones --------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TOOLS_RUN_COMPARE_H
#define DYN_TOOLS_RUN_COMPARE_H

#include "Tensor.h"

#include "llvm/Support/raw_ostream.h"

namespace dyn::run {

/// Compares each expected tensor with the output of its name and prints a line
/// for each. Floats are close if |a - b| <= tolerance * (|b| + max|b|), where b
/// is expected and the maximum is over the tensor's finite elements; a NaN is
/// only close to a NaN and an infinity only to itself. Integers and booleans
/// must be equal. Types of floats may differ, so that an f32 result can be
/// compared with an f64 one.
/// Returns whether all are close.
bool compare(llvm::ArrayRef<NamedTensor> outputs,
             llvm::ArrayRef<NamedTensor> expected, double tolerance,
             llvm::raw_ostream &os);

} // namespace dyn::run

#endif // DYN_TOOLS_RUN_COMPARE_H
