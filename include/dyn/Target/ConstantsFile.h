//===- ConstantsFile.h - Appends constants to the image or to a sidecar
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TARGET_CONSTANTSFILE_H
#define DYN_TARGET_CONSTANTSFILE_H

#include "dyn/Target/Descriptor.h"

namespace dyn {

/// Evaluates the constants of `module`, and of the program for a device if it
/// is not null, into the file at `path`, behind what is there: padding to a
/// page, the constants at the offsets of `description`, and the trailer. The
/// file is mapped and written in place, so weights are never held in anonymous
/// memory. The image gets its id and, if `path` is not its own, a trailer, too.
/// Emits a diagnostic on failure.
llvm::LogicalResult appendConstants(mlir::ModuleOp module,
                                    mlir::ModuleOp device,
                                    const ArtifactDescription &description,
                                    llvm::StringRef weightsFolder,
                                    llvm::StringRef image,
                                    llvm::StringRef path);

} // namespace dyn

#endif // DYN_TARGET_CONSTANTSFILE_H
