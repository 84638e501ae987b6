//===- PoolTest.cpp - Threads, many calls at once, forks ------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Launch.h"
#include "Processors.h"
#include "Testing.h"
#include "ThreadPool.h"

#include <atomic>
#include <csignal>
#include <filesystem>
#include <sched.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <xmmintrin.h>

using namespace dyn::test;

namespace {
class PoolTest : public ZooTest {
protected:
  /// Runs "add" and checks every element.
  static void checkAdd(dyn_execution_t *execution, int64_t n) {
    dyn_tensor_t output = {};
    ASSERT_EQ(run(execution, "add",
                  {Value::iota<float>({1, n}), Value::iota<float>({1, n}, 1)},
                  output),
              DYN_STATUS_OK)
        << dyn_last_error();
    const float *sum = static_cast<const float *>(output.data);
    for (int64_t i = 0; i < n; ++i)
      ASSERT_EQ(sum[i], float(2 * i + 1)) << i;
  }
};
} // namespace

TEST_F(PoolTest, EveryItemOnce) {
  for (uint32_t spin : {0u, uint32_t(DYN_SPIN_NEVER)})
    for (uint32_t threads : {1u, 2u, 5u}) {
      Pool pool = makePool(threads, spin);
      EXPECT_EQ(dyn_pool_threads(pool.get()), threads);
      Context context = makeContext(artifact.get(), pool.get());
      Execution execution = makeExecution(context.get());
      for (int64_t n : {0, 1, 63, 64, 65, 128, 129, 1000, 12345})
        checkAdd(execution.get(), n);
    }
}

TEST_F(PoolTest, SerialBelowTheGrain) {
  Pool pool = makePool(4);
  Context context = makeContext(artifact.get(), pool.get());
  Execution execution = makeExecution(context.get());
  checkAdd(execution.get(), 64);
  EXPECT_EQ(getStats(execution.get()).parallel_launches, 0u);
  checkAdd(execution.get(), 128);
  EXPECT_EQ(getStats(execution.get()).parallel_launches, 1u);
}

/// Threads start only for a call with enough work.
TEST_F(PoolTest, SmallCallsStartNoThreads) {
  auto countThreads = [] {
    std::filesystem::directory_iterator tasks("/proc/self/task");
    return std::distance(begin(tasks), end(tasks));
  };
  auto before = countThreads();
  Pool pool = makePool(3);
  Context context = makeContext(artifact.get(), pool.get());
  Execution execution = makeExecution(context.get());
  for (int i = 0; i < 100; ++i)
    checkAdd(execution.get(), 15 * 64);
  EXPECT_EQ(countThreads(), before);
  checkAdd(execution.get(), 16 * 64);
  EXPECT_EQ(countThreads(), before + 2);
}

