//===- ExplainText.h - The explanation of a compilation in words ----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DRIVER_EXPLAINTEXT_H
#define DYN_DRIVER_EXPLAINTEXT_H

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace dyn {

/// Prints the explanation of dlhlo::explain as text: sizes and their
/// facts, kernels with the reason for each, memory as formulas, constants.
void printExplanation(llvm::raw_ostream &os,
                      const llvm::json::Value &explanation);

} // namespace dyn

#endif // DYN_DRIVER_EXPLAINTEXT_H
