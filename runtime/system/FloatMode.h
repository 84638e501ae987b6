//===- FloatMode.h - The floating-point mode that results rest on ---------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_SYSTEM_FLOATMODE_H
#define DYN_RUNTIME_SYSTEM_FLOATMODE_H

#include <xmmintrin.h>

namespace dyn::rt {

/// Sets the mode that kernels are compiled for (round to nearest, denormals
/// kept, exceptions masked) and restores the host's mode in the end. Otherwise
/// a host that flushes denormals would change bits of results.
class FloatMode {
public:
  FloatMode() : host(_mm_getcsr()) {
    if (host != standard)
      _mm_setcsr(standard);
  }
  ~FloatMode() { _mm_setcsr(host); }
  FloatMode(const FloatMode &) = delete;
  FloatMode &operator=(const FloatMode &) = delete;

private:
  static constexpr unsigned standard = 0x1f80;
  unsigned host;
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_SYSTEM_FLOATMODE_H
