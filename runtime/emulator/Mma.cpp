//===- Mma.cpp - Matrix multiply-accumulate of a warp ---------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Lane 4 g + t holds, two to a register: of A rows g, g + 8, g, g + 8 at k = 2
// t, 2 t, 2 t + 8, 2 t + 8; of B column g at k = 2 t and 2 t + 8; of the result
// rows g, g, g + 8, g + 8 at columns 2 t, 2 t + 1, 2 t, 2 t + 1 ("Matrix
// Fragments for mma.m16n8k16" of the PTX manual).

#include "Mma.h"

#include "Elements.h"

using namespace dyn::emu;

static float getElement(dyn_emu_mma_t type, uint32_t word, uint32_t which) {
  uint32_t bits = word >> 16 * which & 0xffff;
  return type == DYN_EMU_MMA_BF16 ? fromBfloat(uint16_t(bits))
                                  : fromHalf(uint16_t(bits));
}

void dyn::emu::multiplyMatrices(dyn_emu_mma_t type,
                                const MmaRegisters (&lanes)[DYN_EMU_WARP]) {
  constexpr uint32_t kRows = 16, kColumns = 8, kDepth = 16;
  float left[kRows][kDepth], right[kDepth][kColumns];
  for (uint32_t lane = 0; lane < DYN_EMU_WARP; ++lane) {
    uint32_t g = lane / 4, t = lane % 4;
    for (uint32_t i = 0; i < 2; ++i) {
      for (uint32_t part = 0; part < 4; ++part)
        left[g + part % 2 * 8][2 * t + part / 2 * 8 + i] =
            getElement(type, lanes[lane].a[part], i);
      for (uint32_t part = 0; part < 2; ++part)
        right[2 * t + part * 8 + i][g] =
            getElement(type, lanes[lane].b[part], i);
    }
  }
  for (uint32_t lane = 0; lane < DYN_EMU_WARP; ++lane)
    for (uint32_t i = 0; i < 4; ++i) {
      uint32_t row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
      float sum = lanes[lane].c[i];
      for (uint32_t k = 0; k < kDepth; ++k)
        sum = std::fma(left[row][k], right[k][column], sum);
      lanes[lane].d[i] = sum;
    }
}
