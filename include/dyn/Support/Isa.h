//===- Isa.h - Instruction sets that kernels are compiled for -------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_SUPPORT_ISA_H
#define DYN_SUPPORT_ISA_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"

#include <optional>

namespace dyn {

/// Levels of the x86-64 psABI and extensions of them, with the values of
/// dyn_isa_t in artifact.h. Each includes the previous ones.
enum class Isa { V2 = 0, V3 = 1, V4 = 2, V4Vnni = 3, V4Bf16 = 4, V4Amx = 5 };

inline constexpr Isa kAllIsas[] = {Isa::V2,     Isa::V3,     Isa::V4,
                                   Isa::V4Vnni, Isa::V4Bf16, Isa::V4Amx};

/// The names, for lists in messages.
inline constexpr llvm::StringLiteral kIsaList =
    "v2, v3, v4, v4-vnni, v4-bf16 or v4-amx";

/// "v2", "v4-vnni": the name in options, attributes and symbols.
inline llvm::StringRef getIsaName(Isa isa) {
  constexpr llvm::StringLiteral names[] = {"v2",      "v3",      "v4",
                                           "v4-vnni", "v4-bf16", "v4-amx"};
  return names[static_cast<int>(isa)];
}

/// The instruction set of a name, if there is one.
inline std::optional<Isa> parseIsa(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<Isa>>(name)
      .Case("v2", Isa::V2)
      .Case("v3", Isa::V3)
      .Case("v4", Isa::V4)
      .Case("v4-vnni", Isa::V4Vnni)
      .Case("v4-bf16", Isa::V4Bf16)
      .Case("v4-amx", Isa::V4Amx)
      .Default(std::nullopt);
}

/// The level that `isa` extends by a few instructions, if it is not a level of
/// the psABI itself. Kernels that do not benefit run the level's code.
inline std::optional<Isa> getExtendedIsa(Isa isa) {
  if (isa <= Isa::V4)
    return std::nullopt;
  return static_cast<Isa>(static_cast<int>(isa) - 1);
}

/// LLVM's name of the processor that supports the level and nothing more.
inline llvm::StringRef getCpuName(Isa isa) {
  constexpr llvm::StringLiteral names[] = {"x86-64-v2", "x86-64-v3",
                                           "x86-64-v4", "x86-64-v4",
                                           "x86-64-v4", "x86-64-v4"};
  return names[static_cast<int>(isa)];
}

/// LLVM features in addition to the processor's.
inline llvm::StringRef getCpuFeatures(Isa isa) {
  // 512-bit vectors; LLVM's own default for v4 is 256.
  constexpr llvm::StringLiteral names[] = {
      "",
      "",
      "-prefer-256-bit",
      "-prefer-256-bit,+avx512vnni",
      "-prefer-256-bit,+avx512vnni,+avx512bf16",
      "-prefer-256-bit,+avx512vnni,+avx512bf16,+amx-tile,+amx-int8,+amx-bf16"};
  return names[static_cast<int>(isa)];
}

/// Bits of the widest vector register.
inline int getVectorBits(Isa isa) {
  constexpr int bits[] = {128, 256, 512, 512, 512, 512};
  return bits[static_cast<int>(isa)];
}

/// Whether a fused multiply-add is one instruction.
inline bool hasFma(Isa isa) { return isa >= Isa::V3; }

/// Whether there are 32 registers of 512 bits, and masks.
inline bool hasAvx512(Isa isa) { return isa >= Isa::V4; }

/// Whether a dot product of four bytes is one instruction.
inline bool hasVnni(Isa isa) { return isa >= Isa::V4Vnni; }

/// Whether a dot product of two bf16 is one instruction.
inline bool hasBf16Dots(Isa isa) { return isa >= Isa::V4Bf16; }

/// Whether there are tile registers of 16 rows of 64 bytes, and GEMMs on them.
inline bool hasTileRegisters(Isa isa) { return isa >= Isa::V4Amx; }

} // namespace dyn

#endif // DYN_SUPPORT_ISA_H
