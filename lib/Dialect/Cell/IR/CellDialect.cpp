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

//===----------------------------------------------------------------------===//
// PredictionAttr
//===----------------------------------------------------------------------===//

LogicalResult
PredictionAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                       PredictionKind kind, StringAttr after,
                       llvm::ArrayRef<int64_t> paths, int64_t share) {
  // prediction_c1
  if (share < 0 || share > 1024)
    return emitError() << "expected a share from 0 to 1024, found " << share;
  // prediction_c2
  if (paths.empty() != (kind == PredictionKind::Early))
    return emitError() << "expected paths unless the prediction is early";
  if ((after != nullptr) != (kind == PredictionKind::After))
    return emitError()
           << "expected the key of a router if and only if the kind is after";
  return success();
}

LogicalResult CellDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attribute) {
  // cell_c3
  if (attribute.getName() == kPaysFromAttr) {
    auto share = llvm::dyn_cast<IntegerAttr>(attribute.getValue());
    if (llvm::isa<RouteOp>(op) && share && share.getValue().sge(0) &&
        share.getValue().sle(1024))
      return success();
    return op->emitOpError("expected '")
           << kPaysFromAttr << "' to be from 0 to 1024, on a router";
  }
  if (attribute.getName() != kSpeculateAttr &&
      attribute.getName() != kPreloadAttr)
    return success();
  auto route = llvm::dyn_cast<RouteOp>(op);
  auto prediction = llvm::dyn_cast<PredictionAttr>(attribute.getValue());
  // cell_c1
  if (!route || !prediction)
    return op->emitOpError("expected '") << attribute.getName().getValue()
                                         << "' to be a prediction, on a router";
  // cell_c2
  int64_t paths = route.getRoutes().getType().getPaths();
  for (int64_t path : prediction.getPaths())
    if (path < 0 || path >= paths)
      return op->emitOpError("expected a prediction of one of ")
             << paths << " paths, found " << path;
  return success();
}
