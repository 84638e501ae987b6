//===- KeptItems.cpp - Items that share data in scratch -------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen/CPU/Gemm/KeptItems.h"

#include "Codegen/Common/Builder/WorkerLayout.h"

using namespace mlir;
using namespace dyn;

void dyn::forEachItemKeeping(
    KernelBuilder &b, unsigned count,
    llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  assert(count <= layout::kWorkerKeptCount && "there is room for these");
  Type word = b.getI64Type();
  SmallVector<Value> kept;
  for (unsigned i = 0; i < count; ++i)
    kept.push_back(
        b.load(b.worker(), b.constant(layout::kWorkerKept + i), word, 1));
  kept = b.loop(b.begin(), b.end(), 1, kept, body);
  for (unsigned i = 0; i < count; ++i)
    b.store(kept[i], b.worker(), b.constant(layout::kWorkerKept + i), word, 1);
}
