//===- Explain.cpp - Explains how a model was compiled --------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DLHLO/Transforms/Explain.h"

#include "Dialect/DLHLO/Transforms/Buffers/Sites.h"
#include "Edges.h"
#include "SizeFormulas.h"

#include "dyn/Dialect/Cell/Analysis/RoutePrediction.h"
#include "dyn/Dialect/DLHLO/Analysis/KernelCost.h"
#include "dyn/Dialect/DLHLO/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/SetVector.h"

#include <map>
#include <set>

namespace dyn::dlhlo {
#define GEN_PASS_DEF_EXPLAINPASS
#include "dyn/Dialect/DLHLO/Transforms/Passes.h.inc"
} // namespace dyn::dlhlo

using namespace mlir;
using namespace dyn;
using namespace dyn::dlhlo;
using dhlo::DimExpr;
namespace json = llvm::json;

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

static std::string print(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return toUtf8(text);
}

static json::Array print(TypeRange types) {
  json::Array array;
  for (Type type : types)
    array.push_back(print(type));
  return array;
}

/// The names of a region's operations, in order, without declarations of sizes
/// and the terminator.
static json::Array getOperations(Region &region) {
  json::Array names;
  for (Operation &op : region.front().without_terminator())
    if (!llvm::isa<dhlo::DimOp>(op))
      names.push_back(op.getName().getStringRef());
  return names;
}

static json::Array explainPorts(TypeRange types, ArrayAttr names) {
  json::Array ports;
  for (auto [type, name] : llvm::zip(types, names.getAsRange<StringAttr>()))
    ports.push_back(
        json::Object{{"name", toUtf8(name.getValue())}, {"type", print(type)}});
  return ports;
}

/// The choices for routers of cell-choose-rules.
static json::Array explainRules(ModuleOp module) {
  json::Array rules;
  auto chosen = module->getAttrOfType<ArrayAttr>(cell::kRulesAttr);
  if (!chosen)
    return rules;
  for (auto rule : chosen.getAsRange<DictionaryAttr>()) {
    json::Object object;
    for (NamedAttribute member : rule)
      object[toUtf8(member.getName().getValue())] =
          toUtf8(llvm::cast<StringAttr>(member.getValue()).getValue());
    rules.push_back(std::move(object));
  }
  return rules;
}

static json::Object explainConstant(ConstantOp constant) {
  auto type = llvm::cast<RankedTensorType>(constant.getType());
  return json::Object{{"name", toUtf8(constant.getSymName())},
                      {"type", print(type)},
                      {"bytes", getConstantBytes(type)},
                      {"recipe", getOperations(constant.getRecipe())}};
}

/// The declaration of a size, of a module or a kernel.
static json::Object explainSize(dhlo::DimOp dim) {
  json::Object object{{"name", toUtf8(dim.getSymName())}};
  if (dim.getDefinitionAttr())
    object["definition"] = SizeFormulas::write(dim.getDefinitionAttr());
  if (IntegerAttr min = dim.getMinAttr())
    object["min"] = min.getInt();
  if (IntegerAttr max = dim.getMaxAttr())
    object["max"] = max.getInt();
  if (dim.getAtMostAttr())
    object["at_most"] = SizeFormulas::write(dim.getAtMostAttr());
  if (IntegerAttr multiple = dim.getMultipleOfAttr())
    object["multiple_of"] = multiple.getInt();
  if (DenseI64ArrayAttr likely = dim.getLikelyAttr())
    object["likely"] = json::Array(likely.asArrayRef());
  return object;
}

/// The facts about a size that code may rely on, as text.
static std::string describeFacts(dhlo::DimOp dim) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (dim.getDefinitionAttr()) {
    os << "is " << SizeFormulas::print(dim.getDefinitionAttr());
    return text;
  }
  int64_t min = dim.getMinAttr() ? dim.getMinAttr().getInt() : 0;
  if (IntegerAttr max = dim.getMaxAttr())
    os << "is from " << min << " to " << max.getInt();
  else if (min > 0)
    os << "is at least " << min;
  else
    os << "is any size";
  if (IntegerAttr multiple = dim.getMultipleOfAttr())
    os << ", a multiple of " << multiple.getInt();
  return text;
}

static json::Object explainSlowness(const SlowKernel &slow) {
  json::Object object{{"share", slow.share},
                      {"by_element", slow.isByElement},
                      {"operation", slow.operation},
                      {"reason", slow.reason}};
  std::string location = getLocationName(slow.location);
  if (!location.empty())
    object["location"] = toUtf8(location);
  return object;
}

