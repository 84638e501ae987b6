//===- OpContext.h - The context of the import of an operator -------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_IMPORT_ONNX_OPCONTEXT_H
#define DYN_LIB_IMPORT_ONNX_OPCONTEXT_H

#include "Emitter.h"
#include "Model.h"

namespace dyn::onnx {

class GraphImporter;
struct Scope;

/// One node while it is imported: its inputs, attributes and outputs.
///
/// Each attribute of the node must be read: unread ones are reported as
/// unsupported.
class OpContext {
public:
  OpContext(GraphImporter &importer, Scope &scope, Emitter &emitter,
            const Node &node, int64_t version);

  GraphImporter &importer;
  Scope &scope;
  Emitter &e;
  const Node &node;
  /// The version of ONNX's operator set whose semantics the node has; of
  /// another domain's set if there is no equivalent.
  int64_t version;
  /// Version of the operator set that the node belongs to.
  int64_t stated;

  //===--------------------------------------------------------------------===//
  // Errors
  //===--------------------------------------------------------------------===//

  /// Reports an error at the node; always failure.
  mlir::LogicalResult error(const llvm::Twine &why);
  /// Likewise one that refuses the model even if the node is in a branch that
  /// need not be taken.
  mlir::LogicalResult fatalError(const llvm::Twine &why);
  bool hasFailed() const { return failed; }
  /// After errors and outputs of a trial.
  void clearOutputs() {
    failed = false;
    outputs.assign(outputs.size(), Value());
  }

  //===--------------------------------------------------------------------===//
  // Inputs and outputs
  //===--------------------------------------------------------------------===//

  unsigned numInputs() const { return inputs.size(); }
  unsigned numOutputs() const { return node.outputs.size(); }
  /// Whether optional input i is given.
  bool has(unsigned i) const { return i < inputs.size() && inputs[i]; }
  /// Input i; null, with an error, if it is missing.
  Value in(unsigned i);
  /// Input i or null.
  Value optional(unsigned i) const {
    return i < inputs.size() ? inputs[i] : Value();
  }
  llvm::ArrayRef<Value> allInputs() const { return inputs; }
  /// Whether anything uses output i.
  bool wants(unsigned i) const { return i < wanted.size() && wanted[i]; }
  /// Requests that the nodes after this one are imported twice: with the
  /// outputs of one graph and where the condition holds, and with those of the
  /// other.
  void splitBy(Value condition, const Graph &onTrue, const Graph &onFalse) {
    splitCondition = condition;
    splitGraphs[0] = &onTrue;
    splitGraphs[1] = &onFalse;
  }
  bool isSplit() const { return splitCondition != nullptr; }
  /// Sets output i, if the value is not null.
  void out(unsigned i, Value value) {
    if (i < outputs.size())
      outputs[i] = value;
  }
  mlir::LogicalResult result(Value value) {
    out(0, value);
    return mlir::success(value != nullptr);
  }

  //===--------------------------------------------------------------------===//
  // Attributes
  //===--------------------------------------------------------------------===//

  bool hasAttr(llvm::StringRef name) { return attr(name) != nullptr; }
  int64_t getInt(llvm::StringRef name, int64_t byDefault);
  double getFloat(llvm::StringRef name, double byDefault);
  llvm::StringRef getString(llvm::StringRef name, llvm::StringRef byDefault);
  std::optional<llvm::ArrayRef<int64_t>> getInts(llvm::StringRef name);
  std::optional<llvm::ArrayRef<float>> getFloats(llvm::StringRef name);
  const NodeAttribute *attr(llvm::StringRef name);
  /// Marks attributes without effect.
  void ignore(std::initializer_list<llvm::StringRef> names);

  /// An axis attribute, made positive; nothing, with an error, if out of range.
  std::optional<int64_t> getAxis(llvm::StringRef name, int64_t byDefault,
                                 int64_t rank);
  /// Axes from an attribute, or from constant input `input` if given; made
  /// positive and sorted. `present` is set if they are given.
  std::optional<llvm::SmallVector<int64_t>>
  getAxes(llvm::StringRef name, unsigned input, int64_t rank, bool &present);
  /// Constant elements of an input; an error if they are not constants.
  std::optional<llvm::SmallVector<int64_t>> constantInput(unsigned i,
                                                          llvm::StringRef what);

  /// Converts 16-bit float inputs to f32. `narrow` converts f32 outputs to the
  /// first input's type, if it was converted.
  void widen();
  void narrow();

  /// Checks after the operator's function has run.
  mlir::LogicalResult finish();

private:
  friend class GraphImporter;

  mlir::LogicalResult report(const llvm::Twine &why, bool isFatal);

