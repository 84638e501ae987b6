//===- dyn-compile.cpp - Compiles a model to an artifact ------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Driver/Driver.h"

#include "llvm/Support/InitLLVM.h"

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  dyn::DriverOptions options;
  if (failed(dyn::parseCommandLine(argc, argv, options)))
    return 1;
  return succeeded(dyn::runDriver(options)) ? 0 : 1;
}
