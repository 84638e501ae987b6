//===- SymbolicValuesTest.cpp - Shape arithmetic as expressions -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include "dyn/Dialect/DHLO/Analysis/SymbolicValues.h"
#include "dyn/Interpreter/Interpreter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

using namespace dyn;
using namespace dyn::dhlo;
using dyn::test::Values;

namespace {

class SymbolicValuesTest : public test::SizeTest {
protected:
  SymbolicValuesTest() { context.loadDialect<mlir::func::FuncDialect>(); }

  /// The elements of `%r`, which the function `f` with this body returns.
  std::string evaluate(llvm::StringRef body, llvm::StringRef type) {
    module =
        parse(("dhlo.dim @A in [0, 8]\n"
               "dhlo.dim @B in [1, 8]\n"
               "dhlo.dim @E in [0, 64] multiple_of 8\n"
               "dhlo.dim @N\n"
               "dhlo.dim @T = @A - 5 multiple_of 2\n"
               "func.func @f(%x: tensor<2xi64>) -> " +
               type + " {\n  %s = dhlo.from_dims [@A, @B] : tensor<2xi64>" +
               "\n" + body + "\n  return %r : " + type + "\n}")
                  .str());
    if (!module)
      return "no module";
    SymbolicDims dims(*module);
    SymbolicValues values(dims);
    auto function = *module->getOps<mlir::func::FuncOp>().begin();
    mlir::Value result = function.front().getTerminator()->getOperand(0);
    std::string text;
    for (const SymbolicValues::Element &element : values.getElements(result)) {
      text += text.empty() ? "" : ", ";
      if (!element) {
        text += "?";
        continue;
      }
      text += print(element.numerator);
      if (element.denominator != 1)
        text += " / " + std::to_string(element.denominator);
      if (element.mayBeNegativeZero)
        text += " or -0.0";
    }
    return text;
  }

