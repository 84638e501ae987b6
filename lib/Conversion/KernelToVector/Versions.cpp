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

/// Whether instructions of an extension do what takes several before it: those
/// of all so far are for products of bytes.
static bool gainsByExtension(dlhlo::KernelOp kernel) {
  auto products = kernel.getBody().getOps<dhlo::DotGeneralOp>();
  return llvm::any_of(products, [](dhlo::DotGeneralOp op) {
    std::optional<MatrixProduct> product = getMatrixProduct(op);
    return product && product->factors == Factors::Bytes;
  });
}

bool dyn::hasVersion(dlhlo::KernelOp kernel, Isa isa, ArrayRef<Isa> isas) {
  // What a kernel without the version runs: the nearest level below.
  for (auto level = getExtendedIsa(isa); level; level = getExtendedIsa(*level))
    if (llvm::is_contained(isas, *level))
      return gainsByExtension(kernel);
  return true;
}
