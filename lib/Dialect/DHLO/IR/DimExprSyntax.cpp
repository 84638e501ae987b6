//===- DimExprSyntax.cpp - Text of size expressions -----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DHLO/IR/DimExprSize.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace dyn::dhlo {

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

namespace {
/// Precedence of an expression: sums, then multiplications, then all others.
int precedence(DimExpr expr) {
  switch (expr.getKind()) {
  case DimExprKind::Add:
    return 0;
  case DimExprKind::Mul:
  case DimExprKind::FloorDiv:
  case DimExprKind::CeilDiv:
  case DimExprKind::Mod:
    return 1;
  default:
    return 2;
  }
}

void printOperand(llvm::raw_ostream &os, DimExpr expr, int least) {
  bool parens = precedence(expr) < least;
  if (parens)
    os << '(';
  printDimExpr(os, expr);
  if (parens)
    os << ')';
}

/// Most names are identifiers. The others are quoted by SymbolRefAttr, which
/// sets up a printer and takes a hundred times as long.
void printSymbol(llvm::raw_ostream &os, StringAttr name) {
  StringRef text = name.getValue();
  auto isPart = [](char c) {
    return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$';
  };
  if (!text.empty() && !llvm::isDigit(text.front()) &&
      llvm::all_of(text, isPart))
    os << '@' << text;
  else
    os << FlatSymbolRefAttr::get(name);
}

void printProduct(llvm::raw_ostream &os, DimExpr expr, int64_t coefficient) {
  if (coefficient != 1)
    os << coefficient << " * ";
  // A division as an operand of `*` needs parentheses: 2 * (a floordiv b).
  for (unsigned i = 0; i != expr.getNumOperands(); ++i) {
    if (i)
      os << " * ";
    printOperand(os, expr.getOperand(i), 2);
  }
}
} // namespace

