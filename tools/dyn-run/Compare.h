//===- Compare.h - Whether outputs are close to what is expected ---------===//
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
/// for each. Floats are close where |a - b| <= tolerance * (|b| + max|b|), b
/// being expected and the maximum taken over the tensor's finite elements; a
/// NaN is close to a NaN alone and an infinity to itself alone. Integers and
/// booleans must be equal. Element types may differ between floats, so that an
/// f32 result can be judged by an f64 one.
/// Returns whether all are close.
bool compare(llvm::ArrayRef<NamedTensor> outputs,
             llvm::ArrayRef<NamedTensor> expected, double tolerance,
             llvm::raw_ostream &os);

} // namespace dyn::run

#endif // DYN_TOOLS_RUN_COMPARE_H
