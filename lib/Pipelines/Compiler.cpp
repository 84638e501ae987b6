//===- Compiler.cpp - The compiler as a library
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Pipelines/Compiler.h"

#include "mlir/IR/AsmState.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace dyn;

LogicalResult dyn::constrainDims(ModuleOp module, ArrayRef<DimOption> options) {
  Builder builder(module.getContext());
  for (const DimOption &option : options) {
    auto dim = dyn_cast_or_null<dhlo::DimOp>(module.lookupSymbol(option.name));
    if (!dim || dim.getDefinitionAttr()) {
      InFlightDiagnostic diagnostic =
          module.emitError("the model has no size called '")
          << option.name << "'; it has";
      bool hasAny = false;
      for (auto other : module.getOps<dhlo::DimOp>()) {
        if (other.getDefinitionAttr())
          continue;
        diagnostic << (hasAny ? ", '" : " '") << other.getSymName() << '\'';
        hasAny = true;
      }
      return hasAny ? diagnostic : diagnostic << " no dynamic sizes";
    }
    if (option.max == option.min) {
      // A size that is known is defined; dhlo-simplify-sizes makes it static.
      dim.setDefinitionAttr(dhlo::getConstDim(module.getContext(), option.min));
      dim.removeMinAttr();
      dim.removeMaxAttr();
      dim.removeMultipleOfAttr();
      continue;
    }
    dim.setMinAttr(builder.getI64IntegerAttr(option.min));
    if (option.max)
      dim.setMaxAttr(builder.getI64IntegerAttr(*option.max));
    if (option.multipleOf > 1)
      dim.setMultipleOfAttr(builder.getI64IntegerAttr(option.multipleOf));
    if (!option.likely.empty())
      dim.setLikelyAttr(builder.getDenseI64ArrayAttr(option.likely));
  }
  return success();
}

OwningOpRef<ModuleOp> dyn::loadModel(StringRef path, ArrayRef<DimOption> dims,
                                     MLIRContext &context) {
  if (path.ends_with(".onnx")) {
    ImportOptions options;
    options.dims.assign(dims.begin(), dims.end());
    FailureOr<OwningOpRef<ModuleOp>> imported =
        onnx::importONNX(path, options, &context);
    return succeeded(imported) ? std::move(*imported) : OwningOpRef<ModuleOp>();
  }
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(path, ParserConfig(&context));
  if (!module || failed(constrainDims(*module, dims)))
    return {};
  return module;
}

LogicalResult dyn::lowerToLevel(ModuleOp module, Level from, Level to,
                                const LoweringOptions &options,
                                TimingScope &timing) {
  PassManager manager(module.getContext());
  if (failed(applyPassManagerCLOptions(manager)))
    return failure();
  manager.enableTiming(timing);
  for (int i = static_cast<int>(from) + 1; i <= static_cast<int>(to); ++i)
    buildLevelPipeline(manager, static_cast<Level>(i), options);
  return manager.run(module);
}
