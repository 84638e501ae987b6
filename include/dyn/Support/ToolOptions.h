//===- ToolOptions.h - The options of a tool are its own ------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_SUPPORT_TOOLOPTIONS_H
#define DYN_SUPPORT_TOOLOPTIONS_H

#include "llvm/Support/CommandLine.h"

namespace dyn {

/// Takes options off the command line, but for those of `kept` and for --help
/// and --version. LLVM's libraries register hundreds when a program starts,
/// --stop-after and --threads among them: they are for LLVM's tools, which set
/// up what the options need. A tool calls this before it registers options of
/// MLIR, or of its own under names that libraries have.
void dropLibraryOptions(
    const llvm::cl::OptionCategory *kept = nullptr,
    llvm::cl::SubCommand &command = llvm::cl::SubCommand::getTopLevel());

} // namespace dyn

#endif // DYN_SUPPORT_TOOLOPTIONS_H
