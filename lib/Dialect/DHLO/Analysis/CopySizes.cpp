//===- CopySizes.cpp - Sizes of copied operations -------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DHLO/Analysis/CopySizes.h"

#include "dyn/Dialect/DHLO/IR/Inference.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace dyn;
using dyn::dhlo::DimExpr;

CopySizes::CopySizes(Operation *source, DimBuilder &symbols)
    : symbols(symbols) {
  Operation *table = symbols.getDims().getOperation();
  SmallVector<dhlo::DimOp> copies;
  source->walk([&](dhlo::BindsDims op) {
    SmallVector<StringAttr> bound = op.getBoundDims();
    llvm::append_range(bound, op.getRegionDims());
    for (StringAttr name : bound) {
      auto dim = dyn_cast_or_null<dhlo::DimOp>(
          SymbolTable::lookupSymbolIn(table, name));
      if (!dim || names.contains(name))
        continue;
      // Declared by its name, then with the facts of the other one.
      DimExpr own = symbols.createSymbol(name.getValue());
      names[name] = own.getName();
      auto copy =
          cast<dhlo::DimOp>(SymbolTable::lookupSymbolIn(table, own.getName()));
      copy.setMinAttr(dim.getMinAttr());
      copy.setMaxAttr(dim.getMaxAttr());
      copy.setMultipleOfAttr(dim.getMultipleOfAttr());
      copy.setAtMostAttr(dim.getAtMostAttr());
      copy.setLikelyAttr(dim.getLikelyAttr());
      copies.push_back(copy);
    }
  });
  for (dhlo::DimOp copy : copies)
    if (DimExpr bound = copy.getAtMostAttr())
      copy.setAtMostAttr(replace(bound));
  if (!copies.empty())
    symbols.reread();
}

DimExpr CopySizes::replace(DimExpr expr) const {
  DimExpr expanded = symbols.getDims().expand(expr);
  DimExpr replaced =
      dhlo::substitute(expanded, [&](StringAttr name) -> DimExpr {
        StringAttr own = names.lookup(name);
        return own ? dhlo::getSymbolDim(own) : DimExpr();
      });
  return replaced == expanded ? expr : replaced;
}

RankedTensorType CopySizes::replace(RankedTensorType type) const {
  dhlo::Sizes sizes = dhlo::getDims(type);
  bool changes = false;
  for (DimExpr &size : sizes) {
    DimExpr other = size ? replace(size) : size;
    changes |= other != size;
    size = other;
  }
  return changes ? symbols.getTensorType(sizes, type.getElementType()) : type;
}

void CopySizes::apply(Operation *copy) const {
  if (names.empty())
    return;
  AttrTypeReplacer replacer;
  replacer.addReplacement(
      [&](RankedTensorType type) -> std::pair<Type, WalkResult> {
        return {replace(type), WalkResult::skip()};
      });
  replacer.addReplacement(
      [&](dhlo::DimExprAttr expr) -> std::pair<Attribute, WalkResult> {
        return {replace(expr), WalkResult::skip()};
      });
  replacer.addReplacement(
      [&](FlatSymbolRefAttr symbol) -> std::pair<Attribute, WalkResult> {
        StringAttr own = names.lookup(symbol.getAttr());
        return {own ? FlatSymbolRefAttr::get(own) : symbol, WalkResult::skip()};
      });
  replacer.recursivelyReplaceElementsIn(copy, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
}