void printDimExpr(llvm::raw_ostream &os, DimExpr expr) {
  auto binary = [&](StringRef word) {
    printOperand(os, expr.getOperand(0), 2);
    os << ' ' << word << ' ';
    printOperand(os, expr.getOperand(1), 2);
  };
  auto call = [&](StringRef word) {
    os << word << '(';
    for (unsigned i = 0; i != expr.getNumOperands(); ++i) {
      os << (i ? ", " : "");
      printDimExpr(os, expr.getOperand(i));
    }
    os << ')';
  };
  switch (expr.getKind()) {
  case DimExprKind::Const:
    os << expr.getValue();
    return;
  case DimExprKind::Symbol:
    return printSymbol(os, expr.getName());
  case DimExprKind::Mul:
    return printProduct(os, expr, expr.getValue());
  case DimExprKind::Add: {
    for (unsigned i = 0; i != expr.getNumOperands(); ++i) {
      DimExpr term = expr.getOperand(i);
      bool negative = term.getKind() == DimExprKind::Mul && term.getValue() < 0;
      if (i)
        os << (negative ? " - " : " + ");
      if (negative && i)
        printProduct(os, term, -term.getValue());
      else
        printDimExpr(os, term);
    }
    if (expr.getValue() > 0)
      os << " + " << expr.getValue();
    else if (expr.getValue() < 0)
      os << " - " << 0 - static_cast<uint64_t>(expr.getValue());
    return;
  }
  case DimExprKind::FloorDiv:
    return binary("floordiv");
  case DimExprKind::CeilDiv:
    return binary("ceildiv");
  case DimExprKind::Mod:
    return binary("mod");
  case DimExprKind::Min:
    return call("min");
  case DimExprKind::Max:
    return call("max");
  case DimExprKind::Broadcast:
    return call("broadcast");
  }
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

namespace {
/// The maximum number of terms when sums are multiplied. Printed expressions
/// only multiply symbols and divisions.
constexpr unsigned kMostTerms = 256;

/// The maximum nesting of sizes, to bound the stack.
constexpr unsigned kMostNested = 256;

/// Recursive descent over: sum = term (('+' | '-') term)*, term = atom (('*' |
/// 'floordiv' | 'ceildiv' | 'mod') atom)*.
class Parser {
public:
  explicit Parser(AsmParser &parser) : parser(parser) {}

  DimExpr parseSum() {
    DimExpr lhs = parseProduct();
    while (lhs) {
      if (succeeded(parser.parseOptionalPlus())) {
        DimExpr rhs = parseProduct();
        lhs = rhs ? add(lhs, rhs) : DimExpr();
        continue;
      }
      if (succeeded(parser.parseOptionalMinus())) {
        DimExpr rhs = parseProduct();
        lhs = rhs ? sub(lhs, rhs) : DimExpr();
        continue;
      }
      return lhs;
    }
    return lhs;
  }

private:
  DimExpr parseProduct() {
    DimExpr lhs = parseAtom();
    while (lhs) {
      std::optional<DimExprKind> kind;
      if (succeeded(parser.parseOptionalStar()))
        kind = DimExprKind::Mul;
      else if (succeeded(parser.parseOptionalKeyword("floordiv")))
        kind = DimExprKind::FloorDiv;
      else if (succeeded(parser.parseOptionalKeyword("ceildiv")))
        kind = DimExprKind::CeilDiv;
      else if (succeeded(parser.parseOptionalKeyword("mod")))
        kind = DimExprKind::Mod;
      if (!kind)
        return lhs;
      llvm::SMLoc loc = parser.getCurrentLocation();
      DimExpr rhs = parseAtom();
      if (!rhs)
        return {};
      if (*kind != DimExprKind::Mul && rhs.isConst(0)) {
        parser.emitError(loc, "expected a divisor that is not zero");
        return {};
      }
      if (*kind == DimExprKind::Mul &&
          uint64_t(getNumTerms(lhs)) * getNumTerms(rhs) > kMostTerms) {
        parser.emitError(loc, "expected a product of at most ")
            << kMostTerms << " terms";
        return {};
      }
      lhs = combine(*kind, lhs, rhs);
    }
    return lhs;
  }

  DimExpr parseAtom() {
    llvm::SMLoc loc = parser.getCurrentLocation();
    if (nested == kMostNested) {
      parser.emitError(loc, "expected at most ")
          << kMostNested << " sizes within sizes";
      return {};
    }
    ++nested;
    DimExpr atom = parseAtomAt(loc);
    --nested;
    return atom;
  }

  DimExpr parseAtomAt(llvm::SMLoc loc) {
    if (succeeded(parser.parseOptionalMinus()))
      return parseNegative(loc);
    APInt literal;
    OptionalParseResult integer = parser.parseOptionalInteger(literal);
    if (integer.has_value())
      return failed(*integer) ? DimExpr() : makeConst(loc, literal);
    StringAttr name;
    if (succeeded(parser.parseOptionalSymbolName(name)))
      return getSymbolDim(name);
    if (succeeded(parser.parseOptionalLParen())) {
      DimExpr sum = parseSum();
      if (!sum || failed(parser.parseRParen()))
        return {};
      return sum;
    }
    for (DimExprKind kind :
         {DimExprKind::Min, DimExprKind::Max, DimExprKind::Broadcast})
      if (succeeded(parser.parseOptionalKeyword(stringifyDimExprKind(kind))))
        return parseCall(kind);
    parser.emitError(parser.getCurrentLocation(),
                     "expected a size: an integer, a symbol, min, max, "
                     "broadcast or a parenthesis");
    return {};
  }

  /// Parses the operand of a unary minus: a literal, as 2^63 is not
  /// representable but -2^63 is, or an atom.
  DimExpr parseNegative(llvm::SMLoc loc) {
    APInt literal;
    OptionalParseResult integer = parser.parseOptionalInteger(literal);
    if (integer.has_value())
      return failed(*integer)
                 ? DimExpr()
                 : makeConst(loc, -literal.sext(literal.getBitWidth() + 1));
    DimExpr atom = parseAtom();
    return atom ? mul(atom, -1) : DimExpr();
  }

  DimExpr makeConst(llvm::SMLoc loc, const APInt &literal) {
    if (!literal.isSignedIntN(64)) {
      parser.emitError(loc, "expected an integer that fits 64 bits");
      return {};
    }
    return getConstDim(parser.getContext(), literal.getSExtValue());
  }

  DimExpr parseCall(DimExprKind kind) {
    DimExpr result;
    auto parseOperand = [&]() -> ParseResult {
      DimExpr operand = parseSum();
      if (!operand)
        return failure();
      result = result ? combine(kind, result, operand) : operand;
      return success();
    };
    if (failed(parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren,
                                              parseOperand)))
      return {};
    if (!result)
      parser.emitError(parser.getCurrentLocation(), "expected an operand");
    return result;
  }

  AsmParser &parser;
  unsigned nested = 0;
};
} // namespace

DimExpr parseDimExpr(AsmParser &parser) { return Parser(parser).parseSum(); }

void printDimExprs(OpAsmPrinter &printer, Operation *, ArrayAttr exprs) {
  printer << '[';
  llvm::interleaveComma(exprs, printer.getStream(), [&](Attribute expr) {
    printDimExpr(printer.getStream(), cast<DimExprAttr>(expr));
  });
  printer << ']';
}

ParseResult parseDimExprs(OpAsmParser &parser, ArrayAttr &exprs) {
  SmallVector<Attribute> values;
  auto parseOne = [&]() -> ParseResult {
    values.push_back(parseDimExpr(parser));
    return success(values.back() != nullptr);
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  exprs = parser.getBuilder().getArrayAttr(values);
  return success();
}

Attribute DimExprAttr::parse(AsmParser &parser, Type) {
  if (failed(parser.parseLess()))
    return {};
  DimExpr expr = parseDimExpr(parser);
  if (!expr || failed(parser.parseGreater()))
    return {};
  return expr;
}

void DimExprAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printDimExpr(printer.getStream(), *this);
  printer << '>';
}

} // namespace dyn::dhlo