TEST_F(PoolTest, FourExecutionsAtOnce) {
  Pool pool = makePool(3);
  Context context = makeContext(artifact.get(), pool.get());
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      Execution execution = makeExecution(context.get());
      for (int64_t call = 0; call < 50; ++call)
        checkAdd(execution.get(), 700 * (i + 1) + call);
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST_F(PoolTest, MoreCallersThanSlots) {
  Pool pool = makePool(2);
  Context context = makeContext(artifact.get(), pool.get());
  std::vector<std::thread> threads;
  for (int i = 0; i < 24; ++i)
    threads.emplace_back([&] {
      Execution execution = makeExecution(context.get());
      for (int64_t call = 0; call < 5; ++call)
        checkAdd(execution.get(), 5000);
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST_F(PoolTest, QuotaOfAHandle) {
  Pool pool = makePool(6);
  dyn_pool_t *out = nullptr;
  ASSERT_EQ(dyn_pool_share(pool.get(), 2, &out), DYN_STATUS_OK);
  Pool two(out);
  EXPECT_EQ(dyn_pool_threads(two.get()), 2u);
  ASSERT_EQ(dyn_pool_share(two.get(), 9, &out), DYN_STATUS_OK);
  EXPECT_EQ(dyn_pool_threads(out), 2u);
  dyn_pool_release(out);
  pool.reset();
  Context context = makeContext(artifact.get(), two.get());
  Execution execution = makeExecution(context.get());
  checkAdd(execution.get(), 100000);
}

TEST_F(PoolTest, LimitOfACall) {
  Pool pool = makePool(4);
  Context context = makeContext(artifact.get(), pool.get());
  Execution execution = makeExecution(context.get());
  auto options = callOptions(execution.get(), "add");
  options.max_threads = 1;
  Value x = Value::iota<float>({1, 10000});
  ASSERT_EQ(run(execution.get(), options, {x, x}, output), DYN_STATUS_OK);
  EXPECT_EQ(getStats(execution.get()).parallel_launches, 0u);
}

TEST_F(PoolTest, ThreadsOfTheHost) {
  struct Counter {
    std::atomic<uint32_t> tasks{0};
  } counter;
  dyn_pool_options_t options = {};
  options.struct_size = sizeof(options);
  options.threads = 3;
  options.user = &counter;
  options.parallel = [](void *user, uint32_t count, dyn_task_fn task,
                        void *argument) {
    std::vector<std::thread> threads;
    for (uint32_t i = 1; i < count; ++i)
      threads.emplace_back([=] { task(argument, i); });
    task(argument, 0);
    for (std::thread &thread : threads)
      thread.join();
    static_cast<Counter *>(user)->tasks += count;
  };
  dyn_pool_t *pool = nullptr;
  ASSERT_EQ(dyn_pool_create(&options, &pool), DYN_STATUS_OK);
  Context context = makeContext(artifact.get(), pool);
  dyn_pool_release(pool);
  Execution execution = makeExecution(context.get());
  checkAdd(execution.get(), 10000);
  EXPECT_EQ(counter.tasks, 3u);
}

TEST_F(PoolTest, RefusesAbsurdNumbers) {
  dyn_pool_options_t options = {};
  options.struct_size = sizeof(options);
  options.threads = 100000;
  dyn_pool_t *pool = nullptr;
  EXPECT_FAILURE(dyn_pool_create(&options, &pool), DYN_STATUS_INVALID_ARGUMENT,
                 "a pool has at most 1024 threads, got 100000");
  EXPECT_EQ(pool, nullptr);
}

TEST_F(PoolTest, DefaultIsThePhysicalCores) {
  dyn_pool_t *pool = nullptr;
  ASSERT_EQ(dyn_pool_create(nullptr, &pool), DYN_STATUS_OK);
  EXPECT_EQ(dyn_pool_threads(pool), dyn::rt::availableCores());
  EXPECT_GE(dyn_pool_threads(pool), 1u);
  EXPECT_LE(dyn_pool_threads(pool), std::thread::hardware_concurrency());
  dyn_pool_release(pool);
}

/// Kernels see the standard mode in every thread and the host keeps its own.
TEST_F(PoolTest, FloatingPointMode) {
  const unsigned standard = 0x1f80, flushToZero = 0x8000, denormalsZero = 0x40;
  const unsigned flags = 0x3f;
  const unsigned before = _mm_getcsr();
  for (bool host : {false, true}) {
    dyn_pool_options_t options = {};
    options.struct_size = sizeof(options);
    options.threads = 3;
    if (host)
      options.parallel = [](void *, uint32_t count, dyn_task_fn task,
                            void *argument) {
        for (uint32_t i = 0; i < count; ++i)
          std::thread([=] {
            _mm_setcsr(0x9fc0);
            task(argument, i);
            EXPECT_EQ(_mm_getcsr(), 0x9fc0u);
          }).join();
      };
    dyn_pool_t *pool = nullptr;
    ASSERT_EQ(dyn_pool_create(&options, &pool), DYN_STATUS_OK);
    Context context = makeContext(artifact.get(), pool);
    dyn_pool_release(pool);
    Execution execution = makeExecution(context.get());
    _mm_setcsr(standard | flushToZero | denormalsZero);
    dyn_status_t status =
        run(execution.get(), "mode", {Value::iota<int8_t>({1000})}, output);
    unsigned after = _mm_getcsr();
    _mm_setcsr(before);
    ASSERT_EQ(status, DYN_STATUS_OK);
    EXPECT_EQ(after & ~flags, standard | flushToZero | denormalsZero);
    for (uint32_t mode : elements<uint32_t>(output))
      ASSERT_EQ(mode & ~flags, standard);
  }
}

TEST_F(PoolTest, SurvivesFork) {
  if (!forksAreFollowed)
    GTEST_SKIP() << "sanitizers do not follow threads that start after a fork";
  Pool pool = makePool(3);
  Context context = makeContext(artifact.get(), pool.get());
  Execution execution = makeExecution(context.get());
  checkAdd(execution.get(), 100000);
  for (int i = 0; i < 3; ++i) {
    pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      checkAdd(execution.get(), 100000);
      checkAdd(execution.get(), 50000);
      execution.reset();
      context.reset();
      pool.reset(); // joins the child's threads
      ::_exit(HasFailure() ? 1 : 0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
  checkAdd(execution.get(), 100000);
}

/// Signals go to the host, except those that a thread's own work raises.
TEST(ThreadPool, HandlesNoSignals) {
  using dyn::rt::ThreadPool;
  auto pool = dyn::rt::Ref<ThreadPool>::adopt(new ThreadPool(2, 0));
  ASSERT_EQ(pool->initialize(), DYN_STATUS_OK);
  struct Mask {
    sigset_t blocked;
    std::atomic<bool> isKnown{false};
  } mask;
  for (int i = 0; i < 1000 && !mask.isKnown; ++i)
    pool->run(
        2,
        [](void *argument, uint32_t index) {
          Mask &mask = *static_cast<Mask *>(argument);
          if (index == 1) {
            ::pthread_sigmask(SIG_BLOCK, nullptr, &mask.blocked);
            mask.isKnown = true;
          }
          for (int i = 0; index == 0 && i < 1 << 20 && !mask.isKnown; ++i)
            _mm_pause();
        },
        &mask, /*wake=*/true);
  ASSERT_TRUE(mask.isKnown);
  for (int signal : {SIGINT, SIGTERM, SIGCHLD, SIGALRM, SIGUSR1, SIGPROF})
    EXPECT_EQ(::sigismember(&mask.blocked, signal), 1) << signal;
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL})
    EXPECT_EQ(::sigismember(&mask.blocked, signal), 0) << signal;
}

/// Seats are numbered without gaps or repetition, whichever threads take them.
TEST(ThreadPool, NumbersSeats) {
  using dyn::rt::ThreadPool;
  auto pool = dyn::rt::Ref<ThreadPool>::adopt(new ThreadPool(4, 50));
  ASSERT_EQ(pool->initialize(), DYN_STATUS_OK);
  struct Seats {
    std::atomic<int> taken[4] = {};
  };
  for (int round = 0; round < 2000; ++round) {
    Seats seats;
    pool->run(
        4,
        [](void *argument, uint32_t index) {
          ASSERT_LT(index, 4u);
          ++static_cast<Seats *>(argument)->taken[index];
        },
        &seats, /*wake=*/true);
    EXPECT_EQ(seats.taken[0], 1);
    for (std::atomic<int> &taken : seats.taken)
      EXPECT_LE(taken, 1);
  }
}

/// Sleeping threads are woken only by callers that request it.
TEST(ThreadPool, LetsThreadsRest) {
  using dyn::rt::ThreadPool;
  auto pool = dyn::rt::Ref<ThreadPool>::adopt(new ThreadPool(2, 0));
  ASSERT_EQ(pool->initialize(), DYN_STATUS_OK);
  std::atomic<int> came = 0;
  auto run = [&](bool wake) {
    pool->run(
        2,
        [](void *argument, uint32_t index) {
          auto &came = *static_cast<std::atomic<int> *>(argument);
          came += index;
          for (int i = 0; index == 0 && i < 1 << 20 && !came; ++i)
            _mm_pause();
        },
        &came, wake);
  };
  EXPECT_TRUE(pool->atRest());
  run(/*wake=*/false);
  EXPECT_EQ(came, 0);
  EXPECT_TRUE(pool->atRest());
  for (int i = 0; i < 1000 && !came; ++i)
    run(/*wake=*/true);
  EXPECT_GT(came, 0);
  while (!pool->atRest())
    std::this_thread::yield();
  // It is counted just before it sleeps.
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  came = 0;
  run(/*wake=*/false);
  EXPECT_EQ(came, 0);
}

/// Large pieces of a range first, single grains in the end, each grain once.
TEST(Launch, PiecesShrink) {
  dyn::rt::Cursor cursor;
  cursor.next = 5;
  cursor.end = 41;
  std::vector<int64_t> sizes;
  int64_t first, last, expected = 5;
  while (cursor.take(first, last)) {
    EXPECT_EQ(first, expected);
    sizes.push_back(last - first);
    expected = last;
  }
  EXPECT_EQ(expected, 41);
  EXPECT_EQ(sizes,
            (std::vector<int64_t>{9, 6, 5, 4, 3, 2, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_FALSE(cursor.take(first, last));
}

/// The body's state is passed between a thread's ranges, only within a launch.
TEST(Launch, KeepsFromRangeToRange) {
  struct Counts {
    std::atomic<int> ranges, firsts, wrong;
    std::atomic<int64_t> items;
  };
  for (uint32_t threads : {1u, 3u}) {
    Pool pool = makePool(threads);
    for (int round = 0; round < 20; ++round) {
      Counts counts = {};
      void *buffers[] = {&counts};
      dyn::rt::Cursor cursors[3];
      dyn::rt::Launch launch = {};
      launch.body = [](void *const *buffers, const int64_t *, int64_t begin,
                       int64_t end, dyn_worker_t *worker) {
        Counts &counts = *static_cast<Counts *>(buffers[0]);
        ++counts.ranges;
        counts.firsts += worker->kept[0] == -1;
        counts.wrong +=
            worker->kept[1] != (worker->kept[0] < 0 ? -1 : worker->kept[0] + 1);
        counts.items += end - begin;
        worker->kept[0] = begin;
        worker->kept[1] = begin + 1;
      };
      launch.buffers = buffers;
      launch.geometry = {100, 2, 0, 0, 0};
      launch.worker.kept[0] = launch.worker.kept[1] = -1;
      launch.cursors = cursors;
      launch.threads = threads;
      launch.runParallel(*pool, /*wake=*/true);
      EXPECT_EQ(counts.items, 100);
      EXPECT_EQ(counts.wrong, 0);
      EXPECT_GE(counts.firsts, 1);
      EXPECT_LE(counts.firsts, int(threads));
      EXPECT_GT(counts.ranges, int(threads));
    }
  }
}

/// A thread that finds another one on its processor moves to a free one, if it
/// may, and keeps its affinity.
TEST(Processors, LateComersMove) {
  cpu_set_t allowed, after, one;
  ASSERT_EQ(::sched_getaffinity(0, sizeof(allowed), &allowed), 0);
  ASSERT_EQ(dyn::rt::availableProcessors(), uint32_t(CPU_COUNT(&allowed)));
  dyn::rt::Processors processors;
  bool moved = false;
  // The system may move the thread between the two calls.
  for (int i = 0; i < 1000 && !moved; ++i) {
    processors.reset();
    moved = processors.join();
  }
  EXPECT_EQ(moved, CPU_COUNT(&allowed) > 1);
  ASSERT_EQ(::sched_getaffinity(0, sizeof(after), &after), 0);
  EXPECT_TRUE(CPU_EQUAL(&allowed, &after));

  CPU_ZERO(&one);
  CPU_SET(::sched_getcpu(), &one);
  ASSERT_EQ(::sched_setaffinity(0, sizeof(one), &one), 0);
  processors.reset();
  EXPECT_FALSE(processors.join());
  ASSERT_EQ(::sched_setaffinity(0, sizeof(allowed), &allowed), 0);
}
