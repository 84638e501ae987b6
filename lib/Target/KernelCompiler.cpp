//===- KernelCompiler.cpp - Kernels for each instruction set --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Target/KernelCompiler.h"

#include "dyn/Codegen/CPU/CodegenCPU.h"
#include "dyn/Codegen/Codegen.h"
#include "dyn/Dialect/DLHLO/IR/DLHLO.h"
#include "dyn/Target/Descriptor.h"

#include "mlir/IR/Threading.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace dyn;

OwningOpRef<ModuleOp> dyn::lowerKernels(ModuleOp module, Isa isa,
                                        ArrayRef<Isa> isas,
                                        const EmitOptions &options,
                                        TimingScope &timing) {
  OwningOpRef<ModuleOp> container = ModuleOp::create(module.getLoc());
  OpBuilder builder(module.getContext());
  for (auto kernel : module.getOps<dlhlo::KernelOp>()) {
    if (!hasVersion(kernel, isa, isas))
      continue;
    builder.setInsertionPointToEnd(container->getBody());
    auto nested = ModuleOp::create(builder, kernel.getLoc());
    builder.setInsertionPointToEnd(nested.getBody());
    builder.clone(*kernel);
  }
  PassManager manager(module.getContext());
  if (failed(applyPassManagerCLOptions(manager)))
    return {};
  manager.enableTiming(timing);
  buildKernelModulesPipeline(manager, isa, options.targetInfo);
  if (failed(manager.run(*container)))
    return {};
  return container;
}

/// Emits the object of one module. Exported functions get the names in the
/// descriptor, by instruction set.
static LogicalResult compileKernel(ModuleOp module, Isa isa,
                                   const EmitOptions &options,
                                   ObjectCode &object) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> ir =
      translateToLLVMIR(module, context, isa, options);
  if (!ir)
    return failure();
  for (llvm::Function &function : *ir)
    if (!function.isIntrinsic() && !function.hasLocalLinkage())
      function.setName(function.getName() + "." + getIsaName(isa));
  std::string error;
  // No test: LLVM fails on wrong input, and this comes from the conversion.
  if (!emitObject(*ir, isa, options, object, error))
    return module.emitError("no machine code for this kernel: ") << error;
  return success();
}

FailureOr<std::vector<ObjectCode>>
dyn::compileKernels(ModuleOp module, llvm::ArrayRef<Isa> isas,
                    const EmitOptions &options, TimingScope &timing) {
  struct Job {
    ModuleOp module;
    Isa isa;
    ObjectCode object;
  };
  std::vector<OwningOpRef<ModuleOp>> containers;
  std::vector<Job> jobs;
  for (Isa isa : isas) {
    TimingScope lowering =
        timing.nest(("Kernels to LLVM, " + getIsaName(isa)).str());
    containers.push_back(lowerKernels(module, isa, isas, options, lowering));
    if (!containers.back())
      return failure();
    for (auto nested : containers.back()->getOps<ModuleOp>())
      jobs.push_back({nested, isa, {}});
  }
  TimingScope emission = timing.nest("Object code");
  if (failed(failableParallelForEach(module.getContext(), jobs, [&](Job &job) {
        return compileKernel(job.module, job.isa, options, job.object);
      })))
    return failure();
  std::vector<ObjectCode> objects;
  for (Job &job : jobs)
    objects.push_back(std::move(job.object));
  return objects;
}
