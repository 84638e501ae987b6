//===- ConstantsFile.h - Appends constants to the image or to a sidecar
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TARGET_CONSTANTSFILE_H
#define DYN_TARGET_CONSTANTSFILE_H

#include "dyn/Target/Descriptor.h"
#include "dyn/Target/Identity.h"

namespace dyn {

/// The name of the sidecar of an artifact with a name and an id, so that those
/// of two artifacts, one of which takes the place of the other, lie side by
/// side. Of the id that is zero, what stands for it until the id is known.
std::string getSidecarName(llvm::StringRef artifact, const Identity &id = {});

/// What the trailer at the end of an artifact, or of its sidecar, says it is;
/// nothing if there is none.
std::optional<Identity> readId(llvm::StringRef path);

/// Evaluates the constants of `module`, and of the program for a device if it
/// is not null, into the file at `path`, behind what is there: padding to a
/// page, the constants at the offsets of `description`, and the trailer. The
/// file is mapped and written in place, so weights are never held in anonymous
/// memory. The image gets its id, which is returned, and, if `path` is not its
/// own, a trailer and the name of the sidecar of `artifact`. Emits a diagnostic
/// on failure.
llvm::FailureOr<Identity>
appendConstants(mlir::ModuleOp module, mlir::ModuleOp device,
                const ArtifactDescription &description,
                llvm::StringRef weightsFolder, llvm::StringRef artifact,
                llvm::StringRef image, llvm::StringRef path);

} // namespace dyn

#endif // DYN_TARGET_CONSTANTSFILE_H
