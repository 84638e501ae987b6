//===- LibraryVerify.cpp - Constraints of library calls -------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DLHLO/IR/DLHLO.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dlhlo;

LogicalResult LibraryGemmOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // library_gemm_c1
  auto kernel =
      symbols.lookupNearestSymbolFrom<KernelOp>(*this, getKernelAttr());
  if (!kernel)
    return emitOpError("expected the symbol of a kernel, found ")
           << getKernelAttr();
  Block &body = kernel.getBody().front();
  Operation *yield = body.getTerminator();
  if (yield->getNumOperands() != 1)
    return emitOpError("expected a kernel with one result, found ")
           << yield->getNumOperands();

  // library_gemm_c2
  if (getSizes().size() != 4)
    return emitOpError("expected batch, rows, columns and depth, found ")
           << getSizes().size() << " sizes";
  for (auto size : getSizes().getAsRange<dhlo::DimExpr>()) {
    StringAttr unknown;
    dhlo::walkSymbols(size, [&](StringAttr name) {
      if (llvm::none_of(kernel.getDims(), [&](dhlo::DimOp dim) {
            return dim.getSymNameAttr() == name;
          }))
        unknown = name;
    });
    if (unknown)
      return emitOpError("expected sizes over dims of the kernel, found @")
             << unknown.getValue();
  }

  // library_gemm_c3
  Type result = getElementTypeOrSelf(yield->getOperand(0));
  Type factor;
  auto check = [&](IntegerAttr argument, bool isFactor) -> LogicalResult {
    if (!argument)
      return success();
    int64_t number = argument.getInt();
    if (number < 0 || number >= body.getNumArguments())
      return emitOpError("expected an argument of the kernel, found ")
             << number;
    Type type = getElementTypeOrSelf(body.getArgument(number));
    Type expected = isFactor ? factor : result;
    if (expected && type != expected)
      return emitOpError("expected argument ")
             << number << " of " << expected << ", found " << type;
    if (isFactor)
      factor = type;
    return success();
  };
  if (failed(check(getLeftAttr(), true)) ||
      failed(check(getRightAttr(), true)) ||
      failed(check(getBiasAttr(), false)) ||
      failed(check(getAddendAttr(), false)))
    return failure();
  if (!factor.isF32() && !factor.isF16() && !factor.isBF16())
    return emitOpError("expected factors of f32, f16 or bf16, found ")
           << factor;
  if (result != factor && !result.isF32())
    return emitOpError("expected a result of ")
           << factor << " or f32, found " << result;
  return success();
}