/// Sizes above 1 that a kernel's operands and results have at every launch.
static json::Array getConstantSizes(Block &body) {
  std::set<int64_t> sizes;
  auto add = [&](TypeRange types) {
    for (Type type : types)
      for (int64_t size : llvm::cast<RankedTensorType>(type).getShape())
        if (!ShapedType::isDynamic(size) && size > 1)
          sizes.insert(size);
  };
  add(body.getArgumentTypes());
  add(body.getTerminator()->getOperandTypes());
  return json::Array(sizes);
}

/// One word for whether an operation of an entry runs in a loop or a branch;
/// empty if it runs once.
static StringRef getControl(Operation *op) {
  StringRef control;
  for (Operation *parent = op->getParentOp(); parent;
       parent = parent->getParentOp()) {
    if (llvm::isa<scf::WhileOp>(parent))
      return "loop";
    if (llvm::isa<scf::IfOp>(parent))
      control = "branch";
  }
  return control;
}

/// Whether a kernel is launched together with others.
static bool isTogether(DispatchOp dispatch) {
  return llvm::isa<DispatchManyOp>(dispatch->getParentOp());
}

//===----------------------------------------------------------------------===//
// The explanation
//===----------------------------------------------------------------------===//

namespace {
class Explainer {
public:
  Explainer(ModuleOp module, const ExplainOptions &options)
      : module(module), options(options), formulas(module, options.at),
        symbols(module), zero(dhlo::getConstDim(module.getContext(), 0)) {}

  json::Value explain();

private:
  /// A kernel, and the facts about its launches.
  struct Kernel {
    KernelCost cost;
    int64_t launches = 0;
    DimExpr flops, bytes;
    /// The bytes of each result, over the sizes of the kernel.
    SmallVector<DimExpr> resultBytes;
    /// The expressions that launches give for each dim.
    SmallVector<llvm::SetVector<DimExpr>> sizes;
  };

  json::Object explainEntry(EntryOp entry);
  json::Object explainLaunch(DispatchOp dispatch, KernelCost cost);
  json::Object explainKernel(KernelOp op);
  json::Object explainModuleSize(dhlo::DimOp dim);
  /// The arenas of an entry and their total bytes.
  void explainMemory(func::FuncOp function, json::Object &entry);

  void addKernel(KernelOp op);
  /// An expression over the sizes of a launch's kernel, over the module's.
  DimExpr toOuter(DispatchOp dispatch, DimExpr expr);
  /// The cost of a launch over the module's sizes, counted for its kernel.
  KernelCost addLaunch(DispatchOp dispatch);
  /// The values that a launch reads and writes.
  void addEdges(DispatchOp dispatch, int64_t number, Edges &edges);
  json::Array explainEdges(EntryOp entry, Edges &edges);

  ModuleOp module;
  const ExplainOptions &options;
  SizeFormulas formulas;
  SymbolTable symbols;
  DimExpr zero;
  llvm::StringMap<Kernel> kernels;
  /// The number of lists of launches in an entry so far.
  int64_t numLists = 0;
};
} // namespace

void Explainer::addKernel(KernelOp op) {
  Kernel &kernel = kernels[op.getSymName()];
  kernel.cost = getKernelCost(op, SymbolicDims(op));
  kernel.flops = kernel.bytes = zero;
  kernel.sizes.resize(op.getDims().size());
  SymbolicDims dims(op);
  for (Type type : op.getBody().front().getTerminator()->getOperandTypes())
    kernel.resultBytes.push_back(
        getBytes(llvm::cast<RankedTensorType>(type), dims));
}

DimExpr Explainer::toOuter(DispatchOp dispatch, DimExpr expr) {
  auto op = symbols.lookup<KernelOp>(dispatch.getKernel());
  llvm::DenseMap<StringAttr, DimExpr> values;
  if (auto sizes = dispatch->getAttrOfType<ArrayAttr>(kSizesAttr))
    for (auto [dim, size] :
         llvm::zip(op.getDims(), sizes.getAsRange<dhlo::DimExprAttr>()))
      values[dim.getSymNameAttr()] = size;
  return formulas.getDims().expand(dhlo::substitute(
      expr, [&](StringAttr name) { return values.lookup(name); }));
}

KernelCost Explainer::addLaunch(DispatchOp dispatch) {
  Kernel &kernel = kernels[dispatch.getKernel()];
  if (auto sizes = dispatch->getAttrOfType<ArrayAttr>(kSizesAttr))
    for (auto [size, seen] :
         llvm::zip(sizes.getAsRange<dhlo::DimExprAttr>(), kernel.sizes))
      seen.insert(size);
  KernelCost cost{toOuter(dispatch, kernel.cost.flops),
                  toOuter(dispatch, kernel.cost.bytes)};
  ++kernel.launches;
  kernel.flops = dhlo::add(kernel.flops, cost.flops);
  kernel.bytes = dhlo::add(kernel.bytes, cost.bytes);
  return cost;
}

