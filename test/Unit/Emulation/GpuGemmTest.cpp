//===- GpuGemmTest.cpp - GEMMs of a GPU, run by the emulator --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulationTest.h"

#include <cstring>
#include <vector>

using namespace dyn;

namespace {

struct Sizes {
  int64_t g, m, k, n;
};

/// A kind of GEMM with a bias: A is [g][m][k], or transposed [g][k][m], B is
/// [g][k][n], or transposed [g][n][k]. The bias and the result are f32, or f64
/// if A and B are.
struct Layout {
  const char *factor;
  bool isLhsTransposed, isRhsTransposed;

  std::string getText() const;
};

std::string Layout::getText() const {
  std::string sum = std::string(factor) == "f64" ? "f64" : "f32";
  auto type = [](const char *sizes, const std::string &element) {
    return "tensor<?x?x?x" + element + ", #dhlo.dims<G, " + sizes + ">>";
  };
  std::string lhs = type(isLhsTransposed ? "K, M" : "M, K", factor);
  std::string rhs = type(isRhsTransposed ? "N, K" : "K, N", factor);
  std::string out = type("M, N", sum);
  std::string bias = "tensor<?x" + sum + ", #dhlo.dims<N>>";
  return "dlhlo.kernel @k contraction {\n^bb0(%x: " + lhs + ", %w: " + rhs +
         ", %c: " + bias +
         "):\n"
         "  dhlo.dim @G in [0, ?]\n  dhlo.dim @M in [0, ?]\n"
         "  dhlo.dim @K in [0, ?]\n  dhlo.dim @N in [0, ?]\n"
         "  %0 = dhlo.dot_general %x, %w batch = 1 lhs_contract = [" +
         (isLhsTransposed ? "1" : "2") + "] rhs_contract = [" +
         (isRhsTransposed ? "2" : "1") + "] : (" + lhs + ", " + rhs + ") -> " +
         out + "\n  %1 = dhlo.broadcast %c axes = [2] : (" + bias + ") -> " +
         out + "\n  %2 = dhlo.add %0, %1 : " + out +
         "\n  dlhlo.yield %2 : " + out + "\n}\n";
}

/// A 16-bit number that is exact in f16: eighths up to 2.
static uint16_t toHalf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  if (value == 0)
    return 0;
  return (bits >> 16 & 0x8000) | ((bits >> 23 & 255) - 112) << 10 |
         (bits >> 13 & 1023);
}

class GemmTest : public EmulationTest {
protected:
  /// A buffer with random elements of a type, and their values.
  struct Factor {
    void *buffer;
    std::vector<float> values;
  };
  Factor makeFactor(llvm::StringRef type, int64_t count);
  /// Operands and the result of a call.
  struct Call {
    Sizes sizes;
    Factor x, w;
    float *c, *out;

    std::vector<void *> getBuffers() const {
      return {x.buffer, w.buffer, c, out};
    }
    std::vector<int64_t> getDims() const {
      return {sizes.g, sizes.m, sizes.k, sizes.n};
    }
  };
  Call makeCall(const Layout &layout, Sizes sizes) {
    auto [g, m, k, n] = sizes;
    return {sizes, makeFactor(layout.factor, g * m * k),
            makeFactor(layout.factor, g * k * n), makeInput(n),
            makeOutput<float>(g * m * n)};
  }
  void launch(EmulatedKernel &kernel, llvm::StringRef version, int64_t blocks,
              const Call &call) {
    EXPECT_TRUE(kernel.launch(version, blocks, device, call.getBuffers(),
                              call.getDims()));
    expectNoReports();
  }
  static void expectSums(const Layout &layout, const Call &call);
};

GemmTest::Factor GemmTest::makeFactor(llvm::StringRef type, int64_t count) {
  if (type == "f32") {
    float *buffer = makeInput(count);
    return {buffer, std::vector<float>(buffer, buffer + count)};
  }
  Factor factor;
  auto *narrow = static_cast<uint16_t *>(device.allocate(2 * count));
  factor.buffer = narrow;
  std::normal_distribution<float> normal;
  for (int64_t i = 0; i < count; ++i) {
    float value = normal(random);
    if (type == "f16") {
      value = (static_cast<int64_t>(random() % 33) - 16) / 8.0f;
      narrow[i] = toHalf(value);
    } else {
      uint32_t bits;
      std::memcpy(&bits, &value, sizeof(bits));
      narrow[i] = bits >> 16;
      bits &= 0xffff0000;
      std::memcpy(&value, &bits, sizeof(bits));
    }
    factor.values.push_back(value);
  }
  device.markWritten(narrow, 2 * count);
  return factor;
}

