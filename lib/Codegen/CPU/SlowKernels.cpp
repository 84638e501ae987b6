//===- SlowKernels.cpp - The pass report-slow-kernels ---------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Codegen/CPU/SlowKernels.h"
#include "Codegen/CPU/CodeCount.h"

#include "dyn/Codegen/CPU/CodegenCPU.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/FormatVariadic.h"

namespace dyn {
#define GEN_PASS_DEF_REPORTSLOWKERNELSPASS
#include "dyn/Codegen/CPU/Passes.h.inc"
} // namespace dyn

using namespace mlir;
using namespace dyn;

/// The share of the roofline below which a kernel is slow.
static constexpr double kSlowShare = 1.0 / 3;
/// Sizes are as large as they can be, but not larger than this.
static constexpr int64_t kLargeSize = 1024;

/// Large values of the sizes that launches pass to a kernel.
static SmallVector<int64_t> getLargeSizes(dlhlo::KernelOp kernel) {
  SmallVector<int64_t> sizes;
  for (dhlo::DimOp dim : kernel.getDims()) {
    int64_t size =
        std::min<int64_t>(dim.getMax().value_or(kLargeSize), kLargeSize);
    size -= size % static_cast<int64_t>(dim.getMultipleOf().value_or(1));
    sizes.push_back(std::max<int64_t>(size, dim.getMin().value_or(0)));
  }
  return sizes;
}

/// Counts the code of a copy of `kernel`.
static std::optional<CodeCount> countKernel(dlhlo::KernelOp kernel,
                                            const CodegenOptions &options) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(kernel.getLoc());
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  auto copy = cast<dlhlo::KernelOp>(builder.clone(*kernel));
  copy->setAttr(kCountedAttr, builder.getUnitAttr());
  // Compiling the kernel reports its errors.
  ScopedDiagnosticHandler silent(kernel.getContext(),
                                 [](Diagnostic &) { return success(); });
  if (failed(convertKernel(copy, options)))
    return std::nullopt;
  auto lookUp = [&](StringRef suffix) {
    return module->lookupSymbol<func::FuncOp>(
        (kernel.getSymName() + suffix).str());
  };
  return countCode(lookUp(".geometry"), lookUp(".body"), getLargeSizes(kernel),
                   options.target.cpu.registers.vectorBits);
}

/// The operation of a kernel that most of its code is for: the one at
/// `location`, else the first that is more than elementwise.
static Operation *findOperation(dlhlo::KernelOp kernel, LocationAttr location) {
  Block &body = kernel.getBody().front();
  Operation *main = nullptr;
  for (Operation &op : body.without_terminator()) {
    if (isa<dhlo::DimOp, dhlo::ConstantOp>(op))
      continue;
    if (LocationAttr(op.getLoc()) == location)
      return &op;
    if (!main && !op.hasTrait<dhlo::Elementwise>() &&
        !op.hasTrait<dhlo::Movement>())
      main = &op;
  }
  return main ? main : body.getTerminator()->getPrevNode();
}

std::optional<SlowKernel> dyn::findSlowKernel(dlhlo::KernelOp kernel,
                                              const CodegenOptions &options) {
  std::optional<CodeCount> count = countKernel(kernel, options);
  const CpuInfo &cpu = options.target.cpu;
  if (!count || std::max(count->flops, count->bytes) < cpu.grainWork)
    return std::nullopt;
  // In cycles of one core.
  double lanes = cpu.registers.vectorBits / 32.0;
  double arithmetic = count->flops / (CpuInfo::kVectorPorts * lanes *
                                      (options.hasFma() ? 2 : 1));
  double movement = double(count->bytes) / CpuInfo::kCopyBytesPerCycle;
  double roofline = std::max(arithmetic, movement);
  double code = count->instructions / CpuInfo::kInstructionsPerCycle;
  double share = roofline / std::max(roofline, code);
  if (count->note && count->elementInstructions * 2 > count->instructions)
    return SlowKernel{share, true, count->note->operation.str(),
                      count->note->location, count->note->reason.str()};
  if (share >= kSlowShare || !count->isExact)
    return std::nullopt;
  Operation *op = findOperation(kernel, count->hottest);
  bool isBusy = arithmetic > movement;
  double units = isBusy ? arithmetic * CpuInfo::kVectorPorts
                        : double(count->bytes) / CpuInfo::kLineBytes;
  return SlowKernel{
      share, false, op->getName().getStringRef().str(), op->getLoc(),
      llvm::formatv("its code takes {0:F0} instructions for each {1}",
                    count->instructions / units,
                    isBusy ? "vector of multiply-adds"
                           : "64 bytes that it reads and writes")};
}

namespace {
struct ReportSlowKernelsPass
    : dyn::impl::ReportSlowKernelsPassBase<ReportSlowKernelsPass> {
  using Base::Base;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    // Code is written to be counted, which takes time.
    if (!getContext().getRemarkEngine())
      return;
    auto options = parseCodegenOptions(isa, targetInfo, getOperation());
    if (failed(options))
      return signalPassFailure();
    for (auto kernel : getOperation().getOps<dlhlo::KernelOp>())
      if (std::optional<SlowKernel> slow = findSlowKernel(kernel, *options)) {
        ++numSlow;
        report(kernel, *slow);
      }
  }

  static void report(dlhlo::KernelOp kernel, const SlowKernel &slow) {
    auto options = remark::RemarkOpts::name(slow.operation)
                       .category("codegen-rate")
                       .function(kernel.getSymName());
    remark::missed(slow.location, options)
        << remark::add("{0}{1}",
                       slow.isByElement ? "computed element by element: " : "",
                       slow.reason)
        << remark::metric("share",
                          llvm::formatv("{0:F0} %", 100 * slow.share).str());
  }
};
} // namespace
