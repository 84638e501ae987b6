//===- PtxEmitter.cpp - From modules of a GPU to PTX ----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Target/PtxEmitter.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"

#include <mutex>

using namespace mlir;
using namespace dyn;

static constexpr llvm::StringLiteral kTriple = "nvptx64-nvidia-cuda";
/// The oldest PTX that supports what is emitted for any chip.
static constexpr llvm::StringLiteral kPtxVersion = "+ptx80";

/// The chips that support that PTX.
static constexpr llvm::StringLiteral kChips[] = {"sm_80", "sm_86", "sm_87",
                                                 "sm_89", "sm_90", "sm_90a"};

bool dyn::isChip(StringRef name) { return llvm::is_contained(kChips, name); }

std::string dyn::getChipList() {
  return llvm::join(llvm::ArrayRef(kChips), ", ");
}

static std::unique_ptr<llvm::TargetMachine>
createTargetMachine(StringRef chip, std::string &error) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  llvm::Triple triple(kTriple);
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  llvm::TargetOptions options;
  // As on the host: every fused multiply-add was in the input.
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, chip, kPtxVersion, options, std::nullopt, std::nullopt,
      llvm::CodeGenOptLevel::Aggressive));
}

static void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3)
      .run(module, modules);
}

FailureOr<std::string> dyn::emitPtx(ModuleOp module, StringRef chip) {
  // LLVM would abort.
  if (!isChip(chip))
    return module.emitError("no code for a GPU: expected one of ")
           << getChipList() << ", found '" << chip << "'";
  std::string error;
  std::unique_ptr<llvm::TargetMachine> machine =
      createTargetMachine(chip, error);
  if (!machine) {
    // No test: it would need an LLVM without the target.
    module.emitError("no code for a GPU: ") << error;
    return failure();
  }
  MLIRContext *context = module.getContext();
  registerBuiltinDialectTranslation(*context);
  registerGPUDialectTranslation(*context);
  registerLLVMDialectTranslation(*context);
  registerNVVMDialectTranslation(*context);
  llvm::LLVMContext llvmContext;
  llvm::Module linked("dyn", llvmContext);
  linked.setTargetTriple(machine->getTargetTriple());
  linked.setDataLayout(machine->createDataLayout());
  auto link = [&](gpu::GPUModuleOp part) -> WalkResult {
    std::unique_ptr<llvm::Module> ir =
        translateModuleToLLVMIR(part, llvmContext, part.getName());
    if (!ir)
      return WalkResult::interrupt();
    ir->setTargetTriple(machine->getTargetTriple());
    ir->setDataLayout(machine->createDataLayout());
    // No test: names of kernels are unique.
    if (llvm::Linker::linkModules(linked, std::move(ir)))
      return part.emitError("no code for a GPU: the modules cannot be linked");
    return WalkResult::advance();
  };
  if (module.walk(link).wasInterrupted())
    return failure();
  optimize(linked, *machine);

  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager codegen;
  if (machine->addPassesToEmitFile(codegen, stream, nullptr,
                                   llvm::CodeGenFileType::AssemblyFile)) {
    // No test: it would need an LLVM whose target has no printer.
    module.emitError("no code for a GPU: the target cannot emit text");
    return failure();
  }
  codegen.run(linked);
  return text.str().str();
}
