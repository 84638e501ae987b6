//===- ReshapeAxesTest.cpp - The axes on both sides of reshapes -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include "dyn/Dialect/DHLO/Analysis/ReshapeAxes.h"

using namespace dyn;
using namespace dyn::dhlo;
using namespace mlir;

namespace {

class ReshapeAxesTest : public test::SizeTest {
protected:
  ReshapeAxesTest()
      : module(parse("dhlo.dim @B\ndhlo.dim @S\ndhlo.dim @N = @B * @S\n"
                     "dhlo.dim @X\n")),
        dims(*module) {}

  SmallVector<DimExpr> exprs(ArrayRef<StringRef> texts) {
    SmallVector<DimExpr> sizes;
    for (StringRef text : texts)
      sizes.push_back(expr(text));
    return sizes;
  }
  SmallVector<AxisGroup> groupsOf(ArrayRef<StringRef> from,
                                  ArrayRef<StringRef> to) {
    return getReshapeGroups(exprs(from), exprs(to), dims);
  }
  /// The axes of each group, such as "0 1 = 0, 2 = 1"; "~" where the numbers of
  /// elements are not known to be equal.
  std::string group(ArrayRef<StringRef> from, ArrayRef<StringRef> to) {
    std::string text;
    llvm::raw_string_ostream os(text);
    llvm::interleaveComma(groupsOf(from, to), os, [&](const AxisGroup &group) {
      llvm::interleave(group.from, os, " ");
      os << (group.isProven ? " = " : " ~ ");
      llvm::interleave(group.to, os, " ");
    });
    return text;
  }

  OwningOpRef<ModuleOp> module;
  SymbolicDims dims;
};

TEST_F(ReshapeAxesTest, Groups) {
  EXPECT_EQ(group({"@B", "@S", "8"}, {"@B", "@S", "8"}), "0 = 0, 1 = 1, 2 = 2");
  EXPECT_EQ(group({"@B", "@S", "12", "64"}, {"@N", "768"}), "0 1 = 0, 2 3 = 1");
  EXPECT_EQ(group({"@N", "768"}, {"@B", "@S", "768"}), "0 = 0 1, 1 = 2");
  EXPECT_EQ(group({"@B", "6"}, {"2 * @B", "3"}), "0 1 = 0 1");
  EXPECT_EQ(group({"@S", "@B", "8"}, {"@B", "@S", "8"}), "0 1 = 0 1, 2 = 2");
  EXPECT_EQ(group({}, {}), "");
}

TEST_F(ReshapeAxesTest, SizeOne) {
  EXPECT_EQ(group({"@B", "@S"}, {"@B", "1", "@S"}), "0 = 0, 1 = 2");
  EXPECT_EQ(group({"1", "@B", "1", "1"}, {"1", "@B", "1"}),
            "0 = 0, 1 = 1, 2 = 2");
  EXPECT_EQ(group({"@B", "1", "@S", "1"}, {"@N", "1"}), "0 2 = 0, 3 = 1");
  EXPECT_EQ(group({"1", "1"}, {}), "");
}

// Nothing is known of X, but all elements are as many.
TEST_F(ReshapeAxesTest, Unproven) {
  EXPECT_EQ(group({"@B", "@S"}, {"@B", "@X"}), "0 = 0, 1 ~ 1");
  EXPECT_EQ(group({"@X", "8"}, {"@B", "@S", "8"}), "0 1 ~ 0 1 2");
  EXPECT_EQ(group({"@B", "@X"}, {"@B"}), "0 = 0, 1 ~ ");
  EXPECT_EQ(group({"@B"}, {"@B", "@X"}), "0 = 0,  ~ 1");
}

TEST_F(ReshapeAxesTest, Axis) {
  auto axisOf = [&](int64_t axis, ArrayRef<StringRef> from,
                    ArrayRef<StringRef> to) {
    return getReshapedAxis(groupsOf(from, to), axis).value_or(-1);
  };
  EXPECT_EQ(axisOf(1, {"@B", "@S", "768"}, {"@B", "1", "@S", "12", "64"}), 2);
  EXPECT_EQ(axisOf(2, {"@B", "@S", "768"}, {"@B", "1", "@S", "12", "64"}), -1);
  EXPECT_EQ(axisOf(2, {"@B", "@S", "768"}, {"@N", "768"}), 1);
  EXPECT_EQ(axisOf(1, {"@B", "1"}, {"1", "@B"}), -1);
  EXPECT_EQ(axisOf(1, {"@B", "@S"}, {"@B", "@X"}), -1);
}

} // namespace
