//===- Inputs.cpp - Sizes and types of a model's inputs -------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementCount.h"
#include "GraphImporter.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;
using llvm::Twine;

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

std::optional<DimOption> DimOption::parse(StringRef text, std::string &error) {
  auto refuse = [&]() -> std::optional<DimOption> {
    error = ("expected NAME=VALUE or NAME=MIN..[MAX][%MULTIPLE][~LIKELY,...], "
             "found '" +
             text + "'")
                .str();
    return std::nullopt;
  };
  // Names may contain any character, so the last '=' counts.
  auto [name, facts] = text.rsplit('=');
  DimOption option;
  option.name = name.trim().str();
  auto [rest, likely] = facts.split('~');
  auto [range, multiple] = rest.split('%');
  if (option.name.empty())
    return refuse();
  if (!multiple.empty() &&
      (multiple.getAsInteger(10, option.multipleOf) || option.multipleOf < 1))
    return refuse();
  while (!likely.empty()) {
    auto [first, others] = likely.split(',');
    if (first.getAsInteger(10, option.likely.emplace_back()) ||
        option.likely.back() < 0)
      return refuse();
    likely = others;
  }
  size_t dots = range.find("..");
  if (range.take_front(dots).getAsInteger(10, option.min))
    return refuse();
  StringRef last = dots == StringRef::npos ? range : range.drop_front(dots + 2);
  if (!last.empty()) {
    int64_t max;
    if (last.getAsInteger(10, max))
      return refuse();
    option.max = max;
  }
  if (option.min < 0 || (option.max && *option.max < option.min)) {
    error = ("expected 0 <= minimum <= maximum, found '" + text + "'").str();
    return std::nullopt;
  }
  return option;
}

//===----------------------------------------------------------------------===//
// Sizes that a model gives as expressions
//===----------------------------------------------------------------------===//

namespace {

using NamedSizes = llvm::StringMap<DimExpr>;

/// Parses a name such as `past + sequence` over known names: exporters write
/// sizes that follow from others in this way.
class SizeParser {
public:
  SizeParser(StringRef text, const NamedSizes &names, MLIRContext *context)
      : rest(text), names(names), context(context) {}

