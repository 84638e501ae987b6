//===- SizeFormulas.cpp - Size expressions for people and programs --------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SizeFormulas.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dlhlo;
using dhlo::DimExpr;
using dhlo::DimExprKind;
namespace json = llvm::json;

std::string dlhlo::toUtf8(StringRef text) {
  return json::isUTF8(text) ? text.str() : json::fixUTF8(text);
}

static bool isAtom(DimExpr expr) {
  return !expr.isConst() && expr.getKind() != DimExprKind::Add &&
         expr.getKind() != DimExprKind::Mul;
}

SizeFormulas::SizeFormulas(ModuleOp module,
                           const llvm::StringMap<int64_t> &values)
    : dims(module), values(values) {
  for (auto dim : module.getOps<dhlo::DimOp>()) {
    if (!dim.getDefinitionAttr())
      continue;
    DimExpr symbol = dhlo::getSymbolDim(dim.getSymNameAttr());
    DimExpr expanded = dims.expand(symbol);
    if (isAtom(expanded)) {
      if (!expanded.isSymbol())
        names.try_emplace(expanded, symbol);
      continue;
    }
    // W = max(H, 8) + 1 also names the maximum.
    if (expanded.getKind() == DimExprKind::Add &&
        expanded.getNumOperands() == 1) {
      DimExpr term = expanded.getOperand(0);
      if (isAtom(term) && !term.isSymbol())
        names.try_emplace(term, dhlo::add(symbol, -expanded.getValue()));
    }
  }
}

DimExpr SizeFormulas::rename(DimExpr expr) const {
  return dhlo::substituteAtoms(expr, [&](DimExpr atom) -> DimExpr {
    if (atom.isSymbol())
      return atom;
    if (DimExpr name = names.lookup(atom))
      return name;
    DimExpr result = rename(atom.getOperand(0));
    for (unsigned i = 1; i != atom.getNumOperands(); ++i)
      result =
          dhlo::combine(atom.getKind(), result, rename(atom.getOperand(i)));
    return result;
  });
}

std::optional<int64_t> SizeFormulas::getValue(DimExpr expr) const {
  auto getSymbol = [&](StringAttr name) -> std::optional<int64_t> {
    auto given = values.find(name.getValue());
    if (given != values.end())
      return given->second;
    SmallVector<int64_t> likely = dims.getLikely(dhlo::getSymbolDim(name));
    return likely.empty() ? std::nullopt : std::optional(likely.front());
  };
  return dhlo::evaluate(dims.expand(expr), getSymbol);
}

std::string SizeFormulas::print(DimExpr expr) {
  std::string text;
  llvm::raw_string_ostream os(text);
  dhlo::printDimExpr(os, expr);
  return toUtf8(text);
}

static json::Value getTree(DimExpr expr) {
  if (expr.isConst())
    return expr.getValue();
  if (expr.isSymbol())
    return toUtf8(expr.getName().getValue());
  json::Array tree{dhlo::stringifyDimExprKind(expr.getKind())};
  if (expr.getKind() == DimExprKind::Mul ||
      (expr.getKind() == DimExprKind::Add && expr.getValue() != 0))
    tree.push_back(expr.getValue());
  for (unsigned i = 0; i != expr.getNumOperands(); ++i)
    tree.push_back(getTree(expr.getOperand(i)));
  return tree;
}

json::Object SizeFormulas::write(DimExpr expr) {
  return json::Object{{"text", print(expr)}, {"tree", getTree(expr)}};
}

json::Object SizeFormulas::explain(DimExpr expr) const {
  json::Object formula = write(rename(dims.expand(expr)));
  if (auto value = getValue(expr))
    formula["value"] = *value;
  return formula;
}
