//===- GemmTest.cpp - GEMMs that a library computes -----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceTesting.h"

#include "dyn/cublas_lt.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <sstream>
#include <thread>

using namespace dyn::test;

namespace {

/// A tensor of small numbers, whose multiplications are exact.
Value makeSmall(std::vector<int64_t> shape, int64_t step) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(float((i * step) % 7 - 3));
  return Value::of(values, std::move(shape));
}
float at(const Value &value, int64_t i) {
  return static_cast<const float *>(value.tensor().data)[i];
}

struct Dense {
  Dense(int64_t m, int64_t k, int64_t n)
      : m(m), k(k), n(n), x(makeSmall({m, k}, 3)), w(makeSmall({k, n}, 5)),
        b(makeSmall({n}, 2)) {}
  std::vector<float> getExpected() const {
    std::vector<float> y;
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        float sum = at(b, j);
        for (int64_t p = 0; p < k; ++p)
          sum += at(x, i * k + p) * at(w, p * n + j);
        y.push_back(std::max(sum, 0.0f));
      }
    return y;
  }
  std::vector<float> getUnlike() const {
    return std::vector<float>(size_t(m * n), -1.0f);
  }
  std::vector<Value> inputs() const { return {x, w, b}; }

  int64_t m, k, n;
  Value x, w, b;
};

dyn_gemm_info_t getInfo(const Context &context) {
  dyn_gemm_info_t info = {};
  info.struct_size = sizeof(info);
  EXPECT_EQ(dyn_context_gemm_info(context.get(), &info), DYN_STATUS_OK);
  return info;
}

class GemmTest : public testing::Test {
protected:
  ~GemmTest() override { std::remove(path.c_str()); }
  void open() {
    execution.reset();
    context = makeContext(artifact, options);
    ASSERT_TRUE(context);
    execution = makeExecution(context.get());
  }
  std::vector<float> call(const Dense &dense, const char *entry = "dense") {
    EXPECT_EQ(run(execution.get(), entry, dense.inputs(), output),
              DYN_STATUS_OK)
        << dyn_last_error();
    return elements<float>(output);
  }
  dyn_stats_t getStats() { return dyn::test::getStats(execution.get()); }
  std::string readTable() {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  void writeTable(const std::string &text) { std::ofstream(path) << text; }
  /// A table of one problem.
  void makeTable() {
    options.tune_gemms = 3;
    open();
    call(large);
    ASSERT_EQ(dyn_context_write_gemms(context.get(), path.c_str()),
              DYN_STATUS_OK)
        << dyn_last_error();
    options.tune_gemms = 0;
    options.gemm_table = path.c_str();
  }

  std::string path =
      testing::TempDir() + "gemms-" + std::to_string(::getpid()) + ".table";
  Artifact artifact = load(artifactPath("gemm.so"));
  dyn_context_options_t options = deviceOptions();
  Context context;
  Execution execution;
  dyn_tensor_t output = {};
  const Dense large{6, 5, 9}, small{3, 3, 4};
};

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

TEST_F(GemmTest, LargeOnesAreTheLibrarys) {
  open();
  dyn_gemm_info_t info = getInfo(context);
  EXPECT_EQ(info.kernels, 3u);
  EXPECT_STREQ(info.library, kEmulator);
  EXPECT_STREQ(info.reason, "");
  EXPECT_EQ(info.version, 1u);
  EXPECT_EQ(info.table_size, 0u);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(call(large), large.getExpected());
    EXPECT_EQ(getStats().launches, 1u);
    EXPECT_EQ(getStats().library_launches, 1u);
    EXPECT_EQ(getStats().library_misses, 0u);
    if (i)
      EXPECT_EQ(getStats().allocations, 0u);
    dyn_execution_reset_stats(execution.get());
    EXPECT_EQ(call(small), small.getUnlike());
    EXPECT_EQ(getStats().library_launches, 0u);
    EXPECT_EQ(getStats().library_misses, 0u);
    dyn_execution_reset_stats(execution.get());
  }
}

