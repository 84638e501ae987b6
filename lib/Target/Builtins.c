/*===- Builtins.c - C functions that LLVM may call ------------------------===*/
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Linked into every artifact, so that artifacts need no library. Compiled with
// -ffreestanding and without the idiom recognition that would turn a loop here
// into a call of itself.
//
//===----------------------------------------------------------------------===//

#include <stddef.h>
#include <stdint.h>

#define HIDDEN __attribute__((visibility("hidden")))

HIDDEN void *memcpy(void *restrict to, const void *restrict from, size_t n) {
  void *result = to;
  __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
  return result;
}

HIDDEN void *memset(void *to, int value, size_t n) {
  void *result = to;
  __asm__ volatile("rep stosb" : "+D"(to), "+c"(n) : "a"(value) : "memory");
  return result;
}

HIDDEN void *memmove(void *to, const void *from, size_t n) {
  char *out = to;
  const char *in = from;
  if (out <= in || out >= in + n)
    return memcpy(to, from, n);
  while (n--)
    out[n] = in[n];
  return to;
}

HIDDEN int memcmp(const void *lhs, const void *rhs, size_t n) {
  const unsigned char *a = lhs, *b = rhs;
  for (size_t i = 0; i != n; ++i)
    if (a[i] != b[i])
      return a[i] - b[i];
  return 0;
}

// Halves on processors and between types for which there is no instruction.

/// Rounds to the nearest half, ties to even.
static _Float16 round_to_half(double value) {
  union {
    double value;
    uint64_t bits;
  } in = {value};
  union {
    uint16_t bits;
    _Float16 value;
  } out;
  uint16_t sign = in.bits >> 48 & 0x8000;
  int exponent = (int)(in.bits >> 52 & 0x7ff) - 1023;
  uint64_t mantissa = in.bits & ((UINT64_C(1) << 52) - 1);
  uint64_t magnitude;
  if (exponent == 1024 && mantissa) {
    magnitude = 0x7e00 | mantissa >> 42;
  } else if (exponent > 15) {
    magnitude = 0x7c00;
  } else if (exponent < -25) {
    magnitude = 0;
  } else {
    // Below 2^-14 the leading one becomes explicit, and moves down.
    int isSmall = exponent < -14;
    int shift = isSmall ? 42 - 14 - exponent : 42;
    uint64_t all = isSmall ? mantissa | UINT64_C(1) << 52
                           : mantissa | (uint64_t)(exponent + 15) << 52;
    uint64_t rest = all & ((UINT64_C(1) << shift) - 1);
    uint64_t middle = UINT64_C(1) << (shift - 1);
    magnitude = all >> shift;
    magnitude += rest > middle || (rest == middle && (magnitude & 1));
  }
  out.bits = sign | (uint16_t)magnitude;
  return out.value;
}

HIDDEN _Float16 __truncdfhf2(double value) { return round_to_half(value); }
HIDDEN _Float16 __truncsfhf2(float value) { return round_to_half(value); }

HIDDEN float __extendhfsf2(_Float16 value) {
  union {
    _Float16 value;
    uint16_t bits;
  } in = {value};
  union {
    uint32_t bits;
    float value;
  } out;
  uint32_t sign = (uint32_t)(in.bits & 0x8000) << 16;
  uint32_t exponent = in.bits >> 10 & 31, mantissa = in.bits & 1023;
  if (exponent == 0) {
    out.value = (float)(int)mantissa * 0x1p-24f;
    out.bits |= sign;
    return out.value;
  }
  exponent = exponent == 31 ? 255 : exponent + 112;
  out.bits = sign | exponent << 23 | mantissa << 13;
  return out.value;
}
