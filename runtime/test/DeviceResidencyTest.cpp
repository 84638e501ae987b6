//===- DeviceResidencyTest.cpp - Constants that exceed device memory ------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceTesting.h"
#include "ExpertsTesting.h"

#include <cstdlib>
#include <filesystem>
#include <random>
#include <thread>

using namespace dyn::test;
namespace fs = std::filesystem;

namespace {
constexpr uint64_t kBlock = 65536, kPathBlocks = kPathBytes / kBlock;
/// Three paths, and the first constant.
constexpr uint64_t kLimit = 3 * kPathBytes + kBefore;

/// On a device that maps blocks of 64 KiB.
class DeviceResidencyTest : public ExpertsTest {
protected:
  DeviceResidencyTest() { ::setenv("DYN_EMU_GRANULARITY", "65536", 1); }
  ~DeviceResidencyTest() override { ::unsetenv("DYN_EMU_GRANULARITY"); }

  void open(uint64_t limit) {
    options.memory_limit = limit;
    context = makeContext(artifact, options);
    ASSERT_TRUE(context);
    execution = makeExecution(context.get());
  }
  static dyn_status_t tryPaths(dyn_execution_t *execution, const char *entry,
                               const std::vector<int64_t> &paths) {
    dyn_tensor_t output = {};
    return run(execution, entry, {rowsOf(paths)}, output);
  }
  /// The sum of each 1024th number from the element of a byte on.
  static int64_t sum(int64_t firstByte, int64_t bytes) {
    int64_t first = firstByte / 4, count = bytes / 4096;
    return first * count + 1024 * (count * (count - 1) / 2);
  }
  static void call(dyn_execution_t *execution, const char *entry,
                   const std::vector<int64_t> &paths) {
    dyn_tensor_t output = {};
    ASSERT_EQ(run(execution, entry, {rowsOf(paths)}, output), DYN_STATUS_OK)
        << dyn_last_error();
    std::vector<int64_t> sums(kPaths);
    for (int64_t path : paths)
      sums[size_t(path)] = sum(kBefore + path * kPathBytes, kPathBytes);
    sums.push_back(sum(0, kBefore));
    std::vector<int64_t> found = elements<int64_t>(output);
    found.resize(kPaths + 1);
    EXPECT_EQ(found, sums);
  }
  /// The bytes that the emulator maps, and their maximum since the last
  /// question.
  struct Mapped {
    size_t now, most;
  };
  static Mapped getMapped() {
    auto *count = reinterpret_cast<void (*)(size_t *, size_t *)>(
        dlsym(dlopen(kEmulator, RTLD_NOW), "dyn_emu_count_mapped"));
    Mapped mapped = {};
    count(&mapped.now, &mapped.most);
    return mapped;
  }

