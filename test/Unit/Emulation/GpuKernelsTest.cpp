//===- GpuKernelsTest.cpp - Kernels of a GPU, run by the emulator ---------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulationTest.h"

#include <cmath>
#include <cstring>

using namespace dyn;

namespace {

using GpuKernelsTest = EmulationTest;

constexpr llvm::StringLiteral kGelu = R"(
dlhlo.kernel @k loop {
^bb0(%x: tensor<?x?xf32, #dhlo.dims<d0, d1>>, %y: tensor<?xf32, #dhlo.dims<d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  %0 = dhlo.broadcast %y axes = [1] : (tensor<?xf32, #dhlo.dims<d1>>) -> tensor<?x?xf32, #dhlo.dims<d0, d1>>
  %1 = dhlo.add %x, %0 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
  %2 = dhlo.gelu erf %1 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
  dlhlo.yield %2 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
}
)";

TEST_F(GpuKernelsTest, Elements) {
  EmulatedKernel kernel(kGelu);
  for (auto [rows, columns] : {std::pair<int64_t, int64_t>{0, 5},
                               {1, 1},
                               {3, 7},
                               {5, 64},
                               {37, 129}}) {
    float *x = makeInput(rows * columns), *y = makeInput(columns);
    auto *out = makeOutput<float>(rows * columns);
    run(kernel, {x, y, out}, {rows, columns});
    for (int64_t i = 0; i < rows * columns; ++i) {
      double v = double(x[i]) + y[i % columns];
      EXPECT_NEAR(out[i], v / 2 * (1 + std::erf(v / std::sqrt(2.0))), 1e-6);
    }
  }
}

constexpr llvm::StringLiteral kTranspose = R"(
dlhlo.kernel @k transpose {
^bb0(%x: tensor<?x?x8xf32, #dhlo.dims<d0, d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  %0 = dhlo.transpose %x permutation = [2, 0, 1] : (tensor<?x?x8xf32, #dhlo.dims<d0, d1>>) -> tensor<8x?x?xf32, #dhlo.dims<d0, d1>>
  dlhlo.yield %0 : tensor<8x?x?xf32, #dhlo.dims<d0, d1>>
}
)";

TEST_F(GpuKernelsTest, Transposes) {
  EmulatedKernel kernel(kTranspose);
  for (auto [a, b] : {std::pair<int64_t, int64_t>{1, 1}, {3, 5}, {17, 16}}) {
    float *x = makeInput(a * b * 8);
    auto *out = makeOutput<float>(a * b * 8);
    run(kernel, {x, out}, {a, b});
    for (int64_t i = 0; i < a * b; ++i)
      for (int64_t c = 0; c < 8; ++c)
        EXPECT_EQ(out[c * a * b + i], x[i * 8 + c]);
  }
}

constexpr llvm::StringLiteral kSoftmax = R"(
dlhlo.kernel @k row {
^bb0(%x: tensor<?x?xf32, #dhlo.dims<d0, d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  %0 = dhlo.softmax %x axis = 1 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
  dlhlo.yield %0 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
}
)";

TEST_F(GpuKernelsTest, Rows) {
  EmulatedKernel kernel(kSoftmax);
  // Columns, version, rows per block.
  for (auto [width, version, together] :
       {std::tuple<int64_t, int64_t, int64_t>{0, 0, 32},
        {64, 0, 32},
        {65, 1, 8},
        {512, 1, 8},
        {513, 2, 2},
        {516, 5, 2},
        {2047, 2, 2},
        {2048, 5, 2},
        {2049, 3, 1},
        {8191, 3, 1},
        {8192, 6, 1},
        {8193, 4, 1},
        {8196, 7, 1}}) {
    EXPECT_EQ(kernel.getGrid({65, width}).version, version) << width;
    EXPECT_EQ(kernel.getGrid({65, width}).blocks,
              llvm::divideCeil(65, together))
        << width;
  }
  for (auto [rows, width] : {std::pair<int64_t, int64_t>{0, 7},
                             {3, 0},
                             {1, 1},
                             {37, 7},
                             {9, 17},
                             {9, 32},
                             {3, 100},
                             {3, 1024},
                             {3, 513},
                             {2, 2048},
                             {2, 2049},
                             {2, 2051},
                             {2, 5000},
                             {2, 5001},
                             {2, 9001},
                             {1, 9004}}) {
    float *x = makeInput(rows * width);
    auto *out = makeOutput<float>(rows * width);
    run(kernel, {x, out}, {rows, width});
    for (int64_t row = 0; row < rows; ++row) {
      double sum = 0;
      for (int64_t i = 0; i < width; ++i)
        sum += std::exp(double(x[row * width + i]));
      for (int64_t i = 0; i < width; ++i)
        EXPECT_NEAR(out[row * width + i],
                    std::exp(double(x[row * width + i])) / sum, 1e-6);
    }
  }
}

TEST_F(GpuKernelsTest, RowsDoNotSeeTheirNumber) {
  EmulatedKernel kernel(kSoftmax);
  for (int64_t width : {100, 1500}) {
    float *x = makeInput(5 * width);
    auto *all = makeOutput<float>(5 * width), *one = makeOutput<float>(width);
    run(kernel, {x, all}, {5, width});
    run(kernel, {x + 4 * width, one}, {1, width});
    EXPECT_EQ(std::memcmp(all + 4 * width, one, 4 * width), 0);
  }
}

constexpr llvm::StringLiteral kColumns = R"(
dlhlo.kernel @k column {
^bb0(%x: tensor<?x?x?xf32, #dhlo.dims<d0, d1, d2>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  dhlo.dim @d2 in [0, ?]
  %0 = dhlo.softmax %x axis = 1 : tensor<?x?x?xf32, #dhlo.dims<d0, d1, d2>>
  dlhlo.yield %0 : tensor<?x?x?xf32, #dhlo.dims<d0, d1, d2>>
}
)";

TEST_F(GpuKernelsTest, Columns) {
  EmulatedKernel kernel(kColumns);
  struct Case {
    int64_t before, width, behind, version, blocks;
  };
  for (Case c : {Case{0, 7, 3, 0, 0},
                 {2, 0, 5, 0, 1},
                 {1, 1, 1, 0, 1},
                 {3, 16, 87, 0, 2},
                 {3, 17, 11, 1, 2},
                 {1, 128, 32, 1, 1},
                 {5, 129, 3, 2, 2},
                 {1, 512, 9, 2, 2},
                 {1, 513, 8, 3, 1},
                 {2, 1031, 5, 3, 2}}) {
    auto grid = kernel.getGrid({c.before, c.width, c.behind});
    EXPECT_EQ(grid.version, c.version) << c.width;
    EXPECT_EQ(grid.blocks, c.blocks) << c.width;
    int64_t count = c.before * c.width * c.behind;
    float *x = makeInput(count);
    auto *out = makeOutput<float>(count);
    run(kernel, {x, out}, {c.before, c.width, c.behind});
    for (int64_t column = 0; column < c.before * c.behind; ++column) {
      int64_t first =
          column / c.behind * c.width * c.behind + column % c.behind;
      double sum = 0;
      for (int64_t i = 0; i < c.width; ++i)
        sum += std::exp(double(x[first + i * c.behind]));
      for (int64_t i = 0; i < c.width; ++i)
        EXPECT_NEAR(out[first + i * c.behind],
                    std::exp(double(x[first + i * c.behind])) / sum, 1e-6);
    }
  }
}

TEST_F(GpuKernelsTest, ColumnsDoNotSeeTheirNumber) {
  EmulatedKernel kernel(kColumns);
  for (int64_t width : {10, 100, 400, 700}) {
    float *x = makeInput(5 * width * 3);
    auto *all = makeOutput<float>(5 * width * 3),
         *one = makeOutput<float>(width * 3);
    run(kernel, {x, all}, {5, width, 3});
    run(kernel, {x + 4 * width * 3, one}, {1, width, 3});
    EXPECT_EQ(std::memcmp(all + 4 * width * 3, one, 4 * width * 3), 0);
  }
}

constexpr llvm::StringLiteral kNorm = R"(
dlhlo.kernel @k row {
^bb0(%x: tensor<?x768xf32, #dhlo.dims<d0>>, %s: tensor<768xf32>, %o: tensor<768xf32>):
  dhlo.dim @d0 in [0, ?]
  %0 = dhlo.layer_norm %x, %s, %o axis = 1 eps = 1.0e-5 : (tensor<?x768xf32, #dhlo.dims<d0>>, tensor<768xf32>, tensor<768xf32>) -> tensor<?x768xf32, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<?x768xf32, #dhlo.dims<d0>>
}
)";

TEST_F(GpuKernelsTest, Norms) {
  EmulatedKernel kernel(kNorm);
  constexpr int64_t kWidth = 768, kRows = 3;
  float *x = makeInput(kRows * kWidth), *scale = makeInput(kWidth),
        *offset = makeInput(kWidth);
  auto *out = makeOutput<float>(kRows * kWidth);
  run(kernel, {x, scale, offset, out}, {kRows});
  for (int64_t row = 0; row < kRows; ++row) {
    const float *at = x + row * kWidth;
    double mean = 0, square = 0;
    for (int64_t i = 0; i < kWidth; ++i)
      mean += at[i] / double(kWidth);
    for (int64_t i = 0; i < kWidth; ++i)
      square += (at[i] - mean) * (at[i] - mean) / kWidth;
    for (int64_t i = 0; i < kWidth; ++i)
      EXPECT_NEAR(out[row * kWidth + i],
                  (at[i] - mean) / std::sqrt(square + 1e-5) * scale[i] +
                      offset[i],
                  1e-5);
  }
}

TEST_F(GpuKernelsTest, AccessesAreWhole) {
  // Units of accesses over the lower bound, for each memory.
  struct Cost {
    double shared = 1, global = 1;
  };
  auto getCost = [&](EmulatedKernel &kernel, llvm::ArrayRef<void *> buffers,
                     llvm::ArrayRef<int64_t> dims) {
    run(kernel, buffers, dims);
    double units[2] = {}, least[2] = {};
    for (const emu::AccessCount &count : device.getCounts()) {
      units[count.isShared] += count.units;
      least[count.isShared] += count.least;
    }
    auto share = [&](bool isShared) {
      return least[isShared] > 0 ? units[isShared] / least[isShared] : 1;
    };
    return Cost{share(true), share(false)};
  };
  device.countAccesses();
  {
    EmulatedKernel kernel(kGelu);
    Cost cost = getCost(
        kernel,
        {makeInput(64 * 256), makeInput(256), makeOutput<float>(64 * 256)},
        {64, 256});
    EXPECT_EQ(cost.global, 1);
  }
  {
    EmulatedKernel kernel(kNorm);
    Cost cost = getCost(kernel,
                        {makeInput(16 * 768), makeInput(768), makeInput(768),
                         makeOutput<float>(16 * 768)},
                        {16});
    EXPECT_EQ(cost.global, 1);
  }
  {
    EmulatedKernel kernel(kSoftmax);
    Cost cost = getCost(
        kernel, {makeInput(4 * 2048), makeOutput<float>(4 * 2048)}, {4, 2048});
    EXPECT_EQ(cost.global, 1);
    EXPECT_EQ(cost.shared, 1);
  }
  for (int64_t width : {8, 100, 300, 700}) {
    EmulatedKernel kernel(kColumns);
    int64_t count = 2 * width * 64;
    Cost cost = getCost(kernel, {makeInput(count), makeOutput<float>(count)},
                        {2, width, 64});
    EXPECT_EQ(cost.global, 1) << width;
    EXPECT_EQ(cost.shared, 1) << width;
  }
}

struct ConvolutionCase {
  bool isLast;
  int64_t images, height, width, channels, filters, window, stride, pad,
      dilation, inputDilation, groups;
};

TEST_F(GpuKernelsTest, Convolutions) {
  for (ConvolutionCase c :
       {ConvolutionCase{true, 2, 7, 9, 6, 10, 3, 1, 1, 1, 1, 1},
        {true, 1, 8, 8, 8, 6, 3, 2, 1, 1, 1, 2},
        {true, 3, 5, 5, 4, 4, 3, 1, 2, 2, 1, 4},
        {true, 1, 4, 5, 3, 70, 2, 1, 1, 1, 2, 1},
        {false, 2, 9, 8, 4, 6, 3, 2, 0, 1, 1, 2},
        {true, 0, 7, 9, 6, 10, 3, 1, 1, 1, 1, 1}}) {
    auto str = [](int64_t n) { return std::to_string(n); };
    int64_t perGroup = c.channels / c.groups;
    std::string channels = str(c.channels), numbers = str(c.filters);
    std::string window = str(c.window) + "x" + str(c.window);
    auto getOut = [&](int64_t in) {
      int64_t dilated = in == 0 ? 0 : (in - 1) * c.inputDilation + 1;
      return (dilated + 2 * c.pad - (c.window - 1) * c.dilation - 1) /
                 c.stride +
             1;
    };
    int64_t outHeight = getOut(c.height), outWidth = getOut(c.width);
    auto image = [&](int64_t h, int64_t w, const std::string &count) {
      std::string size = str(h) + "x" + str(w);
      return "tensor<?x" +
             (c.isLast ? size + "x" + count : count + "x" + size) +
             "xf32, #dhlo.dims<N>>";
    };
    std::string x = image(c.height, c.width, channels);
    std::string y = image(outHeight, outWidth, numbers);
    std::string filter =
        c.isLast ? "tensor<" + window + "x" + str(perGroup) + "x" + numbers
                 : "tensor<" + numbers + "x" + str(perGroup) + "x" + window;
    filter += "xf32>";
    auto pair = [&](int64_t n) { return "[" + str(n) + ", " + str(n) + "]"; };
    std::string kernelText =
        "dlhlo.kernel @k convolution {\n^bb0(%x: " + x + ", %w: " + filter +
        "):\n  dhlo.dim @N in [0, ?]\n  %0 = dhlo.convolution %x, %w " +
        (c.isLast ? "channels_last" : "channels_first") +
        " strides = " + pair(c.stride) + " low = " + pair(c.pad) +
        " high = " + pair(c.pad) +
        " input_dilation = " + pair(c.inputDilation) +
        " filter_dilation = " + pair(c.dilation) +
        " groups = " + str(c.groups) + " : (" + x + ", " + filter + ") -> " +
        y + "\n  dlhlo.yield %0 : " + y + "\n}\n";
    EmulatedKernel kernel(kernelText);
    float *in = makeInput(c.images * c.height * c.width * c.channels);
    float *w = makeInput(c.window * c.window * perGroup * c.filters);
    auto *out = makeOutput<float>(c.images * outHeight * outWidth * c.filters);
    run(kernel, {in, w, out}, {c.images});
    for (int64_t n = 0; n < c.images; ++n)
      for (int64_t oh = 0; oh < outHeight; ++oh)
        for (int64_t ow = 0; ow < outWidth; ++ow)
          for (int64_t f = 0; f < c.filters; ++f) {
            int64_t group = f / (c.filters / c.groups);
            double sum = 0;
            for (int64_t i = 0; i < c.window; ++i)
              for (int64_t j = 0; j < c.window; ++j) {
                int64_t h = oh * c.stride + i * c.dilation - c.pad;
                int64_t v = ow * c.stride + j * c.dilation - c.pad;
                if (h < 0 || v < 0 || h % c.inputDilation ||
                    v % c.inputDilation)
                  continue;
                h /= c.inputDilation;
                v /= c.inputDilation;
                if (h >= c.height || v >= c.width)
                  continue;
                for (int64_t l = 0; l < perGroup; ++l) {
                  int64_t channel = group * perGroup + l;
                  sum +=
                      double(
                          c.isLast
                              ? in[((n * c.height + h) * c.width + v) *
                                       c.channels +
                                   channel]
                              : in[((n * c.channels + channel) * c.height + h) *
                                       c.width +
                                   v]) *
                      (c.isLast
                           ? w[((i * c.window + j) * perGroup + l) * c.filters +
                               f]
                           : w[((f * perGroup + l) * c.window + i) * c.window +
                               j]);
                }
              }
            float found =
                c.isLast
                    ? out[((n * outHeight + oh) * outWidth + ow) * c.filters +
                          f]
                    : out[((n * c.filters + f) * outHeight + oh) * outWidth +
                          ow];
            EXPECT_NEAR(found, sum, 1e-4);
          }
  }
}

constexpr llvm::StringLiteral kDivide = R"(
dlhlo.kernel @k loop {
^bb0(%x: tensor<?xi32, #dhlo.dims<d0>>, %y: tensor<?xi32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [0, ?]
  %0 = dhlo.div %x, %y : tensor<?xi32, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<?xi32, #dhlo.dims<d0>>
}
)";

TEST_F(GpuKernelsTest, DataErrors) {
  EmulatedKernel kernel(kDivide);
  constexpr int64_t kCount = 300;
  auto *x = makeOutput<int32_t>(kCount), *y = makeOutput<int32_t>(kCount),
       *out = makeOutput<int32_t>(kCount);
  for (int64_t i = 0; i < kCount; ++i) {
    x[i] = 100;
    y[i] = i == 299 ? 0 : 7;
  }
  auto *error = makeOutput<uint64_t>(1);
  *error = UINT64_MAX;
  for (auto [buffer, bytes] :
       {std::pair<void *, size_t>{x, 4 * kCount}, {y, 4 * kCount}, {error, 8}})
    device.markWritten(buffer, bytes);
  EXPECT_TRUE(kernel.run(device, {x, y, out}, {kCount}, error));
  EXPECT_TRUE(device.getReports().empty());
  EXPECT_EQ(*error, 0u);
  EXPECT_EQ(out[0], 14);
}

TEST_F(GpuKernelsTest, FaultsNameTheOperation) {
  EmulatedKernel kernel(kGelu);
  float *x = makeInput(64), *y = makeInput(64);
  // A result that is one element too short.
  auto *out = makeOutput<float>(63);
  EXPECT_FALSE(kernel.run(device, {x, y, out}, {1, 64}));
  ASSERT_EQ(device.getReports().size(), 1u);
  EXPECT_EQ(device.getReports()[0].fault, emu::Fault::OutOfBounds);
  EXPECT_EQ(device.getReports()[0].op, "llvm.store");
  EXPECT_FALSE(device.getReports()[0].location.empty());
}

} // namespace
