//===- ResidencyTest.cpp - Constants that exceed a limit of memory --------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpertsTesting.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace dyn::test;
namespace fs = std::filesystem;

namespace {
constexpr uint64_t kLimit = 11 << 20;

class ResidencyTest : public ExpertsTest {
protected:
  void SetUp() override {
    // Containers may refuse userfaultfd.
    if (create(kLimit) == DYN_STATUS_UNSUPPORTED)
      GTEST_SKIP() << dyn_last_error();
    context.reset();
  }
  ~ResidencyTest() override { ::unsetenv("DYN_MEMORY_RATE"); }

  dyn_status_t create(uint64_t limit, dyn_pool_t *pool = nullptr) {
    dyn_context_options_t options = {};
    options.struct_size = sizeof(options);
    options.memory_limit = limit;
    options.pool = pool;
    dyn_context_t *made = nullptr;
    dyn_status_t status = dyn_context_create(artifact.get(), &options, &made);
    context.reset(made);
    return status;
  }
  /// The sum of the numbers from `first` byte's element on.
  static int64_t sum(int64_t firstByte, int64_t bytes) {
    int64_t first = firstByte / 4, count = bytes / 4;
    return first * count + count * (count - 1) / 2;
  }
  /// The address of the weights, and the path that was summed first.
  struct Called {
    void *weights;
    int64_t first;
  };
  /// Runs a call of these paths.
  static Called runPaths(dyn_execution_t *execution, const char *entry,
                         const std::vector<int64_t> &paths) {
    dyn_tensor_t output = {};
    EXPECT_EQ(run(execution, entry, {rowsOf(paths)}, output), DYN_STATUS_OK)
        << dyn_last_error();
    if (!output.data)
      return {nullptr, -1};
    std::vector<int64_t> sums(kPaths);
    for (int64_t path : paths)
      sums[path] = sum(kBefore + path * kPathBytes, kPathBytes);
    sums.push_back(sum(0, kBefore));
    std::vector<int64_t> found = elements<int64_t>(output);
    Called called = {reinterpret_cast<void *>(found[kPaths + 1]),
                     found[kPaths + 2]};
    found.resize(kPaths + 1);
    EXPECT_EQ(found, sums);
    return called;
  }
  static void *call(dyn_execution_t *execution, const char *entry,
                    const std::vector<int64_t> &paths) {
    return runPaths(execution, entry, paths).weights;
  }
  /// Bytes of the weights that are in memory, by mincore.
  static uint64_t countResident(void *weights) {
    std::vector<unsigned char> pages(kPaths * kPathBytes / 4096);
    EXPECT_EQ(::mincore(weights, kPaths * kPathBytes, pages.data()), 0);
    uint64_t count = 0;
    for (unsigned char page : pages)
      count += page & 1;
    return count * 4096;
  }
  static uint64_t countAnonymous() {
    std::ifstream file("/proc/self/status");
    for (std::string line; std::getline(file, line);)
      if (line.rfind("RssAnon:", 0) == 0)
        return std::stoull(line.substr(8)) * 1024;
    return 0;
  }

  const std::vector<int64_t> all = [] {
    std::vector<int64_t> paths(kPaths);
    for (int64_t i = 0; i < kPaths; ++i)
      paths[i] = i;
    return paths;
  }();
};
} // namespace

TEST_F(ResidencyTest, KeepsItsLimit) {
  uint64_t before = countAnonymous();
  ASSERT_EQ(create(kLimit), DYN_STATUS_OK) << dyn_last_error();
  Execution execution = makeExecution(context.get());
  for (const char *entry : {"announced", "plain", "predicted"})
    for (int round = 0; round < 4; ++round) {
      // A call that needs more than there is room for, and calls that do not.
      void *weights = call(execution.get(), entry, all);
      EXPECT_LE(countResident(weights), kLimit);
      call(execution.get(), entry, {3, 4, 5, 63});
      call(execution.get(), entry, {});
      EXPECT_LE(countResident(weights), kLimit);
    }
  if (!sanitized) // their shadows of memory grow with what is touched
    EXPECT_LE(countAnonymous(), before + kLimit + (1 << 20));
  dyn_memory_stats_t found = stats();
  EXPECT_EQ(found.limit_bytes, kLimit);
  EXPECT_LE(found.peak_bytes, kLimit);
  EXPECT_LE(found.used_bytes, found.peak_bytes);
  EXPECT_GT(found.peak_bytes, kLimit / 2);
  EXPECT_GT(found.read_bytes, uint64_t(kPaths * kPathBytes));
  EXPECT_GT(found.faults, 0u);
}

