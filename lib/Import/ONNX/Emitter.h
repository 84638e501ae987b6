//===- Emitter.h - Builds dhlo operations with symbolic sizes -------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// An Emitter builds dhlo operations and computes the types of their results.
//
// Errors are sticky: a member that fails reports the reason once, through the
// callback, and returns null (or nothing); given null, every member returns
// null. Queries about null are answered as for a scalar of f32. So the import
// of an operator can be written without checks until its end.

#ifndef DYN_LIB_IMPORT_ONNX_EMITTER_H
#define DYN_LIB_IMPORT_ONNX_EMITTER_H

#include "dyn/Dialect/DHLO/Analysis/DimBuilder.h"
#include "dyn/Dialect/DHLO/Analysis/SymbolicValues.h"
#include "dyn/Dialect/DHLO/IR/DHLO.h"

#include "mlir/IR/Builders.h"

#include <functional>
#include <memory>

namespace dyn::onnx {

using dhlo::DimExpr;
using Sizes = llvm::SmallVector<DimExpr>;
using mlir::Value;

/// A fact in a branch: a symbol has the value of an expression.
struct Fact {
  mlir::StringAttr symbol;
  DimExpr value;

  bool operator==(const Fact &other) const {
    return symbol == other.symbol && value == other.value;
  }
};

class Emitter {
public:
  Emitter(mlir::MLIRContext *context, SymbolicDims &dims)
      : builder(context), loc(builder.getUnknownLoc()), dims(dims),
        symbols(dims), values(std::make_unique<SymbolicValues>(dims)) {}

  mlir::OpBuilder builder;
  mlir::Location loc;
  const SymbolicDims &dims;
  DimBuilder symbols;
  /// Reports an error of the node that is being imported.
  std::function<void(const llvm::Twine &)> report;

  Value fail(const llvm::Twine &why) {
    report(why);
    return {};
  }

  //===--------------------------------------------------------------------===//
  // Sizes and types
  //===--------------------------------------------------------------------===//

  DimExpr size(int64_t value) const {
    return dhlo::getConstDim(builder.getContext(), value);
  }
  Sizes sizes(llvm::ArrayRef<int64_t> values) const;
  Sizes sizes(Value tensor) const;
  /// The size of an axis; 1, with an error, if the tensor has no such axis.
  DimExpr dim(Value tensor, int64_t axis);
  int64_t rank(Value tensor) const;
  /// Whether the tensor has at least `number` axes; an error if not.
  bool hasAxes(Value tensor, int64_t number);
  /// Whether the axis is in [0, rank); an error if not.
  bool hasAxis(Value tensor, int64_t axis);
  mlir::Type elementType(Value tensor) const;
  /// The float type to compute elements of these tensors in: f64 if one has it,
  /// else f32.
  mlir::Type wideType(llvm::ArrayRef<Value> tensors) const;
  mlir::RankedTensorType type(llvm::ArrayRef<DimExpr> sizes,
                              mlir::Type elementType);
  DimExpr product(llvm::ArrayRef<DimExpr> sizes) const;
  /// An axis counted from the end if negative, checked against [0, rank).
  std::optional<int64_t> axis(int64_t axis, int64_t rank);
  /// The size of two axes that are broadcast elementwise; null if they cannot
  /// be.
  DimExpr broadcastSize(DimExpr lhs, DimExpr rhs);
  /// The sizes of tensors broadcast together.
  std::optional<Sizes> broadcastSizes(llvm::ArrayRef<Value> tensors);
  /// Whether the axis has size 1 in every run.
  bool isOne(DimExpr size) const;
  /// Whether the axis has size 1 in no run. A size of the model's inputs
  /// without facts is declared to be greater.
  bool isNotOne(DimExpr size);

  //===--------------------------------------------------------------------===//
  // Facts in branches
  //===--------------------------------------------------------------------===//

