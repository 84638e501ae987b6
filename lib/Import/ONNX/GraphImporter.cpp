//===- GraphImporter.cpp - Import of an ONNX graph ------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphImporter.h"
#include "Ops/Branches.h"
#include "Sequence.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

/// The number of errors after which the import fails.
static constexpr unsigned kMaxErrors = 100;
/// Functions that call functions, and graphs within graphs.
static constexpr unsigned kMaxDepth = 64;
/// Nodes, with those of functions counted at each call.
static constexpr int64_t kMaxNodes = 2 * 1000 * 1000;

const NodeAttribute *Scope::findAttribute(StringRef name) {
  Scope *scope = this;
  while (scope && !scope->call)
    scope = scope->parent;
  if (!scope)
    return nullptr;
  if (const NodeAttribute *attribute = scope->call->attr(name))
    return attribute;
  // A function states defaults for attributes that its call leaves out.
  for (const NodeAttribute &attribute : scope->function->defaults)
    if (attribute.name == name)
      return &attribute;
  return nullptr;
}

bool Scope::isAbsent(StringRef name) const {
  for (const Scope *s = this; s; s = s->parent) {
    if (s->values.contains(name) || s->initializers.contains(name))
      return false;
    if (s->absent.contains(name))
      return true;
  }
  return false;
}

GraphImporter::GraphImporter(const Model &model, const ImportOptions &options,
                             MLIRContext *context)
    : model(model), options(options), context(context),
      fileLoc(FileLineColLoc::get(context, model.file, 0, 0)),
      tensorData(model, context) {
  registerAllOperators(registry);
}

//===----------------------------------------------------------------------===//
// Diagnostics and locations
//===----------------------------------------------------------------------===//

Location GraphImporter::getLocation(const Node &node) {
  StringRef name = node.name;
  if (name.empty() && !node.outputs.empty())
    name = node.outputs.front();
  if (name.empty())
    name = node.opType.empty() ? "node" : node.opType;
  Location loc = NameLoc::get(StringAttr::get(context, name), fileLoc);
  return FusedLoc::get(context, {loc}, StringAttr::get(context, node.opType));
}

void GraphImporter::emit(Location loc, const Twine &text, bool isFatal) {
  if (trial) {
    trial->errors.push_back({loc, text.str()});
    trial->isFatal |= isFatal;
  } else if (++errors <= kMaxErrors) {
    emitError(loc) << text;
  }
}

size_t GraphImporter::countErrors() const {
  return trial ? trial->errors.size() : errors;
}

void GraphImporter::replay(const Trial &trial) {
  for (auto &[loc, text] : trial.errors)
    if (this->trial || replayed.insert(text).second)
      emit(loc, text, trial.isFatal);
}

void GraphImporter::warn(Location loc, StringRef text) {
  if (trial)
    trial->warnings.push_back({loc, text.str()});
  else if (replayed.insert(text).second)
    emitWarning(loc) << text;
}

void GraphImporter::settle(const Trial &trial) {
  for (auto &[loc, text] : trial.warnings)
    warn(loc, text);
}

void GraphImporter::report(const Twine &why) {
  emit(fileLoc, why, /*isFatal=*/true);
}

