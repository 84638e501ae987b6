//===- Linker.h - Links objects into a shared object in process -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TARGET_LINKER_H
#define DYN_TARGET_LINKER_H

#include "dyn/Target/ObjectEmitter.h"

namespace dyn {

/// Links objects, and the few C functions that LLVM may call (memcpy, memset,
/// memmove, memcmp), into a shared object at `path` that only exports `symbol`,
/// needs no library and has no undefined symbol. With `sanitize` the
/// sanitizer's symbols may be undefined, and debug information is kept. Fails
/// with the linker's message in `error`.
///
/// lld keeps process-global state, so calls are serialised here.
bool linkSharedObject(llvm::ArrayRef<ObjectCode> objects,
                      llvm::StringRef symbol, llvm::StringRef path,
                      bool sanitize, std::string &error);

} // namespace dyn

#endif // DYN_TARGET_LINKER_H