  dyn_context_options_t options = deviceOptions();
  Execution execution;
};

TEST_F(DeviceResidencyTest, ResultsAreThoseWithoutALimit) {
  open(kLimit);
  for (const char *entry : {"announced", "predicted"})
    for (const std::vector<int64_t> &paths : std::vector<std::vector<int64_t>>{
             {}, {0}, {1, 2, 3}, {63, 5, 30}, {2, 3, 4}, {62, 63, 61}})
      call(execution.get(), entry, paths);
  EXPECT_LE(getMapped().most, kLimit);
  EXPECT_LE(stats().peak_constant_bytes, kLimit);
  EXPECT_EQ(stats().constant_bytes, getMapped().now);
  execution.reset();
  context.reset();
  EXPECT_EQ(getMapped().now, 0u);
}

TEST_F(DeviceResidencyTest, OnlyWhatIsNeededIsRead) {
  open(kLimit);
  call(execution.get(), "announced", {7, 9});
  EXPECT_EQ(stats().read_bytes, 2 * kPathBytes + kBefore);
  EXPECT_LE(stats().faults, 2u); // launches, unless blocks came before them
  call(execution.get(), "announced", {7, 9});
  EXPECT_EQ(stats().read_bytes, 2 * kPathBytes + kBefore);
  EXPECT_LE(stats().faults, 2u);
  // Used in all calls, which the third path is not.
  call(execution.get(), "announced", {7, 9, 11});
  call(execution.get(), "announced", {7, 9, 12});
  EXPECT_EQ(stats().read_bytes, 4 * kPathBytes + kBefore);
}

TEST_F(DeviceResidencyTest, OnlyALimitCostsWaits) {
  for (auto [limit, waits] :
       {std::pair(uint64_t(0), 1u), {uint64_t(64) << 20, 1u}, {kLimit, 2u}}) {
    open(limit);
    call(execution.get(), "predicted", {1, 2});
    EXPECT_EQ(getStats(execution.get()).device_waits, waits) << limit;
    EXPECT_EQ(stats().constant_bytes != 0, limit == kLimit);
  }
}

TEST_F(DeviceResidencyTest, LimitsThatAreTooSmall) {
  options.memory_limit = kBlock - 1;
  EXPECT_FAILURE(tryContext(artifact, options), DYN_STATUS_INVALID_ARGUMENT,
                 "memory_limit: expected at least 65536 bytes on 'emulator', "
                 "got 65535");
  open(kLimit);
  EXPECT_FAILURE(tryPaths(execution.get(), "announced", {1, 2, 3, 4}),
                 DYN_STATUS_OUT_OF_MEMORY,
                 "memory_limit: 'sum', which reads 'weights', needs its "
                 "constants in memory of the device at once: expected at "
                 "least 1048576 bytes, got 917504");
  EXPECT_FAILURE(tryPaths(execution.get(), "plain", {1}),
                 DYN_STATUS_OUT_OF_MEMORY,
                 "memory_limit: 'sum', which reads 'weights', needs its "
                 "constants in memory of the device at once: expected at "
                 "least 16777216 bytes, got 917504");
  call(execution.get(), "announced", {1, 2, 3});
}

TEST_F(DeviceResidencyTest, LimitsOfAllMemory) {
  options.device_memory_limit = 2 * kPathBytes;
  open(kLimit);
  EXPECT_EQ(tryPaths(execution.get(), "announced", {1, 2}),
            DYN_STATUS_OUT_OF_MEMORY);
  EXPECT_NE(std::string(dyn_last_error()).find("a block of constants"),
            std::string::npos)
      << dyn_last_error();
  EXPECT_LE(stats().used_bytes, 2 * kPathBytes);
  call(execution.get(), "announced", {1});
}

TEST_F(DeviceResidencyTest, TheEnvironmentLimits) {
  ::setenv("DYN_MEMORY_LIMIT", "1M", 1);
  open(0);
  call(execution.get(), "announced", {1, 2});
  EXPECT_GT(stats().constant_bytes, 0u);
  // A control group has no memory of devices.
  ::setenv("DYN_MEMORY_LIMIT", "cgroup", 1);
  open(0);
  EXPECT_EQ(stats().constant_bytes, 0u);
}

// Their launches together need more than the limit, some all of it.
TEST_F(DeviceResidencyTest, EightCallsAtOnce) {
  open(kLimit);
  std::vector<std::thread> threads;
  for (unsigned seed = 0; seed < 8; ++seed)
    threads.emplace_back([&, seed] {
      Execution own = makeExecution(context.get());
      std::mt19937 random(seed);
      for (int i = 0; i < 12; ++i) {
        std::set<int64_t> paths;
        while (paths.size() < 1 + random() % 3)
          paths.insert(int64_t(random() % kPaths));
        call(own.get(), i % 2 ? "announced" : "predicted",
             {paths.begin(), paths.end()});
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_LE(getMapped().most, kLimit);
}

TEST_F(DeviceResidencyTest, AsynchronousCalls) {
  open(kLimit);
  dyn_call_options_t call = callOptions(execution.get(), "announced");
  call.output_device = DYN_DEVICE_CUDA;
  call.asynchronous = 1;
  for (int64_t path = 0; path < 8; ++path) {
    dyn_tensor_t output = {};
    ASSERT_EQ(run(execution.get(), call, {rowsOf({path})}, output),
              DYN_STATUS_OK)
        << dyn_last_error();
  }
  EXPECT_EQ(dyn_execution_wait(execution.get()), DYN_STATUS_OK);
  EXPECT_LE(getMapped().most, kLimit);
}

TEST_F(DeviceResidencyTest, AFileThatIsCutOff) {
  open(kLimit);
  call(execution.get(), "announced", {1});
  fs::resize_file(folder / "experts.weights", 4 * kPathBytes);
  EXPECT_FAILURE(tryPaths(execution.get(), "announced", {60}),
                 DYN_STATUS_BAD_ARTIFACT,
                 "cannot read constants of the artifact: its file was changed, "
                 "or its device fails");
  call(execution.get(), "announced", {1});
}

//===----------------------------------------------------------------------===//
// A driver that fails
//===----------------------------------------------------------------------===//

class StubResidencyTest : public DeviceResidencyTest {
protected:
  StubResidencyTest() { options = deviceOptions(DYN_TEST_STUB); }
  ~StubResidencyTest() override { failAt("", DYN_CUDA_SUCCESS); }
  template <typename Fn> static Fn *ofStub(const char *name) {
    return reinterpret_cast<Fn *>(dlsym(dlopen(DYN_TEST_STUB, RTLD_NOW), name));
  }
  static void failAt(const char *function, int result) {
    ofStub<void(const char *, int)>("dyn_stub_fail")(function, result);
  }
  static int getHeld() { return ofStub<int()>("dyn_stub_held")(); }
};

TEST_F(StubResidencyTest, EachStepOfOpening) {
  options.memory_limit = kLimit;
  const struct {
    const char *function, *message;
  } steps[] = {
      {"cuMemGetAllocationGranularity",
       "cannot find the size of its pages: as the test wants (error 801 of the "
       "device)"},
      {"cuMemAddressReserve",
       "cannot reserve addresses for constants: as the test wants (error 801 "
       "of the device)"},
  };
  for (const auto &step : steps) {
    failAt(step.function, 801);
    EXPECT_FAILURE(tryContext(artifact, options), DYN_STATUS_DEVICE_ERROR,
                   step.message);
    EXPECT_EQ(getHeld(), 0) << step.function;
  }
  failAt("cuDeviceGetAttribute", DYN_CUDA_INVALID_VALUE);
  EXPECT_FAILURE(tryContext(artifact, options), DYN_STATUS_UNSUPPORTED,
                 "memory_limit: 'stub' cannot map memory, which constants "
                 "beyond the limit need");
  EXPECT_EQ(getHeld(), 0);
}

TEST_F(StubResidencyTest, EachStepOfACall) {
  const struct {
    const char *function, *message;
  } steps[] = {
      {"cuMemHostAlloc", "cannot take memory of the host for constants"},
      {"cuStreamCreate", "cannot make a stream"},
      {"cuMemCreate", "cannot take memory of the device"},
      {"cuMemMap", "cannot map a block of constants"},
      {"cuMemSetAccess", "cannot access a block of constants"},
  };
  for (const auto &step : steps) {
    open(kLimit);
    // After a call that maps nothing, inputs and outputs have their memory.
    dyn_execution_t *own = execution.get();
    failAt("cuMemMap", 999);
    EXPECT_EQ(tryPaths(own, "announced", {3}), DYN_STATUS_DEVICE_ERROR);
    failAt(step.function, 999);
    EXPECT_FAILURE(tryPaths(own, "announced", {3}), DYN_STATUS_DEVICE_ERROR,
                   (std::string(step.message) +
                    ": as the test wants (error 999 of the device)")
                       .c_str());
    failAt("", DYN_CUDA_SUCCESS);
    EXPECT_EQ(tryPaths(own, "announced", {3}), DYN_STATUS_OK)
        << dyn_last_error();
    execution.reset();
    context.reset();
    EXPECT_EQ(getHeld(), 0) << step.function;
  }
}

TEST_F(StubResidencyTest, BlocksThatCannotBeUnmapped) {
  open(kLimit);
  ASSERT_EQ(tryPaths(execution.get(), "announced", {1, 2, 3}), DYN_STATUS_OK);
  failAt("cuMemUnmap", 999);
  EXPECT_FAILURE(tryPaths(execution.get(), "announced", {4, 5, 6}),
                 DYN_STATUS_DEVICE_ERROR,
                 "cannot unmap a block of constants: as the test wants (error "
                 "999 of the device)");
  failAt("", DYN_CUDA_SUCCESS);
  EXPECT_EQ(tryPaths(execution.get(), "announced", {4, 5, 6}), DYN_STATUS_OK)
      << dyn_last_error();
  execution.reset();
  context.reset();
  EXPECT_EQ(getHeld(), 0);
}

// Without an event, the host waits for the stream.
TEST_F(StubResidencyTest, WithoutEvents) {
  for (const char *function : {"cuEventCreate", "cuEventRecord"}) {
    open(kLimit);
    failAt(function, 999);
    for (int64_t path = 0; path < 9; ++path)
      EXPECT_EQ(tryPaths(execution.get(), "announced", {path}), DYN_STATUS_OK)
          << dyn_last_error();
    failAt("", DYN_CUDA_SUCCESS);
    execution.reset();
    context.reset();
    EXPECT_EQ(getHeld(), 0) << function;
  }
}

// Blocks that kernels read may not be unmapped: the host waits for these.
TEST_F(StubResidencyTest, LaunchesThatHaveNotRun) {
  open(kLimit);
  failAt("cuEventQuery", DYN_CUDA_NOT_READY);
  for (int64_t path = 0; path < 9; ++path)
    EXPECT_EQ(tryPaths(execution.get(), "announced", {path}), DYN_STATUS_OK)
        << dyn_last_error();
  failAt("", DYN_CUDA_SUCCESS);
}

} // namespace
