//===- Versions.cpp - Which instruction sets a kernel is compiled for -----===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen/CPU/Gemm/Gemm.h"
#include "dyn/Codegen/CPU/CodegenCPU.h"

using namespace mlir;
using namespace dyn;

/// Whether `isa` needs other code for a kernel than a level that it extends:
/// all extensions so far are for GEMMs with narrow operands.
static bool gainsByExtension(dlhlo::KernelOp kernel, Isa isa, Isa extended) {
  if (kernel.getKind() != dlhlo::FusionKind::Contraction)
    return false;
  Region &body = kernel.getBody();
  auto gains = [&](const DeclaredFactors &factors) {
    return !factors.isSameCode(isa, extended);
  };
  return llvm::any_of(body.getOps<dhlo::DotGeneralOp>(),
                      [&](dhlo::DotGeneralOp op) {
                        std::optional<Gemm> gemm = getGemm(op);
                        return gemm && gains(gemm->getDeclaredFactors());
                      }) ||
         llvm::any_of(body.getOps<dhlo::GroupedDotOp>(),
                      [&](dhlo::GroupedDotOp op) {
                        return gains(getDeclaredFactors(op));
                      });
}

bool dyn::hasVersion(dlhlo::KernelOp kernel, Isa isa, ArrayRef<Isa> isas) {
  // Without the version, the nearest level below runs the kernel.
  for (auto level = getExtendedIsa(isa); level; level = getExtendedIsa(*level))
    if (llvm::is_contained(isas, *level))
      return gainsByExtension(kernel, isa, *level);
  return true;
}
