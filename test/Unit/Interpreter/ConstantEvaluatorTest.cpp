//===- ConstantEvaluatorTest.cpp - Constants and weights ------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Interpreter/ConstantEvaluator.h"

#include "dyn/Interpreter/Interpreter.h"
#include "dyn/RegisterAll.h"
#include "dyn/Support/Weights.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <numeric>

using namespace dyn;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;

namespace {

/// A folder with a file `w.bin` that contains the floats 0, 1, 2, ... from byte
/// 1 on, so that none is aligned.
class ConstantTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("constants", folder));
    std::vector<float> values(4096);
    std::iota(values.begin(), values.end(), 0.0f);
    std::error_code error;
    llvm::raw_fd_ostream os(path("w.bin"), error);
    os << '\0';
    os.write(reinterpret_cast<const char *>(values.data()),
             values.size() * sizeof(float));
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  std::string path(llvm::StringRef name) {
    llvm::SmallString<128> joined(folder);
    llvm::sys::path::append(joined, name);
    return std::string(joined);
  }

  /// Evaluates the constant of type `type` with this recipe.
  std::vector<float> evaluate(llvm::StringRef type, const std::string &recipe) {
    parse(type, recipe);
    WeightFiles files(folder);
    auto tensorType = mlir::cast<mlir::RankedTensorType>(constant.getType());
    std::vector<float> out(dlhlo::getConstantBytes(tensorType) / sizeof(float),
                           -1);
    EXPECT_TRUE(succeeded(evaluateConstant(
        constant, files,
        {reinterpret_cast<char *>(out.data()), out.size() * sizeof(float)})));
    return out;
  }

  /// The message of a failed evaluation of the constant into `bytes` bytes.
  std::string refuse(size_t bytes) {
    std::string message;
    mlir::ScopedDiagnosticHandler handler(&context,
                                          [&](mlir::Diagnostic &diagnostic) {
                                            if (message.empty())
                                              message = diagnostic.str();
                                          });
    WeightFiles files(folder);
    std::vector<char> out(bytes);
    EXPECT_TRUE(failed(evaluateConstant(constant, files, out)));
    return message;
  }

  void parse(llvm::StringRef type, const std::string &recipe,
             llvm::StringRef yielded = "", llvm::StringRef yield = "") {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    std::string text =
        "dlhlo.constant @c : " + type.str() + " {\n" + recipe +
        "\n  dlhlo.yield " +
        (yield.empty() ? "%r : " + (yielded.empty() ? type : yielded).str()
                       : yield.str()) +
        "\n}\n";
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    ASSERT_TRUE(module);
    constant = *module->getOps<dlhlo::ConstantOp>().begin();
  }

  llvm::SmallString<128> folder;
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  dlhlo::ConstantOp constant;
};

/// The statement that reads a weight of `count` floats from the start.
std::string weight(int64_t count, llvm::StringRef type,
                   llvm::StringRef name = "%r") {
  return (name + " = dhlo.weight <\"w.bin\", offset = 1, length = " +
          llvm::Twine(count * 4) + ", key = \"w\"> : " + type + "\n")
      .str();
}

} // namespace

