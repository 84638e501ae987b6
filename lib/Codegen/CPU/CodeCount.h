//===- CodeCount.h - The instructions of a kernel's code ------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// KernelCost.h counts what a kernel has to do, this what its code does. It is
// the emitted code that is counted, whatever schedule has written it, so that
// the count needs no second copy of the schedules' conditions: the code is
// walked at given sizes, from which bounds of loops and conditions follow. Of a
// loop, the first iteration is walked and the one in the middle, which stands
// for all others; of the work items, a few ranges.
//
// The unit is an instruction on a full register. Instructions that take longer
// count as several, and index arithmetic, most of which LLVM moves out of
// loops, counts little. It is an estimate: within a factor of two it says
// nothing.

#ifndef DYN_LIB_CODEGEN_CPU_CODECOUNT_H
#define DYN_LIB_CODEGEN_CPU_CODECOUNT_H

#include "Codegen/Common/Builder/ElementNotes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dyn {

/// A launch of a kernel, on one core.
struct CodeCount {
  /// Of the kernel's definition (KernelCost.h).
  int64_t flops = 0, bytes = 0;
  double instructions = 0;
  /// The part of them in code that computes elements one by one, and the note
  /// that most of that part has.
  double elementInstructions = 0;
  std::optional<ElementNote> note;
  /// The location that most instructions are for.
  mlir::LocationAttr hottest;
  /// Whether no loop depends on data, as those over segments do. If not, some
  /// numbers of iterations are guesses.
  bool isExact = true;
};

/// Counts the functions that `convertKernel` writes, at sizes `dims`, in
/// registers of `vectorBits`. None if there is no work at these sizes.
std::optional<CodeCount> countCode(mlir::func::FuncOp geometry,
                                   mlir::func::FuncOp body,
                                   llvm::ArrayRef<int64_t> dims,
                                   int64_t vectorBits);

} // namespace dyn

#endif // DYN_LIB_CODEGEN_CPU_CODECOUNT_H