  llvm::SmallVector<Value> inputs;
  llvm::SmallVector<Value> outputs;
  llvm::SmallVector<bool> wanted;
  llvm::SmallVector<bool> read;
  /// The first input's type before `widen`; null if it was not changed.
  mlir::Type narrowType;
  bool failed = false;
  Value splitCondition;
  const Graph *splitGraphs[2] = {};
};

/// Imports one node: reads `context`, emits operations and sets outputs.
using OpImporter = mlir::LogicalResult (*)(OpContext &context);

/// The operators that can be imported.
class OpRegistry {
public:
  /// One way to import an operator, from version `since` of its set on.
  struct Entry {
    int64_t since;
    OpImporter importer;
    /// Whether inputs may be sequences.
    bool takesSequences = false;
    /// Whether 16-bit floats are computed with in f32, and rounded once: sums
    /// of many, and their squares, have neither the range nor the bits.
    bool widens = false;
    /// The version of ONNX's set in which the operator of this name is
    /// equivalent; 0 if this is one of ONNX, or there is no equivalent.
    int64_t meaning = 0;
  };

  /// An operator of ONNX itself.
  void add(llvm::StringRef opType, int64_t since, OpImporter importer) {
    add("", opType, {since, importer});
  }
  /// One whose inputs may be sequences.
  void addWithSequences(llvm::StringRef opType, int64_t since,
                        OpImporter importer) {
    add("", opType, {since, importer, /*takesSequences=*/true});
  }
  /// One that computes with 16-bit floats in f32.
  void addWidened(llvm::StringRef opType, int64_t since, OpImporter importer) {
    add("", opType,
        {since, importer, /*takesSequences=*/false, /*widens=*/true});
  }
  /// One of com.microsoft that is equivalent to ONNX's at version `meaning`.
  void addEquivalent(llvm::StringRef opType, int64_t meaning,
                     OpImporter importer, bool widens = false) {
    add("com.microsoft", opType, {1, importer, false, widens, meaning});
  }
  void add(llvm::StringRef domain, llvm::StringRef opType, const Entry &entry) {
    operators[(domain + ":" + opType).str()].push_back(entry);
  }
  /// Null if the operator is unknown, or unknown at this version.
  const Entry *lookup(llvm::StringRef domain, llvm::StringRef opType,
                      int64_t version) const;

private:
  llvm::StringMap<llvm::SmallVector<Entry, 1>> operators;
};

/// Operators that ONNX Runtime's optimisers and quantizer write.
constexpr llvm::StringLiteral kMicrosoft = "com.microsoft";
/// Those of them whose tensors have channels in blocks.
constexpr llvm::StringLiteral kBlocked = "com.microsoft.nchwc";

/// The newest version of ONNX's operator set that the importer was written for.
constexpr int64_t kNewestOpset = 28;
/// The oldest.
constexpr int64_t kOldestOpset = 6;

// One function for each file of operators.
void registerElementwise(OpRegistry &registry);
void registerActivations(OpRegistry &registry);
void registerShape(OpRegistry &registry);
void registerIndexing(OpRegistry &registry);
void registerContraction(OpRegistry &registry);
void registerConvolution(OpRegistry &registry);
void registerPooling(OpRegistry &registry);
void registerReduction(OpRegistry &registry);
void registerNormalization(OpRegistry &registry);
void registerAttention(OpRegistry &registry);
void registerFlexAttention(OpRegistry &registry);
void registerRecurrent(OpRegistry &registry);
void registerResize(OpRegistry &registry);
void registerQuantization(OpRegistry &registry);
void registerWindows(OpRegistry &registry);
void registerLosses(OpRegistry &registry);
void registerSampling(OpRegistry &registry);
void registerFolding(OpRegistry &registry);
void registerStateful(OpRegistry &registry);
void registerSuppression(OpRegistry &registry);
void registerFourier(OpRegistry &registry);
void registerElimination(OpRegistry &registry);
void registerOptionals(OpRegistry &registry);
void registerConstants(OpRegistry &registry);
void registerControl(OpRegistry &registry);
void registerScan(OpRegistry &registry);
void registerSequences(OpRegistry &registry);
void registerNGrams(OpRegistry &registry);
void registerFusedElementwise(OpRegistry &registry);
void registerFusedMatMul(OpRegistry &registry);
void registerFusedConvolution(OpRegistry &registry);
void registerBlockedChannels(OpRegistry &registry);
void registerSkipNormalization(OpRegistry &registry);
void registerEmbedding(OpRegistry &registry);
void registerMultiHeadAttention(OpRegistry &registry);
void registerGroupQueryAttention(OpRegistry &registry);
void registerQuantizedMatMul(OpRegistry &registry);
void registerQuantizedLayers(OpRegistry &registry);
void registerPackedTokens(OpRegistry &registry);
void registerRelativePosition(OpRegistry &registry);
void registerExperts(OpRegistry &registry);
void registerDistances(OpRegistry &registry);
void registerAllOperators(OpRegistry &registry);

} // namespace dyn::onnx

#endif // DYN_LIB_IMPORT_ONNX_OPCONTEXT_H
