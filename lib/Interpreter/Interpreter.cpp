//===- Interpreter.cpp - Runs entry functions -----------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Interpreter/Interpreter.h"

#include "Evaluator.h"
#include "Ranks.h"

#include "dyn/Dialect/DHLO/IR/PortNames.h"

using namespace mlir;
using namespace dyn;

StringRef dyn::describe(DataErrorKind kind) {
  switch (kind) {
  case DataErrorKind::Index:
    return "index out of range";
  case DataErrorKind::Division:
    return "integer division by zero";
  case DataErrorKind::Size:
    return "size negative or outside its declared range";
  case DataErrorKind::Conversion:
    return "float outside the range of the integer type";
  case DataErrorKind::Shift:
    return "shift amount not less than the width of the type";
  case DataErrorKind::SizeMismatch:
    return "sizes that must agree differ";
  }
  llvm_unreachable("all kinds are covered");
}

//===----------------------------------------------------------------------===//
// Signatures
//===----------------------------------------------------------------------===//

namespace {
/// Checks inputs against a function's arguments and binds its symbols, with the
/// runtime's messages.
class Binder {
public:
  Binder(func::FuncOp function, Evaluator &state)
      : function(function), state(state) {}

  LogicalResult bind(ArrayRef<Tensor> inputs);

private:
  std::string getText(RankedTensorType type);
  LogicalResult checkTensor(unsigned index, const Tensor &tensor);
  LogicalResult bindAxis(unsigned index, int64_t axis, int64_t size);
  LogicalResult checkRange(unsigned index, int64_t axis, dhlo::DimOp dim,
                           int64_t value);
  InFlightDiagnostic emitAxis(unsigned index, int64_t axis) {
    return function.emitError("input '")
           << dhlo::getInputName(function, index) << "', axis " << axis << ": ";
  }
  RankedTensorType getType(unsigned index) {
    return cast<RankedTensorType>(function.getArgumentTypes()[index]);
  }

  func::FuncOp function;
  Evaluator &state;
  /// The input and axis that gave each symbol its value.
  DenseMap<StringAttr, std::pair<unsigned, int64_t>> binders;
};
} // namespace

/// A type in short: `f32[batch, 3]`.
std::string Binder::getText(RankedTensorType type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (type.getElementType().isInteger(1))
    os << "bool";
  else if (type.getElementType().isUnsignedInteger())
    os << 'u' << type.getElementTypeBitWidth();
  else
    os << type.getElementType();
  os << '[';
  llvm::interleaveComma(llvm::seq<int64_t>(0, type.getRank()), os,
                        [&](int64_t axis) {
                          if (!type.isDynamicDim(axis))
                            os << type.getDimSize(axis);
                          else if (dhlo::DimExpr dim = dhlo::getDim(type, axis))
                            os << dim.getName().getValue();
                          else
                            os << '?';
                        });
  os << ']';
  return text;
}

LogicalResult Binder::checkTensor(unsigned index, const Tensor &tensor) {
  RankedTensorType type = getType(index);
  auto emit = [&] {
    return function.emitError("input '")
           << dhlo::getInputName(function, index) << "': ";
  };
  if (tensor.isNull())
    return function.emitError("input '")
           << dhlo::getInputName(function, index) << "' is missing: expected "
           << getText(type) << ", got null";
  if (tensor.getElementType() != state.getElementType(type))
    return emit() << "expected " << getText(type) << ", got elements of "
                  << tensor.getElementType();
  if (tensor.getRank() != type.getRank())
    return emit() << "expected rank " << type.getRank() << ", " << getText(type)
                  << ", got rank " << tensor.getRank();
  return success();
}

LogicalResult Binder::checkRange(unsigned index, int64_t axis, dhlo::DimOp dim,
                                 int64_t value) {
  StringRef name = dim.getSymName();
  int64_t min = dim.getMin().value_or(0);
  if (value < min || (dim.getMax() && value > int64_t(*dim.getMax()))) {
    if (!dim.getMax())
      return emitAxis(index, axis) << "expected " << name << " of at least "
                                   << min << ", got " << value;
    return emitAxis(index, axis)
           << "expected " << name << " in [" << min << ", "
           << int64_t(*dim.getMax()) << "], got " << value;
  }
  int64_t multiple = dim.getMultipleOf().value_or(1);
  if (multiple > 0 && value % multiple != 0)
    return emitAxis(index, axis)
           << "expected " << name << " to be a multiple of " << multiple
           << ", got " << value;
  return success();
}

LogicalResult Binder::bindAxis(unsigned index, int64_t axis, int64_t size) {
  StringAttr name = dhlo::getDim(getType(index), axis).getName();
  auto [it, isNew] = binders.try_emplace(name, index, axis);
  if (isNew) {
    state.bindDim(name, size);
    dhlo::DimOp dim = state.getDeclaration(name);
    if (!dim)
      return emitAxis(index, axis)
             << "@" << name.getValue() << " is not declared";
    return checkRange(index, axis, dim, size);
  }
  std::optional<int64_t> expected = state.getDimValue(name);
  if (expected != size)
    return emitAxis(index, axis)
           << "expected " << name.getValue() << " = " << *expected
           << " as in input '" << dhlo::getInputName(function, it->second.first)
           << "', axis " << it->second.second << ", got " << size;
  return success();
}

