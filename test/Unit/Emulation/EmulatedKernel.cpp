//===- EmulatedKernel.cpp - A kernel compiled for the emulator ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatedKernel.h"

#include "dyn/Codegen/Codegen.h"
#include "dyn/Codegen/GPU/CodegenGPU.h"
#include "dyn/Conversion/NVVMToEmulation/NVVMToEmulation.h"
#include "dyn/RegisterAll.h"
#include "dyn/Target/ObjectEmitter.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "llvm/IR/Module.h"

#include "gtest/gtest.h"

using namespace dyn;
using namespace mlir;

EmulatedKernel::EmulatedKernel(StringRef text,
                               llvm::function_ref<void(ModuleOp)> plant) {
  DialectRegistry registry;
  registerAllDialects(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  EXPECT_TRUE(module);
  if (!module)
    return;
  PassManager first(&context);
  first.addPass(createConvertKernelToGPUPass());
  EXPECT_TRUE(succeeded(first.run(*module)));
  if (plant)
    plant(*module);
  PassManager manager(&context);
  buildGpuKernelPipeline(manager);
  manager.addPass(createConvertNVVMToEmulationPass());
  EXPECT_TRUE(succeeded(manager.run(*module)));

  initializeTargets();
  auto llvmContext = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> ir =
      translateToLLVMIR(*module, *llvmContext, Isa::V3, EmitOptions());
  EXPECT_TRUE(ir);
  // The in-process linker finds only symbols with external linkage.
  for (llvm::Function &function : *ir)
    if (!function.isDeclaration() && !function.hasLocalLinkage())
      function.setVisibility(llvm::GlobalValue::DefaultVisibility);
  jit = llvm::cantFail(llvm::orc::LLJITBuilder().create());
  llvm::cantFail(jit->addIRModule({std::move(ir), std::move(llvmContext)}));

  for (auto function : module->getOps<LLVM::LLVMFuncOp>()) {
    auto sites = function->getAttrOfType<ArrayAttr>("dyn.sites");
    if (!sites)
      continue;
    auto version = std::make_unique<Version>();
    version->name = function.getSymName().str();
    for (auto site : sites.getAsRange<ArrayAttr>())
      for (auto part : site.getAsRange<StringAttr>())
        version->texts.push_back(part.str());
    for (size_t i = 0; i < version->texts.size(); i += 2)
      version->sites.push_back(
          {version->texts[i].c_str(), version->texts[i + 1].c_str()});
    auto getBytes = [&](StringRef name) {
      return static_cast<uint32_t>(
          function->getAttrOfType<IntegerAttr>(name).getInt());
    };
    auto address = llvm::cantFail(jit->lookup(version->name));
    version->kernel = {version->name.c_str(),
                       address.toPtr<dyn_emu_fn>(),
                       getBytes("dyn.param_bytes"),
                       getBytes("dyn.shared_bytes"),
                       static_cast<uint32_t>(version->sites.size()),
                       0,
                       version->sites.data()};
    versions.push_back(std::move(version));
  }
}

EmulatedKernel::Grid EmulatedKernel::getGrid(ArrayRef<int64_t> dims) {
  auto fn = llvm::cantFail(jit->lookup("k.grid"))
                .toPtr<void (*)(const int64_t *, Grid *)>();
  Grid grid;
  fn(dims.data(), &grid);
  return grid;
}

bool EmulatedKernel::run(emu::Device &device, ArrayRef<void *> buffers,
                         ArrayRef<int64_t> dims, uint64_t *error) {
  return launch(getVersion(dims), getGrid(dims).blocks, device, buffers, dims,
                error);
}

bool EmulatedKernel::launch(StringRef version, int64_t blocks,
                            emu::Device &device, ArrayRef<void *> buffers,
                            ArrayRef<int64_t> dims, uint64_t *error) {
  auto found = llvm::find_if(
      versions, [&](const auto &other) { return other->name == version; });
  EXPECT_NE(found, versions.end()) << version.str();
  if (found == versions.end())
    return false;
  std::vector<uint64_t> params;
  for (void *buffer : buffers)
    params.push_back(reinterpret_cast<uint64_t>(buffer));
  params.insert(params.end(), dims.begin(), dims.end());
  // A dyn_worker_t up to and including its seed: scratch, error, first site,
  // seed.
  for (uint64_t word : {uint64_t(0), reinterpret_cast<uint64_t>(error),
                        uint64_t(0), uint64_t(7)})
    params.push_back(word);
  const dyn_emu_kernel_t &kernel = (*found)->kernel;
  EXPECT_EQ(kernel.param_bytes, 8 * params.size());
  return device.launch(kernel, blocks, 256, params.data());
}
