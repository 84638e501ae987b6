//===- CodegenCPU.cpp - The pass convert-kernel-to-vector -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Codegen/CPU/CodegenCPU.h"
#include "Codegen/CPU/Schedule.h"

#include "Codegen/Common/Elements/OpEmitters.h"

#include "dyn/Dialect/DLHLO/Analysis/KernelCost.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace dyn {
#define GEN_PASS_DEF_CONVERTKERNELTOVECTORPASS
#include "dyn/Codegen/CPU/Passes.h.inc"
} // namespace dyn

using namespace mlir;
using namespace dyn;

/// An empty public function before the kernel.
static func::FuncOp createFunction(dlhlo::KernelOp kernel, StringRef suffix,
                                   ArrayRef<Type> arguments) {
  OpBuilder builder(kernel);
  auto function = func::FuncOp::create(builder, kernel.getLoc(),
                                       (kernel.getSymName() + suffix).str(),
                                       builder.getFunctionType(arguments, {}));
  function.addEntryBlock();
  return function;
}

LogicalResult dyn::convertKernel(dlhlo::KernelOp kernel,
                                 const CodegenOptions &options) {
  for (auto bind : kernel.getBody().getOps<dhlo::BindOp>())
    return bind.emitError(
        "no code generation for a CPU for a size that a kernel finds");
  SymbolicDims dims(kernel);
  // The cost of the model's operations, before their expansion.
  KernelCost cost = getKernelCost(kernel, dims);
  if (kernel.getKind() != dlhlo::FusionKind::Attention)
    expandComposites(kernel);
  std::unique_ptr<Schedule> schedule = createSchedule(kernel.getKind());
  if (failed(schedule->match(kernel, dims, options)))
    return failure();

  OpBuilder builder(kernel);
  Type pointer = LLVM::LLVMPointerType::get(kernel.getContext());
  Type i64 = builder.getI64Type();
  func::FuncOp geometry =
      createFunction(kernel, ".geometry", {pointer, pointer});
  {
    KernelFrame frame;
    frame.dims = geometry.getArgument(0);
    frame.out = geometry.getArgument(1);
    KernelBuilder b(kernel, geometry, frame, dims, options);
    Geometry g = schedule->emitGeometry(b);
    bool inOrder = !g.itemBytes.isNull();
    OpFoldResult none = b.constant(0);
    b.storeFields(
        {g.items, g.grain, g.scratchBytes, b.size(cost.flops),
         b.size(cost.bytes), inOrder ? b.constant(b.getResults().size()) : none,
         inOrder ? g.itemBytes : none, inOrder ? g.resultBytes : none});
    func::ReturnOp::create(b);
  }
  func::FuncOp body =
      createFunction(kernel, ".body", {pointer, pointer, i64, i64, pointer});
  KernelFrame frame;
  frame.buffers = body.getArgument(0);
  frame.dims = body.getArgument(1);
  frame.begin = body.getArgument(2);
  frame.end = body.getArgument(3);
  frame.worker = body.getArgument(4);
  KernelBuilder b(kernel, body, frame, dims, options);
  if (failed(schedule->emitBody(b)))
    return failure();
  func::ReturnOp::create(b);
  return success();
}

FailureOr<CodegenOptions>
dyn::parseCodegenOptions(StringRef isa, StringRef targetInfo, Operation *op) {
  std::optional<Isa> parsed = parseIsa(isa);
  if (!parsed)
    return op->emitError("expected the instruction set ")
           << kIsaList << ", found '" << isa << "'";
  CodegenOptions options = {TargetInfo::forIsa(*parsed)};
  if (failed(options.target.overrideByFile(targetInfo, op)))
    return failure();
  return options;
}

namespace {
struct ConvertKernelToVectorPass
    : dyn::impl::ConvertKernelToVectorPassBase<ConvertKernelToVectorPass> {
  using Base::Base;

  void runOnOperation() override {
    auto options = parseCodegenOptions(isa, targetInfo, getOperation());
    if (failed(options))
      return signalPassFailure();
    for (auto kernel :
         llvm::make_early_inc_range(getOperation().getOps<dlhlo::KernelOp>())) {
      if (failed(convertKernel(kernel, *options)))
        return signalPassFailure();
      ++numKernels;
      kernel.erase();
    }
  }
};
} // namespace
