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
#include "dyn/Target/CodeKeys.h"
#include "dyn/Target/Descriptor.h"
#include "dyn/Target/KernelEntry.h"
#include "dyn/Target/SymbolNames.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/Threading.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace dyn;

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

static SmallVector<dlhlo::KernelOp> getKernels(ModuleOp module, Isa isa,
                                               ArrayRef<Isa> isas) {
  return llvm::filter_to_vector(
      module.getOps<dlhlo::KernelOp>(),
      [&](dlhlo::KernelOp kernel) { return hasVersion(kernel, isa, isas); });
}

/// Modules of helpers, then a module for each of `kernels`.
static OwningOpRef<ModuleOp> lower(ModuleOp module,
                                   ArrayRef<dlhlo::KernelOp> kernels, Isa isa,
                                   const EmitOptions &options,
                                   TimingScope &timing) {
  OwningOpRef<ModuleOp> container = ModuleOp::create(module.getLoc());
  OpBuilder builder(module.getContext());
  for (dlhlo::KernelOp kernel : kernels) {
    builder.setInsertionPointToEnd(container->getBody());
    auto nested = ModuleOp::create(builder, kernel.getLoc());
    builder.setInsertionPointToEnd(nested.getBody());
    builder.clone(*kernel);
  }
  PassManager schedules(module.getContext()), conversion(module.getContext());
  buildKernelVectorsPipeline(schedules, isa, options.targetInfo);
  buildKernelVectorsToLLVMPipeline(conversion);
  // The code that schedules write is verified, and LLVM verifies its modules:
  // after each pass between the two it would take 2 % of a compilation.
  conversion.enableVerifier(false);
  for (PassManager *manager : {&schedules, &conversion}) {
    if (failed(applyPassManagerCLOptions(*manager)))
      return {};
    manager->enableTiming(timing);
    if (failed(manager->run(*container)))
      return {};
  }
  return container;
}

OwningOpRef<ModuleOp> dyn::lowerKernels(ModuleOp module, Isa isa,
                                        ArrayRef<Isa> isas,
                                        const EmitOptions &options,
                                        TimingScope &timing) {
  return lower(module, getKernels(module, isa, isas), isa, options, timing);
}

//===----------------------------------------------------------------------===//
// Object code
//===----------------------------------------------------------------------===//

/// In objects every kernel has the same name, which it has in no model. They
/// are renamed before they are linked, whether they were found or emitted, so
/// that artifacts have the same bytes.
static constexpr llvm::StringLiteral kAnyKernel = "dyn.kernel.";

/// Renames what the module of a kernel defines for it.
static void dropKernelName(llvm::Module &ir, StringRef kernel) {
  for (llvm::GlobalValue &value : ir.global_values()) {
    StringRef name = value.getName();
    if (!value.isDeclaration() && name.consume_front(kernel) &&
        name.consume_front("."))
      value.setName(kAnyKernel + name.str());
  }
}

/// Emits the object of one module, of a kernel or, if `kernel` is empty, of a
/// helper. Exported functions get the names in the descriptor, by instruction
/// set.
static LogicalResult emit(ModuleOp module, StringRef kernel, Isa isa,
                          const EmitOptions &options, ObjectCode &object) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> ir =
      translateToLLVMIR(module, context, isa, options);
  if (!ir)
    return failure();
  for (llvm::Function &function : *ir)
    if (!function.isIntrinsic() && !function.hasLocalLinkage())
      function.setName(function.getName() + "." + getIsaName(isa));
  // Reports of sanitizers have the name.
  if (!kernel.empty() && !options.sanitizeAddress)
    dropKernelName(*ir, kernel);
  std::string error;
  // No test: LLVM fails on wrong input, and this comes from the conversion.
  if (!emitObject(*ir, isa, options, object, error, MiddlePasses::Kernel))
    return module.emitError("no machine code for this kernel: ") << error;
  return success();
}

namespace {

/// Kernels and their helpers for one instruction set: those that are not in the
/// cache are lowered, then emitted.
class KernelVersions {
public:
  struct Job {
    size_t numOps; ///< of the code, by which its time grows
    std::function<LogicalResult()> run;
  };

