//===- GraphImporter.h - Import of an ONNX graph --------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_IMPORT_ONNX_GRAPHIMPORTER_H
#define DYN_LIB_IMPORT_ONNX_GRAPHIMPORTER_H

#include "BlockedValues.h"
#include "Emitter.h"
#include "Model.h"
#include "OpContext.h"
#include "TensorData.h"

#include "dyn/Import/ONNX.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSet.h"

#include <list>

namespace dyn::onnx {

/// The names that are visible to nodes of a graph.
struct Scope {
  /// The enclosing graph; null for the model's graph and for functions.
  Scope *parent = nullptr;
  llvm::DenseMap<llvm::StringRef, Value> values;
  llvm::DenseMap<llvm::StringRef, const Tensor *> initializers;
  /// Outputs of nodes that failed: their uses are skipped without an error.
  llvm::DenseSet<llvm::StringRef> poisoned;
  /// Versions of operator sets, by domain.
  const Opsets *opsets = nullptr;
  /// In a function: the attributes of the call and the function's defaults.
  OpContext *call = nullptr;
  const Function *function = nullptr;
  /// In a function: the inputs that the call leaves out.
  llvm::DenseSet<llvm::StringRef> absent;
  /// Names that some node of the graph, or the graph's outputs, use.
  llvm::DenseSet<llvm::StringRef> used;
  /// Whether it holds a branch's definitions of names of `parent`.
  bool isOverlay = false;

  /// Whether some node of the graph, or the graph's outputs, use the name.
  bool isUsed(llvm::StringRef name) const {
    return isOverlay ? parent->isUsed(name) : used.contains(name);
  }
  /// The attribute that a function's body refers to by name, or null.
  const NodeAttribute *findAttribute(llvm::StringRef name);
  /// Whether the name is an input that the call of a function omits.
  bool isAbsent(llvm::StringRef name) const;
};

/// Errors of an import that may not matter in the end.
struct Trial {
  llvm::SmallVector<std::pair<mlir::Location, std::string>> errors;
  /// Whether one matters anyhow: an unsupported feature, or an invalid model.
  bool isFatal = false;
  llvm::SmallVector<std::pair<mlir::Location, std::string>> warnings;
};

/// One step of the import of a graph: a node, or the end of the graph of one of
/// its branches, whose outputs become those of the node.
struct Step {
  const Node *node;
  Scope *scope;
  const Graph *branch = nullptr;
  Scope *branchScope = nullptr;
};

/// The remaining import of a graph, by itself or in a branch.
struct Frame {
  std::vector<Step> steps;
  size_t next = 0;
  /// The names that are needed at the end.
  Scope *scope = nullptr;
  llvm::ArrayRef<llvm::StringRef> outputs;
  /// In a branch: scopes of its definitions, by the scopes of the steps.
  llvm::DenseMap<Scope *, Scope *> overlays;
  /// Scopes that live as long as the frame, or longer.
  std::list<Scope> scopes;
  /// The facts that hold.
  llvm::SmallVector<Fact> facts;
  /// The number of enclosing branches that no operation joins yet.
  unsigned splits = 0;

  size_t left() const { return steps.size() - next; }
  Scope &get(Scope *scope) {
    Scope *overlay = overlays.lookup(scope);
    return overlay ? *overlay : *scope;
  }
};

/// Calls `fn` for each name that the node uses: its inputs, and the names of
/// outer graphs that its graphs use.
void forEachUse(const Node &node, llvm::function_ref<void(llvm::StringRef)> fn);

/// Imports the graph of a model, and the graphs within it.
class GraphImporter {
public:
  GraphImporter(const Model &model, const ImportOptions &options,
                mlir::MLIRContext *context);

  /// The module; null on failure, with diagnostics emitted.
  mlir::OwningOpRef<mlir::ModuleOp> run();

  /// Imports a graph within a node at the emitter's insertion point. Its inputs
  /// are `inputs`; `outputs` receives the values of its outputs.
  mlir::LogicalResult importSubgraph(const Graph &graph, Scope &outer,
                                     llvm::ArrayRef<Value> inputs,
                                     llvm::SmallVectorImpl<Value> &outputs);

  /// A tensor of an attribute or initializer as a value; null on failure with
  /// `error` set.
  Value materialize(const Tensor &tensor, std::string &error);

  /// Emits an error at a node, with its name and operator.
  void reportAt(const Node &node, int64_t version, const llvm::Twine &why,
                bool isFatal = true);
  /// Emits an error at the model's file.
  void report(const llvm::Twine &why);

  /// Values in ONNX Runtime's own layout, and the number of channels in a block
  /// of it.
  const BlockedValues &getBlockedValues();
  bool isBlocked(llvm::StringRef name) {
    // Models without such operators are not searched.
    return model.opsets.count(kBlocked) && getBlockedValues().contains(name);
  }
  int64_t getChannelBlock();

  /// A distinct number for each random operation.
  int64_t nextStream() { return stream++; }