  /// Null if the text is not an expression over known names.
  DimExpr parse() {
    DimExpr result = parseSum();
    skip();
    return rest.empty() ? result : DimExpr();
  }

private:
  void skip() { rest = rest.ltrim(); }
  bool take(StringRef token) {
    skip();
    return rest.consume_front(token);
  }
  DimExpr parseSum() {
    if (++depth > 32)
      return {};
    DimExpr result = parseProduct();
    while (result) {
      bool minus = false;
      if (!take("+") && !(minus = take("-")))
        break;
      DimExpr other = parseProduct();
      if (!other)
        return {};
      result = minus ? dhlo::sub(result, other) : dhlo::add(result, other);
    }
    --depth;
    return result;
  }
  DimExpr parseProduct() {
    DimExpr result = parseAtom();
    while (result) {
      bool divides = take("//");
      if (!divides && !take("*"))
        break;
      DimExpr other = parseAtom();
      if (!other || (divides && other.isConst(0)))
        return {};
      result =
          divides ? dhlo::floorDiv(result, other) : dhlo::mul(result, other);
    }
    return result;
  }
  DimExpr parseAtom() {
    if (take("(")) {
      DimExpr result = parseSum();
      return take(")") ? result : DimExpr();
    }
    skip();
    StringRef word = rest.take_while(
        [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
    rest = rest.drop_front(word.size());
    int32_t value;
    if (!word.getAsInteger(10, value))
      return dhlo::getConstDim(context, value);
    return names.lookup(word);
  }

  StringRef rest;
  const NamedSizes &names;
  MLIRContext *context;
  unsigned depth = 0;
};

/// Declares the sizes of inputs.
class InputSizes {
public:
  InputSizes(const ImportOptions &options, ModuleOp module,
             llvm::function_ref<void(const Twine &)> report)
      : options(options), module(module), report(report),
        builder(OpBuilder::atBlockEnd(module.getBody())),
        usedOptions(options.dims.size()) {
    // Symbols share a table with the functions.
    taken.insert("main");
  }

  LogicalResult declare(ArrayRef<const ValueInfo *> inputs);
  FailureOr<RankedTensorType> getType(const ValueInfo &input);

private:
  static bool isNamed(const Dimension &dim) {
    return !dim.param.empty() && dim.param != "?";
  }
  /// The name of an axis's size; unnamed ones get a unique name after the
  /// input.
  std::string getName(const ValueInfo &input, size_t axis) const {
    if (const Dimension &dim = (*input.shape)[axis]; isNamed(dim))
      return dim.param.str();
    std::string name = (input.name + "_d" + Twine(axis)).str();
    while (params.contains(name))
      name += "_";
    return name;
  }
  static bool isFixed(const Dimension &dim) {
    // Some exporters write -1 for a dynamic size.
    return dim.value && *dim.value >= 0;
  }
  static bool isPlain(StringRef name) {
    return llvm::all_of(
        name, [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
  }
  LogicalResult declareSymbol(StringRef name, DimExpr definition);
  std::string makeSymbolName(StringRef name);

  const ImportOptions &options;
  ModuleOp module;
  llvm::function_ref<void(const Twine &)> report;
  OpBuilder builder;
  NamedSizes sizes;
  llvm::StringSet<> taken;
  /// Names of sizes in the model.
  llvm::StringSet<> params;
  SmallVector<bool> usedOptions;
};

std::string InputSizes::makeSymbolName(StringRef name) {
  std::string symbol;
  for (char c : name)
    symbol += llvm::isAlnum(c) || c == '_' || c == '.' ? c : '_';
  if (symbol.empty() || llvm::isDigit(symbol.front()) || symbol.front() == '.')
    symbol.insert(symbol.begin(), '_');
  std::string unique = symbol;
  for (unsigned i = 0; !taken.insert(unique).second; ++i)
    unique = symbol + "_" + std::to_string(i);
  return unique;
}

LogicalResult InputSizes::declareSymbol(StringRef name, DimExpr definition) {
  if (sizes.contains(name))
    return success();
  const DimOption *option = nullptr;
  for (auto [i, candidate] : llvm::enumerate(options.dims))
    if (candidate.name == name) {
      option = &candidate;
      usedOptions[i] = true;
    }
  if (option && option->max == option->min) {
    sizes[name] = dhlo::getConstDim(module.getContext(), option->min);
    return success();
  }
  std::string symbol = makeSymbolName(name);
  IntegerAttr min, max, multiple;
  DenseI64ArrayAttr likely;
  if (option) {
    min = builder.getI64IntegerAttr(option->min);
    if (option->max)
      max = builder.getI64IntegerAttr(*option->max);
    if (option->multipleOf > 1)
      multiple = builder.getI64IntegerAttr(option->multipleOf);
    if (!option->likely.empty())
      likely = builder.getDenseI64ArrayAttr(option->likely);
  }
  dhlo::DimOp::create(builder, module.getLoc(), symbol, definition, min, max,
                      multiple, dhlo::DimExpr(), likely);
  sizes[name] = dhlo::getSymbolDim(builder.getStringAttr(symbol));
  return success();
}

LogicalResult InputSizes::declare(ArrayRef<const ValueInfo *> inputs) {
  for (const ValueInfo *input : inputs)
    for (const Dimension &dim : *input->shape)
      if (isNamed(dim))
        params.insert(dim.param);
  auto forEachName = [&](llvm::function_ref<LogicalResult(StringRef)> fn) {
    for (const ValueInfo *input : inputs)
      for (size_t i = 0; i < input->shape->size(); ++i)
        if (!isFixed((*input->shape)[i]) && failed(fn(getName(*input, i))))
          return failure();
    return success();
  };
  // Plain names first: expressions may use any of them.
  if (failed(forEachName([&](StringRef name) {
        return isPlain(name) ? declareSymbol(name, {}) : success();
      })) ||
      failed(forEachName([&](StringRef name) -> LogicalResult {
        DimExpr expr =
            isPlain(name)
                ? DimExpr()
                : SizeParser(name, sizes, module.getContext()).parse();
        if (!expr || !expr.isConst())
          return declareSymbol(name, expr);
        sizes[name] = expr;
        return success();
      })))
    return failure();
  for (auto [option, used] : llvm::zip_equal(options.dims, usedOptions))
    if (!used) {
      SmallVector<StringRef> names;
      for (auto &size : sizes)
        names.push_back(size.getKey());
      llvm::sort(names);
      report("the model has no symbolic size '" + option.name + "'; it has: " +
             (names.empty() ? "none" : llvm::join(names, ", ")));
      return failure();
    }
  return success();
}

FailureOr<RankedTensorType> InputSizes::getType(const ValueInfo &input) {
  Type elementType = onnx::getElementType(module.getContext(), input.elemType);
  if (!elementType) {
    report("input '" + input.name + "': element type " +
           getDataTypeName(input.elemType) + " is not supported");
    return failure();
  }
  Sizes dims;
  int64_t elements = 1;
  for (auto [i, dim] : llvm::enumerate(*input.shape)) {
    dims.push_back(isFixed(dim)
                       ? dhlo::getConstDim(module.getContext(), *dim.value)
                       : sizes.lookup(getName(input, i)));
    if (dims.back().isConst() &&
        !countElements(dims.back().getValue(), elements)) {
      report("input '" + input.name +
             "': expected sizes with a product of at most 2^40");
      return failure();
    }
  }
  return dhlo::getTensorType(dims, elementType);
}

} // namespace

FailureOr<SmallVector<RankedTensorType>>
onnx::declareInputs(ArrayRef<const ValueInfo *> inputs,
                    const ImportOptions &options, ModuleOp module,
                    llvm::function_ref<void(const Twine &)> report) {
  for (const ValueInfo *input : inputs) {
    StringRef why;
    if (input->kind != 1)
      why = "expected a tensor, found another type";
    else if (!input->shape)
      why = "expected a tensor of known rank";
    else if (input->shape->size() > 64)
      why = "expected a tensor of rank at most 64";
    if (!why.empty()) {
      report("input '" + input->name + "': " + why);
      return failure();
    }
  }
  InputSizes sizes(options, module, report);
  if (failed(sizes.declare(inputs)))
    return failure();
  SmallVector<RankedTensorType> types;
  for (const ValueInfo *input : inputs) {
    FailureOr<RankedTensorType> type = sizes.getType(*input);
    if (failed(type))
      return failure();
    types.push_back(*type);
  }
  return types;
}
