//===- ExplainText.h - The explanation of a compilation in words ----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TOOLS_DYN_COMPILE_EXPLAINTEXT_H
#define DYN_TOOLS_DYN_COMPILE_EXPLAINTEXT_H

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

/// Prints the explanation of dyn::dlhlo::explain as text: sizes and their
/// facts, kernels with the reason for each, memory as formulas, constants.
void printExplanation(llvm::raw_ostream &os,
                      const llvm::json::Value &explanation);

#endif // DYN_TOOLS_DYN_COMPILE_EXPLAINTEXT_H