  /// The facts of everything that is emitted until they change again.
  llvm::ArrayRef<Fact> getFacts() const { return facts; }
  void setFacts(llvm::ArrayRef<Fact> now);
  /// The facts about sizes that follow from a condition that holds, or does
  /// not.
  llvm::SmallVector<Fact> getFactsOf(Value condition, bool holds);

  //===--------------------------------------------------------------------===//
  // Integers as size expressions
  //===--------------------------------------------------------------------===//

  /// The elements of an integer tensor as expressions; null for unknown ones.
  /// Nullopt if the tensor is too large or its size is not static.
  std::optional<Sizes> elements(Value tensor);
  /// As `elements`, but all are known constants.
  std::optional<llvm::SmallVector<int64_t>> constants(Value tensor);
  /// The elements of a constant float tensor.
  std::optional<llvm::SmallVector<double>> constantFloats(Value tensor);
  /// As `elements`; unknown elements are bound to new symbols after the
  /// definition of the tensor. `hint` names new symbols.
  std::optional<Sizes> sizesFrom(Value tensor, llvm::StringRef hint);
  /// A data-dependent size: a scalar integer of the program.
  DimExpr bind(Value scalar, llvm::StringRef hint);
  /// Must be called after operations were erased: clears memoized answers.
  void forget();

  //===--------------------------------------------------------------------===//
  // Constants
  //===--------------------------------------------------------------------===//

  /// A scalar of the type.
  Value constant(mlir::Type elementType, double value);
  Value constantInt(mlir::Type elementType, int64_t value);
  Value constantInts(llvm::ArrayRef<int64_t> values);
  Value constantFloats(mlir::Type elementType, llvm::ArrayRef<double> values);
  Value full(mlir::Type elementType, double value,
             llvm::ArrayRef<DimExpr> sizes);
  /// The values of sizes as an i64 vector, or a scalar.
  Value fromSizes(llvm::ArrayRef<DimExpr> sizes);
  Value fromSize(DimExpr size);
  /// Indices 0, 1, ... along an axis.
  Value iota(int64_t axis, llvm::ArrayRef<DimExpr> sizes,
             mlir::Type elementType);

  //===--------------------------------------------------------------------===//
  // Elementwise; operands are broadcast
  //===--------------------------------------------------------------------===//

  template <typename Op> Value unary(Value operand) {
    return operand ? Op::create(builder, loc, operand).getResult() : Value();
  }
  template <typename Op> Value binary(Value lhs, Value rhs) {
    return broadcastOperands(lhs, rhs)
               ? Op::create(builder, loc, lhs, rhs).getResult()
               : Value();
  }
  /// With a scalar of the other operand's element type.
  template <typename Op> Value binary(Value lhs, double rhs) {
    return lhs ? binary<Op>(lhs, constant(elementType(lhs), rhs)) : Value();
  }
  Value add(Value l, Value r) { return binary<dhlo::AddOp>(l, r); }
  Value sub(Value l, Value r) { return binary<dhlo::SubOp>(l, r); }
  Value mul(Value l, Value r) { return binary<dhlo::MulOp>(l, r); }
  Value div(Value l, Value r) { return binary<dhlo::DivOp>(l, r); }
  Value maximum(Value l, Value r) { return binary<dhlo::MaximumOp>(l, r); }
  Value minimum(Value l, Value r) { return binary<dhlo::MinimumOp>(l, r); }
  Value add(Value l, double r) { return binary<dhlo::AddOp>(l, r); }
  Value sub(Value l, double r) { return binary<dhlo::SubOp>(l, r); }
  Value mul(Value l, double r) { return binary<dhlo::MulOp>(l, r); }
  Value div(Value l, double r) { return binary<dhlo::DivOp>(l, r); }
  Value maximum(Value l, double r) { return binary<dhlo::MaximumOp>(l, r); }
  Value minimum(Value l, double r) { return binary<dhlo::MinimumOp>(l, r); }
  Value compare(dhlo::CompareDirection direction, Value lhs, Value rhs);
  Value compare(dhlo::CompareDirection direction, Value lhs, double rhs) {
    return lhs ? compare(direction, lhs, constant(elementType(lhs), rhs))
               : Value();
  }
  Value select(Value predicate, Value onTrue, Value onFalse);
  Value convert(Value operand, mlir::Type elementType);

