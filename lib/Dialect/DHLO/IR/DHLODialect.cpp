//===- DHLODialect.cpp - The dhlo dialect and its attributes --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DHLO/IR/DimExprSize.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dhlo;

#include "dyn/Dialect/DHLO/IR/DHLODialect.cpp.inc"
#include "dyn/Dialect/DHLO/IR/DHLOEnums.cpp.inc"
#include "dyn/Dialect/DHLO/IR/DHLOInterfaces.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dyn/Dialect/DHLO/IR/DHLOAttrs.cpp.inc"

void DHLODialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dyn/Dialect/DHLO/IR/DHLOAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dyn/Dialect/DHLO/IR/DHLOOps.cpp.inc"
      >();
  attachDeclarationCheck(getContext());
}

Operation *DHLODialect::materializeConstant(OpBuilder &builder, Attribute value,
                                            Type type, Location loc) {
  auto elements = llvm::dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, elements);
}

//===----------------------------------------------------------------------===//
// DimsAttr
//===----------------------------------------------------------------------===//

Attribute DimsAttr::parse(AsmParser &parser, Type) {
  SmallVector<StringAttr> names;
  auto parseName = [&]() -> ParseResult {
    std::string name;
    if (failed(parser.parseKeywordOrString(&name)))
      return failure();
    names.push_back(StringAttr::get(parser.getContext(), name));
    return success();
  };
  if (failed(parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                            parseName)))
    return {};
  return DimsAttr::get(parser.getContext(), names);
}

void DimsAttr::print(AsmPrinter &printer) const {
  printer << '<';
  llvm::interleaveComma(getNames(), printer, [&](StringAttr name) {
    printer.printKeywordOrString(name.getValue());
  });
  printer << '>';
}

LogicalResult DimsAttr::verifyEncoding(
    ArrayRef<int64_t> shape, Type elementType,
    llvm::function_ref<InFlightDiagnostic()> emitError) const {
  size_t dynamic = llvm::count_if(shape, ShapedType::isDynamic);
  // dims_c1
  if (dynamic != getNames().size())
    return emitError() << "expected one name for each dynamic size, found "
                       << getNames().size() << " names for " << dynamic
                       << " dynamic sizes";
  return success();
}
