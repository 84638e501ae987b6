//===- Element.cpp - Rounding to 16-bit floats ----------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Interpreter/Element.h"

#include <cmath>

using namespace dyn;

static uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

static float floatOf(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

/// The float towards zero from `value`, its last bit set if it is not exact.
/// Rounding that to a format with two bits fewer, or less, gives the same as
/// rounding `value` itself.
static float roundToOdd(double value) {
  float narrow = static_cast<float>(value);
  if (std::isnan(narrow) || double(narrow) == value)
    return narrow;
  uint32_t bits = bitsOf(narrow);
  // An overflow to infinity steps back to the largest float as well.
  if (std::fabs(double(narrow)) > std::fabs(value))
    --bits;
  return floatOf(bits | 1);
}

uint16_t dyn::roundToHalf(float value) {
  uint32_t bits = bitsOf(value);
  uint16_t sign = (bits >> 16) & 0x8000;
  uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return sign | 0x7e00 | ((magnitude >> 13) & 0x3ff);
  if (magnitude >= 0x477ff000) // rounds to 2^16 or more
    return sign | 0x7c00;
  if (magnitude < 0x38800000) {
    // Subnormal in f16: adding 0.5 gives the last bit the unit 2^-24, so the
    // addition rounds.
    float shifted = floatOf(magnitude) + 0.5f;
    return sign | uint16_t(bitsOf(shifted) - bitsOf(0.5f));
  }
  uint32_t odd = (magnitude >> 13) & 1;
  return sign | uint16_t((magnitude - 0x38000000 + 0xfff + odd) >> 13);
}

uint16_t dyn::roundToHalf(double value) {
  return roundToHalf(roundToOdd(value));
}

float dyn::expandHalf(uint16_t bits) {
  uint32_t sign = uint32_t(bits & 0x8000) << 16;
  uint32_t magnitude = bits & 0x7fff;
  if (magnitude >= 0x7c00) // infinity, NaN
    return floatOf(sign | 0x7f800000 | (magnitude & 0x3ff) << 13);
  if (magnitude < 0x400) { // subnormal
    float value = float(magnitude) * 0x1p-24f;
    return sign ? -value : value;
  }
  return floatOf(sign | ((magnitude << 13) + 0x38000000));
}

uint16_t dyn::roundToBFloat16(float value) {
  uint32_t bits = bitsOf(value);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return uint16_t(bits >> 16) | 0x40;
  return uint16_t((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

uint16_t dyn::roundToBFloat16(double value) {
  return roundToBFloat16(roundToOdd(value));
}
