//===- SizeComparerTest.cpp - Comparisons, and how many take a proof ------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include "Dialect/DLHLO/Transforms/Buffers/MemoryPlan.h"

using namespace dyn;

namespace {

class SizeComparerTest : public test::SizeTest {};

constexpr llvm::StringLiteral kSizes = R"(
  dhlo.dim @B in [1, 64]
  dhlo.dim @S in [0, ?]
  dhlo.dim @M in [8, ?] multiple_of 8
  dhlo.dim @T = @B * @S
  dhlo.dim @N in [0, ?] at_most @B
)";

/// Answers are those of the proofs, whatever points refute.
TEST_F(SizeComparerTest, AnswersAreThoseOfProofs) {
  auto module = parse(kSizes);
  ASSERT_TRUE(module);
  SymbolicDims dims(*module);
  dlhlo::SizeComparer comparer(dims);
  std::vector<dhlo::DimExpr> sizes;
  for (const char *text : {"0",
                           "1",
                           "64",
                           "@B",
                           "@S",
                           "@M",
                           "@T",
                           "@N",
                           "@B * @S",
                           "2 * @T",
                           "@S + 8",
                           "@M + @S",
                           "@N + @S",
                           "@B + @S",
                           "@B * @M",
                           "max(@S, @M)",
                           "min(@S, @M)",
                           "8 * (@M floordiv 8)",
                           "@M floordiv 8",
                           "64 * ((@S + 63) floordiv 64)",
                           "@S mod 7",
                           "(@S * @B) ceildiv @B",
                           "@S floordiv @N"})
    sizes.push_back(expr(text));
  unsigned yes = 0;
  for (dhlo::DimExpr lhs : sizes)
    for (dhlo::DimExpr rhs : sizes) {
      EXPECT_EQ(comparer.isEqual(lhs, rhs), dims.isEqual(lhs, rhs))
          << print(lhs) << ", " << print(rhs);
      EXPECT_EQ(comparer.isAtMost(lhs, rhs), dims.isAtMost(lhs, rhs))
          << print(lhs) << ", " << print(rhs);
      yes += dims.isAtMost(lhs, rhs);
    }
  EXPECT_GT(yes, 2 * sizes.size());
}

/// Sums as a decoder's caches have, each of which fits all slots or none as far
/// as estimates say. Three proofs for each pair would take most of a
/// compilation.
TEST_F(SizeComparerTest, MostPairsTakeNoProof) {
  constexpr unsigned kLayers = 40;
  std::string text = "dhlo.dim @S in [1, ?]\n";
  for (unsigned i = 0; i != 2 * kLayers; ++i)
    text += "dhlo.dim @P" + std::to_string(i) + " in [0, ?]\n";
  auto module = parse(text);
  ASSERT_TRUE(module);
  SymbolicDims dims(*module);
  dlhlo::SizeComparer comparer(dims);
  dlhlo::MemoryPlan plan(dims, comparer, /*reuse=*/true);
  mlir::Block block;
  // The first half is live at once, and the second half after it.
  for (unsigned i = 0; i != 2 * kLayers; ++i) {
    std::string past = "@P" + std::to_string(i);
    plan.add(block.addArgument(mlir::IndexType::get(&context),
                               mlir::UnknownLoc::get(&context)),
             expr("64 * @S * (" + past + " + @S) + 64 * " + past), i,
             i < kLayers ? kLayers - 1 : 2 * kLayers);
  }
  EXPECT_EQ(plan.getSlots().size(), kLayers);
  EXPECT_LE(comparer.getNumProofs(), kLayers * kLayers / 4);
}

} // namespace
