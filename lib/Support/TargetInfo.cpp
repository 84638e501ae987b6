//===- TargetInfo.cpp - The machine that code is generated for ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Support/TargetInfo.h"

using namespace dyn;

RegisterInfo::RegisterInfo(Isa isa)
    : isa(isa), vectorBits(getVectorBits(isa)),
      vectorRegisters(hasAvx512(isa) ? 32 : 16), hasFma(dyn::hasFma(isa)),
      hasMasks(hasAvx512(isa)) {
  switch (isa) {
  case Isa::V4Amx:
  case Isa::V4Bf16:
  case Isa::V4Vnni:
  case Isa::V4:
    gemmRows = 13;
    gemmSingleRows = 14;
    gemmPanels = 2;
    gemmSmallPanels = {0, 2, 2, 4, 4, 4, 4, 3, 3};
    gemmSlowRows = 4;
    gemmPackedFrom = 128;
    gemmPackedRows = 8;
    gemmPackedPanels = 3;
    byteGemmRows = 10;
    byteGemmPanels = 2;
    planeChannels = 13;
    return;
  case Isa::V3:
    gemmRows = gemmSingleRows = 6;
    gemmPanels = 1;
    gemmSmallPanels = {0, 4, 2, 1};
    gemmSlowRows = 2;
    byteGemmRows = 4;
    byteGemmPanels = 1;
    planeChannels = 6;
    return;
  case Isa::V2:
    gemmRows = gemmSingleRows = 2;
    gemmPanels = 1;
    gemmSmallPanels = {0, 2};
    gemmSlowRows = 1;
    byteGemmRows = 2;
    byteGemmPanels = 1;
    planeChannels = 2;
    return;
  }
}