TEST_F(ConstantTest, CopiesUnalignedBytes) {
  EXPECT_THAT(evaluate("tensor<2x3xf32>", weight(6, "tensor<2x3xf32>")),
              ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST_F(ConstantTest, Transposes) {
  std::vector<float> out = evaluate(
      "tensor<40x50xf32>",
      weight(2000, "tensor<50x40xf32>", "%0") +
          "%r = dhlo.transpose %0 permutation = [1, 0] : (tensor<50x40xf32>) "
          "-> tensor<40x50xf32>");
  for (int i = 0; i != 40; ++i)
    for (int j = 0; j != 50; ++j)
      ASSERT_EQ(out[i * 50 + j], j * 40 + i);
}

TEST_F(ConstantTest, ReshapesWhatATransposeLeftScattered) {
  EXPECT_THAT(evaluate("tensor<6xf32>",
                       weight(6, "tensor<2x3xf32>", "%0") +
                           "%1 = dhlo.transpose %0 permutation = [1, 0] : "
                           "(tensor<2x3xf32>) -> tensor<3x2xf32>\n"
                           "%r = dhlo.reshape %1 : (tensor<3x2xf32>) -> "
                           "tensor<6xf32>"),
              ElementsAre(0, 3, 1, 4, 2, 5));
}

TEST_F(ConstantTest, SlicesAndReverses) {
  EXPECT_THAT(evaluate("tensor<2x2xf32>",
                       weight(12, "tensor<3x4xf32>", "%0") +
                           "%1 = dhlo.slice %0 starts = [1, 3] strides = [1, "
                           "-2] : (tensor<3x4xf32>) -> tensor<2x2xf32>\n"
                           "%r = dhlo.reverse %1 axes = [0] : tensor<2x2xf32>"),
              ElementsAre(11, 9, 7, 5));
}

TEST_F(ConstantTest, InterpretsArithmetic) {
  EXPECT_THAT(
      evaluate("tensor<3xf32>", weight(3, "tensor<3xf32>", "%0") +
                                    "%r = dhlo.add %0, %0 : tensor<3xf32>"),
      ElementsAre(0, 2, 4));
}

TEST_F(ConstantTest, PacksPanels) {
  const int G = 2, K = 70, N = 18;
  std::string plain = "tensor<2x70x18xf32>";
  std::string packed =
      "tensor<2x70x18xf32, #dlhlo.packed<panels16, batch = 1, rows = 1>>";
  std::vector<float> out =
      evaluate(packed, weight(G * K * N, plain, "%0") +
                           "%r = dlhlo.pack %0 : (" + plain + ") -> " + packed);
  ASSERT_EQ(out.size(), size_t(G * 2 * K * 16));
  for (int g = 0; g != G; ++g)
    for (int n = 0; n != 32; ++n)
      for (int k = 0; k != K; ++k)
        ASSERT_EQ(out[((g * 2 + n / 16) * K + k) * 16 + n % 16],
                  n < N ? (g * K + k) * N + n : 0);
}

TEST_F(ConstantTest, PacksWhatIsTransposed) {
  const int K = 33, N = 40;
  std::string packed =
      "tensor<33x40xf32, #dlhlo.packed<panels16, batch = 0, rows = 1>>";
  std::vector<float> out =
      evaluate(packed, weight(K * N, "tensor<40x33xf32>", "%0") +
                           "%1 = dhlo.transpose %0 permutation = [1, 0] : "
                           "(tensor<40x33xf32>) -> tensor<33x40xf32>\n"
                           "%r = dlhlo.pack %1 : (tensor<33x40xf32>) -> " +
                           packed);
  for (int n = 0; n != 48; ++n)
    for (int k = 0; k != K; ++k)
      ASSERT_EQ(out[(n / 16 * K + k) * 16 + n % 16], n < N ? n * K + k : 0);
}

TEST_F(ConstantTest, WritesItsRecipe) {
  parse("tensor<2xf32>",
        weight(2, "tensor<2xf32>", "%0") + "%r = dhlo.neg %0 : tensor<2xf32>");
  llvm::Expected<llvm::json::Value> json =
      llvm::json::parse(getRecipe(constant));
  ASSERT_TRUE(bool(json));
  llvm::json::Array &steps = *json->getAsObject()->getArray("steps");
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(*steps[0].getAsObject()->getObject("source")->getString("key"),
            "w");
  EXPECT_EQ(*steps[1].getAsObject()->getString("op"), "dhlo.neg");
  EXPECT_EQ(*(*steps[1].getAsObject()->getArray("operands"))[0].getAsInteger(),
            0);
}

//===----------------------------------------------------------------------===//
// Constants that cannot be evaluated
//===----------------------------------------------------------------------===//

TEST_F(ConstantTest, RefusesAnotherNumberOfBytes) {
  parse("tensor<2xf32>", weight(2, "tensor<2xf32>"));
  EXPECT_EQ(refuse(7), "'dlhlo.constant' op has 8 bytes, and there is room "
                       "for 7");
}

TEST_F(ConstantTest, RefusesARecipeOfAnotherType) {
  parse("tensor<2xf32>", weight(2, "tensor<1x2xf32>"), "tensor<1x2xf32>");
  EXPECT_EQ(refuse(8), "'dlhlo.constant' op expected a recipe that yields "
                       "'tensor<2xf32>', found 'tensor<1x2xf32>'");
}

TEST_F(ConstantTest, RefusesARecipeOfSeveralValues) {
  parse("tensor<2xf32>", weight(2, "tensor<2xf32>"), "tensor<2xf32>",
        "%r, %r : tensor<2xf32>, tensor<2xf32>");
  EXPECT_EQ(refuse(8), "'dlhlo.constant' op expected a recipe that yields one "
                       "value, found 2");
}

TEST_F(ConstantTest, RefusesAMissingFile) {
  parse("tensor<1xf32>",
        "%r = dhlo.weight <\"none.bin\", offset = 0, length = 4, "
        "key = \"w\"> : tensor<1xf32>");
  EXPECT_THAT(refuse(4), HasSubstr("weights in 'none.bin': cannot open it"));
}

TEST_F(ConstantTest, RefusesWeightsWithoutAFolder) {
  parse("tensor<1xf32>", weight(1, "tensor<1xf32>"));
  std::string message;
  mlir::ScopedDiagnosticHandler handler(
      &context,
      [&](mlir::Diagnostic &diagnostic) { message = diagnostic.str(); });
  mlir::Operation *yield = constant.getRecipe().front().getTerminator();
  EXPECT_TRUE(failed(evaluateValue(yield->getOperand(0), {})));
  EXPECT_EQ(message, "'dhlo.weight' op needs weights, and no folder for them "
                     "is given");
}

TEST_F(ConstantTest, RefusesWhatIsNoRecipe) {
  parse("tensor<1xf32>", "%r = \"arith.constant\"() <{value = dense<1.0> : "
                         "tensor<1xf32>}> : () -> tensor<1xf32>");
  EXPECT_THAT(refuse(4), HasSubstr("is not supported by the interpreter"));
}

//===----------------------------------------------------------------------===//
// Numbers of bytes
//===----------------------------------------------------------------------===//

TEST_F(ConstantTest, CountsBytes) {
  parse("tensor<1xf32>", weight(1, "tensor<1xf32>"));
  auto bytes = [&](const char *type) {
    return dlhlo::getConstantBytes(
        llvm::cast<mlir::RankedTensorType>(mlir::parseType(type, &context)));
  };
  EXPECT_EQ(bytes("tensor<f64>"), 8);
  EXPECT_EQ(bytes("tensor<3x5xi1>"), 15);
  EXPECT_EQ(bytes("tensor<3x0xf16>"), 0);
  EXPECT_EQ(bytes("tensor<?xf32, #dhlo.dims<N>>"), -1);
  EXPECT_EQ(bytes("tensor<4294967296x4294967296xf32>"), -1);
  EXPECT_EQ(bytes("tensor<2305843009213693952xf32>"), -1);
  // Panels are padded to 16 columns.
  EXPECT_EQ(bytes("tensor<3x17xf32, #dlhlo.packed<panels16, batch = 0, rows = "
                  "1>>"),
            3 * 32 * 4);
  EXPECT_EQ(bytes("tensor<2x3x4x4xf32, #dlhlo.packed<panels16, batch = 1, "
                  "rows = 1>>"),
            2 * 3 * 16 * 4);
  // Winograd's transformed filter, and the filter.
  EXPECT_EQ(bytes("tensor<3x3x4x5xf32, #dlhlo.packed<winograd4, batch = 0, "
                  "rows = 3>>"),
            (36 + 9) * 4 * 16 * 4);
  EXPECT_EQ(bytes("tensor<7x5x4x3x2xf32, #dlhlo.packed<winograd4_lines, batch "
                  "= 1, rows = 2>>"),
            7 * 6 * 5 * 4 * 2 * 4);
}
