//===- CompilerIdentity.h - Which build of the compiler this is -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TARGET_COMPILERIDENTITY_H
#define DYN_TARGET_COMPILERIDENTITY_H

#include "dyn/Target/KernelCache.h"

namespace dyn {

/// A digest of the code of this process: of the program and of all libraries
/// that it has loaded, among them LLVM, MLIR and libm, by which LLVM folds
/// constants. Each counts by its build id, which the linker computes from its
/// contents, or else by the contents of its file. Computed once. None if a file
/// cannot be read.
std::optional<CacheKey> getCompilerIdentity();

} // namespace dyn

#endif // DYN_TARGET_COMPILERIDENTITY_H
