//===- Mma.h - Matrix multiply-accumulate of a warp -----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_EMULATOR_MMA_H
#define DYN_RUNTIME_EMULATOR_MMA_H

#include "dyn/emulated.h"

namespace dyn::emu {

/// A thread's registers of mma.sync.m16n8k16: four of A, two of B, four
/// accumulators, and four results.
struct MmaRegisters {
  const uint32_t *a, *b;
  const float *c;
  float *d;
};

/// Multiplies the matrices that the lanes' registers hold. PTX does not define
/// the order in which a device accumulates; here k ascends.
void multiplyMatrices(dyn_emu_mma_t type,
                      const MmaRegisters (&lanes)[DYN_EMU_WARP]);

} // namespace dyn::emu

#endif // DYN_RUNTIME_EMULATOR_MMA_H
