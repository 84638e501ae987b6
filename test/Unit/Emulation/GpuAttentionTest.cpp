//===- GpuAttentionTest.cpp - Attention of a GPU, run by the emulator -----===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatedKernel.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <random>

using namespace dyn;

namespace {

enum class Mask { None, Number, Boolean };

/// A kernel, and the layout of its operands: [B, S, H, D] if `isSwapped`.
struct Problem {
  std::string element = "f32";
  int64_t heads = 2, groups = 2, depth = 32, width = 32;
  Mask mask = Mask::None;
  bool isMaskOfRows = false; ///< else one for all heads and rows
  bool isCausal = false;
  bool isSwapped = false;

  std::string makeText() const;
};

std::string Problem::makeText() const {
  auto apart = [&](int64_t number, const char *symbol, int64_t last) {
    return "tensor<?x" + std::to_string(number) + "x?x" + std::to_string(last) +
           "x" + element + ", #dhlo.dims<B, " + symbol + ">>";
  };
  auto given = [&](int64_t number, const char *symbol, int64_t last) {
    return isSwapped ? "tensor<?x?x" + std::to_string(number) + "x" +
                           std::to_string(last) + "x" + element +
                           ", #dhlo.dims<B, " + symbol + ">>"
                     : apart(number, symbol, last);
  };
  std::string text =
      "dlhlo.kernel @k attention {\n^bb0(%q: " + given(heads, "S", depth) +
      ", %k: " + given(groups, "T", depth) +
      ", %v: " + given(groups, "T", width);
  std::string maskType;
  if (mask != Mask::None) {
    maskType = isMaskOfRows ? "tensor<?x" + std::to_string(heads) + "x?x?x"
                            : "tensor<?x1x1x?x";
    maskType += (mask == Mask::Boolean ? "i1" : element) + ", #dhlo.dims<B, " +
                (isMaskOfRows ? "S, " : "") + "T>>";
    text += ", %m: " + maskType;
  }
  text += "):\n  dhlo.dim @B in [0, 64]\n  dhlo.dim @S in [0, 4096]\n"
          "  dhlo.dim @T in [0, 4096]\n";
  std::string q = "%q", k = "%k", v = "%v";
  auto swap = [&](std::string &name, int64_t number, const char *symbol,
                  int64_t last) {
    if (!isSwapped)
      return;
    text += "  " + name + "h = dhlo.transpose " + name +
            " permutation = [0, 2, 1, 3] : (" + given(number, symbol, last) +
            ") -> " + apart(number, symbol, last) + "\n";
    name += "h";
  };
  swap(q, heads, "S", depth);
  swap(k, groups, "T", depth);
  swap(v, groups, "T", width);
  text += "  %0 = dhlo.attention " + q + ", " + k + ", " + v +
          (maskType.empty() ? "" : " mask %m") + " scale = 0.25" +
          (isCausal ? " causal" : "") + " : (" + apart(heads, "S", depth) +
          ", " + apart(groups, "T", depth) + ", " + apart(groups, "T", width) +
          (maskType.empty() ? "" : ", " + maskType) + ") -> " +
          apart(heads, "S", width) + "\n";
  if (isSwapped)
    text += "  %1 = dhlo.transpose %0 permutation = [0, 2, 1, 3] : (" +
            apart(heads, "S", width) + ") -> " + given(heads, "S", width) +
            "\n";
  return text + "  dlhlo.yield %" + (isSwapped ? "1" : "0") + " : " +
         given(heads, "S", width) + "\n}\n";
}

struct Sizes {
  int64_t batch, rows, keys;
};

/// Numbers as the kernel and as the test represent them: multiples of 1/8,
/// which are exact in each type.
struct Tensor {
  std::vector<float> numbers;
  void *data;
};

class GpuAttentionTest : public testing::TestWithParam<const char *> {
protected:
  int64_t getBytes(const std::string &element) {
    return element == "f32" ? 4 : element == "i1" ? 1 : 2;
  }
  static uint16_t toNarrow(float value, bool isHalf) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    if (!isHalf || value == 0)
      return bits >> 16;
    if (std::isinf(value))
      return (bits >> 16 & 0x8000) | 0x7c00;
    return (bits >> 16 & 0x8000) | ((bits >> 23 & 255) - 112) << 10 |
           (bits >> 13 & 1023);
  }
  static float fromNarrow(uint16_t narrow, bool isHalf) {
    uint32_t bits = uint32_t(narrow) << 16;
    if (isHalf) {
      int exponent = narrow >> 10 & 31;
      float magnitude =
          exponent == 0
              ? std::ldexp(float(narrow & 1023), -24)
              : std::ldexp(float((narrow & 1023) | 1024), exponent - 25);
      return narrow & 0x8000 ? -magnitude : magnitude;
    }
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }
  Tensor make(int64_t count, const std::string &element,
              llvm::function_ref<float()> next) {
    int64_t bytes = getBytes(element);
    Tensor tensor{{}, device.allocate(bytes * count)};
    for (int64_t i = 0; i < count; ++i) {
      float value = next();
      tensor.numbers.push_back(value);
      if (element == "f32")
        static_cast<float *>(tensor.data)[i] = value;
      else if (element == "i1")
        static_cast<uint8_t *>(tensor.data)[i] = value != 0;
      else
        static_cast<uint16_t *>(tensor.data)[i] =
            toNarrow(value, element == "f16");
    }
    device.markWritten(tensor.data, bytes * count);
    return tensor;
  }
  Tensor make(int64_t count, const std::string &element) {
    return make(count, element, [&] {
      return (static_cast<int64_t>(random() % 33) - 16) / 8.0f;
    });
  }

