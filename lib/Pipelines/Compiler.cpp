//===- Compiler.cpp - The compiler as a library ---------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Pipelines/Compiler.h"

#include "dyn/Dialect/DHLO/Transforms/Passes.h"
#include "dyn/Dialect/Dist/IR/Dist.h"
#include "dyn/Support/ProgramFile.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/SmallString.h"

using namespace mlir;
using namespace dyn;

/// The declaration of a size that is not defined. Null after an error that
/// lists the existing ones.
static dhlo::DimOp findDim(ModuleOp module, StringRef name) {
  auto dim = dyn_cast_or_null<dhlo::DimOp>(module.lookupSymbol(name));
  if (dim && !dim.getDefinitionAttr())
    return dim;
  InFlightDiagnostic diagnostic =
      module.emitError("the model has no size called '") << name << "'; it has";
  bool hasAny = false;
  for (auto other : module.getOps<dhlo::DimOp>()) {
    if (other.getDefinitionAttr())
      continue;
    diagnostic << (hasAny ? ", '" : " '") << other.getSymName() << '\'';
    hasAny = true;
  }
  if (!hasAny)
    diagnostic << " no dynamic sizes";
  return {};
}

LogicalResult dyn::constrainDims(ModuleOp module, ArrayRef<DimOption> options) {
  Builder builder(module.getContext());
  for (const DimOption &option : options) {
    dhlo::DimOp dim = findDim(module, option.name);
    if (!dim)
      return failure();
    if (option.max == option.min) {
      // A static size is defined; dhlo-simplify-sizes makes it a constant.
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

std::optional<SizeValue> SizeValue::parse(StringRef text, std::string &error) {
  // Names may contain any character, so the last '=' counts.
  auto [name, number] = text.rsplit('=');
  SizeValue result{name.trim().str()};
  if (!result.name.empty() && !number.getAsInteger(10, result.value) &&
      result.value >= 0)
    return result;
  error = ("expected NAME=VALUE, found '" + text + "'").str();
  return std::nullopt;
}

LogicalResult dyn::checkSizeValues(ModuleOp module,
                                   ArrayRef<SizeValue> values) {
  for (const SizeValue &given : values) {
    dhlo::DimOp dim = findDim(module, given.name);
    if (!dim)
      return failure();
    int64_t min = dim.getMinAttr() ? dim.getMinAttr().getInt() : 0;
    int64_t max = dim.getMaxAttr() ? dim.getMaxAttr().getInt() : INT64_MAX;
    if (given.value < min || given.value > max)
      return module.emitError("expected the size '")
             << given.name << "' in [" << min << ", "
             << (dim.getMaxAttr() ? Twine(max) : Twine("...")) << "], found "
             << given.value;
    int64_t multiple =
        dim.getMultipleOfAttr() ? dim.getMultipleOfAttr().getInt() : 1;
    if (given.value % multiple != 0)
      return module.emitError("expected the size '")
             << given.name << "' to be a multiple of " << multiple << ", found "
             << given.value;
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
  OwningOpRef<ModuleOp> module = readProgram(path, context);
  if (!module || failed(dhlo::verifyAllDims(*module)) ||
      failed(constrainDims(*module, dims)))
    return {};
  return module;
}

/// Whether a program is one for several ranks.
static bool hasRanks(ModuleOp module) {
  return llvm::any_of(*module.getBody(), [](Operation &op) {
    return isa<dist::MeshOp>(op) || dist::getPart(&op);
  });
}

LogicalResult dyn::lowerToLevel(ModuleOp module, Level from, Level to,
                                const LoweringOptions &options,
                                TimingScope &timing) {
  PassManager manager(module.getContext());
  if (failed(applyPassManagerCLOptions(manager)))
    return failure();
  manager.enableTiming(timing);
  LoweringOptions own = options;
  own.hasRanks |= !options.machine.empty() || hasRanks(module);
  for (int i = static_cast<int>(from) + 1; i <= static_cast<int>(to); ++i)
    buildLevelPipeline(manager, static_cast<Level>(i), own);
  return manager.run(module);
}
