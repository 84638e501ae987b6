//===- Versions.cpp - Which instruction sets a kernel is compiled for -----===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Conversion/KernelToVector/KernelToVector.h"
#include "dyn/Conversion/KernelToVector/MatrixProduct.h"

using namespace mlir;
using namespace dyn;

/// Whether one instruction of the extension does what takes several before it.
static bool gainsBy(dlhlo::KernelOp kernel, Isa extension) {
  if (!hasByteProducts(extension))
    return false;
  auto products = kernel.getBody().getOps<dhlo::DotGeneralOp>();
  return llvm::any_of(products, [](dhlo::DotGeneralOp op) {
    std::optional<MatrixProduct> product = getMatrixProduct(op);
    return product && product->factors == Factors::Bytes;
  });
}

bool dyn::hasVersion(dlhlo::KernelOp kernel, Isa isa, ArrayRef<Isa> isas) {
  std::optional<Isa> level = getExtendedIsa(isa);
  return !level || !llvm::is_contained(isas, *level) || gainsBy(kernel, isa);
}
