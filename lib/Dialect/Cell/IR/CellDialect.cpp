//===- CellDialect.cpp - The cell dialect and its type --------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/Cell/IR/Cell.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::cell;

#include "dyn/Dialect/Cell/IR/CellDialect.cpp.inc"
#include "dyn/Dialect/Cell/IR/CellEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dyn/Dialect/Cell/IR/CellAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dyn/Dialect/Cell/IR/CellTypes.cpp.inc"

void CellDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dyn/Dialect/Cell/IR/CellTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dyn/Dialect/Cell/IR/CellAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dyn/Dialect/Cell/IR/CellOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// RoutesType
//===----------------------------------------------------------------------===//

Type RoutesType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  dhlo::DimExpr cells, rows;
  int64_t paths;
  if (parser.parseLess() || !(cells = dhlo::parseDimExpr(parser)) ||
      parser.parseComma() || parser.parseInteger(paths) ||
      parser.parseComma() || !(rows = dhlo::parseDimExpr(parser)) ||
      parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    cells, paths, rows);
}

void RoutesType::print(AsmPrinter &printer) const {
  printer << '<';
  dhlo::printDimExpr(printer.getStream(), getCells());
  printer << ", " << getPaths() << ", ";
  dhlo::printDimExpr(printer.getStream(), getRows());
  printer << '>';
}

LogicalResult
RoutesType::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                   dhlo::DimExpr, int64_t paths, dhlo::DimExpr) {
  // routes_c1
  if (paths < 1)
    return emitError() << "expected at least one path, found " << paths;
  return success();
}