LogicalResult Binder::bind(ArrayRef<Tensor> inputs) {
  if (inputs.size() != function.getNumArguments()) {
    InFlightDiagnostic diag = function.emitError("entry '")
                              << function.getSymName() << "' takes "
                              << function.getNumArguments() << " inputs";
    if (function.getNumArguments()) {
      diag << " (";
      llvm::interleave(
          llvm::seq<unsigned>(0, function.getNumArguments()),
          [&](unsigned i) { diag << dhlo::getInputName(function, i); },
          [&] { diag << ", "; });
      diag << ")";
    }
    return diag << ", got " << inputs.size();
  }
  auto isDerived = [&](StringAttr name) {
    dhlo::DimOp dim = state.getDeclaration(name);
    return dim && dim.getDefinitionAttr();
  };
  for (auto [index, tensor] : llvm::enumerate(inputs)) {
    if (failed(checkTensor(index, tensor)))
      return failure();
    RankedTensorType type = getType(index);
    for (int64_t axis = 0; axis != type.getRank(); ++axis) {
      int64_t size = tensor.getSize(axis);
      if (!type.isDynamicDim(axis)) {
        if (size != type.getDimSize(axis))
          return emitAxis(index, axis)
                 << "expected " << type.getDimSize(axis) << " in "
                 << getText(type) << ", got " << size;
        continue;
      }
      dhlo::DimExpr dim = dhlo::getDim(type, axis);
      if (!dim)
        return emitAxis(index, axis)
               << "expected a name for the dynamic size in " << type;
      if (!isDerived(dim.getName()) && failed(bindAxis(index, axis, size)))
        return failure();
    }
  }
  // Expressions are checked last, when every symbol has its value.
  for (auto [index, tensor] : llvm::enumerate(inputs)) {
    RankedTensorType type = getType(index);
    for (int64_t axis = 0; axis != type.getRank(); ++axis) {
      if (!type.isDynamicDim(axis))
        continue;
      StringAttr name = dhlo::getDim(type, axis).getName();
      if (!isDerived(name))
        continue;
      std::optional<int64_t> expected = state.getDimValue(name);
      if (!expected)
        return emitAxis(index, axis)
               << name.getValue() << " has no value at these sizes, got "
               << tensor.getSize(axis);
      if (*expected != tensor.getSize(axis))
        return emitAxis(index, axis)
               << "expected " << name.getValue() << " = " << *expected
               << ", got " << tensor.getSize(axis);
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Interpreter
//===----------------------------------------------------------------------===//

Interpreter::Interpreter(ModuleOp module, const InterpreterOptions &options)
    : module(module), options(options) {}

/// Whether the interpreter can run it as an entry.
static LogicalResult checkEntry(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return function.emitError("expected a function of one block");
  auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
  if (!llvm::all_of(function.getArgumentTypes(), isTensor) ||
      !llvm::all_of(function.getResultTypes(), isTensor))
    return function.emitError("expected tensors alone in the signature of '")
           << function.getSymName() << "'";
  return success();
}

FailureOr<SmallVector<Tensor>> Interpreter::run(StringRef entry,
                                                ArrayRef<Tensor> inputs) {
  dataErrors.clear();
  auto function = module.lookupSymbol<func::FuncOp>(entry);
  dist::PartAttr part = function ? dist::getPart(function) : nullptr;
  SmallVector<func::FuncOp> parts;
  if (part || !function) {
    auto found = findParts(module, part ? part.getEntry().getValue() : entry);
    if (failed(found))
      return failure();
    parts = *found;
  } else {
    parts = {function};
  }
  if (parts.empty())
    return module.emitError("the module has no function '") << entry << "'";
  for (func::FuncOp each : parts)
    if (failed(checkEntry(each)))
      return failure();

  SmallVector<Tensor> arguments(inputs);
  if (options.float64)
    for (Tensor &argument : arguments)
      if (!argument.isNull())
        argument = argument.toFloat64();
  auto runFunction = [&](func::FuncOp function,
                         Evaluator &state) -> FailureOr<SmallVector<Tensor>> {
    state.enterScope(*module.getBody());
    if (failed(Binder(function, state).bind(arguments)))
      return failure();
    return state.runBlock(function.getBody().front(), arguments);
  };
  auto attempt = [&](bool mayGuess,
                     bool &hasGuessed) -> FailureOr<SmallVector<Tensor>> {
    if (part || !function) {
      auto results =
          runRanks(parts, options, mayGuess, hasGuessed, runFunction);
      if (failed(results))
        return failure();
      dataErrors = std::move(results->dataErrors);
      return std::move(results->outputs[part ? part.getRank() : 0]);
    }
    Evaluator state(options, dataErrors);
    state.mayGuess = mayGuess;
    auto results = runFunction(function, state);
    hasGuessed = state.hasGuessed;
    return results;
  };
  bool hasGuessed = false;
  FailureOr<SmallVector<Tensor>> results = attempt(true, hasGuessed);
  // Errors in rows that a guess computed for nothing are not the program's.
  if (failed(results) || !hasGuessed || dataErrors.empty())
    return results;
  dataErrors.clear();
  return attempt(false, hasGuessed);
}

FailureOr<Tensor> dyn::evaluateValue(Value value,
                                     const InterpreterOptions &options) {
  // The operations that the value depends on, in backward order.
  Block *block = value.getParentBlock();
  llvm::SmallPtrSet<Operation *, 16> needed;
  SmallVector<Value> pending = {value};
  while (!pending.empty()) {
    Operation *op = pending.pop_back_val().getDefiningOp();
    if (!op || !needed.insert(op).second)
      continue;
    op->walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        if (operand.getParentBlock() == block)
          pending.push_back(operand);
    });
  }
  SmallVector<DataError> dataErrors;
  Evaluator state(options, dataErrors);
  state.enterScope(*block);
  for (Operation &op : *block)
    if (needed.contains(&op) && failed(state.evaluateOp(&op)))
      return failure();
  return state.get(value);
}
