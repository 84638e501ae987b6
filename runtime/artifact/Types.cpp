//===- Types.cpp - Element types and instruction sets ---------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Types.h"

#include <cpuid.h>
#include <cstring>
#include <sys/syscall.h>
#include <unistd.h>

using namespace dyn::rt;

namespace {
struct TypeInfo {
  const char *name;
  size_t size;
};
/// Indexed by dyn_dtype_t.
const TypeInfo typeInfos[] = {
    {"unknown", 0}, {"bool", 1}, {"i8", 1},  {"i16", 2}, {"i32", 4},
    {"i64", 8},     {"u8", 1},   {"u16", 2}, {"u32", 4}, {"u64", 8},
    {"f16", 2},     {"bf16", 2}, {"f32", 4}, {"f64", 8},
};
const TypeInfo &typeInfo(uint32_t dtype) {
  return typeInfos[dtype <= DYN_F64 ? dtype : 0];
}

const char *const isaNames[DYN_ISA_COUNT] = {"x86-64-v2",      "x86-64-v3",
                                             "x86-64-v4",      "x86-64-v4-vnni",
                                             "x86-64-v4-bf16", "x86-64-v4-amx"};

struct Registers {
  unsigned a = 0, b = 0, c = 0, d = 0;
  Registers(unsigned leaf, unsigned subleaf) {
    __get_cpuid_count(leaf, subleaf, &a, &b, &c, &d);
  }
};
bool all(unsigned bits, unsigned wanted) { return (bits & wanted) == wanted; }

/// The register states that the operating system saves on a context switch.
uint64_t savedState() {
  uint32_t low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t(high) << 32 | low;
}
} // namespace

size_t dyn_dtype_size(dyn_dtype_t dtype) { return typeInfo(dtype).size; }
const char *dyn_dtype_name(dyn_dtype_t dtype) { return typeInfo(dtype).name; }
const char *dyn_isa_name(dyn_isa_t isa) {
  return unsigned(isa) < DYN_ISA_COUNT ? isaNames[isa] : "unknown";
}

std::optional<int64_t> dyn::rt::tensorBytes(uint32_t dtype, uint32_t rank,
                                            const int64_t *shape) {
  // A size of zero makes the number of bytes zero, but only after the others
  // proved to fit: an index into such a tensor is still computed with them.
  int64_t bytes = int64_t(typeInfo(dtype).size);
  bool empty = false;
  for (uint32_t axis = 0; axis < rank; ++axis) {
    if (shape[axis] < 0)
      return std::nullopt;
    if (shape[axis] == 0) {
      empty = true;
      continue;
    }
    std::optional<int64_t> gemm = checkedMul(bytes, shape[axis]);
    if (!gemm)
      return std::nullopt;
    bytes = *gemm;
  }
  return empty ? 0 : bytes;
}

std::optional<dyn_isa_t> dyn::rt::processorIsa() {
  Registers basic(1, 0);
  Registers extended(0x80000001, 0);
  const unsigned cx16 = 1u << 13, osxsave = 1u << 27;
  if (!all(basic.c, bit_SSE3 | bit_SSSE3 | cx16 | bit_SSE4_1 | bit_SSE4_2 |
                        bit_POPCNT) ||
      !all(extended.c, bit_LAHF_LM))
    return std::nullopt;

  Registers features(7, 0);
  const uint64_t avxState = 0x6, avx512State = 0xe6, tileState = 0x60000;
  if (!all(basic.c, osxsave | bit_AVX | bit_FMA | bit_F16C | bit_MOVBE) ||
      !all(features.b, bit_BMI | bit_BMI2 | bit_AVX2) ||
      !all(extended.c, bit_LZCNT) || (savedState() & avxState) != avxState)
    return DYN_ISA_X86_64_V2;
  if (!all(features.b, bit_AVX512F | bit_AVX512BW | bit_AVX512CD |
                           bit_AVX512DQ | bit_AVX512VL) ||
      (savedState() & avx512State) != avx512State)
    return DYN_ISA_X86_64_V3;
  if (!all(features.c, bit_AVX512VNNI))
    return DYN_ISA_X86_64_V4;
  const unsigned avx512Bf16 = 1u << 5;
  if (features.a < 1 || !all(Registers(7, 1).a, avx512Bf16))
    return DYN_ISA_X86_64_V4_VNNI;
  const unsigned amxBf16 = 1u << 22, amxTile = 1u << 24, amxInt8 = 1u << 25;
  if (!all(features.d, amxTile | amxInt8 | amxBf16) ||
      (savedState() & tileState) != tileState)
    return DYN_ISA_X86_64_V4_BF16;
  return DYN_ISA_X86_64_V4_AMX;
}

bool dyn::rt::requestTileRegisters() {
  // From <asm/prctl.h>, which has no such definition on old systems.
  const int requestPermission = 0x1023, tileData = 18;
  return syscall(SYS_arch_prctl, requestPermission, tileData) == 0;
}

std::optional<dyn_isa_t> dyn::rt::parseIsa(const char *name) {
  for (int isa = 0; isa < DYN_ISA_COUNT; ++isa)
    if (!std::strcmp(name, isaNames[isa]) ||
        !std::strcmp(name, isaNames[isa] + std::strlen("x86-64-")))
      return dyn_isa_t(isa);
  return std::nullopt;
}