TEST_F(ResidencyTest, ReadsNothingTwiceThatFits) {
  ASSERT_EQ(create(kLimit), DYN_STATUS_OK) << dyn_last_error();
  Execution execution = makeExecution(context.get());
  for (int round = 0; round < 8; ++round)
    call(execution.get(), "announced", {1, 5, 17, 40});
  EXPECT_EQ(stats().read_bytes, uint64_t(kBefore + 4 * kPathBytes));
}

TEST_F(ResidencyTest, BeginsBehindWhatIsRead) {
  // Slowly, so that the launch begins before it is read, on a busy machine too.
  ::setenv("DYN_MEMORY_RATE", "512K", 1);
  Pool pool = makePool(1);
  ASSERT_EQ(create(kLimit, pool.get()), DYN_STATUS_OK) << dyn_last_error();
  Execution execution = makeExecution(context.get());
  auto firstOf = [&](std::vector<int64_t> paths) {
    int64_t first = runPaths(execution.get(), "announced", paths).first;
    // A call may end a moment before it is noted that the last block is there.
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    return first;
  };
  // Two threads read, so that it may begin behind path 40 here.
  firstOf({20, 40, 60});
  // Path 0 is read and is a quarter of the work, the first 16 of 64 items; two
  // more are left out, since shares are not exact.
  EXPECT_EQ(firstOf({0, 20, 40, 60}), 20);
  EXPECT_EQ(firstOf({0, 20, 40, 60}), 0);
  // Nothing is behind the path that is read.
  EXPECT_EQ(firstOf({0, 20, 40, 60, 63}), 0);
}

TEST_F(ResidencyTest, ReadsWhatIsPredicted) {
  // Slowly, so that there is time for it while the call waits for its own.
  ::setenv("DYN_MEMORY_RATE", "16M", 1);
  ASSERT_EQ(create(kLimit), DYN_STATUS_OK) << dyn_last_error();
  Execution execution = makeExecution(context.get());
  // Path 1 without offsets, and the path after 5. A call may end before they
  // are read, and on a busy machine many do.
  const uint64_t wanted = kBefore + 3 * kPathBytes;
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (stats().read_bytes < wanted && std::chrono::steady_clock::now() < end)
    call(execution.get(), "predicted", {5});
  EXPECT_EQ(stats().read_bytes, wanted);
  for (int64_t path : {5, 1, 6})
    call(execution.get(), "announced", {path});
  EXPECT_EQ(stats().read_bytes, wanted);
}

TEST_F(ResidencyTest, KeepsAPartOfWhatAllCallsUse) {
  ASSERT_EQ(create(16 << 20), DYN_STATUS_OK) << dyn_last_error();
  Execution execution = makeExecution(context.get());
  for (int round = 0; round < 8; ++round)
    call(execution.get(), "announced", all);
  uint64_t before = stats().read_bytes;
  for (int round = 0; round < 8; ++round)
    call(execution.get(), "announced", all);
  uint64_t each = (stats().read_bytes - before) / 8;
  // The least is what does not fit; what was used last would never be kept.
  EXPECT_LE(each, uint64_t(kPaths * kPathBytes) * 3 / 4);
}

TEST_F(ResidencyTest, ServesThreadsOfALaunch) {
  Pool pool = makePool(4);
  ASSERT_EQ(create(kLimit, pool.get()), DYN_STATUS_OK) << dyn_last_error();
  Execution execution = makeExecution(context.get());
  for (int round = 0; round < 4; ++round)
    call(execution.get(), round % 2 ? "announced" : "plain", all);
}

