//===- CodegenOptions.h - Options of code generation for kernels ----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CODEGEN_CODEGENOPTIONS_H
#define DYN_CODEGEN_CODEGENOPTIONS_H

#include "dyn/Support/Isa.h"

#include <cstdint>

namespace dyn {

/// The properties of the machine that every schedule needs.
struct CodegenOptions {
  Isa isa = Isa::V4;
  /// Code for one thread of a device: short vectors are only used for wide
  /// accesses, and buffers begin at multiples of kDeviceAlignment bytes.
  bool isDevice = false;
  static constexpr int64_t kDeviceAlignment = 16;

  /// A device has fused multiply-add and conversions of f16, as v3, but no
  /// instructions of x86.
  static CodegenOptions forDevice() {
    CodegenOptions options;
    options.isa = Isa::V3;
    options.isDevice = true;
    return options;
  }

  /// Width of a vector register.
  int64_t vectorBits() const { return getVectorBits(isa); }
  /// f32 elements of a register, the unit of register-blocked code.
  int64_t registerLanes() const { return vectorBits() / 32; }
  /// The number of elements that loop and row code processes at once, for every
  /// element type and instruction set. A single number keeps the order of sums,
  /// and so the bits, independent of the type of the register; narrower
  /// machines use several registers for it, which hides latency.
  static constexpr int64_t kLanes = 16;
  /// Fused multiply-add, 16-bit float conversions.
  bool hasFma() const { return dyn::hasFma(isa); }
  /// Masked loads and stores of every element type.
  bool hasMasks() const { return hasAvx512(isa); }
  /// Vector registers.
  int64_t numRegisters() const { return hasAvx512(isa) ? 32 : 16; }
};

} // namespace dyn

#endif // DYN_CODEGEN_CODEGENOPTIONS_H
