//===- DHLOOps.cpp - Custom syntax and interfaces of dhlo operations ------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DHLO/IR/Inference.h"

using namespace mlir;
using namespace dyn::dhlo;

//===----------------------------------------------------------------------===//
// Custom directives
//===----------------------------------------------------------------------===//

/// Prints `= expr`, and the facts ` in [min, max] multiple_of m likely [...]`.
static void printDimFacts(OpAsmPrinter &printer, Operation *,
                          DimExprAttr definition, IntegerAttr min,
                          IntegerAttr max, IntegerAttr multipleOf,
                          DimExprAttr atMost, DenseI64ArrayAttr likely) {
  if (definition) {
    printer << "= ";
    printDimExpr(printer.getStream(), definition);
  }
  if (min || max) {
    printer << (definition ? " in [" : "in [") << (min ? min.getInt() : 0)
            << ", ";
    if (max)
      printer << max.getInt();
    else
      printer << '?';
    printer << ']';
  }
  if (multipleOf)
    printer << " multiple_of " << multipleOf.getInt();
  if (atMost) {
    printer << " at_most ";
    printDimExpr(printer.getStream(), atMost);
  }
  if (likely) {
    printer << " likely [";
    llvm::interleaveComma(likely.asArrayRef(), printer.getStream());
    printer << ']';
  }
}

static ParseResult parseDimFacts(OpAsmParser &parser, DimExprAttr &definition,
                                 IntegerAttr &min, IntegerAttr &max,
                                 IntegerAttr &multipleOf, DimExprAttr &atMost,
                                 DenseI64ArrayAttr &likely) {
  Builder &builder = parser.getBuilder();
  if (succeeded(parser.parseOptionalEqual())) {
    definition = parseDimExpr(parser);
    if (!definition)
      return failure();
  }
  auto parseInt = [&](IntegerAttr &attr) -> ParseResult {
    int64_t value;
    if (parser.parseInteger(value))
      return failure();
    attr = builder.getI64IntegerAttr(value);
    return success();
  };
  if (succeeded(parser.parseOptionalKeyword("in"))) {
    if (parser.parseLSquare() || parseInt(min) || parser.parseComma())
      return failure();
    if (failed(parser.parseOptionalQuestion()) && parseInt(max))
      return failure();
    if (parser.parseRSquare())
      return failure();
  }
  if (succeeded(parser.parseOptionalKeyword("multiple_of")) &&
      parseInt(multipleOf))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("at_most"))) {
    atMost = parseDimExpr(parser);
    if (!atMost)
      return failure();
  }
  if (succeeded(parser.parseOptionalKeyword("likely"))) {
    SmallVector<int64_t> values;
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
          return parser.parseInteger(values.emplace_back());
        }))
      return failure();
    likely = builder.getDenseI64ArrayAttr(values);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// BindsDims
//===----------------------------------------------------------------------===//

SmallVector<StringAttr> BindOp::getBoundDims() {
  return {getSymbolAttr().getAttr()};
}
SmallVector<StringAttr> GuessOp::getBoundDims() {
  return {getSymbolAttr().getAttr()};
}
SmallVector<StringAttr> NonzeroOp::getBoundDims() {
  return {getCountAttr().getAttr()};
}
SmallVector<StringAttr> IfOp::getBoundDims() { return toNames(getBinds()); }
SmallVector<StringAttr> WhileOp::getRegionDims() {
  return toNames(getLoopDims());
}
SmallVector<StringAttr> WhileOp::getBoundDims() {
  return toNames(getResultDims());
}

/// An operation that binds symbols is not dead, even if its results are unused.
static void
addBinding(BindsDims op,
           SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  if (!op.getBoundDims().empty())
    effects.emplace_back(MemoryEffects::Write::get());
}

void IfOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  addBinding(*this, effects);
}
void WhileOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  addBinding(*this, effects);
}

//===----------------------------------------------------------------------===//
// Data errors
//===----------------------------------------------------------------------===//

bool dyn::dhlo::mayFail(Operation *op) { return op->hasTrait<MayFail>(); }

#define GET_OP_CLASSES
#include "dyn/Dialect/DHLO/IR/DHLOOps.cpp.inc"