void Explainer::addEdges(DispatchOp dispatch, int64_t number, Edges &edges) {
  const Kernel &kernel = kernels[dispatch.getKernel()];
  ValueRange buffers = dispatch.getBuffers();
  size_t numResults = kernel.resultBytes.size();
  for (Value buffer : buffers.drop_back(numResults))
    edges.read(buffer, {Edges::End::Launch, number});
  for (auto [buffer, bytes] :
       llvm::zip(buffers.take_back(numResults), kernel.resultBytes))
    edges.write(buffer, {Edges::End::Launch, number}, toOuter(dispatch, bytes));
}

json::Array Explainer::explainEdges(EntryOp entry, Edges &edges) {
  auto explainEnd = [&](Edges::End end) {
    auto name = [&](ArrayAttr names) {
      return toUtf8(llvm::cast<StringAttr>(names[end.number]).getValue());
    };
    switch (end.kind) {
    case Edges::End::Input:
      return json::Object{{"input", name(entry.getInputNames())}};
    case Edges::End::Output:
      return json::Object{{"output", name(entry.getOutputNames())}};
    case Edges::End::Launch:
      return json::Object{{"launch", end.number}};
    }
    llvm_unreachable("no other end");
  };
  json::Array array;
  for (const Edges::Edge &edge : edges.finish()) {
    json::Array to;
    for (Edges::End end : edge.to)
      to.push_back(explainEnd(end));
    array.push_back(json::Object{{"from", explainEnd(edge.from)},
                                 {"to", std::move(to)},
                                 {"bytes", formulas.explain(edge.bytes)}});
  }
  return array;
}

json::Object Explainer::explainLaunch(DispatchOp dispatch, KernelCost cost) {
  json::Object object{{"kernel", toUtf8(dispatch.getKernel())},
                      {"flops", formulas.explain(cost.flops)},
                      {"bytes", formulas.explain(cost.bytes)}};
  std::string location = getLocationName(dispatch.getLoc());
  if (!location.empty())
    object["location"] = toUtf8(location);
  StringRef control = getControl(dispatch);
  if (!control.empty())
    object["within"] = control;
  if (isTogether(dispatch))
    object["together"] = numLists;
  json::Array constants;
  int64_t bytes = 0;
  for (Value buffer : dispatch.getBuffers()) {
    while (auto view = buffer.getDefiningOp<ViewOp>())
      buffer = view.getBase();
    auto constant = buffer.getDefiningOp<ConstantBufferOp>();
    if (!constant)
      continue;
    constants.push_back(toUtf8(constant.getConstant()));
    if (auto op = symbols.lookup<ConstantOp>(constant.getConstant()))
      bytes += getConstantBytes(llvm::cast<RankedTensorType>(op.getType()));
  }
  object["constants"] = std::move(constants);
  object["constant_bytes"] = bytes;
  return object;
}

void Explainer::explainMemory(func::FuncOp function, json::Object &entry) {
  // An arena grows to the largest of its segments. A loop-carried value has two
  // arenas, by parity, whose number is computed.
  std::map<int64_t, DimExpr> arenas;
  DimExpr peak = zero;
  json::Array memory;
  function.walk([&](ReserveOp reserve) {
    auto bytes = reserve->getAttrOfType<dhlo::DimExprAttr>(kFormulaAttr);
    if (!bytes)
      return;
    json::Object object{{"bytes", formulas.explain(bytes)}};
    if (auto number = getConstantIntValue(reserve.getArena())) {
      DimExpr &most = arenas.try_emplace(*number, zero).first->second;
      most = formulas.getDims().isAtMost(most, bytes) ? bytes
                                                      : dhlo::max(most, bytes);
      object["arena"] = *number;
    } else {
      peak = dhlo::add(peak, dhlo::mul(bytes, 2));
    }
    memory.push_back(std::move(object));
  });
  for (auto [number, bytes] : arenas)
    peak = dhlo::add(peak, bytes);
  entry["memory"] = std::move(memory);
  entry["peak"] = formulas.explain(peak);
}

