//===- OpaqueBytes.h - Elements as opaque bytes ---------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_INTERPRETER_OPAQUEBYTES_H
#define DYN_LIB_INTERPRETER_OPAQUEBYTES_H

#include "llvm/Support/ErrorHandling.h"

#include <cstdint>

namespace dyn {

/// An element of `size` bytes as an opaque value, at any address: files
/// guarantee no alignment.
template <int size> struct Bytes {
  char bytes[size];
};

/// Calls `fn` with a value of the opaque type of an element size.
template <typename Fn> void dispatchBytes(int64_t size, Fn fn) {
  switch (size) {
  case 1:
    return fn(Bytes<1>());
  case 2:
    return fn(Bytes<2>());
  case 4:
    return fn(Bytes<4>());
  case 8:
    return fn(Bytes<8>());
  }
  llvm_unreachable("elements have 1, 2, 4 or 8 bytes");
}

} // namespace dyn

#endif // DYN_LIB_INTERPRETER_OPAQUEBYTES_H
