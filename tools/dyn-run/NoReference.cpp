//===- NoReference.cpp - Stands in for the interpreter where there is none ===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"

using namespace dyn::run;

llvm::Expected<std::unique_ptr<Program>>
dyn::run::loadReference(llvm::StringRef path, const RunOptions &options) {
  (void)options;
  return llvm::createStringError("cannot evaluate '" + path +
                                 "': this build has no interpreter");
}
