//===- DataDependentSizesTest.cpp - Kernels with data-dependent sizes -----===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A kernel that reads a size from data computes the same as the kernel to which
// it is passed, whatever the launch's upper bound of the size is, and accesses
// nothing else.

#include "EmulationTest.h"

#include <cstring>

using namespace dyn;

namespace {

/// A kernel of f32 or i64 with a size @n among its dims @a and @n; `%s` is
/// replaced by the binding of @n to its last argument, or by nothing.
struct Case {
  const char *name, *arguments, *body;
  /// Number of elements of an argument or a result by @a and @n.
  std::vector<int64_t (*)(int64_t a, int64_t n)> inputs, outputs;
  std::vector<int64_t> sizes; ///< values of @n; the last is the maximum
};

int64_t both(int64_t a, int64_t n) { return a * n; }
int64_t one(int64_t, int64_t n) { return n; }
int64_t other(int64_t a, int64_t) { return a; }
int64_t scalar(int64_t, int64_t) { return 2; }

const Case kCases[] = {
    {"rows of a loop",
     "%x: tensor<?x?xf32, #dhlo.dims<n, a>>",
     R"(
  %0 = dhlo.exp %x : tensor<?x?xf32, #dhlo.dims<n, a>>
  dlhlo.yield %0 : tensor<?x?xf32, #dhlo.dims<n, a>>)",
     {both},
     {both},
     {0, 1, 64, 300, 1000}},
    {"lines of a loop",
     "%x: tensor<?x?xf32, #dhlo.dims<a, n>>",
     R"(
  %0 = dhlo.transpose %x permutation = [1, 0] : (tensor<?x?xf32, #dhlo.dims<a, n>>) -> tensor<?x?xf32, #dhlo.dims<n, a>>
  dlhlo.yield %0 : tensor<?x?xf32, #dhlo.dims<n, a>>)",
     {both},
     {both},
     {0, 1, 7, 12, 64}},
    {"rows of row",
     "%x: tensor<?x?xf32, #dhlo.dims<n, a>>",
     R"(
  %0 = dhlo.softmax %x axis = 1 : tensor<?x?xf32, #dhlo.dims<n, a>>
  dlhlo.yield %0 : tensor<?x?xf32, #dhlo.dims<n, a>>)",
     {both},
     {both},
     {0, 1, 9, 100}},
    {"columns of row",
     "%x: tensor<?x?xf32, #dhlo.dims<a, n>>",
     R"(
  %0 = dhlo.softmax %x axis = 1 : tensor<?x?xf32, #dhlo.dims<a, n>>
  dlhlo.yield %0 : tensor<?x?xf32, #dhlo.dims<a, n>>)",
     {both},
     {both},
     {0, 1, 33, 511, 516, 1001, 2501, 9000}},
    {"rows of contraction",
     "%x: tensor<?x?xf32, #dhlo.dims<n, a>>, %y: tensor<?xf32, #dhlo.dims<a>>",
     R"(
  %1 = dhlo.reshape %y : (tensor<?xf32, #dhlo.dims<a>>) -> tensor<?x1xf32, #dhlo.dims<a>>
  %0 = dhlo.dot_general %x, %1 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x?xf32, #dhlo.dims<n, a>>, tensor<?x1xf32, #dhlo.dims<a>>) -> tensor<?x1xf32, #dhlo.dims<n>>
  dlhlo.yield %0 : tensor<?x1xf32, #dhlo.dims<n>>)",
     {both, other},
     {one},
     {0, 1, 17, 130, 200}},
    {"steps of contraction",
     "%x: tensor<?x?xf32, #dhlo.dims<a, n>>, %y: tensor<?x?xf32, #dhlo.dims<n, "
     "a>>",
     R"(
  %0 = dhlo.dot_general %x, %y batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x?xf32, #dhlo.dims<a, n>>, tensor<?x?xf32, #dhlo.dims<n, a>>) -> tensor<?x?xf32, #dhlo.dims<a, a>>
  dlhlo.yield %0 : tensor<?x?xf32, #dhlo.dims<a, a>>)",
     {both, both},
     {[](int64_t a, int64_t) { return a * a; }},
     {0, 1, 17, 64, 100}},
    // A block after the last one would access a matrix that does not exist.
    {"matrices of contraction",
     "%x: tensor<?x3x?xf32, #dhlo.dims<n, a>>, %y: tensor<?x?x2xf32, "
     "#dhlo.dims<n, a>>",
     R"(
  %0 = dhlo.dot_general %x, %y batch = 1 lhs_contract = [2] rhs_contract = [1] : (tensor<?x3x?xf32, #dhlo.dims<n, a>>, tensor<?x?x2xf32, #dhlo.dims<n, a>>) -> tensor<?x3x2xf32, #dhlo.dims<n>>
  dlhlo.yield %0 : tensor<?x3x2xf32, #dhlo.dims<n>>)",
     {[](int64_t a, int64_t n) { return 3 * a * n; },
      [](int64_t a, int64_t n) { return 2 * a * n; }},
     {[](int64_t, int64_t n) { return 6 * n; }},
     {0, 1, 3, 7}},
    {"steps of single cumulative",
     "%x: tensor<?x?xf32, #dhlo.dims<n, a>>",
     R"(
  %0 = dhlo.cumulative sum %x axis = 0 : tensor<?x?xf32, #dhlo.dims<n, a>>
  dlhlo.yield %0 : tensor<?x?xf32, #dhlo.dims<n, a>>)",
     {both},
     {both},
     {0, 1, 40, 70}},
    {"elements of single sort",
     "%x: tensor<?xf32, #dhlo.dims<n>>",
     R"(
  %0, %1 = dhlo.sort %x axis = 0 : tensor<?xf32, #dhlo.dims<n>>, tensor<?xi64, #dhlo.dims<n>>
  dlhlo.yield %0 : tensor<?xf32, #dhlo.dims<n>>)",
     {one},
     {one},
     {0, 1, 30, 300}},
    // Here chunks get longer, so there are fewer of them for more elements.
    {"elements of single find_nonzero",
     "%x: tensor<?xf32, #dhlo.dims<n>>",
     R"(
  %0, %1 = dlhlo.find_nonzero %x : (tensor<?xf32, #dhlo.dims<n>>) -> (tensor<?x1xi64, #dhlo.dims<n>>, tensor<i64>)
  dlhlo.yield %1 : tensor<i64>)",
     {one},
     {scalar},
     {0, 1, 5000, 262144, 262145}},
};

class DataDependentSizesTest : public EmulationTest {
protected:
  static std::string write(const Case &test, bool finds) {
    std::string kind = test.name;
    for (const char *known : {"single", "row", "contraction", "loop"})
      if (kind.find(std::string("of ") + known) != std::string::npos ||
          kind.find(std::string("of a ") + known) != std::string::npos)
        kind = known;
    return "dlhlo.kernel @k " + kind + " {\n^bb0(" + test.arguments +
           (finds ? ", %found: tensor<i64>" : "") +
           "):\n  dhlo.dim @a\n  dhlo.dim @n in [0, 300000]\n" +
           (finds ? "  dhlo.bind @n = %found : tensor<i64>\n" : "") +
           test.body + "\n}\n";
  }
  int64_t *makeCount(int64_t n) {
    auto *count = static_cast<int64_t *>(device.allocate(8));
    *count = n;
    device.markWritten(count, 8);
    return count;
  }
  std::vector<float *> makeOutputs(const Case &test, int64_t a, int64_t n) {
    std::vector<float *> outputs;
    for (auto size : test.outputs) {
      outputs.push_back(makeOutput<float>(size(a, n)));
      std::memset(outputs.back(), 0x5a, 4 * size(a, n));
    }
    return outputs;
  }
};

TEST_F(DataDependentSizesTest, AsIfTheyWereTold) {
  for (const Case &test : kCases) {
    SCOPED_TRACE(test.name);
    EmulatedKernel told(write(test, false)), finds(write(test, true));
    const int64_t a = 5, most = test.sizes.back();
    for (int64_t n : test.sizes) {
      SCOPED_TRACE(n);
      std::vector<void *> inputs;
      for (auto size : test.inputs)
        inputs.push_back(makeInput(size(a, n)));
      std::vector<float *> want = makeOutputs(test, a, n);
      std::vector<float *> got = makeOutputs(test, a, most);
      std::vector<void *> buffers = inputs;
      buffers.insert(buffers.end(), want.begin(), want.end());
      run(told, buffers, {a, n});
      buffers = inputs;
      buffers.push_back(makeCount(n));
      buffers.insert(buffers.end(), got.begin(), got.end());
      uint64_t error = UINT64_MAX;
      EXPECT_TRUE(finds.run(device, buffers, {a, most}, &error));
      expectNoReports();
      EXPECT_EQ(error, UINT64_MAX);
      for (size_t i = 0; i < got.size(); ++i) {
        int64_t count = test.outputs[i](a, n);
        EXPECT_EQ(std::memcmp(got[i], want[i], 4 * count), 0);
        auto *bytes = reinterpret_cast<unsigned char *>(got[i]);
        for (int64_t at = 4 * count; at < 4 * test.outputs[i](a, most); ++at)
          ASSERT_EQ(bytes[at], 0x5a) << "byte " << at;
      }
    }
  }
}

/// A size outside of its declared range is the data error of the kernel's first
/// site, and the nearest legal one is used.
TEST_F(DataDependentSizesTest, IllegalSizes) {
  EmulatedKernel kernel(write(kCases[0], true));
  const int64_t a = 2, most = 10;
  for (auto [found, legal] : {std::pair<int64_t, int64_t>{-1, 0}, {11, 10}}) {
    float *x = makeInput(a * most), *out = makeOutputs(kCases[0], a, most)[0];
    auto *error = static_cast<uint64_t *>(device.allocate(8));
    *error = UINT64_MAX;
    device.markWritten(error, 8);
    EXPECT_TRUE(
        kernel.run(device, {x, makeCount(found), out}, {a, most}, error));
    expectNoReports();
    EXPECT_EQ(*error, 0u);
    auto *bytes = reinterpret_cast<unsigned char *>(out);
    EXPECT_EQ(bytes[0] == 0x5a && bytes[1] == 0x5a, legal == 0);
  }
}

} // namespace
