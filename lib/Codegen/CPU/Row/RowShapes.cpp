//===- RowShapes.cpp - How rows of some width are computed ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen/CPU/Row/RowShapes.h"

#include "llvm/Support/ErrorHandling.h"

#include <limits>

using namespace dyn;
using llvm::SmallVector;

/// Columns of a row of a few vectors, whose final reduction takes as long as
/// the rest.
static constexpr int64_t kFew = 64;
/// The maximum number of columns of a narrow row: its final reduction takes as
/// long as some columns. Rows without functions such as exp wait for memory
/// sooner, which comes faster to one row at a time.
static constexpr int64_t kNarrow = 256, kNarrowIfCheap = 128;
/// Columns of rows that are not wide.
static constexpr int64_t kNear = 2048;

bool RowShape::isWide() const { return most > kNear; }

// There are as many accumulators as registers can hold beside the rest: of a
// wide row, or of several narrow ones, which would otherwise wait for their
// final reductions.
SmallVector<RowShape> dyn::getRowShapes(const CodegenOptions &options,
                                        bool isCheap) {
  constexpr int64_t kAny = std::numeric_limits<int64_t>::max();
  int64_t narrow = isCheap ? kNarrowIfCheap : kNarrow;
  switch (options.isa) {
  case Isa::V4Amx:
  case Isa::V4Bf16:
  case Isa::V4Vnni:
  case Isa::V4:
    return {{kFew, 8, 1, /*isRuns=*/true},
            {narrow, 4, 2},
            {kNear, 1, 8},
            {kAny, 1, 8}};
  case Isa::V3:
    return {{narrow, 2, 2}, {kNear, 1, 4}, {kAny, 1, 4}};
  case Isa::V2:
    return {{kNear, 1, 2}, {kAny, 1, 2}};
  }
  llvm_unreachable("all instruction sets are listed");
}
