//===- FetchVerify.cpp - Verifier of announcements of weights -------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DLHLO/IR/DLHLO.h"

using namespace mlir;
using namespace dyn::dlhlo;

LogicalResult RangeAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                FlatSymbolRefAttr, int64_t path, int64_t offset,
                                int64_t bytes) {
  // range_c1
  if (path < 0 || offset < 0 || bytes < 0)
    return emitError() << "expected no negative path, offset or bytes, found "
                       << path << ", " << offset << ", " << bytes;
  return success();
}

LogicalResult FetchOp::verify() {
  // A buffer has no type that tells its size.
  auto type = getOffsets()
                  ? llvm::dyn_cast<RankedTensorType>(getOffsets().getType())
                  : RankedTensorType();
  if (!type)
    return success();
  // fetch_c1
  if (type.getRank() != 1 || type.isDynamicDim(0) || type.getDimSize(0) < 2)
    return emitOpError("expected a vector of at least two offsets, found ")
           << type;
  // fetch_c2
  for (auto range : getRanges().getAsRange<RangeAttr>())
    if (range.getPath() >= type.getDimSize(0) - 1)
      return emitOpError("expected paths below ")
             << type.getDimSize(0) - 1 << ", found " << range.getPath();
  return success();
}

LogicalResult FetchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // fetch_c3
  for (auto range : getRanges().getAsRange<RangeAttr>()) {
    auto constant =
        symbols.lookupNearestSymbolFrom<ConstantOp>(*this, range.getConstant());
    if (!constant)
      return emitOpError("expected the symbol of a constant, found ")
             << range.getConstant();
    int64_t bytes =
        getConstantBytes(llvm::cast<RankedTensorType>(constant.getType()));
    if (range.getOffset() > bytes ||
        range.getBytes() > bytes - range.getOffset())
      return emitOpError("expected a range of the ")
             << bytes << " bytes of " << range.getConstant() << ", found "
             << range.getBytes() << " bytes from " << range.getOffset();
  }
  return success();
}
