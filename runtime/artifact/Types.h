//===- Types.h - Element types and instruction sets -----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_ARTIFACT_TYPES_H
#define DYN_RUNTIME_ARTIFACT_TYPES_H

#include "dyn/runtime.h"

#include <cstdint>
#include <optional>

namespace dyn::rt {

/// Checked arithmetic of sizes: the result, or nothing if it does not fit.
inline std::optional<int64_t> checkedAdd(int64_t a, int64_t b) {
  int64_t result;
  if (__builtin_add_overflow(a, b, &result))
    return std::nullopt;
  return result;
}
inline std::optional<int64_t> checkedMul(int64_t a, int64_t b) {
  int64_t result;
  if (__builtin_mul_overflow(a, b, &result))
    return std::nullopt;
  return result;
}

/// Bytes of a dense tensor; nothing if they do not fit in an int64_t or a size
/// is negative.
std::optional<int64_t> tensorBytes(uint32_t dtype, uint32_t rank,
                                   const int64_t *shape);

/// The highest instruction set that this processor and its operating system
/// support, or nothing on a processor below x86-64-v2.
std::optional<dyn_isa_t> processorIsa();

/// Requests the registers of x86-64-v4-amx from the system, for all threads of
/// the process, as it saves them only on request. False if it refuses; once
/// granted, later requests succeed.
bool requestTileRegisters();

/// Reads "x86-64-v3" or "v3".
std::optional<dyn_isa_t> parseIsa(const char *name);

} // namespace dyn::rt

#endif // DYN_RUNTIME_ARTIFACT_TYPES_H
