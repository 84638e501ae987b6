//===- RowShapes.h - How rows of some width are computed ------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CODEGEN_CPU_ROW_ROWSHAPES_H
#define DYN_LIB_CODEGEN_CPU_ROW_ROWSHAPES_H

#include "dyn/Codegen/CodegenOptions.h"

#include "llvm/ADT/SmallVector.h"

#include <limits>

namespace dyn {

/// How rows of up to `most` columns are computed.
struct RowShape {
  int64_t most;
  int64_t group;  ///< rows side by side
  int64_t unroll; ///< accumulators of a reduction in a row
  /// Whether groups of rows are runs of memory where possible.
  bool isRuns = false;

  /// `most` of rows that do not fit the L1 cache several times.
  static constexpr int64_t kAny = std::numeric_limits<int64_t>::max();
  bool isWide() const { return most == kAny; }
};

/// The shapes of rows, from the narrowest. `isCheap` says that no function such
/// as exp is computed of an element.
llvm::SmallVector<RowShape> getRowShapes(const CodegenOptions &options,
                                         bool isCheap);

} // namespace dyn

#endif // DYN_LIB_CODEGEN_CPU_ROW_ROWSHAPES_H
