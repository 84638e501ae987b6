//===- Options.h - Structs that grow: reading options, filling infos ------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_SYSTEM_OPTIONS_H
#define DYN_RUNTIME_SYSTEM_OPTIONS_H

#include "Status.h"

#include <algorithm>
#include <cstring>

namespace dyn::rt {

/// Copies the caller's `given` options, of any version, into `options`, whose
/// members stay zero where the caller's struct is shorter. Members that this
/// library does not know must be zero.
template <typename T>
dyn_status_t readOptions(const T *given, const char *name, T &options) {
  std::memset(&options, 0, sizeof(T));
  if (!given)
    return DYN_STATUS_OK;
  size_t size;
  std::memcpy(&size, given, sizeof(size));
  if (size < sizeof(size))
    return fail(DYN_STATUS_INVALID_ARGUMENT,
                "%s.struct_size is %zu: expected sizeof(%s)", name, size, name);
  const auto *bytes = reinterpret_cast<const unsigned char *>(given);
  for (size_t i = sizeof(T); i < size; ++i)
    if (bytes[i])
      return fail(DYN_STATUS_UNSUPPORTED,
                  "%s sets an option that version " DYN_RUNTIME_VERSION
                  " of the runtime does not know",
                  name);
  std::memcpy(&options, given, std::min(size, sizeof(T)));
  options.struct_size = sizeof(T);
  return DYN_STATUS_OK;
}

/// Copies as much of `info` into the caller's `out` as its struct_size allows.
template <typename T> dyn_status_t fillInfo(T info, const char *name, T *out) {
  if (!out)
    return fail(DYN_STATUS_INVALID_ARGUMENT, "%s is null", name);
  size_t size;
  std::memcpy(&size, out, sizeof(size));
  if (size < sizeof(size))
    return fail(DYN_STATUS_INVALID_ARGUMENT,
                "%s.struct_size is %zu: expected sizeof(%s)", name, size, name);
  info.struct_size = size;
  std::memcpy(out, &info, std::min(size, sizeof(T)));
  return DYN_STATUS_OK;
}

} // namespace dyn::rt

#endif // DYN_RUNTIME_SYSTEM_OPTIONS_H
