//===- ObjectEmitter.cpp - From the LLVM dialect to object code -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Target/ObjectEmitter.h"

#include "dyn/Target/DebugScopes.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Instrumentation/AddressSanitizer.h"

#include <mutex>

using namespace dyn;

static constexpr llvm::StringLiteral kTriple = "x86_64-unknown-linux-gnu";

void dyn::initializeTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser();
  });
}

std::unique_ptr<llvm::TargetMachine>
dyn::createTargetMachine(Isa isa, const EmitOptions &options,
                         std::string &error) {
  initializeTargets();
  llvm::Triple triple(kTriple);
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  llvm::TargetOptions targetOptions;
  // The kernel generator decides about contraction, never LLVM: every fused
  // multiply-add in the output was in the input.
  targetOptions.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  auto level = static_cast<llvm::CodeGenOptLevel>(options.optLevel);
  // A load for each lane is as fast as an instruction that gathers, or faster.
  std::string features = "+prefer-no-gather";
  if (!getCpuFeatures(isa).empty())
    features += "," + getCpuFeatures(isa).str();
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, getCpuName(isa), features, targetOptions, llvm::Reloc::PIC_,
      llvm::CodeModel::Small, level));
}

std::unique_ptr<llvm::Module>
dyn::translateToLLVMIR(mlir::ModuleOp module, llvm::LLVMContext &context,
                       Isa isa, const EmitOptions &options) {
  if (options.sanitizeAddress)
    attachDebugScopes(module);
  std::unique_ptr<llvm::Module> result =
      mlir::translateModuleToLLVMIR(module, context, "dyn");
  if (!result)
    return nullptr;
  std::string error;
  std::unique_ptr<llvm::TargetMachine> machine =
      createTargetMachine(isa, options, error);
  // No test: it would need an LLVM without the x86 target.
  if (!machine) {
    module.emitError("no machine code for this target: ") << error;
    return nullptr;
  }
  result->setTargetTriple(machine->getTargetTriple());
  result->setDataLayout(machine->createDataLayout());
  for (llvm::Function &function : *result) {
    if (function.isIntrinsic())
      continue;
    // The functions of the sanitizer are external.
    if (!function.hasLocalLinkage() &&
        !function.getName().starts_with("__asan_"))
      function.setVisibility(llvm::GlobalValue::HiddenVisibility);
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", machine->getTargetCPU());
    function.addFnAttr("target-features", machine->getTargetFeatureString());
    if (hasAvx512(isa))
      function.addFnAttr("prefer-vector-width", "512");
    function.addFnAttr(llvm::Attribute::NoUnwind);
    if (options.sanitizeAddress) {
      function.addFnAttr(llvm::Attribute::SanitizeAddress);
      // Reports walk the stack.
      function.setUWTableKind(llvm::UWTableKind::Async);
    }
  }
  return result;
}

/// The passes of LLVM's level 2 that change kernels in more than names and
/// attributes, most of them once. A kernel has no calls to inline, its vectors
/// and unrolled loops are those of its schedule, and most of its arithmetic has
/// been simplified before, so that the other passes, and several more rounds of
/// InstCombine and SimplifyCFG, would take as long as these, for code of the
/// same size.
static constexpr llvm::StringLiteral kKernelPasses =
    "function<eager-inv>("
    "sroa<modify-cfg>,early-cse<>,"
    "simplifycfg<keep-loops;switch-range-to-icmp>,"
    "instcombine<max-iterations=1;no-verify-fixpoint>,"
    "early-cse<memssa>,correlated-propagation,"
    // Invariants leave loops before and after these are rotated.
    "loop-mssa(loop-instsimplify,licm<no-allowspeculation>,"
    "loop-rotate<header-duplication>,licm<allowspeculation>),"
    "simplifycfg<keep-loops;switch-range-to-icmp>,"
    "instcombine<max-iterations=1;no-verify-fixpoint>,"
    "loop(indvars,loop-deletion),"
    "vector-combine,gvn<>,sccp,correlated-propagation,"
    "loop-mssa(licm<allowspeculation>),"
    "simplifycfg<no-keep-loops;switch-range-to-icmp;hoist-common-insts;"
    "sink-common-insts>,"
    "instcombine<max-iterations=1;no-verify-fixpoint>,"
    // Last: others would undo it.
    "div-rem-pairs,simplifycfg<keep-loops;switch-range-to-icmp>)";

static llvm::ModulePassManager createPasses(llvm::PassBuilder &builder,
                                            int level, MiddlePasses passes) {
  const llvm::OptimizationLevel levels[] = {
      llvm::OptimizationLevel::O0, llvm::OptimizationLevel::O1,
      llvm::OptimizationLevel::O2, llvm::OptimizationLevel::O3};
  if (level == 0)
    return builder.buildO0DefaultPipeline(levels[0]);
  if (level != 2 || passes == MiddlePasses::Default)
    return builder.buildPerModuleDefaultPipeline(levels[level]);
  llvm::ModulePassManager manager;
  llvm::cantFail(builder.parsePassPipeline(manager, kKernelPasses));
  return manager;
}

bool dyn::emitObject(llvm::Module &module, Isa isa, const EmitOptions &options,
                     ObjectCode &object, std::string &error,
                     MiddlePasses middle) {
  std::unique_ptr<llvm::TargetMachine> machine =
      createTargetMachine(isa, options, error);
  if (!machine)
    return false;

  llvm::PipelineTuningOptions tuning;
  // Kernels are vectorised and unrolled by their schedules already.
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  tuning.LoopUnrolling = false;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(machine.get(), tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);

  llvm::ModulePassManager passes =
      createPasses(builder, options.optLevel, middle);
  if (options.sanitizeAddress) {
    llvm::AddressSanitizerOptions sanitizer;
    // Kernels do not leak addresses of their frames.
    sanitizer.UseAfterReturn = llvm::AsanDetectStackUseAfterReturnMode::Never;
    passes.addPass(llvm::AddressSanitizerPass(sanitizer));
  }
  passes.run(module, modules);

  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager codegen;
  if (machine->addPassesToEmitFile(codegen, stream, nullptr,
                                   llvm::CodeGenFileType::ObjectFile)) {
    error = "the target cannot emit object files";
    return false;
  }
  codegen.run(module);
  return true;
}
