//===- ProbeVerify.cpp - Verifier of probes over buffers ------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DLHLO/IR/DLHLO.h"

using namespace mlir;
using namespace dyn;

LogicalResult dlhlo::ProbeOp::verify() {
  // probe_c1
  size_t count = getBuffers().size();
  if (count != 2 && count != 3)
    return emitOpError("expected two or three buffers, found ") << count;
  return success();
}