  struct Call {
    Tensor q, k, v, mask;
    void *out;
  };
  Call makeCall(const Problem &problem, const Sizes &sizes) {
    auto [batch, rows, keys] = sizes;
    Call call;
    call.q =
        make(batch * problem.heads * rows * problem.depth, problem.element);
    call.k =
        make(batch * problem.groups * keys * problem.depth, problem.element);
    call.v =
        make(batch * problem.groups * keys * problem.width, problem.element);
    int64_t maskSize =
        batch * keys * (problem.isMaskOfRows ? problem.heads * rows : 1);
    if (problem.mask == Mask::Boolean)
      call.mask = make(maskSize, "i1", [&] { return random() % 3 > 0; });
    if (problem.mask == Mask::Number)
      call.mask = make(maskSize, problem.element, [&] {
        return random() % 4 == 0 ? -INFINITY : (random() % 17) / 8.0f;
      });
    call.out = device.allocate(getBytes(problem.element) * batch *
                               problem.heads * rows * problem.width);
    return call;
  }
  /// Launches; true if no fault stopped it.
  bool launch(EmulatedKernel &kernel, const Problem &problem,
              const Sizes &sizes, const Call &call) {
    llvm::SmallVector<void *> buffers = {call.q.data, call.k.data, call.v.data};
    if (problem.mask != Mask::None)
      buffers.push_back(call.mask.data);
    buffers.push_back(call.out);
    return kernel.run(device, buffers, {sizes.batch, sizes.rows, sizes.keys});
  }
  /// Launches, and expects no report.
  void run(EmulatedKernel &kernel, const Problem &problem, const Sizes &sizes,
           const Call &call) {
    EXPECT_TRUE(launch(kernel, problem, sizes, call));
    for (const emu::Report &report : device.getReports())
      ADD_FAILURE() << report.describe();
    device.clearReports();
  }
  void expectAttention(const Problem &problem, const Sizes &sizes,
                       const Call &call);
  void check(const Problem &problem, llvm::ArrayRef<Sizes> all) {
    EmulatedKernel kernel(problem.makeText());
    for (const Sizes &sizes : all) {
      SCOPED_TRACE(problem.element + " " + std::to_string(sizes.batch) + " x " +
                   std::to_string(sizes.rows) + " x " +
                   std::to_string(sizes.keys));
      Call call = makeCall(problem, sizes);
      run(kernel, problem, sizes, call);
      expectAttention(problem, sizes, call);
    }
  }

  emu::Device device;
  std::mt19937 random{42};
};

