//===- PtxEmitter.h - Emits PTX from modules of a GPU ---------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TARGET_PTXEMITTER_H
#define DYN_TARGET_PTXEMITTER_H

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace dyn {

/// Whether a chip of that name ("sm_80") is supported, and the list of all
/// names.
bool isChip(llvm::StringRef name);
std::string getChipList();

/// PTX for `chip` ("sm_80") of every `gpu.module` in `module`, which hold the
/// LLVM and NVVM dialects, as one text. The module is not changed. Emits a
/// diagnostic on failure.
llvm::FailureOr<std::string> emitPtx(mlir::ModuleOp module,
                                     llvm::StringRef chip);

} // namespace dyn

#endif // DYN_TARGET_PTXEMITTER_H
