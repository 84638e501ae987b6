//===- ConstantsFile.h - Constants of an image or sidecar -----------------===//
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

/// The name of the sidecar of an artifact with a name, and its id. It contains
/// the id, so that the sidecars of an artifact and of its replacement can
/// coexist. An id of zero gives the placeholder until the id is known.
std::string getSidecarName(llvm::StringRef artifact, const Identity &id = {});

/// The id in the trailer at the end of an artifact, or of its sidecar; nothing
/// if there is none.
std::optional<Identity> readId(llvm::StringRef path);

/// Evaluates the constants of `module`, and of the program for a device if it
/// is not null, and appends them to the file at `path`: padding to a page, the
/// constants at the offsets of `description`, and the trailer. The file is
/// mapped and written in place, so weights are never held in anonymous memory.
/// Those of `shared`, which may be null, are compared instead: others than the
/// model's are refused. Writes the ids into the image, and, if `path` is not
/// the image itself, a trailer and the name of the sidecar of `artifact`.
/// Returns the id of the trailer. Emits a diagnostic on failure.
llvm::FailureOr<Identity>
appendConstants(mlir::ModuleOp module, mlir::ModuleOp device,
                const ArtifactDescription &description,
                const SharedWeights *shared, llvm::StringRef weightsFolder,
                llvm::StringRef artifact, llvm::StringRef image,
                llvm::StringRef path);

} // namespace dyn

#endif // DYN_TARGET_CONSTANTSFILE_H