void GpuAttentionTest::expectAttention(const Problem &problem,
                                       const Sizes &sizes, const Call &call) {
  auto [batch, rows, keys] = sizes;
  // Weights and results are 16-bit floats.
  double tolerance = problem.element == "f32"   ? 1e-5
                     : problem.element == "f16" ? 4e-3
                                                : 3e-2;
  auto at = [&](const Tensor &tensor, int64_t image, int64_t number,
                int64_t count, int64_t row, int64_t length, int64_t i,
                int64_t last) {
    int64_t position = problem.isSwapped
                           ? (image * length + row) * count + number
                           : (image * count + number) * length + row;
    return double(tensor.numbers[position * last + i]);
  };
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t h = 0; h < problem.heads; ++h)
      for (int64_t s = 0; s < rows; ++s) {
        int64_t group = h / (problem.heads / problem.groups);
        std::vector<double> scores(keys, -INFINITY);
        double most = -INFINITY, total = 0;
        for (int64_t t = 0; t < keys; ++t) {
          if (problem.isCausal && t > s + keys - rows)
            continue;
          double mask = 0;
          if (problem.mask != Mask::None)
            mask =
                call.mask
                    .numbers[problem.isMaskOfRows
                                 ? ((b * problem.heads + h) * rows + s) * keys +
                                       t
                                 : b * keys + t];
          if (problem.mask == Mask::Boolean && mask == 0)
            continue;
          double sum = 0;
          for (int64_t d = 0; d < problem.depth; ++d)
            sum +=
                at(call.q, b, h, problem.heads, s, rows, d, problem.depth) *
                at(call.k, b, group, problem.groups, t, keys, d, problem.depth);
          scores[t] = sum / 4 + (problem.mask == Mask::Number ? mask : 0);
          most = std::max(most, scores[t]);
        }
        for (double &score : scores) {
          score = most == -INFINITY ? 0 : std::exp(score - most);
          total += score;
        }
        for (int64_t e = 0; e < problem.width; ++e) {
          double sum = 0;
          for (int64_t t = 0; t < keys; ++t)
            sum += scores[t] * at(call.v, b, group, problem.groups, t, keys, e,
                                  problem.width);
          int64_t index = problem.isSwapped
                              ? (b * rows + s) * problem.heads + h
                              : (b * problem.heads + h) * rows + s;
          index = index * problem.width + e;
          float found =
              problem.element == "f32"
                  ? static_cast<const float *>(call.out)[index]
                  : fromNarrow(static_cast<const uint16_t *>(call.out)[index],
                               problem.element == "f16");
          ASSERT_NEAR(found, total == 0 ? 0 : sum / total, tolerance)
              << "at " << b << ", " << h << ", " << s << ", " << e;
        }
      }
}

const Sizes kSizes[] = {{1, 1, 1},   {2, 5, 5},   {1, 3, 40},
                        {2, 33, 33}, {1, 70, 70}, {1, 1, 130},
                        {0, 2, 2},   {1, 0, 3},   {2, 4, 0}};

TEST_P(GpuAttentionTest, Plain) {
  Problem problem{.element = GetParam()};
  check(problem, kSizes);
}

TEST_P(GpuAttentionTest, Causal) {
  Problem problem{.element = GetParam(), .isCausal = true};
  // With fewer keys than queries the first rows see none.
  check(problem, kSizes);
  check(problem, {{1, 9, 5}, {1, 140, 140}});
}

TEST_P(GpuAttentionTest, HeadsThatShareKeys) {
  Problem problem{
      .element = GetParam(), .heads = 6, .groups = 2, .isCausal = true};
  check(problem, kSizes);
}

TEST_P(GpuAttentionTest, Masks) {
  for (Mask mask : {Mask::Number, Mask::Boolean})
    for (bool isMaskOfRows : {false, true}) {
      Problem problem{
          .element = GetParam(), .mask = mask, .isMaskOfRows = isMaskOfRows};
      check(problem, kSizes);
    }
}

TEST_P(GpuAttentionTest, HeadsInRows) {
  Problem problem{.element = GetParam(),
                  .heads = 3,
                  .groups = 3,
                  .depth = 16,
                  .width = 64,
                  .mask = Mask::Boolean,
                  .isSwapped = true};
  check(problem, kSizes);
}

TEST_P(GpuAttentionTest, Widths) {
  for (auto [depth, width] :
       {std::pair<int64_t, int64_t>{64, 64}, {128, 128}, {80, 96}, {16, 48}}) {
    Problem problem{.element = GetParam(),
                    .heads = 1,
                    .groups = 1,
                    .depth = depth,
                    .width = width};
    check(problem, {{1, 20, 70}, {1, 1, 5}});
  }
}