  mlir::OwningOpRef<mlir::ModuleOp> module;
};

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

TEST_F(SymbolicValuesTest, ArgumentsAreUnknown) {
  EXPECT_EQ(evaluate("%r = dhlo.neg %x : tensor<2xi64>", "tensor<2xi64>"),
            "?, ?");
}

TEST_F(SymbolicValuesTest, EmptyTensorsHaveNoElements) {
  EXPECT_EQ(evaluate("%r = dhlo.from_dims [] : tensor<0xi64>", "tensor<0xi64>"),
            "");
}

TEST_F(SymbolicValuesTest, Constants) {
  EXPECT_EQ(evaluate("%r = dhlo.constant dense<[1, -2]> : tensor<2xi32>",
                     "tensor<2xi32>"),
            "1, -2");
  EXPECT_EQ(evaluate("%r = dhlo.constant dense<[true, false]> : tensor<2xi1>",
                     "tensor<2xi1>"),
            "1, 0");
  EXPECT_EQ(evaluate("%r = dhlo.constant dense<[0.5, 3.0]> : tensor<2xf32>",
                     "tensor<2xf32>"),
            "1 / 2, 3");
  // Not a dyadic fraction, NaN, too large for a size.
  EXPECT_EQ(evaluate("%r = dhlo.constant dense<[0.1, 0x7FC00000, 1.0e20]> : "
                     "tensor<3xf32>",
                     "tensor<3xf32>"),
            "?, ?, ?");
  EXPECT_EQ(evaluate("%r = dhlo.constant dense<[18446744073709551615, 7]> : "
                     "tensor<2xui64>",
                     "tensor<2xui64>"),
            "?, 7");
}

TEST_F(SymbolicValuesTest, Iota) {
  EXPECT_EQ(evaluate("%r = dhlo.iota axis = 1 start = [@A] step = [2] : "
                     "tensor<2x2xi64>",
                     "tensor<2x2xi64>"),
            "@A, @A + 2, @A, @A + 2");
}

TEST_F(SymbolicValuesTest, Gather) {
  std::string gather =
      " : tensor<2xi64>\n%r = dhlo.gather %s, %i axis = 0 batch = 0 : "
      "(tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>";
  EXPECT_EQ(
      evaluate("%i = dhlo.constant dense<[1, 0]>" + gather, "tensor<2xi64>"),
      "@B, @A");
  EXPECT_EQ(
      evaluate("%i = dhlo.constant dense<[-1, -2]>" + gather, "tensor<2xi64>"),
      "@B, @A");
  // An index out of range is a data error of the call.
  EXPECT_EQ(
      evaluate("%i = dhlo.constant dense<[2, -3]>" + gather, "tensor<2xi64>"),
      "?, ?");
}

TEST_F(SymbolicValuesTest, ConcatKeepsWhatIsKnown) {
  EXPECT_EQ(evaluate("%r = dhlo.concat %s, %x axis = 0 : (tensor<2xi64>, "
                     "tensor<2xi64>) -> tensor<4xi64>",
                     "tensor<4xi64>"),
            "@A, @B, ?, ?");
}

TEST_F(SymbolicValuesTest, SlicesAndReverses) {
  EXPECT_EQ(evaluate("%r = dhlo.slice %s starts = [1] strides = [-1] : "
                     "(tensor<2xi64>) -> tensor<2xi64>",
                     "tensor<2xi64>"),
            "@B, @A");
  EXPECT_EQ(evaluate("%r = dhlo.reverse %s axes = [0] : tensor<2xi64>",
                     "tensor<2xi64>"),
            "@B, @A");
  // A start that is not constant.
  EXPECT_EQ(evaluate("%r = dhlo.slice %s starts = [@B - 1] strides = [1] : "
                     "(tensor<2xi64>) -> tensor<1xi64>",
                     "tensor<1xi64>"),
            "?");
}

TEST_F(SymbolicValuesTest, ReshapesBroadcastsAndTransposes) {
  EXPECT_EQ(evaluate("%0 = dhlo.reshape %s : (tensor<2xi64>) -> tensor<2x1xi64>"
                     "\n%1 = dhlo.broadcast %0 axes = [0, 1] : "
                     "(tensor<2x1xi64>) -> tensor<2x3xi64>\n"
                     "%r = dhlo.transpose %1 permutation = [1, 0] : "
                     "(tensor<2x3xi64>) -> tensor<3x2xi64>",
                     "tensor<3x2xi64>"),
            "@A, @B, @A, @B, @A, @B");
}

TEST_F(SymbolicValuesTest, Pads) {
  std::string pad = " low = [1] high = [1] : (tensor<2xi64>, tensor<i64>) -> "
                    "tensor<4xi64>";
  std::string value = "%v = dhlo.constant dense<7> : tensor<i64>\n";
  EXPECT_EQ(
      evaluate(value + "%r = dhlo.pad %s, %v constant" + pad, "tensor<4xi64>"),
      "7, @A, @B, 7");
  EXPECT_EQ(
      evaluate(value + "%r = dhlo.pad %x, %v constant" + pad, "tensor<4xi64>"),
      "7, ?, ?, 7");
  EXPECT_EQ(
      evaluate(value + "%r = dhlo.pad %s, %v edge" + pad, "tensor<4xi64>"),
      "?, ?, ?, ?");
}

TEST_F(SymbolicValuesTest, LargeTensorsAreNotLookedAt) {
  EXPECT_EQ(evaluate("%r = dhlo.constant dense<1> : tensor<257xi64>",
                     "tensor<257xi64>"),
            "");
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

TEST_F(SymbolicValuesTest, ZeroTimesTheUnknownIsZero) {
  EXPECT_EQ(evaluate("%z = dhlo.constant dense<0> : tensor<2xi64>\n"
                     "%r = dhlo.mul %x, %z : tensor<2xi64>",
                     "tensor<2xi64>"),
            "0, 0");
}

/// The result may be NaN for floats.
TEST_F(SymbolicValuesTest, ZeroTimesUnknownFloats) {
  std::string floats = "%f = dhlo.convert %x : (tensor<2xi64>) -> tensor<2xf32>"
                       "\n%z = dhlo.constant dense<0.0> : tensor<2xf32>\n";
  EXPECT_EQ(evaluate(floats + "%r = dhlo.mul %f, %z : tensor<2xf32>",
                     "tensor<2xf32>"),
            "?, ?");
  EXPECT_EQ(
      evaluate(floats + "%0 = dhlo.concat %f, %z axis = 0 : (tensor<2xf32>, "
                        "tensor<2xf32>) -> tensor<4xf32>\n"
                        "%r = dhlo.reduce prod %0 axes = [0] : (tensor<4xf32>) "
                        "-> tensor<f32>",
               "tensor<f32>"),
      "?");
}

TEST_F(SymbolicValuesTest, ZerosHaveSigns) {
  EXPECT_EQ(evaluate("%r = dhlo.constant dense<[0.0, -0.0]> : tensor<2xf32>",
                     "tensor<2xf32>"),
            "0, 0 or -0.0");
  std::string floats = "%f = dhlo.convert %s : (tensor<2xi64>) -> tensor<2xf32>"
                       "\n%n = dhlo.neg %f : tensor<2xf32>\n";
  EXPECT_EQ(
      evaluate(floats + "%r = dhlo.neg %n : tensor<2xf32>", "tensor<2xf32>"),
      "@A or -0.0, @B");
  // Converted to integers it is known again.
  EXPECT_EQ(evaluate(floats + "%r = dhlo.convert %n : (tensor<2xf32>) -> "
                              "tensor<2xi64>",
                     "tensor<2xi64>"),
            "-1 * @A, -1 * @B");
  EXPECT_EQ(evaluate("%h = dhlo.constant dense<[-0.5, -1.5]> : tensor<2xf32>\n"
                     "%r = dhlo.ceil %h : tensor<2xf32>",
                     "tensor<2xf32>"),
            "0 or -0.0, -1");
}

/// An element is known if its range shows that the type can represent it.
TEST_F(SymbolicValuesTest, NarrowTypes) {
  std::string sizes =
      "%n = dhlo.from_dims [@A, 300 * @A, 512 * @A, @N] : "
      "tensor<4xi64>\n%r = dhlo.convert %n : (tensor<4xi64>) -> ";
  EXPECT_EQ(evaluate(sizes + "tensor<4xf16>", "tensor<4xf16>"), "@A, ?, ?, ?");
  EXPECT_EQ(evaluate(sizes + "tensor<4xi8>", "tensor<4xi8>"), "@A, ?, ?, ?");
  EXPECT_EQ(evaluate(sizes + "tensor<4xui16>", "tensor<4xui16>"),
            "@A, 300 * @A, 512 * @A, ?");
  EXPECT_EQ(evaluate(sizes + "tensor<4xi32>", "tensor<4xi32>"),
            "@A, 300 * @A, 512 * @A, @N");
  EXPECT_EQ(evaluate("%c = dhlo.constant dense<[256.0, 1.0]> : tensor<2xbf16>\n"
                     "%r = dhlo.reduce sum %c axes = [0] : (tensor<2xbf16>) -> "
                     "tensor<bf16>",
                     "tensor<bf16>"),
            "?");
  EXPECT_EQ(evaluate("%c = dhlo.constant dense<[100, 3]> : tensor<2xi8>\n"
                     "%r = dhlo.add %c, %c : tensor<2xi8>",
                     "tensor<2xi8>"),
            "?, 6");
}

/// Declared facts of a derived symbol are checked only where some dimension has
/// that size.
TEST_F(SymbolicValuesTest, FactsOfDerivedSymbolsDecideNothing) {
  EXPECT_EQ(evaluate("%c = dhlo.constant dense<5> : tensor<2xi64>\n"
                     "%r = dhlo.compare ge %s, %c : tensor<2xi64> -> "
                     "tensor<2xi1>",
                     "tensor<2xi1>"),
            "?, ?");
  EXPECT_EQ(evaluate("%t = dhlo.from_dims [@T] : tensor<1xi64>\n"
                     "%c = dhlo.constant dense<0> : tensor<1xi64>\n"
                     "%r = dhlo.compare ge %t, %c : tensor<1xi64> -> "
                     "tensor<1xi1>",
                     "tensor<1xi1>"),
            "?");
  EXPECT_EQ(evaluate("%t = dhlo.from_dims [@T] : tensor<1xf32>\n"
                     "%c = dhlo.constant dense<0.5> : tensor<1xf32>\n"
                     "%r = dhlo.mul %t, %c : tensor<1xf32>",
                     "tensor<1xf32>"),
            "@A - 5 / 2 or -0.0");
}

TEST_F(SymbolicValuesTest, LongExpressionsAreUnknown) {
  std::string squares = "%0 = dhlo.from_dims [@N] : tensor<i64>\n"
                        "%n = dhlo.from_dims [@A] : tensor<i64>\n";
  std::string quotients = "%0 = dhlo.from_dims [@N] : tensor<i64>\n"
                          "%c = dhlo.constant dense<7> : tensor<i64>\n";
  for (int i = 0; i != 40; ++i) {
    std::string from = std::to_string(i), to = std::to_string(i + 1);
    squares += "%s" + from + " = dhlo.mul %" + from + ", %" + from +
               " : tensor<i64>\n%" + to + " = dhlo.add %s" + from +
               ", %n : tensor<i64>\n";
    quotients += "%q" + from + " = dhlo.div %" + from +
                 ", %c : tensor<i64>\n%" + to + " = dhlo.add %" + from +
                 ", %q" + from + " : tensor<i64>\n";
  }
  std::string result = "%r = dhlo.neg %40 : tensor<i64>";
  EXPECT_EQ(evaluate(squares + result, "tensor<i64>"), "?");
  EXPECT_EQ(evaluate(quotients + result, "tensor<i64>"), "?");
}

TEST_F(SymbolicValuesTest, DivisionTruncates) {
  EXPECT_EQ(evaluate("%c = dhlo.constant dense<2> : tensor<2xi64>\n"
                     "%r = dhlo.div %s, %c : tensor<2xi64>",
                     "tensor<2xi64>"),
            "@A floordiv 2, @B floordiv 2");
  // For numbers that may be negative.
  EXPECT_EQ(evaluate("%c = dhlo.constant dense<2> : tensor<2xi64>\n"
                     "%n = dhlo.neg %s : tensor<2xi64>\n"
                     "%r = dhlo.div %n, %c : tensor<2xi64>",
                     "tensor<2xi64>"),
            "-1 * (max(0, @A) floordiv 2) + max(0, -1 * @A) floordiv 2, "
            "-1 * (max(0, @B) floordiv 2) + max(0, -1 * @B) floordiv 2");
  // A division by zero is a data error of the call.
  EXPECT_EQ(evaluate("%c = dhlo.constant dense<0> : tensor<2xi64>\n"
                     "%r = dhlo.div %s, %c : tensor<2xi64>",
                     "tensor<2xi64>"),
            "?, ?");
}

TEST_F(SymbolicValuesTest, ScalesOfResizes) {
  EXPECT_EQ(evaluate("%h = dhlo.constant dense<0.5> : tensor<2xf32>\n"
                     "%0 = dhlo.convert %s : (tensor<2xi64>) -> tensor<2xf32>\n"
                     "%1 = dhlo.mul %0, %h : tensor<2xf32>\n"
                     "%2 = dhlo.floor %1 : tensor<2xf32>\n"
                     "%r = dhlo.convert %2 : (tensor<2xf32>) -> tensor<2xi64>",
                     "tensor<2xi64>"),
            "@A floordiv 2, @B floordiv 2");
  EXPECT_EQ(evaluate("%h = dhlo.constant dense<0.5> : tensor<1xf32>\n"
                     "%e = dhlo.from_dims [@E] : tensor<1xi64>\n"
                     "%0 = dhlo.convert %e : (tensor<1xi64>) -> tensor<1xf32>\n"
                     "%r = dhlo.mul %0, %h : tensor<1xf32>",
                     "tensor<1xf32>"),
            "@E floordiv 2");
}

TEST_F(SymbolicValuesTest, RootsThatAreExact) {
  EXPECT_EQ(evaluate("%c = dhlo.constant dense<[196.0, 0.25, 0.5, 2.0, -1.0]> "
                     ": tensor<5xf32>\n"
                     "%r = dhlo.sqrt %c : tensor<5xf32>",
                     "tensor<5xf32>"),
            "14, 1 / 2, ?, ?, ?");
}

TEST_F(SymbolicValuesTest, ChoicesThatAreExtremes) {
  EXPECT_EQ(evaluate("%c = dhlo.constant dense<4> : tensor<2xi64>\n"
                     "%p = dhlo.compare lt %s, %c : tensor<2xi64> -> "
                     "tensor<2xi1>\n"
                     "%r = dhlo.select %p, %s, %c : tensor<2xi1>, "
                     "tensor<2xi64>",
                     "tensor<2xi64>"),
            "min(4, @A), min(4, @B)");
}

/// x == y ? z : x is not a broadcast if x is neither y nor z.
TEST_F(SymbolicValuesTest, ChoicesOfEquals) {
  auto choose = [&](const char *compare, const char *select) {
    return evaluate("%n = dhlo.from_dims [@N] : tensor<i64>\n"
                    "%b = dhlo.from_dims [@B] : tensor<i64>\n"
                    "%one = dhlo.constant dense<1> : tensor<i64>\n"
                    "%p = dhlo.compare " +
                        std::string(compare) +
                        " : tensor<i64> -> tensor<i1>\n%r = dhlo.select %p, " +
                        select + " : tensor<i1>, tensor<i64>",
                    "tensor<i64>");
  };
  const char *exact = "@B - @B * min(1, max(0, @N - 1, -1 * @N + 1)) + "
                      "@N * min(1, max(0, @N - 1, -1 * @N + 1))";
  EXPECT_EQ(choose("eq %n, %one", "%b, %n"), exact);
  EXPECT_EQ(choose("eq %one, %n", "%b, %n"), exact);
  EXPECT_EQ(choose("ne %n, %one", "%n, %b"), exact);
  EXPECT_EQ(choose("eq %n, %one", "%one, %n"), "@N");
  EXPECT_EQ(choose("eq %n, %b", "%n, %b"), "@B");
  EXPECT_EQ(choose("eq %n, %b", "%one, %one"), "1");
  EXPECT_EQ(choose("eq %n, %b", "%b, %one"), "?");
}

TEST_F(SymbolicValuesTest, FactsDecideComparisons) {
  EXPECT_EQ(evaluate("%c = dhlo.constant dense<[0, 9]> : tensor<2xi64>\n"
                     "%r = dhlo.compare ge %s, %c : tensor<2xi64> -> "
                     "tensor<2xi1>",
                     "tensor<2xi1>"),
            "1, 0");
  EXPECT_EQ(evaluate("%c = dhlo.constant dense<[1, 1]> : tensor<2xi64>\n"
                     "%r = dhlo.compare ge %s, %c : tensor<2xi64> -> "
                     "tensor<2xi1>",
                     "tensor<2xi1>"),
            "?, 1");
}

TEST_F(SymbolicValuesTest, Reductions) {
  auto reduce = [&](const char *kind) {
    return evaluate("%r = dhlo.reduce " + std::string(kind) +
                        " %s axes = [0] : (tensor<2xi64>) -> tensor<i64>",
                    "tensor<i64>");
  };
  EXPECT_EQ(reduce("sum"), "@A + @B");
  EXPECT_EQ(reduce("prod"), "@A * @B");
  EXPECT_EQ(reduce("max"), "max(@A, @B)");
  EXPECT_EQ(reduce("min"), "min(@A, @B)");
  EXPECT_EQ(evaluate("%e = dhlo.from_dims [] : tensor<0xi64>\n"
                     "%r = dhlo.reduce prod %e axes = [0] : (tensor<0xi64>) -> "
                     "tensor<i64>",
                     "tensor<i64>"),
            "1");
}

//===----------------------------------------------------------------------===//
// Against the interpreter
//===----------------------------------------------------------------------===//

/// Writes functions of two sizes that return every value that they compute, all
/// of type tensor<3xi64>.
class Program {
public:
  explicit Program(unsigned seed) : random(seed) {}

  std::string write() {
    text = "dhlo.dim @A in [0, 6]\ndhlo.dim @B in [1, 6]\n"
           "func.func @f(%x: tensor<?x?xf32, #dhlo.dims<A, B>>) -> (";
    std::string body;
    line(body, "dhlo.from_dims [@A, @B, @A * @B - 3] : " + type);
    line(body, "dhlo.constant dense<[" + std::to_string(pick(-4, 5)) + ", " +
                   std::to_string(pick(0, 3)) + ", 2]> : " + type);
    for (int i = 0; i != 6; ++i)
      extend(body);
    std::string types, names;
    for (int i : all) {
      types += (types.empty() ? "" : ", ") + type;
      names += (names.empty() ? "%" : ", %") + std::to_string(i);
    }
    return text + types + ") {\n" + body + "  return " + names + " : " + types +
           "\n}\n";
  }

private:
  int64_t pick(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  }
  std::string any() {
    return "%" + std::to_string(all[pick(0, all.size() - 1)]);
  }
  std::string line(std::string &body, const std::string &op,
                   bool isResult = true) {
    std::string name = "%" + std::to_string(next);
    body += "  " + name + " = " + op + "\n";
    if (isResult)
      all.push_back(next);
    ++next;
    return name;
  }
  /// A value of at least 1, for divisors.
  std::string positive(std::string &body) {
    std::string one = line(body,
                           "dhlo.constant dense<" + std::to_string(pick(1, 3)) +
                               "> : " + type,
                           false);
    return line(body, "dhlo.maximum " + any() + ", " + one + " : " + type);
  }
  void extend(std::string &body) {
    const char *binary[] = {"add", "sub", "mul", "maximum", "minimum"};
    switch (pick(0, 9)) {
    case 0:
    case 1:
    case 2:
      line(body, "dhlo." + std::string(binary[pick(0, 4)]) + " " + any() +
                     ", " + any() + " : " + type);
      return;
    case 3: {
      std::string divisor = positive(body);
      line(body, std::string("dhlo.") + (pick(0, 1) ? "div " : "rem ") + any() +
                     ", " + divisor + " : " + type);
      return;
    }
    case 4:
      line(body, "dhlo.reverse " + any() + " axes = [0] : " + type);
      return;
    case 5: {
      std::string i =
          line(body,
               "dhlo.constant dense<[" + std::to_string(pick(-3, 2)) + ", " +
                   std::to_string(pick(-3, 2)) + ", 0]> : " + type,
               false);
      line(body, "dhlo.gather " + any() + ", " + i + " axis = 0 batch = 0 : (" +
                     type + ", " + type + ") -> " + type);
      return;
    }
    case 6: {
      const char *kinds[] = {"sum", "max", "min"};
      std::string sum =
          line(body,
               "dhlo.reduce " + std::string(kinds[pick(0, 2)]) + " " + any() +
                   " axes = [0] : (" + type + ") -> tensor<i64>",
               false);
      line(body,
           "dhlo.broadcast " + sum + " axes = [] : (tensor<i64>) -> " + type);
      return;
    }
    case 7: {
      const char *directions[] = {"eq", "ne", "lt", "le", "gt", "ge"};
      std::string a = any(), b = any();
      std::string p =
          line(body,
               "dhlo.compare " + std::string(directions[pick(0, 5)]) + " " + a +
                   ", " + b + " : " + type + " -> tensor<3xi1>",
               false);
      if (pick(0, 1))
        std::swap(a, b);
      if (pick(0, 3) == 0)
        a = any();
      line(body, "dhlo.select " + p + ", " + a + ", " + b +
                     " : tensor<3xi1>, " + type);
      return;
    }
    case 8: {
      std::string f = line(
          body, "dhlo.convert " + any() + " : (" + type + ") -> tensor<3xf64>",
          false);
      std::string h = line(
          body, "dhlo.constant dense<[0.5, 0.25, 1.5]> : tensor<3xf64>", false);
      f = line(body, "dhlo.mul " + f + ", " + h + " : tensor<3xf64>", false);
      if (pick(0, 2))
        f = line(body,
                 std::string("dhlo.") + (pick(0, 1) ? "floor " : "ceil ") + f +
                     " : tensor<3xf64>",
                 false);
      line(body, "dhlo.convert " + f + " : (tensor<3xf64>) -> " + type);
      return;
    }
    case 9: {
      std::string a = any(), b = any();
      std::string six = line(body,
                             "dhlo.concat " + a + ", " + b + " axis = 0 : (" +
                                 type + ", " + type + ") -> tensor<6xi64>",
                             false);
      line(body, "dhlo.slice " + six + " starts = [" +
                     std::to_string(pick(0, 1)) +
                     "] strides = [2] : (tensor<6xi64>) -> " + type);
      return;
    }
    }
  }

  std::mt19937 random;
  const std::string type = "tensor<3xi64>";
  std::string text;
  std::vector<int> all;
  int next = 0;
};

TEST_F(SymbolicValuesTest, AgreeWithTheInterpreter) {
  int64_t known = 0;
  for (unsigned seed = 0; seed != 150; ++seed) {
    std::string text = Program(seed).write();
    auto module = parse(text);
    ASSERT_TRUE(module) << text;
    SymbolicDims dims(*module);
    SymbolicValues values(dims);
    auto function = *module->getOps<mlir::func::FuncOp>().begin();
    mlir::Operation *end = function.front().getTerminator();
    for (int64_t a : {0, 1, 2, 5, 6}) {
      for (int64_t b : {1, 2, 3, 6}) {
        Interpreter interpreter(*module, {});
        auto results = interpreter.run(
            "f", {Tensor::create(mlir::Float32Type::get(&context), {a, b})});
        ASSERT_TRUE(mlir::succeeded(results)) << text;
        ASSERT_TRUE(interpreter.getDataErrors().empty()) << text;
        for (auto [i, tensor] : llvm::enumerate(*results)) {
          const auto &elements = values.getElements(end->getOperand(i));
          for (auto [j, element] : llvm::enumerate(elements)) {
            if (!element)
              continue;
            ++known;
            auto value = test::SizeTest::evaluate(element.numerator,
                                                  {{"A", a}, {"B", b}});
            ASSERT_TRUE(value) << text;
            EXPECT_EQ(*value, tensor.getInt(j) * element.denominator)
                << text << "result " << i << ", element " << j << ": "
                << print(element.numerator) << " at A = " << a << ", B = " << b;
          }
        }
        if (HasFailure())
          return;
      }
    }
  }
  // Most values are known; otherwise the test would show nothing.
  EXPECT_GT(known, 50000);
}

} // namespace