TEST_F(GemmTest, BatchesTransposedWithAnAddend) {
  open();
  int64_t b = 3, k = 7, m = 4, n = 5;
  Value x = makeSmall({b, k, m}, 3), w = makeSmall({b, n, k}, 5);
  Value r = makeSmall({b, m, n}, 2);
  ASSERT_EQ(run(execution.get(), "batched", {x, w, r}, output), DYN_STATUS_OK)
      << dyn_last_error();
  std::vector<float> got = elements<float>(output), expected;
  for (int64_t g = 0; g < b; ++g)
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        float sum = at(r, (g * m + i) * n + j);
        for (int64_t p = 0; p < k; ++p)
          sum += at(x, (g * k + p) * m + i) * at(w, (g * n + j) * k + p);
        expected.push_back(sum);
      }
  EXPECT_EQ(got, expected);
  EXPECT_EQ(getStats().library_launches, 1u);
}

TEST_F(GemmTest, NoElements) {
  open();
  EXPECT_TRUE(call(Dense(0, 5, 9)).empty());
  Dense noSteps(9, 0, 9);
  EXPECT_EQ(call(noSteps), noSteps.getUnlike());
  EXPECT_EQ(getStats().library_launches, 0u);
}

TEST_F(GemmTest, SeveralExecutionsAtOnce) {
  open();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([this] {
      Execution own = makeExecution(context.get());
      for (int64_t m = 5; m < 12; ++m) {
        Dense dense(m, 6, 8);
        dyn_tensor_t result = {};
        ASSERT_EQ(run(own.get(), "dense", dense.inputs(), result),
                  DYN_STATUS_OK);
        EXPECT_EQ(elements<float>(result), dense.getExpected());
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST_F(GemmTest, WhatReachesOutOfItsMemory) {
  open();
  dyn_tensor_t result = {};
  EXPECT_EQ(run(execution.get(), "outside", large.inputs(), result),
            DYN_STATUS_DEVICE_ERROR);
  std::string message = dyn_last_error();
  EXPECT_NE(message.find("access out of bounds in kernel 'cublasLtMatmul': "
                         "120000 bytes of B"),
            std::string::npos)
      << message;
  EXPECT_EQ(call(large), large.getExpected());
}

//===----------------------------------------------------------------------===//
// Machines without a library
//===----------------------------------------------------------------------===//

TEST_F(GemmTest, NoneIsWanted) {
  options.gemm_library = "none";
  open();
  EXPECT_STREQ(getInfo(context).library, "");
  EXPECT_STREQ(getInfo(context).reason, "none is wanted");
  EXPECT_EQ(call(large), large.getUnlike());
  EXPECT_EQ(getStats().library_launches, 0u);
  EXPECT_EQ(getStats().library_misses, 1u);
  EXPECT_FAILURE(dyn_context_write_gemms(context.get(), path.c_str()),
                 DYN_STATUS_UNSUPPORTED,
                 "there is no GEMM library to write a table of: none "
                 "is wanted");
  options.tune_gemms = 2;
  EXPECT_FAILURE(tryContext(artifact, options), DYN_STATUS_UNSUPPORTED,
                 "tune_gemms: expected a GEMM library, there is "
                 "none: none is wanted");
  options.tune_gemms = 0;
  options.gemm_table = "x";
  EXPECT_FAILURE(tryContext(artifact, options), DYN_STATUS_UNSUPPORTED,
                 "gemm_table: expected a GEMM library, there is "
                 "none: none is wanted");
}

TEST_F(GemmTest, TheSystemHasNone) {
  // Nor does a library start on a machine without a GPU.
  if (dlopen("libcuda.so.1", RTLD_NOW))
    GTEST_SKIP() << "this machine may have a GPU";
  // The artifact's kernels run, and the context reports the reason.
  options.device_library = DYN_TEST_STUB;
  open();
  EXPECT_STREQ(getInfo(context).library, "");
  std::string reason = getInfo(context).reason;
  for (const char *name :
       {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11"})
    EXPECT_NE(reason.find(name), std::string::npos) << reason;
  call(large);
  EXPECT_EQ(getStats().library_misses, 1u);
}

TEST_F(GemmTest, NamedAndNone) {
  options.gemm_library = "libnowhere.so";
  EXPECT_EQ(tryContext(artifact, options), DYN_STATUS_UNSUPPORTED);
  EXPECT_EQ(std::string(dyn_last_error())
                .find("no GEMM library: libnowhere.so: cannot open"),
            0u)
      << dyn_last_error();
  options.gemm_library = "libm.so.6";
  EXPECT_EQ(tryContext(artifact, options), DYN_STATUS_UNSUPPORTED);
  EXPECT_EQ(std::string(dyn_last_error())
                .find("'libm.so.6' is no cuBLASLt 11 or newer: it has no '"),
            0u)
      << dyn_last_error();
  options.device_library = DYN_TEST_STUB;
  options.gemm_library = kEmulator;
  EXPECT_FAILURE(tryContext(artifact, options), DYN_STATUS_UNSUPPORTED,
                 "'libdynemu.so' computes on the emulator, and the device is "
                 "a GPU");
}

TEST_F(GemmTest, NoKernelIsLeftToOne) {
  Artifact other = load(artifactPath("device.so"));
  context = makeContext(other, options);
  EXPECT_EQ(getInfo(context).kernels, 0u);
  EXPECT_STREQ(getInfo(context).reason,
               "no kernel of the artifact is left to one");
}

TEST_F(GemmTest, NoneOnTheCpu) {
  dyn_context_options_t cpu = {};
  cpu.struct_size = sizeof(cpu);
  cpu.gemm_library = "l";
  EXPECT_FAILURE(tryContext(artifact, cpu), DYN_STATUS_INVALID_ARGUMENT,
                 "gemm_library: expected none on the CPU, got 'l'");
  cpu.gemm_library = nullptr;
  cpu.gemm_table = "t";
  EXPECT_FAILURE(tryContext(artifact, cpu), DYN_STATUS_INVALID_ARGUMENT,
                 "gemm_table: expected none on the CPU, got 't'");
  cpu.gemm_table = nullptr;
  cpu.tune_gemms = 2;
  EXPECT_FAILURE(tryContext(artifact, cpu), DYN_STATUS_INVALID_ARGUMENT,
                 "tune_gemms: expected none on the CPU, got 2");
  context = dyn::test::makeContext(artifact.get());
  EXPECT_STREQ(getInfo(context).reason, "the CPU has none");
  EXPECT_FAILURE(dyn_context_write_gemms(context.get(), path.c_str()),
                 DYN_STATUS_UNSUPPORTED,
                 "there is no GEMM library to write a table of: the "
                 "CPU has none");
}

// The real library makes descriptors without a GPU, if it is installed.
TEST(CublasLtTest, TakesOurWords) {
  struct {
#define DYN_CUBLAS_FUNCTION(member, result, symbol, parameters)                \
  result(*member) parameters;
#include "dyn/cublas_lt.def"
  } f = {};
  void *library = nullptr;
  for (const char *name :
       {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11"})
    library = library ? library : dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    GTEST_SKIP() << "no cuBLASLt";
#define DYN_CUBLAS_FUNCTION(member, result, symbol, parameters)                \
  f.member = reinterpret_cast<result(*) parameters>(dlsym(library, #symbol));  \
  ASSERT_TRUE(f.member) << #symbol;
#include "dyn/cublas_lt.def"
  EXPECT_GE(f.getVersion(), 110000u);
  dyn_cublas_desc_t desc = nullptr;
  ASSERT_EQ(f.descCreate(&desc, DYN_CUBLAS_COMPUTE_F32, DYN_CUBLAS_F32), 0);
  int32_t operation = DYN_CUBLAS_TRANSPOSED;
  uint32_t epilogue = DYN_CUBLAS_EPILOGUE_GELU | DYN_CUBLAS_EPILOGUE_BIAS;
  const void *bias = &operation;
  EXPECT_EQ(f.descSet(desc, DYN_CUBLAS_DESC_TRANSPOSE_A, &operation, 4), 0);
  EXPECT_EQ(f.descSet(desc, DYN_CUBLAS_DESC_TRANSPOSE_B, &operation, 4), 0);
  EXPECT_EQ(f.descSet(desc, DYN_CUBLAS_DESC_EPILOGUE, &epilogue, 4), 0);
  EXPECT_EQ(f.descSet(desc, DYN_CUBLAS_DESC_BIAS, &bias, sizeof(bias)), 0);
  EXPECT_EQ(f.descDestroy(desc), 0);
  for (int type : {DYN_CUBLAS_F32, DYN_CUBLAS_F16, DYN_CUBLAS_BF16}) {
    dyn_cublas_layout_t layout = nullptr;
    ASSERT_EQ(f.layoutCreate(&layout, type, 8, 4, 8), 0);
    int32_t count = 3;
    int64_t stride = 32;
    EXPECT_EQ(f.layoutSet(layout, DYN_CUBLAS_LAYOUT_BATCH_COUNT, &count, 4), 0);
    EXPECT_EQ(f.layoutSet(layout, DYN_CUBLAS_LAYOUT_BATCH_STRIDE, &stride, 8),
              0);
    EXPECT_EQ(f.layoutDestroy(layout), 0);
  }
  dyn_cublas_preference_t preference = nullptr;
  ASSERT_EQ(f.preferenceCreate(&preference), 0);
  uint64_t bytes = 32 << 20;
  uint32_t number = DYN_CUBLAS_REDUCE_IN_COMPUTE_TYPE;
  auto prefer = [&](int attribute, const void *value, size_t size) {
    return f.preferenceSet(preference, attribute, value, size);
  };
  EXPECT_EQ(prefer(DYN_CUBLAS_PREFER_WORKSPACE_BYTES, &bytes, 8), 0);
  EXPECT_EQ(prefer(DYN_CUBLAS_PREFER_REDUCTIONS, &number, 4), 0);
  number = 16;
  for (int attribute = DYN_CUBLAS_PREFER_ALIGNMENT_A;
       attribute <= DYN_CUBLAS_PREFER_ALIGNMENT_D; ++attribute)
    EXPECT_EQ(prefer(attribute, &number, 4), 0);
  EXPECT_EQ(f.preferenceDestroy(preference), 0);
}

//===----------------------------------------------------------------------===//
// Tuning
//===----------------------------------------------------------------------===//

TEST_F(GemmTest, TunesAndReads) {
  makeTable();
  EXPECT_EQ(getInfo(context).tuned, 1u);
  EXPECT_EQ(getInfo(context).table_size, 1u);
  EXPECT_EQ(call(large), large.getExpected());
  EXPECT_EQ(getInfo(context).tuned, 1u);
  std::string text = readTable();
  EXPECT_EQ(text.find("dyn-gemms 1\nlibrary 1\ndevice emulator\n"
                      "1 6 9 5 12 12 1 1 0 0 0 256 : 64796e656d75 "),
            0u)
      << text;
  EXPECT_NE(text.find("\nend 1 "), std::string::npos);

  open();
  EXPECT_EQ(getInfo(context).table_size, 1u);
  EXPECT_EQ(getInfo(context).tuned, 0u);
  EXPECT_EQ(call(large), large.getExpected());
  EXPECT_EQ(getInfo(context).tuned, 0u);
  // Problems that were read are written again, and further ones are added.
  options.tune_gemms = 2;
  open();
  call(large);
  call(Dense(8, 8, 8));
  EXPECT_EQ(getInfo(context).tuned, 1u);
  EXPECT_EQ(getInfo(context).table_size, 2u);
  ASSERT_EQ(dyn_context_write_gemms(context.get(), path.c_str()),
            DYN_STATUS_OK);
  EXPECT_NE(readTable().find("\nend 2 "), std::string::npos);
}

TEST_F(GemmTest, TooManyAlgorithms) {
  options.tune_gemms = 65;
  EXPECT_FAILURE(tryContext(artifact, options), DYN_STATUS_INVALID_ARGUMENT,
                 "tune_gemms: expected at most 64 algorithms, got 65");
}

TEST_F(GemmTest, TablesThatCannotBeWritten) {
  open();
  EXPECT_FAILURE(dyn_context_write_gemms(context.get(), "/nowhere/t"),
                 DYN_STATUS_IO_ERROR,
                 "cannot write '/nowhere/t': No such file or directory");
  EXPECT_FAILURE(dyn_context_write_gemms(context.get(), nullptr),
                 DYN_STATUS_INVALID_ARGUMENT, "path is null");
  EXPECT_FAILURE(dyn_context_write_gemms(nullptr, "t"),
                 DYN_STATUS_INVALID_ARGUMENT, "context is null");
  dyn_gemm_info_t info = {};
  EXPECT_FAILURE(dyn_context_gemm_info(nullptr, &info),
                 DYN_STATUS_INVALID_ARGUMENT, "context is null");
}

/// A table of these lines with its last line.
std::string sign(const std::string &lines) {
  uint64_t sum = 0xcbf29ce484222325;
  for (char c : lines)
    sum = (sum ^ uint8_t(c)) * 0x100000001b3;
  char end[64];
  std::snprintf(end, sizeof(end), "end %zu %016llx\n",
                size_t(std::count(lines.begin(), lines.end(), '\n')) - 3,
                (unsigned long long)sum);
  return lines + end;
}

TEST_F(GemmTest, TablesThatAreDamaged) {
  makeTable();
  const std::string good = readTable();
  const std::string damaged = "'" + path + "' is no GEMM table, or damaged: ";
  const std::string lines = good.substr(0, good.find("end "));
  writeTable(sign(lines));
  EXPECT_EQ(readTable(), good);
  auto expect = [&](const std::string &text, dyn_status_t status,
                    const std::string &message) {
    writeTable(text);
    EXPECT_FAILURE(tryContext(artifact, options), status, message.c_str());
  };
  auto replace = [&](const char *from, const char *to) {
    std::string text = lines;
    return sign(text.replace(text.find(from), std::strlen(from), to));
  };
  expect("", DYN_STATUS_BAD_ARTIFACT,
         damaged + "it does not begin with 'dyn-gemms 1'");
  expect("dyn-gemms 2\n", DYN_STATUS_BAD_ARTIFACT,
         damaged + "it does not begin with 'dyn-gemms 1'");
  // Truncated anywhere.
  for (size_t length = 15; length < good.size(); ++length)
    expect(good.substr(0, length), DYN_STATUS_BAD_ARTIFACT,
           damaged + "its end is missing");
  std::string changed = good;
  changed[lines.find(" : ") + 4] ^= 1;
  expect(changed, DYN_STATUS_BAD_ARTIFACT,
         damaged + "its lines do not hash to what its end says");
  expect(replace("device ", "devise "), DYN_STATUS_BAD_ARTIFACT,
         damaged + "its library or device is missing");
  for (const char *bad : {" ; ", " : g", " : 10000000000000000"})
    expect(replace(" : ", bad), DYN_STATUS_BAD_ARTIFACT,
           damaged + "a line is not as it should be");
  std::string twice = lines + lines.substr(lines.find("\n1 6 9") + 1);
  expect(sign(twice), DYN_STATUS_BAD_ARTIFACT,
         damaged + "it has another number of lines");

  expect(replace("library 1\n", "library 130100\n"), DYN_STATUS_UNSUPPORTED,
         "'" + path +
             "' is for version 130100 of the GEMM library: this is "
             "version 1");
  expect(replace("emulator", "NVIDIA H100"), DYN_STATUS_UNSUPPORTED,
         "'" + path + "' is for 'NVIDIA H100': this device is 'emulator'");
  std::remove(path.c_str());
  EXPECT_EQ(tryContext(artifact, options), DYN_STATUS_NOT_FOUND);

  // Only the library can detect this.
  writeTable(replace(": 64796e656d75", ": 64796e656d76"));
  open();
  EXPECT_FAILURE(run(execution.get(), "dense", large.inputs(), output),
                 DYN_STATUS_UNSUPPORTED,
                 "'libdynemu.so' refuses the algorithm that the GEMM table has "
                 "for 'dense'");
}

//===----------------------------------------------------------------------===//
// Libraries that fail, each in a process of its own
//===----------------------------------------------------------------------===//

/// Runs the dense GEMM in a context with a library of some kind; exits with the
/// result of `check`.
template <typename Fn>
[[noreturn]] void runWith(const char *kind, dyn_context_options_t options,
                          Fn &&check) {
  setenv("DYN_EMU_GEMMS", kind, 1);
  Artifact artifact = load(artifactPath("gemm.so"));
  Context context = makeContext(artifact, options);
  bool isRight = false;
  if (context) {
    Execution execution = makeExecution(context.get());
    Dense dense(6, 5, 9);
    dyn_tensor_t output = {};
    dyn_status_t status = run(execution.get(), "dense", dense.inputs(), output);
    dyn_stats_t stats = {};
    stats.struct_size = sizeof(stats);
    dyn_execution_stats(execution.get(), &stats);
    bool isOwn =
        status == DYN_STATUS_OK && elements<float>(output) == dense.getUnlike();
    isRight = check(context, status, isOwn, stats);
  }
  if (!isRight)
    std::fprintf(stderr, "%s\n", dyn_last_error());
  context.reset();
  std::_Exit(isRight ? 0 : 1);
}

TEST_F(GemmTest, ALibraryThatDoesNotStart) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(runWith("broken", options,
                      [](const Context &context, dyn_status_t, bool isOwn,
                         const dyn_stats_t &stats) {
                        return isOwn && stats.library_misses == 1 &&
                               getInfo(context).reason ==
                                   std::string(
                                       "cannot start the GEMM library: "
                                       "the library was not initialized (error "
                                       "1 of 'libdynemu.so')");
                      }),
              testing::ExitedWithCode(0), "");
}

TEST_F(GemmTest, ALibraryWithoutAnAlgorithm) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(runWith("unable", options,
                      [](const Context &, dyn_status_t, bool isOwn,
                         const dyn_stats_t &stats) {
                        return isOwn && stats.library_misses == 1;
                      }),
              testing::ExitedWithCode(0), "");
}

TEST_F(GemmTest, ALibraryThatFails) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(runWith("failing", options,
                      [](const Context &, dyn_status_t status, bool,
                         const dyn_stats_t &) {
                        return status == DYN_STATUS_DEVICE_ERROR &&
                               dyn_last_error() ==
                                   std::string(
                                       "cannot compute the GEMM of 'dense': "
                                       "the device failed (error 13 of "
                                       "'libdynemu.so')");
                      }),
              testing::ExitedWithCode(0), "");
}

TEST_F(GemmTest, TheFastestIsTaken) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  options.tune_gemms = 3;
  std::string file = path;
  EXPECT_EXIT(runWith("slow", options,
                      [&](const Context &context, dyn_status_t status, bool,
                          const dyn_stats_t &) {
                        std::stringstream text;
                        dyn_context_write_gemms(context.get(), file.c_str());
                        text << std::ifstream(file).rdbuf();
                        std::remove(file.c_str());
                        // The number of the algorithm is its second word.
                        return status == DYN_STATUS_OK &&
                               text.str().find("64796e656d75 0 ") ==
                                   std::string::npos &&
                               text.str().find("64796e656d75 ") !=
                                   std::string::npos;
                      }),
              testing::ExitedWithCode(0), "");
}

} // namespace
