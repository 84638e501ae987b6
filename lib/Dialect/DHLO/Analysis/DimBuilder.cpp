//===- DimBuilder.cpp - Declares symbolic sizes ---------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DHLO/Analysis/DimBuilder.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dhlo;

DimExpr DimBuilder::declare(StringRef hint, DimExpr definition, IntegerAttr min,
                            IntegerAttr max, DimExpr bound) {
  Operation *symbolTable = dims.getOperation();
  Block &body = symbolTable->getRegion(0).front();
  OpBuilder builder(symbolTable->getContext());
  builder.setInsertionPointToStart(&body);
  for (DimOp dim : body.getOps<DimOp>())
    builder.setInsertionPointAfter(dim);

  std::string name = hint.str();
  for (unsigned i = 1; SymbolTable::lookupSymbolIn(symbolTable, name); ++i)
    name = (hint + "_" + Twine(i)).str();
  auto dim = DimOp::create(builder, symbolTable->getLoc(),
                           builder.getStringAttr(name), definition, min, max,
                           IntegerAttr(), bound, DenseI64ArrayAttr());
  dims.addDeclaration(dim);
  return getSymbolDim(dim.getSymNameAttr());
}

DimExpr DimBuilder::getOrCreateSymbol(DimExpr expr, StringRef hint) {
  if (DimExpr name = dims.findName(expr))
    return name;
  return declare(hint, dims.expand(expr), {}, {}, {});
}

DimExpr DimBuilder::createSymbol(StringRef hint, int64_t min,
                                 std::optional<int64_t> max, DimExpr bound) {
  Builder builder(dims.getOperation()->getContext());
  IntegerAttr minAttr = builder.getI64IntegerAttr(min);
  IntegerAttr maxAttr = max ? builder.getI64IntegerAttr(*max) : IntegerAttr();
  return declare(hint, {}, minAttr, maxAttr, bound);
}

RankedTensorType DimBuilder::getTensorType(ArrayRef<DimExpr> sizes,
                                           Type elementType) {
  SmallVector<DimExpr> named;
  for (DimExpr size : sizes)
    named.push_back(getOrCreateSymbol(size));
  return dhlo::getTensorType(named, elementType);
}