  KernelVersions(ArrayRef<dlhlo::KernelOp> ops, Isa isa,
                 const EmitOptions &options,
                 const std::optional<CodeKeys> &keys)
      : isa(isa), options(options), keys(keys) {
    for (dlhlo::KernelOp op : ops)
      kernels.push_back({op});
  }

  /// Takes the kernels that the cache has. Returns their number.
  size_t find();
  size_t size() const { return kernels.size(); }
  /// Lowers the others.
  LogicalResult lower(ModuleOp module, TimingScope &timing);
  /// Adds what is left to do for the objects, in any order.
  void addJobs(std::vector<Job> &jobs);
  /// Moves the objects to the end of `objects`: helpers by their first use,
  /// then kernels.
  void moveTo(std::vector<ObjectCode> &objects);

private:
  struct Kernel {
    dlhlo::KernelOp op;
    std::optional<CacheKey> key = {};
    bool isFound = false;
    ModuleOp code = {}; ///< unless it was found
    KernelEntry entry = {};
  };
  struct Helper {
    CacheKey key = {};
    ModuleOp code = {}; ///< unless it was found
    ObjectCode object = {};
  };

  bool findHelpers(const KernelEntry &entry);
  void addHelper(ModuleOp code);
  void remark(Kernel &kernel);
  LogicalResult emitKernel(Kernel &kernel);
  LogicalResult emitHelper(Helper &helper);

  Isa isa;
  const EmitOptions &options;
  const std::optional<CodeKeys> &keys;
  std::vector<Kernel> kernels;
  llvm::StringMap<Helper> helpers;
  OwningOpRef<ModuleOp> container; ///< of the code
};

} // namespace

size_t KernelVersions::find() {
  size_t found = 0;
  for (Kernel &kernel : kernels) {
    kernel.key = keys->getKey(kernel.op, isa);
    std::optional<KernelEntry> entry;
    if (std::optional<ObjectCode> bytes = keys->getCache().lookup(*kernel.key))
      entry = KernelEntry::fromBytes({bytes->data(), bytes->size()});
    if (entry && findHelpers(*entry)) {
      kernel.entry = std::move(*entry);
      kernel.isFound = true;
      ++found;
    }
    remark(kernel);
  }
  return found;
}

/// Whether the cache has the helpers, too: they may have been removed.
bool KernelVersions::findHelpers(const KernelEntry &entry) {
  for (const KernelEntry::Helper &wanted : entry.helpers) {
    if (auto known = helpers.find(wanted.name); known != helpers.end()) {
      if (known->second.key != wanted.key)
        return false;
      continue;
    }
    std::optional<ObjectCode> object = keys->getCache().lookup(wanted.key);
    if (!object)
      return false;
    helpers[wanted.name] = {wanted.key, {}, std::move(*object)};
  }
  return true;
}

void KernelVersions::remark(Kernel &kernel) {
  auto options =
      remark::RemarkOpts::name("dlhlo.kernel").category("kernel-cache");
  Location loc = kernel.op.getLoc();
  auto remark = kernel.isFound ? remark::passed(loc, options)
                               : remark::missed(loc, options);
  std::string name = (kernel.op.getSymName() + " for " + getIsaName(isa)).str();
  remark << remark::add(
      kernel.isFound ? "{0} is in the cache" : "{0} is not in the cache", name);
}

LogicalResult KernelVersions::lower(ModuleOp module, TimingScope &timing) {
  SmallVector<dlhlo::KernelOp> missing;
  for (const Kernel &kernel : kernels)
    if (!kernel.isFound)
      missing.push_back(kernel.op);
  if (missing.empty())
    return success();
  container = ::lower(module, missing, isa, options, timing);
  if (!container)
    return failure();
  SmallVector<ModuleOp> parts(container->getOps<ModuleOp>());
  auto part = parts.end() - missing.size();
  for (ModuleOp helper : llvm::make_range(parts.begin(), part))
    addHelper(helper);
  for (Kernel &kernel : kernels) {
    if (kernel.isFound)
      continue;
    kernel.code = *part++;
    for (auto function : kernel.code.getOps<LLVM::LLVMFuncOp>())
      if (auto helper = helpers.find(function.getSymName());
          function.isExternal() && helper != helpers.end())
        kernel.entry.helpers.push_back(
            {helper->first().str(), helper->second.key});
  }
  return success();
}

