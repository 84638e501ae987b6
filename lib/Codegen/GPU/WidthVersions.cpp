//===- WidthVersions.cpp - Versions for wide accesses ---------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WidthVersions.h"

using namespace dyn;
using namespace mlir;
using dhlo::DimExpr;

bool dyn::isNeverMultiple(DimExpr length, int64_t divisor,
                          const SymbolicDims &dims) {
  return dhlo::getConstantValue(dims.expand(length)).has_value() &&
         !dims.isMultipleOf(length, divisor);
}

bool dyn::isFoundInData(DimExpr size, const SymbolicDims &dims) {
  auto kernel = dyn_cast<dlhlo::KernelOp>(dims.getOperation());
  bool isFound = false;
  if (kernel)
    dhlo::walkSymbols(dims.expand(size), [&](StringAttr name) {
      isFound |= llvm::any_of(kernel.getBody().getOps<dhlo::BindOp>(),
                              [&](dhlo::BindOp bind) {
                                return bind.getSymbolAttr().getAttr() == name;
                              });
    });
  return isFound;
}

WidthVersions::WidthVersions(ArrayRef<DimExpr> lengths, int64_t widest,
                             const SymbolicDims &dims)
    : widest(widest) {
  for (DimExpr length : lengths)
    if (!dims.isMultipleOf(length, widest) &&
        !llvm::is_contained(deciding, length))
      deciding.push_back(length);
  bool isNeverWide = widest == 1 || llvm::any_of(deciding, [&](DimExpr length) {
                       return isNeverMultiple(length, widest, dims) ||
                              isFoundInData(length, dims);
                     });
  if (!isNeverWide)
    widths.push_back(widest);
  if (isNeverWide || !deciding.empty())
    widths.push_back(1);
}

SmallVector<StringRef> WidthVersions::getNames() const {
  return widths.size() == 1 ? SmallVector<StringRef>{""}
                            : SmallVector<StringRef>{"$wide", "$narrow"};
}

OpFoldResult
WidthVersions::emitChoice(KernelBuilder &b,
                          llvm::function_ref<OpFoldResult(int64_t)> getValue) {
  if (widths.size() == 1)
    return getValue(0);
  OpFoldResult rests = b.constant(0);
  for (DimExpr length : deciding)
    rests = b.add(rests, b.rem(b.size(length), b.constant(widest)));
  return b.select(b.cmp(arith::CmpIPredicate::eq, rests, b.constant(0)),
                  getValue(0), getValue(1));
}

void WidthVersions::assume(KernelBuilder &b, int64_t version) const {
  if (widths[version] == widest)
    for (DimExpr length : deciding)
      b.assumeMultipleOf(length, widest);
}