TEST_F(ResidencyTest, ServesEightCallsAtOnce) {
  Pool pool = makePool(2);
  ASSERT_EQ(create(kLimit, pool.get()), DYN_STATUS_OK) << dyn_last_error();
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread)
    threads.emplace_back([&, thread] {
      Execution execution = makeExecution(context.get());
      for (int round = 0; round < 4; ++round)
        call(execution.get(),
             thread % 4 == 0   ? "plain"
             : thread % 4 == 1 ? "predicted"
                               : "announced",
             (thread + round) % 3
                 ? all
                 : std::vector<int64_t>{thread, thread + 8, thread + 40});
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_LE(stats().peak_bytes, kLimit);
}

TEST_F(ResidencyTest, MapsConstantsThatFit) {
  ASSERT_EQ(create(64 << 20), DYN_STATUS_OK);
  Execution execution = makeExecution(context.get());
  call(execution.get(), "announced", all);
  EXPECT_EQ(stats().limit_bytes, 0u);
  EXPECT_EQ(stats().read_bytes, 0u);
}

TEST_F(ResidencyTest, TakesTheLimitOfTheEnvironment) {
  ::setenv("DYN_MEMORY_LIMIT", "11M", 1);
  ASSERT_EQ(create(0), DYN_STATUS_OK);
  EXPECT_EQ(stats().limit_bytes, kLimit);
  // The option comes first.
  ASSERT_EQ(create(12 << 20), DYN_STATUS_OK);
  EXPECT_EQ(stats().limit_bytes, uint64_t(12 << 20));
  // The group's is above these constants, or there is none.
  ::setenv("DYN_MEMORY_LIMIT", "cgroup", 1);
  ASSERT_EQ(create(0), DYN_STATUS_OK);
  EXPECT_EQ(stats().limit_bytes, 0u);
  for (const char *wrong : {"-1", "much", "7X", "7MB", "99999999999G", "0"}) {
    ::setenv("DYN_MEMORY_LIMIT", wrong, 1);
    std::string message = "DYN_MEMORY_LIMIT: expected 'cgroup' or a number of "
                          "bytes, such as 512M, got '";
    EXPECT_FAILURE(create(0), DYN_STATUS_INVALID_ARGUMENT,
                   (message + wrong + "'").c_str());
  }
}

TEST_F(ResidencyTest, RefusesALimitThatIsTooLow) {
  EXPECT_FAILURE(create(1 << 20), DYN_STATUS_INVALID_ARGUMENT,
                 "memory_limit: expected at least 10485760 bytes, got 1048576");
}

TEST_F(ResidencyTest, KeepsTheRateOfTests) {
  ::setenv("DYN_MEMORY_RATE", "64M", 1);
  ASSERT_EQ(create(kLimit), DYN_STATUS_OK);
  Execution execution = makeExecution(context.get());
  auto begin = std::chrono::steady_clock::now();
  call(execution.get(), "announced", all);
  std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  EXPECT_GE(time.count(), 0.25);
}

TEST_F(ResidencyTest, ReportsAFileThatIsCutOff) {
  ASSERT_EQ(create(kLimit), DYN_STATUS_OK);
  Execution execution = makeExecution(context.get());
  call(execution.get(), "announced", {0});
  fs::resize_file(folder / "experts.weights", 1 << 20);
  dyn_tensor_t output = {};
  for (int round = 0; round < 2; ++round)
    EXPECT_FAILURE(run(execution.get(), "announced", {rowsOf(all)}, output),
                   DYN_STATUS_BAD_ARTIFACT,
                   "cannot read constants of the artifact: its file was "
                   "changed, or its device fails");
}

TEST_F(ResidencyTest, RefusesAFileThatWasReplaced) {
  fs::remove(folder / "experts.weights");
  fs::copy_file(artifactPath("zoo.weights"), folder / "experts.weights");
  std::string message = "'" + (folder / "experts.weights").string() +
                        "' was replaced after the artifact was loaded, so that "
                        "a context with memory_limit cannot read its constants";
  EXPECT_FAILURE(create(kLimit), DYN_STATUS_BAD_ARTIFACT, message.c_str());
}

TEST_F(ResidencyTest, BelongsToItsProcess) {
  ASSERT_EQ(create(kLimit), DYN_STATUS_OK);
  Execution execution = makeExecution(context.get());
  call(execution.get(), "announced", {1});
  pid_t child = ::fork();
  if (child == 0) {
    dyn_tensor_t output = {};
    bool refused = run(execution.get(), "announced", {rowsOf({1})}, output) ==
                       DYN_STATUS_UNSUPPORTED &&
                   std::string(dyn_last_error()) ==
                       "a context with memory_limit cannot be used after "
                       "fork(): create another one";
    execution.reset();
    context.reset();
    ::_exit(refused ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  call(execution.get(), "announced", {2});
}
