//===- ExplainPage.h - The explanation of a compilation as a page ---------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DRIVER_EXPLAINPAGE_H
#define DYN_DRIVER_EXPLAINPAGE_H

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace dyn {

/// Prints the explanation of dlhlo::explain as one self-contained HTML
/// file: every formula is in the page as text and as a tree, and a script
/// evaluates it for the sizes that the reader enters.
void printExplanationPage(llvm::raw_ostream &os, llvm::StringRef title,
                          const llvm::json::Value &explanation);

} // namespace dyn

#endif // DYN_DRIVER_EXPLAINPAGE_H