void GemmTest::expectSums(const Layout &layout, const Call &call) {
  auto [g, m, k, n] = call.sizes;
  for (int64_t b = 0; b < g; ++b)
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        double sum = call.c[j];
        for (int64_t l = 0; l < k; ++l)
          sum +=
              double(
                  call.x.values[layout.isLhsTransposed ? (b * k + l) * m + i
                                                       : (b * m + i) * k + l]) *
              call.w.values[layout.isRhsTransposed ? (b * n + j) * k + l
                                                   : (b * k + l) * n + j];
        ASSERT_NEAR(call.out[(b * m + i) * n + j], sum, 1e-4)
            << "row " << i << ", column " << j << " of " << m << " x " << n;
      }
}

constexpr Layout kLayouts[] = {{"f32", false, false}, {"f32", false, true},
                               {"f32", true, false},  {"f16", false, false},
                               {"f16", false, true},  {"f16", true, false},
                               {"bf16", false, false}};

TEST_F(GemmTest, Sums) {
  for (const Layout &layout : kLayouts) {
    EmulatedKernel kernel(layout.getText());
    for (auto [sizes, version] :
         {std::pair<Sizes, const char *>{{1, 1, 1, 1}, "k$narrow"},
          {{2, 3, 0, 5}, "k$narrow"},
          {{2, 65, 33, 70}, "k$narrow"},
          {{1, 16, 32, 64}, "k$few"},
          {{2, 8, 104, 136}, "k$few"},
          {{1, 64, 128, 64}, "k$wide"},
          {{2, 72, 200, 136}, "k$wide"},
          {{0, 24, 8, 8}, "k$wide"}}) {
      Call call = makeCall(layout, sizes);
      EXPECT_EQ(kernel.getVersion(call.getDims()), version);
      run(kernel, call.getBuffers(), call.getDims());
      expectSums(layout, call);
    }
    Call call = makeCall(layout, {1, 136, 136, 144});
    launch(kernel, "k$large", 4, call);
    expectSums(layout, call);
  }
}

TEST_F(GemmTest, VersionsBySizes) {
  EmulatedKernel kernel(kLayouts[0].getText());
  auto expectGrid = [&](Sizes s, const char *version, int64_t blocks) {
    std::vector<int64_t> dims = {s.g, s.m, s.k, s.n};
    EXPECT_EQ(kernel.getVersion(dims), version);
    EXPECT_EQ(kernel.getGrid(dims).blocks, blocks);
  };
  expectGrid({2, 16, 32, 128}, "k$few", 4);
  expectGrid({2, 17, 32, 128}, "k$wide", 4);
  // Large tiles only if all of them are full.
  expectGrid({27, 256, 32, 256}, "k$large", 108);
  expectGrid({27, 255, 32, 256}, "k$wide", 432);
  expectGrid({26, 256, 32, 256}, "k$wide", 416);
  expectGrid({1, 1536, 32, 1153}, "k$narrow", 24 * 19);
  // There are no large tiles for 8-byte sums.
  EmulatedKernel wide(Layout{"f64", false, false}.getText());
  EXPECT_EQ(wide.getVersion({27, 256, 32, 256}), "k$wide");
}

TEST_F(GemmTest, SumsDoNotSeeTheTile) {
  for (const char *factor : {"f32", "bf16"}) {
    Layout layout = {factor, false, true};
    EmulatedKernel kernel(layout.getText());
    Call all = makeCall(layout, {1, 128, 200, 128});
    launch(kernel, "k$large", 1, all);
    for (auto [version, rows, columns] :
         {std::tuple<const char *, int64_t, int64_t>{"k$few", 5, 128},
          {"k$wide", 40, 64},
          {"k$narrow", 40, 127}}) {
      // Some of the rows, by some of the columns.
      Call some = all;
      some.sizes.m = rows;
      some.sizes.n = columns;
      some.out = makeOutput<float>(rows * columns);
      EXPECT_EQ(kernel.getVersion(some.getDims()), version);
      run(kernel, some.getBuffers(), some.getDims());
      for (int64_t row = 0; row < rows; ++row)
        EXPECT_EQ(std::memcmp(all.out + row * 128, some.out + row * columns,
                              4 * columns),
                  0)
            << version << ", row " << row;
    }
  }
}

TEST_F(GemmTest, AccessesAreWhole) {
  device.countAccesses();
  for (const Layout &layout : kLayouts) {
    EmulatedKernel kernel(layout.getText());
    for (auto [version, rows, blocks] :
         {std::tuple<const char *, int64_t, int64_t>{"k$few", 16, 2},
          {"k$wide", 128, 4},
          {"k$large", 128, 1},
          {"k$narrow", 128, 4}}) {
      Call call = makeCall(layout, {1, rows, 64, 128});
      launch(kernel, version, blocks, call);
      for (const emu::AccessCount &count : device.getCounts()) {
        // The narrow version stores its sums one by one.
        if (!count.isShared && llvm::StringRef(version) == "k$narrow" &&
            count.op == "llvm.store")
          continue;
        EXPECT_EQ(count.units, count.least)
            << version << " of " << layout.factor << ": " << count.op;
      }
    }
  }
}

} // namespace