TEST_P(GpuAttentionTest, RowsDoNotSeeOthers) {
  // A row alone, in a block of few rows and in one of many has the same bits.
  Problem problem{.element = GetParam(),
                  .heads = 1,
                  .groups = 1,
                  .mask = Mask::Number,
                  .isMaskOfRows = true};
  EmulatedKernel kernel(problem.makeText());
  constexpr int64_t kRows = 70, kKeys = 100;
  Call all = makeCall(problem, {1, kRows, kKeys});
  run(kernel, problem, {1, kRows, kKeys}, all);
  int64_t bytes = getBytes(problem.element);
  for (int64_t row : {0, 17, 69}) {
    auto from = [&](void *data, int64_t count) {
      return static_cast<char *>(data) + row * count * bytes;
    };
    Call one = all;
    one.q.data = device.allocate(problem.depth * bytes);
    std::memcpy(one.q.data, from(all.q.data, problem.depth),
                problem.depth * bytes);
    device.markWritten(one.q.data, problem.depth * bytes);
    one.mask.data = device.allocate(kKeys * bytes);
    std::memcpy(one.mask.data, from(all.mask.data, kKeys), kKeys * bytes);
    device.markWritten(one.mask.data, kKeys * bytes);
    one.out = device.allocate(problem.width * bytes);
    run(kernel, problem, {1, 1, kKeys}, one);
    EXPECT_EQ(std::memcmp(one.out, from(all.out, problem.width),
                          problem.width * bytes),
              0);
  }
}

TEST_P(GpuAttentionTest, AccessesAreWhole) {
  device.countAccesses();
  for (int64_t width : {32, 64, 128})
    for (Sizes sizes : {Sizes{1, 64, 128}, Sizes{2, 16, 64}}) {
      Problem problem{.element = GetParam(),
                      .depth = width,
                      .width = width,
                      .mask = Mask::Boolean,
                      .isSwapped = true};
      EmulatedKernel kernel(problem.makeText());
      Call call = makeCall(problem, sizes);
      run(kernel, problem, sizes, call);
      double units[2] = {}, least[2] = {};
      for (const emu::AccessCount &count : device.getCounts()) {
        units[count.isShared] += count.units;
        least[count.isShared] += count.least;
      }
      EXPECT_EQ(units[1], least[1]) << "shared, width " << width;
      EXPECT_EQ(units[0], least[0]) << "global, width " << width;
    }
}

TEST_P(GpuAttentionTest, EachBarrierIsNeeded) {
  Problem problem{.element = GetParam(), .depth = 64};
  // With tensor cores, keys and values are loaded together, and each warp has
  // its own weights.
  const size_t numBarriers = problem.element == "f32" ? 4 : 2;
  for (size_t without = 0; without < numBarriers; ++without) {
    EmulatedKernel kernel(problem.makeText(), [&](mlir::ModuleOp module) {
      llvm::SmallVector<mlir::NVVM::Barrier0Op> barriers;
      module.walk([&](mlir::LLVM::LLVMFuncOp function) {
        barriers.clear();
        function.walk([&](mlir::NVVM::Barrier0Op barrier) {
          barriers.push_back(barrier);
        });
      });
      // The barriers of the last version, which is for many rows.
      ASSERT_EQ(barriers.size(), numBarriers);
      barriers[without].erase();
    });
    Sizes sizes = {1, 33, 130};
    launch(kernel, problem, sizes, makeCall(problem, sizes));
    ASSERT_FALSE(device.getReports().empty()) << "without barrier " << without;
    // The first thread reads memory that is not written yet, or that another
    // one overwrites.
    emu::Fault fault = device.getReports().front().fault;
    EXPECT_TRUE(fault == emu::Fault::Race ||
                fault == emu::Fault::Uninitialized);
    device.clearReports();
  }
}

INSTANTIATE_TEST_SUITE_P(Types, GpuAttentionTest,
                         testing::Values("f32", "f16", "bf16"));

// Widths for which no wide access is possible, and the maximum for registers.
TEST_F(GpuAttentionTest, OddWidths) {
  for (auto [depth, width] : {std::pair<int64_t, int64_t>{7, 5},
                              {33, 33},
                              {6, 20},
                              {256, 256},
                              {40, 132}}) {
    Problem problem{.heads = 1, .groups = 1, .depth = depth, .width = width};
    check(problem, {{1, 20, 70}, {1, 70, 3}, {2, 1, 5}});
  }
}

TEST_F(GpuAttentionTest, FewRowsHaveAVersion) {
  Problem problem{.heads = 4, .groups = 2};
  EmulatedKernel kernel(problem.makeText());
  // A block contains rows of both heads that read the same keys.
  EXPECT_EQ(kernel.getGrid({3, 8, 100}).version, 0);
  EXPECT_EQ(kernel.getGrid({3, 8, 100}).blocks, 6);
  EXPECT_EQ(kernel.getGrid({3, 9, 100}).version, 1);
  EXPECT_EQ(kernel.getGrid({3, 9, 100}).blocks, 6);
  EXPECT_EQ(kernel.getGrid({3, 33, 100}).blocks, 12);
}

} // namespace