  //===--------------------------------------------------------------------===//
  // Data movement
  //===--------------------------------------------------------------------===//

  /// Broadcasts to these sizes, axes aligned at the end.
  Value broadcastTo(Value operand, llvm::ArrayRef<DimExpr> sizes);
  Value broadcast(Value operand, llvm::ArrayRef<int64_t> axes,
                  llvm::ArrayRef<DimExpr> sizes);
  Value reshape(Value operand, llvm::ArrayRef<DimExpr> sizes);
  /// Inserts axes of size 1 as these axes of the result, ascending.
  Value unsqueeze(Value operand, llvm::ArrayRef<int64_t> axes);
  Value squeeze(Value operand, llvm::ArrayRef<int64_t> axes);
  Value transpose(Value operand, llvm::ArrayRef<int64_t> permutation);
  /// Moves axis `from` to become axis `to`.
  Value moveAxis(Value operand, int64_t from, int64_t to);
  Value slice(Value operand, llvm::ArrayRef<DimExpr> starts,
              llvm::ArrayRef<int64_t> strides, llvm::ArrayRef<DimExpr> sizes);
  /// `count` elements from `start` along one axis.
  Value sliceAxis(Value operand, int64_t axis, DimExpr start, DimExpr count,
                  int64_t stride = 1);
  /// Parts of these lengths along one axis; nothing after an error.
  std::optional<llvm::SmallVector<Value>>
  split(Value operand, int64_t axis, llvm::ArrayRef<DimExpr> lengths);
  Value pad(Value operand, Value value, dhlo::PadMode mode,
            llvm::ArrayRef<DimExpr> low, llvm::ArrayRef<DimExpr> high);
  Value concat(llvm::ArrayRef<Value> operands, int64_t axis);
  Value reverse(Value operand, llvm::ArrayRef<int64_t> axes);
  Value gather(Value operand, Value indices, int64_t axis, int64_t batch = 0);
  /// Converts to an element type that indices may have.
  Value index(Value indices);

  //===--------------------------------------------------------------------===//
  // Reductions and contractions
  //===--------------------------------------------------------------------===//

  Value reduce(dhlo::ReduceKind kind, Value operand,
               llvm::ArrayRef<int64_t> axes, bool keepDims = false);
  /// The arithmetic mean, in the operand's element type.
  Value mean(Value operand, llvm::ArrayRef<int64_t> axes,
             bool keepDims = false);
  /// A scalar with the product of the sizes of these axes.
  Value count(Value operand, llvm::ArrayRef<int64_t> axes,
              mlir::Type elementType);
  Value dot(Value lhs, Value rhs, int64_t batch,
            llvm::ArrayRef<int64_t> lhsContract,
            llvm::ArrayRef<int64_t> rhsContract, mlir::Type elementType = {});
  Value softmax(Value operand, int64_t axis, bool log = false);
  /// Size of a window's result: floor((size + low + high - dilation * (window -
  /// 1) - 1) / stride) + 1.
  DimExpr windowSize(DimExpr size, DimExpr low, DimExpr high, int64_t window,
                     int64_t stride, int64_t dilation) const;

private:
  /// The declaration of a size that the model's inputs have, by which calls are
  /// checked; null within a branch or a loop, which may not run.
  dhlo::DimOp getDeclaration(DimExpr size);
  /// Must be called after a declaration has changed.
  void redeclare();
  bool limitSize(DimExpr size, DimExpr cut);
  bool broadcastOperands(Value &lhs, Value &rhs);

  std::unique_ptr<SymbolicValues> values;
  llvm::SmallVector<Fact> facts;
  /// Symbols already bound to elements of tensors.
  llvm::DenseMap<std::pair<Value, int64_t>, DimExpr> boundElements;
};

} // namespace dyn::onnx

#endif // DYN_LIB_IMPORT_ONNX_EMITTER_H
