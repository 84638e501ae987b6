//===- ToolOptions.h - Removes the command line options of libraries ------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_SUPPORT_TOOLOPTIONS_H
#define DYN_SUPPORT_TOOLOPTIONS_H

#include "llvm/Support/CommandLine.h"

namespace dyn {

/// Removes all command line options except those of `kept`, --help and
/// --version. LLVM's libraries register hundreds when a program starts,
/// --stop-after and --threads among them: they are for LLVM's tools, which set
/// up the options' dependencies. A tool calls this before it registers options
/// of MLIR, or its own options with names that libraries use.
void dropLibraryOptions(
    const llvm::cl::OptionCategory *kept = nullptr,
    llvm::cl::SubCommand &command = llvm::cl::SubCommand::getTopLevel());

} // namespace dyn

#endif // DYN_SUPPORT_TOOLOPTIONS_H