void GraphImporter::reportAt(const Node &node, int64_t version,
                             const Twine &why, bool isFatal) {
  StringRef name = node.name;
  if (name.empty() && !node.outputs.empty())
    name = node.outputs.front();
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "node '" << name << "' (";
  if (!node.domain.empty())
    os << node.domain << '.';
  os << node.opType;
  if (version)
    os << ", opset " << version;
  os << "): " << why;
  emit(getLocation(node), text, isFatal);
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

bool GraphImporter::isDefined(StringRef name, const Scope &scope) const {
  for (const Scope *s = &scope; s; s = s->parent)
    if (s->values.contains(name) || s->initializers.contains(name) ||
        s->poisoned.contains(name))
      return true;
  return false;
}

Value GraphImporter::materialize(const Tensor &tensor, std::string &error) {
  auto it = materialized.find(&tensor);
  if (it != materialized.end())
    return it->second;
  RankedTensorType type;
  mlir::Attribute attr = tensorData.get(tensor, type, error);
  if (!attr)
    return {};
  // Constants are at the head of the entry, where they dominate every region.
  OpBuilder builder(context);
  if (lastConstant)
    builder.setInsertionPointAfter(lastConstant);
  else
    builder.setInsertionPointToStart(entry);
  Location loc = fileLoc;
  if (!tensor.name.empty())
    loc = NameLoc::get(StringAttr::get(context, tensor.name), fileLoc);
  Operation *op;
  if (auto weight = dyn_cast<dhlo::WeightAttr>(attr))
    op = dhlo::WeightOp::create(builder, loc, type, weight);
  else
    op = dhlo::ConstantOp::create(builder, loc, cast<ElementsAttr>(attr));
  lastConstant = op;
  return materialized[&tensor] = op->getResult(0);
}

Value GraphImporter::lookup(StringRef name, Scope &scope, bool &isPoisoned,
                            std::string &error) {
  for (Scope *s = &scope; s; s = s->parent) {
    if (Value value = s->values.lookup(name))
      return value;
    if (s->poisoned.contains(name)) {
      isPoisoned = true;
      return {};
    }
    auto it = s->initializers.find(name);
    if (it == s->initializers.end())
      continue;
    Value value = materialize(*it->second, error);
    if (!value) {
      report("initializer '" + name + "': " + error);
      isPoisoned = true;
      s->poisoned.insert(name);
      s->initializers.erase(name);
    }
    return value;
  }
  error = ("'" + name + "' is not defined").str();
  return {};
}

LogicalResult GraphImporter::addInitializers(const Graph &graph, Scope &scope) {
  if (graph.hasSparseInitializers) {
    report("sparse initializers are not supported");
    return failure();
  }
  for (const Tensor &tensor : graph.initializers)
    if (!scope.initializers.try_emplace(tensor.name, &tensor).second) {
      report("initializer '" + tensor.name + "' is defined twice");
      return failure();
    }
  return success();
}

//===----------------------------------------------------------------------===//
// Order of nodes
//===----------------------------------------------------------------------===//

void onnx::forEachUse(const Node &node,
                      llvm::function_ref<void(StringRef)> fn) {
  for (StringRef input : node.inputs)
    if (!input.empty())
      fn(input);
  for (const NodeAttribute &attribute : node.attributes) {
    if (!attribute.g)
      continue;
    const Graph &graph = *attribute.g;
    llvm::DenseSet<StringRef> own;
    for (const ValueInfo &input : graph.inputs)
      own.insert(input.name);
    for (const Tensor &tensor : graph.initializers)
      own.insert(tensor.name);
    for (const Node &inner : graph.nodes)
      own.insert(inner.outputs.begin(), inner.outputs.end());
    auto use = [&](StringRef name) {
      if (!own.contains(name))
        fn(name);
    };
    for (const Node &inner : graph.nodes)
      forEachUse(inner, use);
    for (const ValueInfo &output : graph.outputs)
      use(output.name);
  }
}

LogicalResult GraphImporter::sortNodes(ArrayRef<Node> nodes, Scope &scope,
                                       ArrayRef<StringRef> outputs,
                                       std::vector<const Node *> &order) {
  llvm::DenseMap<StringRef, size_t> producers;
  for (auto [i, node] : llvm::enumerate(nodes))
    for (StringRef output : node.outputs) {
      if (output.empty())
        continue;
      if (scope.values.contains(output) ||
          scope.initializers.contains(output) ||
          !producers.try_emplace(output, i).second) {
        reportAt(node, 0, "'" + output + "' is defined twice");
        return failure();
      }
    }

  // ONNX requires nodes in topological order, but not all exporters keep to it,
  // and operators that nothing needs may be ones that cannot be imported.
  // The nodes that outputs need.
  std::vector<std::vector<size_t>> needs(nodes.size());
  std::vector<bool> needed(nodes.size());
  std::vector<size_t> worklist;
  auto need = [&](size_t i) {
    if (!needed[i]) {
      needed[i] = true;
      worklist.push_back(i);
    }
  };
  for (StringRef output : outputs) {
    scope.used.insert(output);
    if (auto it = producers.find(output); it != producers.end())
      need(it->second);
  }
  while (!worklist.empty()) {
    size_t i = worklist.back();
    worklist.pop_back();
    forEachUse(nodes[i], [&](StringRef name) {
      scope.used.insert(name);
      if (auto it = producers.find(name); it != producers.end()) {
        needs[i].push_back(it->second);
        need(it->second);
      }
    });
  }

  // Depth first, in the order of the file, without recursion.
  enum State : char { Unseen, Open, Done };
  std::vector<char> state(nodes.size(), Unseen);
  std::vector<std::pair<size_t, size_t>> stack;
  for (size_t root = 0; root < nodes.size(); ++root) {
    if (!needed[root] || state[root] != Unseen)
      continue;
    stack.push_back({root, 0});
    state[root] = Open;
    while (!stack.empty()) {
      auto &[i, next] = stack.back();
      if (next == needs[i].size()) {
        state[i] = Done;
        order.push_back(&nodes[i]);
        stack.pop_back();
        continue;
      }
      size_t before = needs[i][next++];
      if (state[before] == Open) {
        reportAt(nodes[before], 0, "the graph has a cycle through this node");
        return failure();
      }
      if (state[before] == Unseen) {
        state[before] = Open;
        stack.push_back({before, 0});
      }
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

const dyn::onnx::Function *GraphImporter::findFunction(const Node &node) const {
  for (const Function &function : model.functions)
    if (function.name == node.opType && function.domain == node.domain &&
        function.overload == node.overload)
      return &function;
  return nullptr;
}

LogicalResult GraphImporter::importNode(const Node &node, Scope &scope,
                                        Frame *frame) {
  auto version = scope.opsets->find(node.domain);
  int64_t opset = version == scope.opsets->end() ? 0 : version->second;
  OpContext op(*this, scope, *emitter, node, opset);
  bool isPoisoned = false;
  for (StringRef name : node.inputs) {
    std::string error;
    Value value;
    if (!name.empty() && !scope.isAbsent(name)) {
      value = lookup(name, scope, isPoisoned, error);
      if (!value && !isPoisoned)
        return op.fatalError("input " + error);
    }
    op.inputs.push_back(value);
  }
  // A function of the model takes precedence over an operator of its name: ONNX
  // defines some operators by functions, which a model may bring along.
  const Function *function = findFunction(node);
  const OpRegistry::Entry *entry =
      registry.lookup(node.domain, node.opType, opset);
  if (!function && !entry)
    return op.fatalError("operator is not supported");
  if (isPoisoned)
    return failure();
  if (!function && !entry->takesSequences)
    for (auto [i, input] : llvm::enumerate(op.inputs))
      if (input && isSequence(input))
        return op.error("expected a tensor as input " + Twine(i) +
                        ", found a sequence");
  if (++imported > kMaxNodes)
    return op.fatalError("expected at most " + Twine(kMaxNodes) + " nodes");
  for (StringRef output : node.outputs)
    op.wanted.push_back(!output.empty() && scope.isUsed(output));

  emitter->loc = getLocation(node);
  emitter->report = [&](const Twine &why) { (void)op.error(why); };
  if (!function && entry->meaning)
    op.version = entry->meaning;
  bool widens = !function && entry->widens;
  if (widens)
    op.widen();
  LogicalResult done =
      function ? importCall(op, *function) : entry->importer(op);
  if (widens)
    op.narrow();
  if (failed(done) && !op.hasFailed())
    (void)op.error("cannot be imported");
  if (succeeded(done) && op.isSplit()) {
    Step step{&node, frame ? frame->steps[frame->next - 1].scope : &scope};
    return frame ? split(op, step, *frame) : failure();
  }
  if (function ? op.hasFailed() : failed(op.finish()))
    return failure();
  for (auto [name, value] : llvm::zip_equal(node.outputs, op.outputs))
    if (!name.empty() && value)
      scope.values[name] = value;
  return success();
}

LogicalResult GraphImporter::importSteps(Frame &frame, size_t left) {
  bool ok = true;
  while (frame.left() > left) {
    if (errors >= kMaxErrors)
      return failure();
    const Step step = frame.steps[frame.next++];
    Scope &scope = frame.get(step.scope);
    if (succeeded(step.branch ? importEnd(step, frame)
                              : importNode(*step.node, scope, &frame)))
      continue;
    ok = false;
    scope.poisoned.insert(step.node->outputs.begin(), step.node->outputs.end());
  }
  return success(ok);
}

LogicalResult GraphImporter::importEnd(const Step &step, Frame &frame) {
  SmallVector<StringRef> names;
  for (const ValueInfo &output : step.branch->outputs)
    names.push_back(output.name);
  SmallVector<Value> values;
  if (failed(readOutputs(names, frame.get(step.branchScope), values)))
    return failure();
  if (values.size() != step.node->outputs.size()) {
    reportAt(*step.node, 0,
             "expected branches with as many outputs as the node");
    return failure();
  }
  for (auto [name, value] : llvm::zip_equal(step.node->outputs, values))
    if (!name.empty())
      frame.get(step.scope).values[name] = value;
  return success();
}

LogicalResult GraphImporter::importNodes(ArrayRef<Node> nodes, Scope &scope,
                                         ArrayRef<StringRef> outputs,
                                         SmallVectorImpl<Value> &values) {
  std::vector<const Node *> order;
  if (failed(sortNodes(nodes, scope, outputs, order)))
    return failure();
  Frame frame;
  for (const Node *node : order)
    frame.steps.push_back({node, &scope});
  frame.scope = &scope;
  frame.outputs = outputs;
  frame.facts.assign(emitter->getFacts().begin(), emitter->getFacts().end());
  SmallVector<Fact> before(frame.facts);
  LogicalResult done = importSteps(frame, 0);
  if (succeeded(done))
    done = readOutputs(outputs, scope, values);
  // Facts that these nodes add hold for them alone.
  emitter->setFacts(before);
  return done;
}

LogicalResult GraphImporter::readOutputs(ArrayRef<StringRef> names,
                                         Scope &scope,
                                         SmallVectorImpl<Value> &outputs) {
  for (StringRef name : names) {
    bool isPoisoned = false;
    std::string error;
    Value value = lookup(name, scope, isPoisoned, error);
    if (!value) {
      if (!isPoisoned)
        report("output " + error);
      return failure();
    }
    outputs.push_back(value);
  }
  return success();
}

LogicalResult
GraphImporter::nest(llvm::function_ref<LogicalResult()> importWithin) {
  if (depth >= kMaxDepth) {
    emitter->fail("graphs and functions are nested too deeply");
    return failure();
  }
  llvm::SaveAndRestore deeper(depth, depth + 1);
  llvm::SaveAndRestore location(emitter->loc);
  llvm::SaveAndRestore reporter(emitter->report);
  return importWithin();
}

LogicalResult GraphImporter::importSubgraph(const Graph &graph, Scope &outer,
                                            ArrayRef<Value> inputs,
                                            SmallVectorImpl<Value> &outputs) {
  if (inputs.size() != graph.inputs.size()) {
    report("expected a graph of " + Twine(inputs.size()) + " inputs in '" +
           graph.name + "', found " + Twine(graph.inputs.size()));
    return failure();
  }
  Scope scope;
  scope.parent = &outer;
  scope.opsets = outer.opsets;
  for (auto [input, value] : llvm::zip_equal(graph.inputs, inputs))
    scope.values[input.name] = value;
  SmallVector<StringRef> names;
  for (const ValueInfo &output : graph.outputs)
    names.push_back(output.name);
  return nest([&] {
    return success(succeeded(addInitializers(graph, scope)) &&
                   succeeded(importNodes(graph.nodes, scope, names, outputs)));
  });
}

LogicalResult GraphImporter::importCall(OpContext &op,
                                        const Function &function) {
  Scope scope;
  scope.opsets = &function.opsets;
  scope.call = &op;
  scope.function = &function;
  for (auto [i, name] : llvm::enumerate(function.inputs)) {
    if (Value value = op.optional(i))
      scope.values[name] = value;
    else
      scope.absent.insert(name);
  }
  SmallVector<StringRef> names;
  for (auto [i, name] : llvm::enumerate(function.outputs))
    if (op.wants(i))
      names.push_back(name);
  SmallVector<Value> values;
  size_t before = countErrors();
  LogicalResult done =
      nest([&] { return importNodes(function.nodes, scope, names, values); });
  if (failed(done)) {
    op.failed = true;
    if (countErrors() == before)
      report("function '" + function.name + "' cannot be imported");
    return failure();
  }
  for (size_t i = 0, next = 0; i < function.outputs.size(); ++i)
    if (op.wants(i))
      op.out(i, values[next++]);
  return success();
}

//===----------------------------------------------------------------------===//
// The model
//===----------------------------------------------------------------------===//

DictionaryAttr GraphImporter::getMetadata() const {
  Builder builder(context);
  NamedAttrList metadata;
  auto set = [&](NamedAttrList &list, StringRef key, StringRef value) {
    if (!key.empty() && !value.empty())
      list.set(key, builder.getStringAttr(value));
  };
  set(metadata, "producer", model.producerName);
  set(metadata, "producer_version", model.producerVersion);
  set(metadata, "domain", model.domain);
  set(metadata, "doc", model.doc);
  set(metadata, "graph", model.graph->name);
  set(metadata, "graph_doc", model.graph->doc);
  if (model.modelVersion)
    metadata.set("version", builder.getI64IntegerAttr(model.modelVersion));
  NamedAttrList properties;
  for (auto [key, value] : model.metadata)
    set(properties, key, value);
  if (!properties.empty())
    metadata.set("properties", properties.getDictionary(context));
  return metadata.getDictionary(context);
}

OwningOpRef<ModuleOp> GraphImporter::run() {
  const Graph &graph = *model.graph;
  auto opset = model.opsets.find("");
  if (opset != model.opsets.end() &&
      (opset->second < kOldestOpset || opset->second > kNewestOpset)) {
    report("expected an operator set from " + Twine(kOldestOpset) + " to " +
           Twine(kNewestOpset) + ", found " + Twine(opset->second));
    return {};
  }
  Scope scope;
  scope.opsets = &model.opsets;
  if (failed(addInitializers(graph, scope)))
    return {};

  module = ModuleOp::create(fileLoc);
  (*module)->setAttr(dhlo::DHLODialect::kMetadataAttr, getMetadata());
  // An input with an initializer is a constant with a name.
  SmallVector<const ValueInfo *> inputs;
  llvm::DenseSet<StringRef> names;
  for (const ValueInfo &input : graph.inputs) {
    if (!names.insert(input.name).second) {
      report("input '" + input.name + "' is defined twice");
      return {};
    }
    if (!scope.initializers.contains(input.name))
      inputs.push_back(&input);
  }
  FailureOr<SmallVector<RankedTensorType>> types = declareInputs(
      inputs, options, *module, [&](const Twine &why) { report(why); });
  if (failed(types))
    return {};
  dims.emplace(*module);
  emitter.emplace(context, *dims);

  SmallVector<Type> argumentTypes(types->begin(), types->end());
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  auto function = func::FuncOp::create(
      builder, fileLoc, "main", FunctionType::get(context, argumentTypes, {}));
  function->setAttr(dhlo::DHLODialect::kEntryAttr, builder.getUnitAttr());
  entry = function.addEntryBlock();
  for (auto [i, input] : llvm::enumerate(inputs)) {
    function.setArgAttr(i, dhlo::DHLODialect::kNameAttr,
                        builder.getStringAttr(input->name));
    if (!input->name.empty())
      function.getArgument(i).setLoc(
          NameLoc::get(builder.getStringAttr(input->name), fileLoc));
    scope.values[input->name] = function.getArgument(i);
  }

  emitter->builder.setInsertionPointToEnd(entry);
  SmallVector<StringRef> outputNames;
  for (const ValueInfo &output : graph.outputs)
    outputNames.push_back(output.name);
  SmallVector<Value> outputs;
  modelScope = &scope;
  if (failed(importNodes(graph.nodes, scope, outputNames, outputs)) || errors)
    return {};
  for (auto [name, output] : llvm::zip_equal(outputNames, outputs))
    if (isSequence(output) && !hasOpenRank(output)) {
      report("output '" + name + "': expected a tensor, found a sequence");
      return {};
    }
  openRanks(outputNames, outputs);
  emitter->builder.setInsertionPointToEnd(entry);
  func::ReturnOp::create(emitter->builder, fileLoc, outputs);
  function.setFunctionType(
      FunctionType::get(context, argumentTypes, TypeRange(outputs)));
  for (auto [i, name] : llvm::enumerate(outputNames))
    function.setResultAttr(i, dhlo::DHLODialect::kNameAttr,
                           builder.getStringAttr(name));
  emitter.reset();
  dims.reset();
  cleanUp(*module);
  return std::move(module);
}
