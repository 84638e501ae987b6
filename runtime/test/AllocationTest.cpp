//===- AllocationTest.cpp - Allocations, and failures to allocate ---------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A separate program, because it replaces malloc, mmap and pthread_create of
// libc.
//
//===----------------------------------------------------------------------===//

#include "Testing.h"

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace dyn::test;

extern "C" void *__libc_malloc(size_t bytes);
static std::atomic<uint64_t> mallocs;
/// Number of requests that are served before one is refused; negative for all.
static std::atomic<int64_t> served = -1;
/// Whether all requests after the refused one fail as well.
static std::atomic<bool> refusesMore = false;
static std::atomic<int64_t> refusals = 0;
static bool isRefused() {
  if (served.load(std::memory_order_relaxed) < 0)
    return false;
  int64_t left = served.fetch_sub(1, std::memory_order_relaxed);
  bool isRefused = refusesMore ? left <= 0 : left == 0;
  if (isRefused && refusesMore)
    served = 0;
  refusals += isRefused;
  return isRefused;
}
extern "C" void *malloc(size_t bytes) {
  mallocs.fetch_add(1, std::memory_order_relaxed);
  if (!isRefused())
    return __libc_malloc(bytes);
  errno = ENOMEM;
  return nullptr;
}
extern "C" void *mmap(void *address, size_t bytes, int protection, int flags,
                      int file, off_t offset) noexcept {
  if (isRefused()) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  return reinterpret_cast<void *>(
      ::syscall(SYS_mmap, address, bytes, protection, flags, file, offset));
}
/// Number of calls of mremap that move the first half of their range, and then
/// fail with ENOMEM.
static std::atomic<int> halfMoves = 0;
/// Another thread's page, at the first address that such a call left free.
static void *pageOfAnother = nullptr;
extern "C" void *mremap(void *from, size_t bytes, size_t size, int flags,
                        ...) noexcept {
  va_list arguments;
  va_start(arguments, flags);
  void *to = va_arg(arguments, void *);
  va_end(arguments);
  bool isHalf = halfMoves > 0 && halfMoves-- > 0;
  if (isHalf)
    bytes = size = bytes / 2 / DYN_PAGE * DYN_PAGE;
  long moved = ::syscall(SYS_mremap, from, bytes, size, flags, to);
  if (!isHalf)
    return reinterpret_cast<void *>(moved);
  void *free = ::mmap(from, DYN_PAGE, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (free != MAP_FAILED)
    pageOfAnother = free;
  errno = ENOMEM;
  return MAP_FAILED;
}
extern "C" int pthread_create(pthread_t *thread, const pthread_attr_t *options,
                              void *(*function)(void *),
                              void *argument) noexcept {
  using Create =
      int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
  static const auto create =
      reinterpret_cast<Create>(::dlsym(RTLD_NEXT, "pthread_create"));
  return isRefused() ? EAGAIN : create(thread, options, function, argument);
}

namespace {
class AllocationTest : public ZooTest {};
} // namespace

TEST_F(AllocationTest, CountsThoseOfTheLibrary) {
  uint64_t before = mallocs;
  Execution another = makeExecution(context.get());
  EXPECT_GT(mallocs, before);
}

TEST_F(AllocationTest, NoneInAWarmCall) {
  for (uint32_t threads : {1u, 3u}) {
    Pool pool = makePool(threads);
    Context context = makeContext(artifact.get(), pool.get());
    Execution execution = makeExecution(context.get());
    auto options = callOptions(execution.get(), "reverse");
    Value large = Value::iota<int64_t>({64, 1000});
    Value small = Value::iota<int64_t>({3, 17});
    dyn_tensor_t inputs[] = {large.tensor(), small.tensor()};
    ASSERT_EQ(
        dyn_execution_run(execution.get(), &options, &inputs[0], 1, &output, 1),
        DYN_STATUS_OK);
    uint64_t before = mallocs;
    bool good = true;
    for (int i = 0; i < 100; ++i)
      good &= dyn_execution_run(execution.get(), &options, &inputs[i % 2], 1,
                                &output, 1) == DYN_STATUS_OK;
    EXPECT_EQ(mallocs, before);
    EXPECT_TRUE(good);
  }
}

TEST_F(AllocationTest, NoneInAFailingCall) {
  auto options = callOptions(execution.get(), "gather");
  Value bad = Value::of<int64_t>({99});
  dyn_tensor_t input = bad.tensor();
  ASSERT_EQ(dyn_execution_run(execution.get(), &options, &input, 1, &output, 1),
            DYN_STATUS_DATA_ERROR);
  uint64_t before = mallocs;
  dyn_status_t status =
      dyn_execution_run(execution.get(), &options, &input, 1, &output, 1);
  EXPECT_EQ(mallocs, before);
  EXPECT_EQ(status, DYN_STATUS_DATA_ERROR);
}

// A profile takes memory for its buffers and tables, once.
TEST_F(AllocationTest, NoneInARecordedCall) {
  dyn_profile_options_t options = {};
  options.struct_size = sizeof(options);
  options.window_ms = 86400000;
  dyn_profile_t *created = nullptr;
  ASSERT_EQ(dyn_profile_create(&options, &created), DYN_STATUS_OK);
  Profile profile(created);
  ASSERT_EQ(dyn_profile_start(created), DYN_STATUS_OK);
  auto call = callOptions(execution.get(), "route");
  Value ids = Value::of<int64_t>(std::vector<int64_t>(200, 3), {100, 2});
  dyn_tensor_t input = ids.tensor();
  bool good = true;
  auto runAll = [&](int calls) {
    for (int i = 0; i < calls; ++i)
      good &= dyn_execution_run(execution.get(), &call, &input, 1, &output,
                                1) == DYN_STATUS_OK;
    good &= dyn_profile_decisions(created) > 0;
  };
  // The number of blocks that wait at once depends on the profile's thread, so
  // warm-up has no fixed length; it ends, though.
  int rounds = 0;
  for (uint64_t before = 0; before != mallocs && rounds < 50; ++rounds) {
    before = mallocs;
    runAll(50);
  }
  EXPECT_LT(rounds, 50);
  EXPECT_TRUE(good);
  EXPECT_EQ(dyn_profile_decisions(created), uint64_t(rounds) * 50 * 200 * 3);
  EXPECT_EQ(dyn_profile_stop(created), DYN_STATUS_OK);
}

/// Memory that the system moved in part is unmapped once, and not if it belongs
/// to another thread.
TEST_F(AllocationTest, GrowsWhereHalfOfABlockMoves) {
  Value small = Value::iota<float>({2, 50000}),
        large = Value::iota<float>({2, 900000});
  ASSERT_EQ(run(execution.get(), "add", {small, small}, output), DYN_STATUS_OK);
  halfMoves = 1;
  ASSERT_EQ(run(execution.get(), "add", {large, large}, output), DYN_STATUS_OK);
  EXPECT_EQ(halfMoves, 0);
  if (pageOfAnother) {
    unsigned char isResident;
    EXPECT_EQ(::mincore(pageOfAnother, DYN_PAGE, &isResident), 0);
    ::munmap(pageOfAnother, DYN_PAGE);
  }
  EXPECT_EQ(elements<float>(output)[1000], 2000);
}

//===----------------------------------------------------------------------===//
// No memory
//===----------------------------------------------------------------------===//

namespace {
/// All actions of a host, with its inputs prepared: loads an artifact, makes a
/// pool, a context and an execution, and calls it. Returns the first failure.
class Session {
public:
  /// Adds each value to itself, on the device that options name.
  Session(const char *name, std::vector<Value> values,
          const dyn_context_options_t &options)
      : path(artifactPath(name)), values(std::move(values)), options(options) {}

  dyn_status_t run() {
    dyn_artifact_t *artifact = nullptr;
    dyn_pool_t *pool = nullptr;
    dyn_context_t *context = nullptr;
    dyn_execution_t *execution = nullptr;
    dyn_status_t status = dyn_artifact_load(path.c_str(), nullptr, &artifact);
    dyn_pool_options_t poolOptions = {};
    poolOptions.struct_size = sizeof(poolOptions);
    poolOptions.threads = 3;
    if (status == DYN_STATUS_OK)
      status = dyn_pool_create(&poolOptions, &pool);
    options.pool = pool;
    if (status == DYN_STATUS_OK)
      status = dyn_context_create(artifact, &options, &context);
    if (status == DYN_STATUS_OK)
      status = dyn_execution_create(context, nullptr, &execution);
    dyn_call_options_t call = {};
    call.struct_size = sizeof(call);
    if (status == DYN_STATUS_OK)
      status = dyn_artifact_find_entry(artifact, "add", &call.entry);
    dyn_tensor_t output = {};
    for (const Value &value : values)
      if (status == DYN_STATUS_OK) {
        dyn_tensor_t inputs[] = {value.tensor(), value.tensor()};
        status = dyn_execution_run(execution, &call, inputs, 2, &output, 1);
        // The stub of a device computes nothing.
        if (status == DYN_STATUS_OK)
          matches = options.device_library || isTwice(output, inputs[0]);
      }
    if (execution)
      dyn_execution_release(execution);
    if (context)
      dyn_context_release(context);
    if (pool)
      dyn_pool_release(pool);
    if (artifact)
      dyn_artifact_release(artifact);
    return status;
  }

  bool matches = false; ///< whether the last call's output is correct

private:
  static bool isTwice(const dyn_tensor_t &output, const dyn_tensor_t &input) {
    const auto *sums = static_cast<const float *>(output.data);
    const auto *numbers = static_cast<const float *>(input.data);
    for (int64_t i = 0; i < input.shape[0] * input.shape[1]; ++i)
      if (sums[i] != 2 * numbers[i])
        return false;
    return true;
  }

  std::string path;
  std::vector<Value> values;
  dyn_context_options_t options;
};

/// Refuses each request of a host in turn, alone or together with all later
/// ones. In each case the host receives a status, and the next one works.
void refuseEach(Session &session, bool andAllBehind, int64_t &refused,
                int64_t &survived) {
  ASSERT_EQ(session.run(), DYN_STATUS_OK) << dyn_last_error();
  refused = survived = 0;
  for (;; ++refused) {
    ASSERT_LT(refused, 5000);
    session.matches = false;
    refusesMore = andAllBehind;
    refusals = 0;
    served = refused;
    dyn_status_t status = session.run();
    served = -1;
    std::string message = dyn_last_error();
    if (!refusals) {
      EXPECT_EQ(status, DYN_STATUS_OK);
      EXPECT_TRUE(session.matches);
      break;
    }
    // The loader fails with its own message when it loads the artifact or a
    // driver; threads that do not start are no failure, since others do their
    // work.
    if (status == DYN_STATUS_BAD_ARTIFACT) {
      EXPECT_NE(message.find("cannot"), std::string::npos) << message;
    } else if (status == DYN_STATUS_OK) {
      EXPECT_TRUE(session.matches);
      ++survived;
    } else {
      EXPECT_EQ(status, DYN_STATUS_OUT_OF_MEMORY) << message;
    }
    session.matches = false;
    ASSERT_EQ(session.run(), DYN_STATUS_OK) << "after refusing " << refused;
    EXPECT_TRUE(session.matches);
  }
}
} // namespace

TEST(NoMemoryTest, AtEverySite) {
  dyn_context_options_t options = {};
  options.struct_size = sizeof(options);
  Session session("zoo.so",
                  {Value::iota<float>({3, 17}), Value::iota<float>({2, 5000})},
                  options);
  int64_t refused, survived;
  refuseEach(session, /*andAllBehind=*/false, refused, survived);
  EXPECT_GT(refused, 100);
  EXPECT_GT(survived, 0);
  RecordProperty("sites", std::to_string(refused));
  RecordProperty("survived", std::to_string(survived));
}

/// Sizes that alternate, so that blocks are released and reused.
TEST(NoMemoryTest, OnADevice) {
  dyn_context_options_t options = {};
  options.struct_size = sizeof(options);
  options.device = DYN_DEVICE_CUDA;
  options.device_library = DYN_TEST_STUB;
  Session session("device_fatbin.so",
                  {Value::iota<float>({3}), Value::iota<float>({5000}),
                   Value::iota<float>({9000}), Value::iota<float>({4000})},
                  options);
  for (bool andAllBehind : {false, true}) {
    int64_t refused = 0, survived = 0;
    refuseEach(session, andAllBehind, refused, survived);
    EXPECT_GT(refused, 100);
    RecordProperty("sites", std::to_string(refused));
  }
}

/// A call does not fail because it cannot be recorded.
TEST_F(AllocationTest, NoMemoryToRecord) {
  auto call = callOptions(execution.get(), "route");
  Value ids = Value::of<int64_t>({0, 3, 1, 2}, {2, 2});
  dyn_tensor_t input = ids.tensor();
  auto run = [&] {
    return dyn_execution_run(execution.get(), &call, &input, 1, &output, 1);
  };
  ASSERT_EQ(run(), DYN_STATUS_OK);
  uint64_t lost = 0;
  refusals = 1;
  for (int64_t refused = 0; refusals; ++refused) {
    ASSERT_LT(refused, 500);
    dyn_profile_t *created = nullptr;
    ASSERT_EQ(dyn_profile_create(nullptr, &created), DYN_STATUS_OK);
    Profile profile(created);
    ASSERT_EQ(dyn_profile_start(created), DYN_STATUS_OK);
    refusesMore = false;
    refusals = 0;
    served = refused;
    dyn_status_t status = run();
    served = -1;
    EXPECT_EQ(status, DYN_STATUS_OK) << dyn_last_error();
    EXPECT_EQ(run(), DYN_STATUS_OK);
    EXPECT_EQ(dyn_profile_stop(created), DYN_STATUS_OK);
    EXPECT_GT(dyn_profile_decisions(created), 0u);
    lost += dyn_profile_lost(created);
  }
  EXPECT_GT(lost, 0u);
}
