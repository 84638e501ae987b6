//===- ConcatStarts.cpp - Where operands of a concatenation begin ---------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen/Common/Elements/ConcatStarts.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace dyn;

/// LLVM's loop strength reduction compares the addresses of all loops of a
/// function, term by term: with the sums of 90 sizes it took 5 s. It does not
/// see through assembly, from this many operands on.
static constexpr unsigned kManyOperands = 8;

static OpFoldResult hide(KernelBuilder &b, OpFoldResult index) {
  auto value = llvm::dyn_cast<Value>(index);
  if (!value || b.getOptions().isDevice())
    return index;
  auto assembly = LLVM::InlineAsmOp::create(
      b, value.getType(), value, /*asm_string=*/"", /*constraints=*/"=r,0",
      /*has_side_effects=*/false, /*is_align_stack=*/false,
      LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
  return assembly.getRes();
}

SmallVector<OpFoldResult> dyn::getConcatStarts(KernelBuilder &b,
                                               dhlo::ConcatOp op) {
  SmallVector<OpFoldResult> starts = {b.constant(0)};
  for (Value operand : op.getOperands()) {
    starts.push_back(b.add(starts.back(), b.size(operand, op.getAxis())));
    if (starts.size() > kManyOperands)
      starts.back() = hide(b, starts.back());
  }
  return starts;
}
