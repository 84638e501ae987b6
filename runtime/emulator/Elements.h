//===- Elements.h - Conversions between f32, f16 and bf16 -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_EMULATOR_ELEMENTS_H
#define DYN_RUNTIME_EMULATOR_ELEMENTS_H

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace dyn::emu {

inline float fromBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}
inline uint32_t toBits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

inline float fromBfloat(uint16_t bits) {
  return fromBits(uint32_t(bits) << 16);
}

inline float fromHalf(uint16_t half) {
  uint32_t exponent = half >> 10 & 31, fraction = half & 1023;
  float sign = half >> 15 ? -1.0f : 1.0f;
  if (exponent == 31)
    return fromBits(uint32_t(half >> 15) << 31 | 0x7f800000 | fraction << 13);
  if (exponent == 0)
    return sign * std::ldexp(float(fraction), -24);
  return sign * std::ldexp(float(1024 + fraction), int(exponent) - 25);
}

/// Rounds to nearest, ties to even.
inline uint16_t toBfloat(float value) {
  uint32_t bits = toBits(value);
  if (value != value)
    return uint16_t(bits >> 16 | 0x40);
  return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/// Likewise; values that are too large become infinite.
inline uint16_t toHalf(float value) {
  auto sign = uint16_t(toBits(value) >> 16 & 0x8000);
  if (value != value)
    return sign | 0x7e00;
  double magnitude = std::fabs(double(value));
  if (magnitude >= 65520)
    return sign | 0x7c00;
  if (magnitude == 0)
    return sign;
  // In units of the last of eleven bits; for a subnormal number 2^-24.
  int exponent = std::max(std::ilogb(magnitude), -14);
  double units = std::nearbyint(std::ldexp(magnitude, 10 - exponent));
  // A carry, or 1024 of the smallest units, increments the exponent.
  return sign | uint16_t((exponent + 14) * 1024 + int(units));
}

} // namespace dyn::emu

#endif // DYN_RUNTIME_EMULATOR_ELEMENTS_H