void KernelVersions::addHelper(ModuleOp code) {
  auto function = *code.getOps<LLVM::LLVMFuncOp>().begin();
  auto [helper, isNew] = helpers.try_emplace(function.getSymName());
  // One that a kernel was found with is equal: its name determines its code.
  if (!isNew)
    return;
  helper->second.code = code;
  if (!keys)
    return;
  helper->second.key = keys->getKey(code, isa);
  if (auto object = keys->getCache().lookup(helper->second.key)) {
    helper->second.object = std::move(*object);
    helper->second.code = {};
  }
}

LogicalResult KernelVersions::emitKernel(Kernel &kernel) {
  StringRef name = kernel.op.getSymName();
  ObjectCode &object = kernel.entry.object;
  if (kernel.code) {
    if (failed(emit(kernel.code, name, isa, options, object)))
      return failure();
    if (keys) {
      ObjectCode bytes = kernel.entry.toBytes();
      keys->getCache().insert(*kernel.key, {bytes.data(), bytes.size()});
    }
  }
  std::string error;
  // No test: the objects are from LLVM.
  if (!options.sanitizeAddress &&
      !renameSymbols(object, kAnyKernel, (name + ".").str(), error))
    return kernel.op.emitError("no machine code for this kernel: ") << error;
  return success();
}

LogicalResult KernelVersions::emitHelper(Helper &helper) {
  if (failed(emit(helper.code, /*kernel=*/"", isa, options, helper.object)))
    return failure();
  if (keys)
    keys->getCache().insert(helper.key,
                            {helper.object.data(), helper.object.size()});
  return success();
}

static size_t countOps(ModuleOp code) {
  size_t count = 0;
  if (code)
    code.walk([&](Operation *) { ++count; });
  return count;
}

void KernelVersions::addJobs(std::vector<Job> &jobs) {
  for (Kernel &kernel : kernels)
    jobs.push_back({countOps(kernel.code), [&] { return emitKernel(kernel); }});
  for (auto &named : helpers)
    if (Helper &helper = named.second; helper.code)
      jobs.push_back(
          {countOps(helper.code), [&] { return emitHelper(helper); }});
}

void KernelVersions::moveTo(std::vector<ObjectCode> &objects) {
  llvm::StringSet<> moved;
  for (const Kernel &kernel : kernels)
    for (const KernelEntry::Helper &helper : kernel.entry.helpers)
      if (moved.insert(helper.name).second)
        objects.push_back(std::move(helpers[helper.name].object));
  for (Kernel &kernel : kernels)
    objects.push_back(std::move(kernel.entry.object));
}

/// Takes kernels from the cache. Their passes have no times: the report has
/// their number.
static void findKernels(MutableArrayRef<KernelVersions> versions,
                        TimingScope &timing) {
  TimingScope finding = timing.nest("Kernel cache");
  size_t found = 0, all = 0;
  for (KernelVersions &version : versions) {
    found += version.find();
    all += version.size();
  }
  finding.nest(llvm::formatv("{0} of {1} kernels found", found, all).str());
}

FailureOr<std::vector<ObjectCode>>
dyn::compileKernels(ModuleOp module, llvm::ArrayRef<Isa> isas,
                    const EmitOptions &options, TimingScope &timing) {
  std::optional<CodeKeys> keys = CodeKeys::create(options);
  std::vector<KernelVersions> versions;
  for (Isa isa : isas)
    versions.emplace_back(getKernels(module, isa, isas), isa, options, keys);
  if (keys)
    findKernels(versions, timing);
  std::vector<KernelVersions::Job> jobs;
  for (auto [isa, version] : llvm::zip_equal(isas, versions)) {
    TimingScope lowering =
        timing.nest(("Kernels to LLVM, " + getIsaName(isa)).str());
    if (failed(version.lower(module, lowering)))
      return failure();
    version.addJobs(jobs);
  }
  // The largest first, so that no thread begins with it when others are done.
  llvm::stable_sort(
      jobs, [](auto &lhs, auto &rhs) { return lhs.numOps > rhs.numOps; });
  TimingScope emission = timing.nest("Object code");
  if (failed(failableParallelForEach(module.getContext(), jobs,
                                     [](auto &job) { return job.run(); })))
    return failure();
  std::vector<ObjectCode> objects;
  for (KernelVersions &version : versions)
    version.moveTo(objects);
  return objects;
}