json::Object Explainer::explainEntry(EntryOp entry) {
  auto type = llvm::cast<FunctionType>(entry.getType());
  json::Object object{
      {"name", toUtf8(entry.getSymName())},
      {"inputs", explainPorts(type.getInputs(), entry.getInputNames())},
      {"outputs", explainPorts(type.getResults(), entry.getOutputNames())}};
  auto function = symbols.lookup<func::FuncOp>(entry.getFunction());
  if (!function)
    return object;
  int64_t controlled = 0, together = 0;
  numLists = 0;
  KernelCost sum{zero, zero};
  json::Array sequence;
  Edges edges;
  for (auto [i, input] : llvm::enumerate(type.getInputs()))
    edges.write(
        function.getArgument(i), {Edges::End::Input, int64_t(i)},
        getBytes(llvm::cast<RankedTensorType>(input), formulas.getDims()));
  function.walk([&](DispatchOp dispatch) {
    KernelCost cost = addLaunch(dispatch);
    addEdges(dispatch, int64_t(sequence.size()), edges);
    together += isTogether(dispatch);
    numLists += isTogether(dispatch) && !dispatch->getPrevNode();
    sum.flops = dhlo::add(sum.flops, cost.flops);
    sum.bytes = dhlo::add(sum.bytes, cost.bytes);
    controlled += !getControl(dispatch).empty();
    sequence.push_back(explainLaunch(dispatch, cost));
  });
  object["launches"] = static_cast<int64_t>(sequence.size());
  object["controlled"] = controlled;
  object["together"] = together;
  object["lists"] = numLists;
  object["flops"] = formulas.explain(sum.flops);
  object["bytes"] = formulas.explain(sum.bytes);
  object["sequence"] = std::move(sequence);
  function.walk([&](OutputOp output) {
    edges.read(output, {Edges::End::Output, int64_t(output.getIndex())});
  });
  object["edges"] = explainEdges(entry, edges);
  explainMemory(function, object);
  return object;
}

json::Object Explainer::explainKernel(KernelOp op) {
  const Kernel &kernel = kernels[op.getSymName()];
  Block &body = op.getBody().front();
  json::Array facts;
  auto given = kernel.sizes.begin();
  for (auto dim : op.getBody().getOps<dhlo::DimOp>()) {
    json::Object fact = explainSize(dim);
    if (!dim.getDefinitionAttr()) {
      json::Array is;
      for (DimExpr size : *given++)
        is.push_back(SizeFormulas::print(size));
      fact["is"] = std::move(is);
    }
    fact["text"] = toUtf8((dim.getSymName() + " " + describeFacts(dim)).str());
    facts.push_back(std::move(fact));
  }
  json::Object object{
      {"name", toUtf8(op.getSymName())},
      {"kind", stringifyFusionKind(op.getKind())},
      {"operations", getOperations(op.getBody())},
      {"launches", kernel.launches},
      {"facts", std::move(facts)},
      {"constant_sizes", getConstantSizes(body)},
      {"operands", print(body.getArgumentTypes())},
      {"results", print(body.getTerminator()->getOperandTypes())},
      {"flops", formulas.explain(kernel.flops)},
      {"bytes", formulas.explain(kernel.bytes)},
      {"launch",
       json::Object{{"flops", SizeFormulas::write(kernel.cost.flops)},
                    {"bytes", SizeFormulas::write(kernel.cost.bytes)}}}};
  if (auto reason = op->getAttrOfType<StringAttr>(kReasonAttr))
    object["reason"] = toUtf8(reason.getValue());
  if (auto slow = options.slow.find(op.getSymName());
      slow != options.slow.end())
    object["slow"] = explainSlowness(slow->second);
  return object;
}

json::Object Explainer::explainModuleSize(dhlo::DimOp dim) {
  json::Object object = explainSize(dim);
  DimExpr symbol = dhlo::getSymbolDim(dim.getSymNameAttr());
  if (auto value = formulas.getValue(symbol))
    object["value"] = *value;
  object["estimate"] = formulas.getDims().getEstimate(symbol);
  return object;
}

json::Value Explainer::explain() {
  for (auto kernel : module.getOps<KernelOp>())
    addKernel(kernel);
  json::Array entries, sizes, explained, constants, isas;
  // Entries first: they collect the facts about launches of kernels.
  for (auto entry : module.getOps<EntryOp>())
    entries.push_back(explainEntry(entry));
  for (auto dim : module.getOps<dhlo::DimOp>())
    sizes.push_back(explainModuleSize(dim));
  for (auto kernel : module.getOps<KernelOp>())
    explained.push_back(explainKernel(kernel));
  for (auto constant : module.getOps<ConstantOp>())
    constants.push_back(explainConstant(constant));
  for (Isa isa : options.isas)
    isas.push_back(json::Object{{"name", getIsaName(isa)},
                                {"vector_bits", getVectorBits(isa)},
                                {"fma", hasFma(isa)}});
  json::Object object{{"entries", std::move(entries)},
                      {"sizes", std::move(sizes)},
                      {"kernels", std::move(explained)},
                      {"constants", std::move(constants)}};
  if (!isas.empty())
    object["isas"] = std::move(isas);
  if (json::Array rules = explainRules(module); !rules.empty())
    object["routers"] = std::move(rules);
  return object;
}

json::Value dlhlo::explain(ModuleOp module, const ExplainOptions &options) {
  return Explainer(module, options).explain();
}

namespace {
struct ExplainPass : dlhlo::impl::ExplainPassBase<ExplainPass> {
  void runOnOperation() override {
    llvm::outs() << llvm::formatv("{0:2}", explain(getOperation())) << '\n';
    markAllAnalysesPreserved();
  }
};
} // namespace
