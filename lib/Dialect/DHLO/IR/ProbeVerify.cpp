//===- ProbeVerify.cpp - Verifiers of probes and loads --------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DHLO/IR/Verify.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dhlo;

LogicalResult
LoadAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                 int64_t rows, ArrayRef<int64_t> shares) {
  // load_c1
  auto isNegative = [](int64_t value) { return value < 0; };
  if (shares.empty() || isNegative(rows) || llvm::any_of(shares, isNegative))
    return emitError() << "expected at least one share, and no negative number";
  // load_c2
  int64_t sum = 0;
  for (int64_t share : shares)
    if (llvm::AddOverflow(sum, share, sum))
      return emitError() << "expected shares that sum to 1024";
  if (sum != 1024)
    return emitError() << "expected shares that sum to 1024, found " << sum;
  return success();
}

LogicalResult ProbeOp::verify() {
  // probe_c1
  RankedTensorType offsets = typeOf(getOffsets());
  if (offsets.getRank() != 1 || offsets.isDynamicDim(0) ||
      offsets.getDimSize(0) < 2)
    return emitOpError(
               "expected a static number of at least two offsets, found ")
           << offsets;
  // probe_c2
  if (failed(verifyRank(*this, "seats", getSeats(), 2)))
    return failure();
  // probe_c3
  if (getOrder() &&
      failed(verifySizes(*this, "order", {sizesOf(getSeats())[0]}, getOrder())))
    return failure();
  return success();
}
