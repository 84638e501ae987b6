//===- RowShapes.cpp - How rows of some width are computed ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen/CPU/Row/RowShapes.h"

#include "llvm/Support/ErrorHandling.h"

using namespace dyn;
using llvm::SmallVector;

// There are as many accumulators as registers can hold beside the rest: of a
// wide row, or of several narrow ones, which would otherwise wait for their
// final reductions. How many a row has, and so the order of its sums, depends
// on its width alone, not on what else the kernel computes.
SmallVector<RowShape> dyn::getRowShapes(const CodegenOptions &options,
                                        bool isCheap) {
  constexpr int64_t kAny = RowShape::kAny;
  const CpuInfo &cpu = options.target.cpu;
  int64_t few = cpu.rowFewColumns;
  int64_t narrow = isCheap ? cpu.rowNarrowIfCheapColumns : cpu.rowNarrowColumns;
  int64_t paired = std::max(cpu.rowNarrowColumns, cpu.rowNarrowIfCheapColumns);
  // Rows of four bytes an element that fit the L1 cache six times: an
  // operand's, the next row's, kept values, and a result's.
  int64_t near = cpu.l1Bytes / 6 / 4;
  SmallVector<RowShape> shapes;
  auto add = [&](RowShape shape) {
    if (shapes.empty() || shapes.back().most < shape.most)
      shapes.push_back(shape);
  };
  switch (options.isa()) {
  case Isa::V4Amx:
  case Isa::V4Bf16:
  case Isa::V4Vnni:
  case Isa::V4:
    add({few, 8, 1, /*isRuns=*/true});
    add({narrow, 4, 2});
    add({paired, 1, 2});
    add({near, 1, 8});
    add({kAny, 1, 8});
    return shapes;
  case Isa::V3:
    add({narrow, 2, 2});
    add({paired, 1, 2});
    add({near, 1, 4});
    add({kAny, 1, 4});
    return shapes;
  case Isa::V2:
    add({near, 1, 2});
    add({kAny, 1, 2});
    return shapes;
  }
  llvm_unreachable("all instruction sets are listed");
}
