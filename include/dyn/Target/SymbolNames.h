//===- SymbolNames.h - Renames symbols of objects -------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TARGET_SYMBOLNAMES_H
#define DYN_TARGET_SYMBOLNAMES_H

#include "dyn/Target/ObjectEmitter.h"

namespace dyn {

/// Replaces the start of each symbol of an ELF object that begins with `from`
/// by `to`. The code is not changed. Fails with a message in `error` if the
/// bytes are no object.
bool renameSymbols(ObjectCode &object, llvm::StringRef from, llvm::StringRef to,
                   std::string &error);

} // namespace dyn

#endif // DYN_TARGET_SYMBOLNAMES_H
