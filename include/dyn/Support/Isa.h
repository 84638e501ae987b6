//===- Isa.h - Instruction sets that kernels are compiled for
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

/// Levels of the x86-64 psABI, with the values of dyn_isa_t in artifact.h.
enum class Isa { V2 = 0, V3 = 1, V4 = 2 };

inline constexpr Isa kAllIsas[] = {Isa::V2, Isa::V3, Isa::V4};

/// "v2", "v3", "v4": the name in options, attributes and symbols.
inline llvm::StringRef getIsaName(Isa isa) {
  constexpr llvm::StringLiteral names[] = {"v2", "v3", "v4"};
  return names[static_cast<int>(isa)];
}

/// The instruction set of a name, if there is one.
inline std::optional<Isa> parseIsa(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<Isa>>(name)
      .Case("v2", Isa::V2)
      .Case("v3", Isa::V3)
      .Case("v4", Isa::V4)
      .Default(std::nullopt);
}

/// LLVM's name of the processor that has the level and nothing more.
inline llvm::StringRef getCpuName(Isa isa) {
  constexpr llvm::StringLiteral names[] = {"x86-64-v2", "x86-64-v3",
                                           "x86-64-v4"};
  return names[static_cast<int>(isa)];
}

/// Bits of the widest vector register.
inline int getVectorBits(Isa isa) {
  constexpr int bits[] = {128, 256, 512};
  return bits[static_cast<int>(isa)];
}

/// Whether a fused multiply-add is one instruction.
inline bool hasFma(Isa isa) { return isa != Isa::V2; }

} // namespace dyn

#endif // DYN_SUPPORT_ISA_H
