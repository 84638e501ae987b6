//===- CodegenOptions.h - Options of code generation for kernels ----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CODEGEN_CODEGENOPTIONS_H
#define DYN_CODEGEN_CODEGENOPTIONS_H

#include "dyn/Support/TargetInfo.h"

#include <cstdint>

namespace dyn {

/// The machine that every schedule is for.
struct CodegenOptions {
  /// Code for one thread of a device only uses short vectors, for wide
  /// accesses, and buffers begin at multiples of kDeviceAlignment bytes.
  TargetInfo target = TargetInfo::forIsa(Isa::V4);
  static constexpr int64_t kDeviceAlignment = 16;

  Isa isa() const { return target.isa(); }
  bool isDevice() const { return target.isDevice; }
  /// The number of elements that loop and row code processes at once, for every
  /// element type and instruction set. A single number keeps the order of sums,
  /// and so the bits, independent of the type of the register; narrower
  /// machines use several registers for it, which hides latency.
  static constexpr int64_t kLanes = 16;
  /// Fused multiply-add, 16-bit float conversions.
  bool hasFma() const { return target.cpu.registers.hasFma; }
  /// Masked loads and stores of every element type.
  bool hasMasks() const { return target.cpu.registers.hasMasks; }
};

} // namespace dyn

#endif // DYN_CODEGEN_CODEGENOPTIONS_H
