//===- Explain.cpp - What the compiler has made of a model
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DLHLO/Transforms/Explain.h"

#include "dyn/Dialect/DLHLO/Transforms/Passes.h"

namespace dyn::dlhlo {
#define GEN_PASS_DEF_DLHLOEXPLAIN
#include "dyn/Dialect/DLHLO/Transforms/Passes.h.inc"
} // namespace dyn::dlhlo

using namespace mlir;
using namespace dyn;
using namespace dyn::dlhlo;
namespace json = llvm::json;

static std::string print(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

static std::string print(dhlo::DimExpr expr) {
  std::string text;
  llvm::raw_string_ostream os(text);
  dhlo::printDimExpr(os, expr);
  return text;
}

static json::Array print(TypeRange types) {
  json::Array array;
  for (Type type : types)
    array.push_back(print(type));
  return array;
}

/// The names of a region's operations, in order, but for declarations of sizes
/// and the terminator.
static json::Array getOperations(Region &region) {
  json::Array names;
  for (Operation &op : region.front().without_terminator())
    if (!llvm::isa<dhlo::DimOp>(op))
      names.push_back(op.getName().getStringRef());
  return names;
}

static json::Object explainSize(dhlo::DimOp dim) {
  json::Object object{{"name", dim.getSymName()}};
  if (dim.getDefinitionAttr())
    object["definition"] = print(dim.getDefinitionAttr());
  if (IntegerAttr min = dim.getMinAttr())
    object["min"] = min.getInt();
  if (IntegerAttr max = dim.getMaxAttr())
    object["max"] = max.getInt();
  if (IntegerAttr multiple = dim.getMultipleOfAttr())
    object["multiple_of"] = multiple.getInt();
  if (DenseI64ArrayAttr likely = dim.getLikelyAttr())
    object["likely"] = json::Array(likely.asArrayRef());
  return object;
}

static json::Array explainSizes(Region &region) {
  json::Array sizes;
  for (auto dim : region.getOps<dhlo::DimOp>())
    sizes.push_back(explainSize(dim));
  return sizes;
}

static json::Array explainPorts(TypeRange types, ArrayAttr names) {
  json::Array ports;
  for (auto [type, name] : llvm::zip(types, names.getAsRange<StringAttr>()))
    ports.push_back(
        json::Object{{"name", name.getValue()}, {"type", print(type)}});
  return ports;
}

/// Counts launches of each kernel in an entry's function into `launches`.
static json::Object explainEntry(EntryOp entry,
                                 llvm::StringMap<int64_t> &launches) {
  auto type = llvm::cast<FunctionType>(entry.getType());
  json::Object object{
      {"name", entry.getSymName()},
      {"inputs", explainPorts(type.getInputs(), entry.getInputNames())},
      {"outputs", explainPorts(type.getResults(), entry.getOutputNames())}};
  auto function = entry->getParentOfType<ModuleOp>().lookupSymbol<func::FuncOp>(
      entry.getFunction());
  if (!function)
    return object;
  int64_t count = 0;
  json::Array memory;
  function.walk([&](Operation *op) {
    if (auto dispatch = llvm::dyn_cast<DispatchOp>(op)) {
      ++launches[dispatch.getKernel()];
      ++count;
    } else if (auto formula =
                   op->getAttrOfType<dhlo::DimExprAttr>(kFormulaAttr)) {
      memory.push_back(print(formula));
    }
  });
  object["launches"] = count;
  object["memory"] = std::move(memory);
  return object;
}

static json::Object explainKernel(KernelOp kernel, int64_t launches) {
  Block &body = kernel.getBody().front();
  json::Object object{
      {"name", kernel.getSymName()},
      {"kind", stringifyFusionKind(kernel.getKind())},
      {"operations", getOperations(kernel.getBody())},
      {"launches", launches},
      {"facts", explainSizes(kernel.getBody())},
      {"operands", print(body.getArgumentTypes())},
      {"results", print(body.getTerminator()->getOperandTypes())}};
  if (auto reason = kernel->getAttrOfType<StringAttr>(kReasonAttr))
    object["reason"] = reason.getValue();
  return object;
}

static json::Object explainConstant(ConstantOp constant) {
  auto type = llvm::cast<RankedTensorType>(constant.getType());
  return json::Object{{"name", constant.getSymName()},
                      {"type", print(type)},
                      {"bytes", getConstantBytes(type)},
                      {"recipe", getOperations(constant.getRecipe())}};
}

json::Value dlhlo::explain(ModuleOp module) {
  json::Array entries, kernels, constants;
  llvm::StringMap<int64_t> launches;
  for (auto entry : module.getOps<EntryOp>())
    entries.push_back(explainEntry(entry, launches));
  for (auto kernel : module.getOps<KernelOp>())
    kernels.push_back(explainKernel(kernel, launches[kernel.getSymName()]));
  for (auto constant : module.getOps<ConstantOp>())
    constants.push_back(explainConstant(constant));
  return json::Object{{"entries", std::move(entries)},
                      {"sizes", explainSizes(module.getBodyRegion())},
                      {"kernels", std::move(kernels)},
                      {"constants", std::move(constants)}};
}

namespace {
struct Explain : dlhlo::impl::DlhloExplainBase<Explain> {
  void runOnOperation() override {
    llvm::outs() << llvm::formatv("{0:2}", explain(getOperation())) << '\n';
    markAllAnalysesPreserved();
  }
};
} // namespace
