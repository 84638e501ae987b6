//===- Memory.h - Memory that is left -------------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_MODEL_MEMORY_H
#define DYN_RUNTIME_MODEL_MEMORY_H

#include <cstdint>

namespace dyn::rt {

/// Bytes that this process may still take: of the machine, and of the memory
/// that its control groups leave it.
uint64_t findFreeMemory();

} // namespace dyn::rt

#endif // DYN_RUNTIME_MODEL_MEMORY_H
