//===- DimBuilderTest.cpp - Declarations of sizes -------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include "dyn/Dialect/DHLO/Analysis/DimBuilder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"

#include "gmock/gmock.h"

using namespace dyn;
using namespace dyn::dhlo;
using testing::ElementsAre;

namespace {

class DimBuilderTest : public test::SizeTest {
protected:
  DimBuilderTest() { context.loadDialect<mlir::func::FuncDialect>(); }

  /// The declarations of a symbol table, in their order.
  static std::vector<std::string> getDeclarations(mlir::Operation *table) {
    std::vector<std::string> texts;
    for (DimOp dim : table->getRegion(0).front().getOps<DimOp>()) {
      std::string text;
      llvm::raw_string_ostream(text) << dim;
      texts.push_back(llvm::StringRef(text).rtrim().str());
    }
    return texts;
  }
};

TEST_F(DimBuilderTest, DeclaresFacts) {
  auto module = parse("dhlo.dim @S in [1, 512]");
  SymbolicDims dims(*module);
  DimBuilder builder(dims);
  DimExpr k = builder.createSymbol("k", 2, 900, expr("2 * @S"));
  EXPECT_THAT(getDeclarations(*module),
              ElementsAre("dhlo.dim @S in [1, 512]",
                          "dhlo.dim @k in [2, 900] at_most 2 * @S"));
  // The object that the builder was made with knows them.
  EXPECT_EQ(dims.getRange(k).min, 2);
  EXPECT_EQ(dims.getRange(k).max, 900);
  EXPECT_TRUE(dims.isAtMost(k, expr("2 * @S")));
  EXPECT_FALSE(dims.isAtMost(k, expr("@S")));
}

TEST_F(DimBuilderTest, SizesAreAtLeastZeroByDefault) {
  auto module = parse("");
  SymbolicDims dims(*module);
  DimBuilder(dims).createSymbol("k");
  EXPECT_THAT(getDeclarations(*module), ElementsAre("dhlo.dim @k in [0, ?]"));
}

/// Nothing is known of what will be bound, so two of them are not one.
TEST_F(DimBuilderTest, SymbolsToBeBoundAreNotReused) {
  auto module = parse("");
  SymbolicDims dims(*module);
  DimBuilder builder(dims);
  DimExpr first = builder.createSymbol("k", 1, 4);
  DimExpr second = builder.createSymbol("k", 1, 4);
  EXPECT_NE(first, second);
  EXPECT_FALSE(dims.isEqual(first, second));
}

TEST_F(DimBuilderTest, NamesAreFree) {
  auto module = parse(R"(
    dhlo.dim @k
    dhlo.dim @k_2
    func.func private @n())");
  SymbolicDims dims(*module);
  DimBuilder builder(dims);
  EXPECT_EQ(print(builder.createSymbol("k")), "@k_1");
  EXPECT_EQ(print(builder.createSymbol("k")), "@k_3");
  // A function is a symbol of the same table.
  EXPECT_EQ(print(builder.getOrCreateSymbol(expr("@k + 1"), "n")), "@n_1");
  EXPECT_EQ(print(builder.getOrCreateSymbol(expr("@k + 2"))), "@d");
  EXPECT_TRUE(succeeded(mlir::verify(*module)));
}

TEST_F(DimBuilderTest, TheFirstDeclarationOfASizeIsItsName) {
  auto module = parse(R"(
    dhlo.dim @B
    dhlo.dim @S
    dhlo.dim @T = @B * @S
    dhlo.dim @U = @S * @B)");
  SymbolicDims dims(*module);
  DimBuilder builder(dims);
  EXPECT_EQ(print(builder.getOrCreateSymbol(expr("@B * @S"))), "@T");
  // A symbol is its own name, even if there is an equal one.
  EXPECT_EQ(print(builder.getOrCreateSymbol(expr("@U"))), "@U");
  EXPECT_EQ(getDeclarations(*module).size(), 4u);
}

/// Facts make a constant of it, which needs no name.
TEST_F(DimBuilderTest, KnownSizesAreConstants) {
  auto module = parse("dhlo.dim @ONE in [1, 1]\ndhlo.dim @S in [1, 7]");
  SymbolicDims dims(*module);
  DimBuilder builder(dims);
  EXPECT_EQ(builder.getOrCreateSymbol(expr("3 * @ONE")), expr("3"));
  EXPECT_EQ(builder.getOrCreateSymbol(expr("@S floordiv 8")), expr("0"));
  EXPECT_EQ(getDeclarations(*module).size(), 2u);
}

/// A definition holds bound symbols only, simplified by their facts.
TEST_F(DimBuilderTest, DefinitionsAreExpanded) {
  auto module = parse(R"(
    dhlo.dim @B in [1, 64]
    dhlo.dim @S in [1, 512]
    dhlo.dim @T = @B * @S)");
  SymbolicDims dims(*module);
  DimBuilder(dims).getOrCreateSymbol(expr("max(@T, 1) + 1"), "n");
  EXPECT_EQ(getDeclarations(*module).back(), "dhlo.dim @n = @B * @S + 1");
}

/// Before what uses them, and behind what they are defined by.
TEST_F(DimBuilderTest, DeclarationsStayTogether) {
  auto module = parse(R"(
    dhlo.dim @S
    func.func private @f()
    dhlo.dim @R
    func.func private @g())");
  SymbolicDims dims(*module);
  DimBuilder builder(dims);
  builder.getOrCreateSymbol(expr("@R + 1"), "n");
  std::vector<std::string> names;
  for (mlir::Operation &op : *module->getBody())
    names.push_back(mlir::SymbolTable::getSymbolName(&op).str());
  EXPECT_THAT(names, ElementsAre("S", "f", "R", "n", "g"));
}

TEST_F(DimBuilderTest, TheFirstDeclarationComesFirst) {
  auto module = parse("func.func private @f()");
  SymbolicDims dims(*module);
  DimBuilder(dims).createSymbol("k");
  EXPECT_TRUE(mlir::isa<DimOp>(module->getBody()->front()));
}

/// A table inside of another one has its own symbols.
TEST_F(DimBuilderTest, DeclaresInItsOwnTable) {
  auto module = parse(R"(
    dhlo.dim @k
    module @inner {
      dhlo.dim @S
    })");
  auto inner = *module->getOps<mlir::ModuleOp>().begin();
  SymbolicDims dims(inner);
  DimBuilder builder(dims);
  EXPECT_EQ(print(builder.createSymbol("k")), "@k");
  EXPECT_EQ(getDeclarations(inner).size(), 2u);
  EXPECT_EQ(getDeclarations(*module).size(), 1u);
}

TEST_F(DimBuilderTest, TypesNameTheirSizes) {
  auto module = parse("dhlo.dim @S");
  SymbolicDims dims(*module);
  DimBuilder builder(dims);
  mlir::Type f32 = mlir::Float32Type::get(&context);
  auto getText = [&](llvm::ArrayRef<DimExpr> sizes) {
    std::string text;
    llvm::raw_string_ostream(text) << builder.getTensorType(sizes, f32);
    return text;
  };
  EXPECT_EQ(getText({}), "tensor<f32>");
  EXPECT_EQ(getText({expr("4"), expr("8")}), "tensor<4x8xf32>");
  // Twice the same size is one declaration.
  EXPECT_EQ(getText({expr("2 * @S"), expr("4"), expr("@S + @S"), expr("@S")}),
            "tensor<?x4x?x?xf32, #dhlo.dims<d, d, S>>");
  EXPECT_THAT(getDeclarations(*module),
              ElementsAre("dhlo.dim @S", "dhlo.dim @d = 2 * @S"));
}

/// Answers are memoized, those about other declarations, too.
TEST_F(DimBuilderTest, ChangedDeclarationsAreReadAgain) {
  auto module =
      parse("dhlo.dim @S\ndhlo.dim @T = 2 * @S\ndhlo.dim @U = @T + 1");
  SymbolicDims dims(*module);
  DimBuilder builder(dims);
  EXPECT_EQ(dims.expand(expr("@U")), expr("2 * @S + 1"));
  for (DimOp dim : module->getOps<DimOp>())
    if (dim.getSymName() == "T")
      dim.setDefinitionAttr(expr("3 * @S"));
  builder.reread();
  EXPECT_EQ(dims.expand(expr("@U")), expr("3 * @S + 1"));
  EXPECT_EQ(print(builder.getOrCreateSymbol(expr("3 * @S"))), "@T");
}

} // namespace
