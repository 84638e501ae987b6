//===- GraphImporter.h - Import of an ONNX graph
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_IMPORT_ONNX_GRAPHIMPORTER_H
#define DYN_LIB_IMPORT_ONNX_GRAPHIMPORTER_H

#include "Emitter.h"
#include "Model.h"
#include "OpContext.h"
#include "TensorData.h"

#include "dyn/Import/ONNX.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSet.h"

namespace dyn::onnx {

/// The names that nodes of a graph see.
struct Scope {
  /// The graph around; null for the model's graph and for functions.
  Scope *parent = nullptr;
  llvm::DenseMap<llvm::StringRef, Value> values;
  llvm::DenseMap<llvm::StringRef, const Tensor *> initializers;
  /// Outputs of nodes that failed: uses are passed over in silence.
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

  /// The attribute that a function's body refers to by name, or null.
  const NodeAttribute *findAttribute(llvm::StringRef name);
  /// Whether the name is that of an input which the call of a function leaves
  /// out.
  bool isAbsent(llvm::StringRef name) const;
};

/// Imports the graph of a model, and the graphs within it.
class GraphImporter {
public:
  GraphImporter(const Model &model, const ImportOptions &options,
                mlir::MLIRContext *context);

  /// The module; null on failure, with diagnostics emitted.
  mlir::OwningOpRef<mlir::ModuleOp> run();

  /// Imports a graph within a node at the emitter's insertion point. Its
  /// inputs stand for `inputs`; `outputs` receives the values it gives.
  mlir::LogicalResult importSubgraph(const Graph &graph, Scope &outer,
                                     llvm::ArrayRef<Value> inputs,
                                     llvm::SmallVectorImpl<Value> &outputs);

  /// A tensor of an attribute or initializer as a value; null on failure with
  /// `error` set.
  Value materialize(const Tensor &tensor, std::string &error);

  /// Emits an error at a node, with its name and operator.
  void reportAt(const Node &node, int64_t version, const llvm::Twine &why);
  /// Emits an error at the model's file.
  void report(const llvm::Twine &why);

  /// A number of its own for each random operation.
  int64_t nextStream() { return stream++; }

private:
  mlir::LogicalResult importInputs(mlir::func::FuncOp function, Scope &scope);
  mlir::LogicalResult addInitializers(const Graph &graph, Scope &scope);
  mlir::LogicalResult importNodes(llvm::ArrayRef<Node> nodes, Scope &scope,
                                  llvm::ArrayRef<llvm::StringRef> outputs);
  /// Needed nodes in an order in which definitions come before uses.
  mlir::LogicalResult sortNodes(llvm::ArrayRef<Node> nodes, Scope &scope,
                                llvm::ArrayRef<llvm::StringRef> outputs,
                                std::vector<const Node *> &order);
  mlir::LogicalResult importNode(const Node &node, Scope &scope);
  mlir::LogicalResult importCall(OpContext &context, const Function &function);
  /// Imports what is within the current node: a graph, or a function's body.
  mlir::LogicalResult
  nest(llvm::function_ref<mlir::LogicalResult()> importWithin);
  mlir::LogicalResult readOutputs(llvm::ArrayRef<llvm::StringRef> names,
                                  Scope &scope,
                                  llvm::SmallVectorImpl<Value> &outputs);
  /// The value of a name; null if it is not defined (or poisoned).
  Value lookup(llvm::StringRef name, Scope &scope, bool &isPoisoned,
               std::string &error);
  bool isDefined(llvm::StringRef name, const Scope &scope) const;
  const Function *findFunction(const Node &node) const;
  mlir::Location getLocation(const Node &node);
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
  /// The last constant at the head of the entry.
  mlir::Operation *lastConstant = nullptr;
  llvm::DenseMap<const Tensor *, Value> materialized;
  unsigned errors = 0;
  unsigned depth = 0;
  int64_t stream = 0;
  int64_t imported = 0;
};

/// Declares the sizes of the model's inputs, with the user's facts, and gives
/// the inputs' types. `inputs` are those without a default value.
mlir::FailureOr<llvm::SmallVector<mlir::RankedTensorType>>
declareInputs(llvm::ArrayRef<const ValueInfo *> inputs,
              const ImportOptions &options, mlir::ModuleOp module,
              llvm::function_ref<void(const llvm::Twine &)> report);

/// Merges sizes that are provably equal; erases operations without users and
/// sizes that nothing mentions.
void cleanUp(mlir::ModuleOp module);

} // namespace dyn::onnx

#endif // DYN_LIB_IMPORT_ONNX_GRAPHIMPORTER_H
