//===- ToolOptions.cpp - Only the options of a tool itself ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Support/ToolOptions.h"

#include "llvm/ADT/STLExtras.h"

namespace cl = llvm::cl;

void dyn::dropLibraryOptions(const cl::OptionCategory *kept,
                             cl::SubCommand &command) {
  std::vector<cl::Option *> dropped;
  for (auto [name, option] : cl::getRegisteredOptions(command))
    if (!name.starts_with("help") && name != "h" && name != "version" &&
        !llvm::is_contained(option->Categories, kept))
      dropped.push_back(option);
  for (cl::Option *option : dropped)
    option->removeArgument();
}
