//===- Builtins.c - C functions that LLVM may call ------------------------===//
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
