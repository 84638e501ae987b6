//===- Support.h - Utilities for tests of sizes ---------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TEST_UNIT_ANALYSIS_SUPPORT_H
#define DYN_TEST_UNIT_ANALYSIS_SUPPORT_H

#include "dyn/Dialect/DHLO/Analysis/SymbolicDims.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"
#include <map>
#include <random>

namespace dyn::test {

using Values = std::map<std::string, int64_t>;

/// A context with dhlo, and shorthands for expressions and modules.
class SizeTest : public ::testing::Test {
protected:
  SizeTest() { context.loadDialect<dhlo::DHLODialect>(); }

  dhlo::DimExpr expr(llvm::StringRef text) {
    std::string whole = ("#dhlo.expr<" + text + ">").str();
    auto attr = mlir::parseAttribute(whole, &context);
    EXPECT_TRUE(attr) << whole;
    return llvm::cast<dhlo::DimExpr>(attr);
  }
  static std::string print(dhlo::DimExpr expr) {
    std::string text;
    llvm::raw_string_ostream os(text);
    dhlo::printDimExpr(os, expr);
    return text;
  }
  static std::optional<int64_t> evaluate(dhlo::DimExpr expr,
                                         const Values &values) {
    return dhlo::evaluate(expr, [&](mlir::StringAttr name) {
      auto it = values.find(name.str());
      return it == values.end() ? std::nullopt
                                : std::optional<int64_t>(it->second);
    });
  }
  mlir::OwningOpRef<mlir::ModuleOp> parse(llvm::StringRef text) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text.str();
    return module;
  }

  mlir::MLIRContext context;
};

} // namespace dyn::test

#endif // DYN_TEST_UNIT_ANALYSIS_SUPPORT_H