  /// Keeps errors in `trial` while `fn` runs.
  template <typename Fn> auto attempt(Trial &trial, Fn fn) {
    Trial *outer = this->trial;
    this->trial = &trial;
    auto done = fn();
    this->trial = outer;
    return done;
  }
  /// Reports the errors of a trial, each once.
  void replay(const Trial &trial);
  /// Reports the warnings of a trial that has become part of the model.
  void settle(const Trial &trial);
  void warn(mlir::Location loc, llvm::StringRef text);
  /// Records that the nodes after an If are imported for each of its branches.
  void markSplit(const Node &node) { splitNodes.insert(&node); }
  bool isSplit(const Node &node) const { return splitNodes.contains(&node); }

private:
  mlir::LogicalResult importInputs(mlir::func::FuncOp function, Scope &scope);
  mlir::LogicalResult addInitializers(const Graph &graph, Scope &scope);
  /// Imports nodes of a scope and reads outputs of it.
  mlir::LogicalResult importNodes(llvm::ArrayRef<Node> nodes, Scope &scope,
                                  llvm::ArrayRef<llvm::StringRef> outputs,
                                  llvm::SmallVectorImpl<Value> &values);
  /// Imports until `left` steps are left. After an error the others are still
  /// checked, so that a user learns of all unsupported nodes at once.
  mlir::LogicalResult importSteps(Frame &frame, size_t left);
  mlir::LogicalResult importEnd(const Step &step, Frame &frame);
  /// Needed nodes in topological order.
  mlir::LogicalResult sortNodes(llvm::ArrayRef<Node> nodes, Scope &scope,
                                llvm::ArrayRef<llvm::StringRef> outputs,
                                std::vector<const Node *> &order);
  /// Imports a node, and the nodes after an If that is split. Without a frame
  /// the latter fails without a message.
  mlir::LogicalResult importNode(const Node &node, Scope &scope, Frame *frame);

  // The nodes after an If, in Split.cpp.
  struct Side;
  struct Live;
  class StepUses;
  mlir::LogicalResult split(OpContext &op, const Step &step, Frame &frame);
  mlir::LogicalResult splitWithin(OpContext &op, const Step &step,
                                  Frame &frame);
  mlir::LogicalResult enter(Side &side, OpContext &op, const Step &step,
                            Frame &frame, const Graph &graph);
  void advance(Side &side, size_t left);
  std::optional<std::vector<Live>> getLive(Side &onTrue, Side &onFalse,
                                           const StepUses &uses, size_t left,
                                           bool anyRank);
  mlir::LogicalResult join(OpContext &op, Side &onTrue, Side &onFalse,
                           llvm::ArrayRef<Live> live, bool anyRank,
                           Frame &frame);
  mlir::LogicalResult adopt(OpContext &op, Side &alive, Side &dead,
                            Frame &frame);
  mlir::LogicalResult importCall(OpContext &context, const Function &function);
  /// Imports the contents of the current node: a graph, or a function's body.
  mlir::LogicalResult
  nest(llvm::function_ref<mlir::LogicalResult()> importWithin);
  /// Outputs with a dynamic rank, as two: the tensor and its rank.
  void openRanks(llvm::SmallVectorImpl<llvm::StringRef> &names,
                 llvm::SmallVectorImpl<Value> &outputs);
  mlir::LogicalResult readOutputs(llvm::ArrayRef<llvm::StringRef> names,
                                  Scope &scope,
                                  llvm::SmallVectorImpl<Value> &outputs);
  /// The value of a name; null if it is not defined (or poisoned).
  Value lookup(llvm::StringRef name, Scope &scope, bool &isPoisoned,
               std::string &error);
  bool isDefined(llvm::StringRef name, const Scope &scope) const;
  const Function *findFunction(const Node &node) const;
  mlir::Location getLocation(const Node &node);
  void emit(mlir::Location loc, const llvm::Twine &text, bool isFatal);
  size_t countErrors() const;
  mlir::DictionaryAttr getMetadata() const;

  const Model &model;
  const ImportOptions &options;
  mlir::MLIRContext *context;
  mlir::Location fileLoc;
  OpRegistry registry;
  TensorData tensorData;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::optional<SymbolicDims> dims;
  std::optional<Emitter> emitter;
  mlir::Block *entry = nullptr;
  /// The scope of the model's graph.
  Scope *modelScope = nullptr;
  /// The last constant at the head of the entry.
  mlir::Operation *lastConstant = nullptr;
  llvm::DenseMap<const Tensor *, Value> materialized;
  unsigned errors = 0;
  /// Collects errors for now; null if they are reported.
  Trial *trial = nullptr;
  llvm::StringSet<> replayed;
  llvm::DenseSet<const Node *> splitNodes;
  unsigned depth = 0;
  int64_t stream = 0;
  int64_t imported = 0;
  /// Computed on demand; whether the guess of the size was reported.
  std::optional<BlockedValues> blockedValues;
  bool saysBlock = false;
};

/// Declares the sizes of the model's inputs, with the user's facts, and returns
/// the inputs' types. `inputs` are those without a default value.
mlir::FailureOr<llvm::SmallVector<mlir::RankedTensorType>>
declareInputs(llvm::ArrayRef<const ValueInfo *> inputs,
              const ImportOptions &options, mlir::ModuleOp module,
              llvm::function_ref<void(const llvm::Twine &)> report);

/// Merges sizes that are provably equal; erases dead operations and unused
/// sizes.
void cleanUp(mlir::ModuleOp module);

} // namespace dyn::onnx

#endif // DYN_LIB_IMPORT_ONNX_GRAPHIMPORTER_H
