//===- EmulatedLibraryTest.cpp - The emulator as cuBLASLt -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/cublas_lt.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace {

/// Both interfaces of libdynemu.so, and a GEMM of two 8 x 8 matrices of ones.
class EmulatedLibraryTest : public testing::Test {
protected:
  struct Functions {
#define DYN_CUDA_FUNCTION(member, symbol, parameters) int(*member) parameters;
#include "dyn/cuda_driver.def"
#define DYN_CUBLAS_FUNCTION(member, result, symbol, parameters)                \
  result(*member) parameters;
#include "dyn/cublas_lt.def"
  };

  void SetUp() override {
    void *library = dlopen("libdynemu.so", RTLD_NOW);
    ASSERT_TRUE(library) << dlerror();
#define DYN_CUDA_FUNCTION(member, symbol, parameters)                          \
  f.member = reinterpret_cast<int(*) parameters>(dlsym(library, #symbol));
#include "dyn/cuda_driver.def"
#define DYN_CUBLAS_FUNCTION(member, result, symbol, parameters)                \
  f.member = reinterpret_cast<result(*) parameters>(dlsym(library, #symbol));
#include "dyn/cublas_lt.def"
    ASSERT_EQ(f.create(&handle), DYN_CUBLAS_SUCCESS);
    ASSERT_EQ(f.descCreate(&desc, DYN_CUBLAS_COMPUTE_F32, DYN_CUBLAS_F32),
              DYN_CUBLAS_SUCCESS);
    ASSERT_EQ(f.layoutCreate(&square, DYN_CUBLAS_F32, 8, 8, 8),
              DYN_CUBLAS_SUCCESS);
    ASSERT_EQ(f.preferenceCreate(&preference), DYN_CUBLAS_SUCCESS);
    ASSERT_EQ(f.streamCreate(&stream, 0), DYN_CUDA_SUCCESS);
    // Two initialised matrices, one uninitialised, memory for a workspace.
    ASSERT_EQ(f.memAlloc(&memory, 4 * kBytes + 64), DYN_CUDA_SUCCESS);
    std::vector<float> ones(128, 1.0f);
    ASSERT_EQ(f.copyToDevice(memory, ones.data(), 2 * kBytes),
              DYN_CUDA_SUCCESS);
  }
  ~EmulatedLibraryTest() override {
    f.preferenceDestroy(preference);
    f.layoutDestroy(square);
    f.descDestroy(desc);
    f.destroy(handle);
    f.memFree(memory);
  }

  int prefer(int attribute, uint64_t value, size_t bytes) {
    return f.preferenceSet(preference, attribute, &value, bytes);
  }
  std::vector<dyn_cublas_heuristic_t> propose() {
    std::vector<dyn_cublas_heuristic_t> results(5);
    int found = 0;
    EXPECT_EQ(f.findAlgorithms(handle, desc, square, square, square, square,
                               preference, 5, results.data(), &found),
              DYN_CUBLAS_SUCCESS);
    results.resize(size_t(found));
    return results;
  }
  int multiply(uint64_t a, uint64_t b, uint64_t d,
               const dyn_cublas_algorithm_t &algorithm, uint64_t workspace = 0,
               size_t workspaceBytes = 0) {
    float one = 1, zero = 0;
    auto at = [](uint64_t address) {
      return reinterpret_cast<void *>(address);
    };
    return f.multiply(handle, desc, &one, at(a), square, at(b), square, &zero,
                      at(d), square, at(d), square, &algorithm, at(workspace),
                      workspaceBytes, stream);
  }
  /// The report of a wait for the stream, "" for none.
  std::string wait() {
    const char *text = "";
    if (int result = f.streamSynchronize(stream))
      f.getErrorString(result, &text);
    return text;
  }
  float getFirst(uint64_t address) {
    float value = 0;
    EXPECT_EQ(f.copyToHostAsync(&value, address, 4, stream), DYN_CUDA_SUCCESS);
    return value;
  }

  static constexpr uint64_t kBytes = 256;
  Functions f = {};
  dyn_cublas_handle_t handle = nullptr;
  dyn_cublas_desc_t desc = nullptr;
  dyn_cublas_layout_t square = nullptr;
  dyn_cublas_preference_t preference = nullptr;
  dyn_cuda_stream_t stream = nullptr;
  uint64_t memory = 0;
};

TEST_F(EmulatedLibraryTest, Algorithms) {
  ASSERT_EQ(prefer(DYN_CUBLAS_PREFER_WORKSPACE_BYTES, 1 << 20, 8),
            DYN_CUBLAS_SUCCESS);
  std::vector<dyn_cublas_heuristic_t> proposed = propose();
  ASSERT_EQ(proposed.size(), 3u);
  uint64_t d = memory + 2 * kBytes, workspace = memory + 3 * kBytes;
  for (const dyn_cublas_heuristic_t &result : proposed) {
    EXPECT_EQ(result.state, DYN_CUBLAS_SUCCESS);
    EXPECT_EQ(multiply(memory, memory + kBytes, d, result.algorithm, workspace,
                       result.workspace_bytes),
              DYN_CUBLAS_SUCCESS);
    EXPECT_EQ(wait(), "");
    EXPECT_EQ(getFirst(d), 8.0f);
    dyn_cublas_heuristic_t checked = {};
    EXPECT_EQ(f.checkAlgorithm(handle, desc, square, square, square, square,
                               &result.algorithm, &checked),
              DYN_CUBLAS_SUCCESS);
    EXPECT_EQ(checked.workspace_bytes, result.workspace_bytes);
  }
  // The last one needs a workspace.
  EXPECT_EQ(multiply(memory, memory, d, proposed[2].algorithm),
            DYN_CUBLAS_INVALID_VALUE);
  dyn_cublas_algorithm_t none = {};
  EXPECT_EQ(multiply(memory, memory, d, none), DYN_CUBLAS_INVALID_VALUE);
  ASSERT_EQ(prefer(DYN_CUBLAS_PREFER_WORKSPACE_BYTES, 0, 8),
            DYN_CUBLAS_SUCCESS);
  EXPECT_EQ(propose()[2].state, DYN_CUBLAS_NOT_SUPPORTED);
}

TEST_F(EmulatedLibraryTest, Faults) {
  for (int attribute = DYN_CUBLAS_PREFER_ALIGNMENT_A;
       attribute <= DYN_CUBLAS_PREFER_ALIGNMENT_D; ++attribute)
    ASSERT_EQ(prefer(attribute, 64, 4), DYN_CUBLAS_SUCCESS);
  dyn_cublas_algorithm_t algorithm = propose()[0].algorithm;
  uint64_t b = memory + kBytes, d = memory + 2 * kBytes;
  struct Case {
    uint64_t a, b, d;
    const char *report;
  };
  const Case cases[] = {
      {memory + 16, b, d,
       "misaligned access in kernel 'cublasLtMatmul': A at no multiple of 64"},
      {memory, d + kBytes, d,
       "read of uninitialized memory in kernel 'cublasLtMatmul': byte 0 of 256 "
       "of B"},
      {memory, b, memory + 64,
       "race in kernel 'cublasLtMatmul': D lies over A"},
      {memory, b, memory + 4 * kBytes,
       "access out of bounds in kernel 'cublasLtMatmul': 256 bytes of D"},
      {memory, 4096, d,
       "access out of bounds in kernel 'cublasLtMatmul': 256 bytes of B"},
  };
  for (const Case &wrong : cases) {
    EXPECT_EQ(multiply(wrong.a, wrong.b, wrong.d, algorithm),
              DYN_CUBLAS_SUCCESS);
    std::string report = wait();
    EXPECT_EQ(report.find(wrong.report), 0u) << report;
    EXPECT_EQ(wait(), "");
  }
}

TEST_F(EmulatedLibraryTest, WhatCuBlasLtRefuses) {
  dyn_cublas_desc_t wide = nullptr;
  EXPECT_EQ(f.descCreate(&wide, 70, 1), DYN_CUBLAS_NOT_SUPPORTED);
  dyn_cublas_layout_t layout = nullptr;
  EXPECT_EQ(f.layoutCreate(&layout, 1, 8, 8, 8), DYN_CUBLAS_INVALID_VALUE);
  int32_t number = 2;
  int64_t wideNumber = 1;
  EXPECT_EQ(f.descSet(desc, DYN_CUBLAS_DESC_TRANSPOSE_A, &number, 4),
            DYN_CUBLAS_INVALID_VALUE);
  EXPECT_EQ(f.descSet(desc, DYN_CUBLAS_DESC_EPILOGUE, &wideNumber, 8),
            DYN_CUBLAS_INVALID_VALUE);
  EXPECT_EQ(f.descSet(desc, 99, &number, 4), DYN_CUBLAS_INVALID_VALUE);
  EXPECT_EQ(f.layoutSet(square, 99, &number, 4), DYN_CUBLAS_INVALID_VALUE);
  EXPECT_EQ(prefer(99, 1, 4), DYN_CUBLAS_INVALID_VALUE);
  EXPECT_EQ(prefer(DYN_CUBLAS_PREFER_ALIGNMENT_A, 0, 4),
            DYN_CUBLAS_INVALID_VALUE);
  // Inconsistent sizes, a leading dimension that is too small.
  ASSERT_EQ(f.layoutCreate(&layout, DYN_CUBLAS_F32, 7, 8, 8),
            DYN_CUBLAS_SUCCESS);
  dyn_cublas_heuristic_t result;
  int found = 0;
  EXPECT_EQ(f.findAlgorithms(handle, desc, square, layout, square, square,
                             preference, 1, &result, &found),
            DYN_CUBLAS_INVALID_VALUE);
  f.layoutDestroy(layout);
  // A stream that does not exist.
  dyn_cublas_algorithm_t algorithm = propose()[0].algorithm;
  stream = reinterpret_cast<dyn_cuda_stream_t>(&number);
  EXPECT_EQ(multiply(memory, memory, memory + 2 * kBytes, algorithm),
            DYN_CUBLAS_INVALID_VALUE);
}

} // namespace
