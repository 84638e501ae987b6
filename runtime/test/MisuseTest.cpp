//===- MisuseTest.cpp - Hosts that use the ABI wrongly --------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Testing.h"

#include "dyn/comm.h"

#include <thread>
#include <unistd.h>

using namespace dyn::test;

namespace {
class MisuseTest : public ZooTest {
protected:
  /// Runs "add" with one tensor changed.
  template <typename Change> dyn_status_t runAdd(Change change) {
    Value x = Value::iota<float>({2, 3});
    dyn_tensor_t inputs[] = {x.tensor(), x.tensor()};
    change(inputs[1]);
    auto options = callOptions(execution.get(), "add");
    return dyn_execution_run(execution.get(), &options, inputs, 2, &output, 1);
  }
};

/// Not null, so that a function that sets it on failure is found out.
template <typename T> T *garbage() { return reinterpret_cast<T *>(1); }
} // namespace

//===----------------------------------------------------------------------===//
// Null
//===----------------------------------------------------------------------===//

/// Functions that make an object clear it first: a host that ignores a failure
/// then passes null on, and not what happened to be in memory.
TEST_F(MisuseTest, NothingToMakeAnObjectOf) {
  auto *made = garbage<dyn_context_t>();
  EXPECT_FAILURE(dyn_context_create(nullptr, nullptr, &made),
                 DYN_STATUS_INVALID_ARGUMENT, "artifact is null");
  EXPECT_EQ(made, nullptr);
  auto *run = garbage<dyn_execution_t>();
  EXPECT_FAILURE(dyn_execution_create(nullptr, nullptr, &run),
                 DYN_STATUS_INVALID_ARGUMENT, "context is null");
  EXPECT_EQ(run, nullptr);
  auto *pool = garbage<dyn_pool_t>();
  EXPECT_FAILURE(dyn_pool_share(nullptr, 1, &pool), DYN_STATUS_INVALID_ARGUMENT,
                 "pool is null");
  EXPECT_EQ(pool, nullptr);
}

TEST_F(MisuseTest, NowhereToPutAnObject) {
  EXPECT_FAILURE(dyn_context_create(artifact.get(), nullptr, nullptr),
                 DYN_STATUS_INVALID_ARGUMENT, "out_context is null");
  EXPECT_FAILURE(dyn_execution_create(context.get(), nullptr, nullptr),
                 DYN_STATUS_INVALID_ARGUMENT, "out_execution is null");
  EXPECT_FAILURE(dyn_pool_create(nullptr, nullptr), DYN_STATUS_INVALID_ARGUMENT,
                 "out_pool is null");
  EXPECT_FAILURE(dyn_pool_share(nullptr, 0, nullptr),
                 DYN_STATUS_INVALID_ARGUMENT, "out_pool is null");
  EXPECT_FAILURE(dyn_trace_create(nullptr, nullptr),
                 DYN_STATUS_INVALID_ARGUMENT, "out_trace is null");
  EXPECT_FAILURE(dyn_communicator_create_self(nullptr),
                 DYN_STATUS_INVALID_ARGUMENT, "out_communicator is null");
}

TEST_F(MisuseTest, NoArtifactToAsk) {
  dyn_artifact_info_t info = {sizeof(info)};
  dyn_entry_info_t entry = {sizeof(entry)};
  dyn_port_info_t port = {sizeof(port)};
  dyn_dim_info_t dim = {sizeof(dim)};
  for (dyn_status_t status : {dyn_artifact_info(nullptr, &info),
                              dyn_artifact_entry(nullptr, 0, &entry),
                              dyn_artifact_input(nullptr, 0, 0, &port),
                              dyn_artifact_output(nullptr, 0, 0, &port),
                              dyn_artifact_dim(nullptr, 0, 0, &dim)}) {
    EXPECT_EQ(status, DYN_STATUS_INVALID_ARGUMENT);
    EXPECT_STREQ(dyn_last_error(), "artifact is null");
  }
  uint32_t number = 0;
  const char *message = "artifact, name or out_entry is null";
  EXPECT_FAILURE(dyn_artifact_find_entry(nullptr, "add", &number),
                 DYN_STATUS_INVALID_ARGUMENT, message);
  EXPECT_FAILURE(dyn_artifact_find_entry(artifact.get(), nullptr, &number),
                 DYN_STATUS_INVALID_ARGUMENT, message);
  EXPECT_FAILURE(dyn_artifact_find_entry(artifact.get(), "add", nullptr),
                 DYN_STATUS_INVALID_ARGUMENT, message);
}

TEST_F(MisuseTest, NoExecutionToRun) {
  const char *message = "execution is null";
  dyn_stats_t stats = {};
  stats.struct_size = sizeof(stats);
  dyn_kernel_stats_t kernel = {};
  kernel.struct_size = sizeof(kernel);
  EXPECT_FAILURE(dyn_execution_run(nullptr, nullptr, nullptr, 0, nullptr, 0),
                 DYN_STATUS_INVALID_ARGUMENT, message);
  EXPECT_FAILURE(dyn_execution_wait(nullptr), DYN_STATUS_INVALID_ARGUMENT,
                 message);
  EXPECT_FAILURE(dyn_execution_stats(nullptr, &stats),
                 DYN_STATUS_INVALID_ARGUMENT, message);
  EXPECT_FAILURE(dyn_execution_kernel_stats(nullptr, 0, &kernel),
                 DYN_STATUS_INVALID_ARGUMENT, message);
  EXPECT_FAILURE(dyn_execution_reset_stats(nullptr),
                 DYN_STATUS_INVALID_ARGUMENT, message);
}

/// Functions without a status have a value for null.
TEST_F(MisuseTest, NullHasAValue) {
  EXPECT_EQ(dyn_context_artifact(nullptr), nullptr);
  EXPECT_EQ(dyn_execution_context(nullptr), nullptr);
  EXPECT_EQ(dyn_context_isa(nullptr), DYN_ISA_X86_64_V2);
  EXPECT_EQ(dyn_context_kernel_count(nullptr), 0u);
  EXPECT_EQ(dyn_pool_threads(nullptr), 1u);
  EXPECT_EQ(dyn_trace_events(nullptr), 0u);
  EXPECT_EQ(dyn_trace_dropped(nullptr), 0u);
  EXPECT_EQ(dyn_communicator_rank(nullptr), 0u);
  EXPECT_EQ(dyn_communicator_size(nullptr), 1u);
  dyn_context_trim(nullptr);
  dyn_context_retain(nullptr);
  dyn_context_release(nullptr);
  dyn_execution_retain(nullptr);
  dyn_execution_release(nullptr);
  dyn_pool_retain(nullptr);
  dyn_pool_release(nullptr);
  dyn_trace_retain(nullptr);
  dyn_trace_release(nullptr);
  dyn_profile_retain(nullptr);
  dyn_profile_release(nullptr);
  dyn_communicator_retain(nullptr);
  dyn_communicator_release(nullptr);
}

//===----------------------------------------------------------------------===//
// Structs of other sizes
//===----------------------------------------------------------------------===//

namespace {
/// A struct of a later version of the header.
template <typename T> struct Newer {
  Newer() { known.struct_size = sizeof(*this); }
  T known = {};
  uint64_t added = 0;
};

/// Calls a function that takes options: with none, with a size that cannot be,
/// with just the size, with a later version's, and with an option that only
/// that one knows.
template <typename T, typename Fn>
void checkOptions(const std::string &name, Fn &&create) {
  EXPECT_EQ(create(static_cast<T *>(nullptr)), DYN_STATUS_OK) << name;
  for (size_t size : {0, 1, 7}) {
    T options = {};
    options.struct_size = size;
    EXPECT_EQ(create(&options), DYN_STATUS_INVALID_ARGUMENT) << name;
    EXPECT_EQ(dyn_last_error(), name + ".struct_size is " +
                                    std::to_string(size) +
                                    ": expected sizeof(" + name + ")");
  }
  T least;
  std::memset(static_cast<void *>(&least), 0xff, sizeof(least));
  least.struct_size = sizeof(size_t); // no member after it
  EXPECT_EQ(create(&least), DYN_STATUS_OK) << name << dyn_last_error();
  Newer<T> newer;
  EXPECT_EQ(create(&newer.known), DYN_STATUS_OK) << name;
  newer.added = uint64_t(1) << 63;
  EXPECT_EQ(create(&newer.known), DYN_STATUS_UNSUPPORTED) << name;
  EXPECT_EQ(dyn_last_error(), name + " sets an option that version 0.1.0 of "
                                     "the runtime does not know");
}

/// Calls a function that fills in a struct: with null, with a size that cannot
/// be, with just the size, and with a later version's.
template <typename T, typename Fn>
void checkInfo(const std::string &name, Fn &&ask) {
  EXPECT_EQ(ask(static_cast<T *>(nullptr)), DYN_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(dyn_last_error(), name + " is null");
  for (size_t size : {0, 7}) {
    T info = {};
    info.struct_size = size;
    EXPECT_EQ(ask(&info), DYN_STATUS_INVALID_ARGUMENT) << name;
    EXPECT_EQ(dyn_last_error(), name + ".struct_size is " +
                                    std::to_string(size) +
                                    ": expected sizeof(" + name + ")");
  }
  unsigned char least[sizeof(T)];
  std::memset(least, 0xee, sizeof(least));
  const size_t size = sizeof(size_t);
  std::memcpy(least, &size, sizeof(size));
  EXPECT_EQ(ask(reinterpret_cast<T *>(least)), DYN_STATUS_OK) << name;
  for (size_t i = sizeof(size); i < sizeof(least); ++i)
    EXPECT_EQ(least[i], 0xee) << name << ", byte " << i;
  Newer<T> newer;
  newer.added = 42;
  EXPECT_EQ(ask(&newer.known), DYN_STATUS_OK) << name;
  EXPECT_EQ(newer.added, 42u) << name;
  EXPECT_EQ(newer.known.struct_size, sizeof(newer)) << name;
}
} // namespace

TEST_F(MisuseTest, OptionsOfOtherVersions) {
  checkOptions<dyn_pool_options_t>("dyn_pool_options_t", [](auto *options) {
    dyn_pool_t *made = nullptr;
    dyn_status_t status = dyn_pool_create(options, &made);
    dyn_pool_release(made);
    return status;
  });
  checkOptions<dyn_context_options_t>(
      "dyn_context_options_t", [&](auto *options) {
        dyn_context_t *made = nullptr;
        dyn_status_t status =
            dyn_context_create(artifact.get(), options, &made);
        dyn_context_release(made);
        return status;
      });
  checkOptions<dyn_driver_t>("dyn_driver_t", [&](auto *driver) {
    dyn_context_options_t options = {};
    options.struct_size = sizeof(options);
    options.driver = driver;
    dyn_context_t *made = nullptr;
    dyn_status_t status = dyn_context_create(artifact.get(), &options, &made);
    dyn_context_release(made);
    return status;
  });
  checkOptions<dyn_execution_options_t>(
      "dyn_execution_options_t", [&](auto *options) {
        dyn_execution_t *made = nullptr;
        dyn_status_t status =
            dyn_execution_create(context.get(), options, &made);
        dyn_execution_release(made);
        return status;
      });
  checkOptions<dyn_trace_options_t>("dyn_trace_options_t", [](auto *options) {
    dyn_trace_t *made = nullptr;
    dyn_status_t status = dyn_trace_create(options, &made);
    dyn_trace_release(made);
    return status;
  });
  checkOptions<dyn_profile_options_t>(
      "dyn_profile_options_t", [](auto *options) {
        dyn_profile_t *made = nullptr;
        dyn_status_t status = dyn_profile_create(options, &made);
        dyn_profile_release(made);
        return status;
      });
  Value x = Value::iota<float>({2, 3});
  checkOptions<dyn_call_options_t>("dyn_call_options_t", [&](auto *options) {
    dyn_tensor_t inputs[] = {x.tensor(), x.tensor()};
    return dyn_execution_run(execution.get(), options, inputs, 2, &output, 1);
  });
}

TEST_F(MisuseTest, InfosOfOtherVersions) {
  checkInfo<dyn_artifact_info_t>("dyn_artifact_info_t", [&](auto *info) {
    return dyn_artifact_info(artifact.get(), info);
  });
  checkInfo<dyn_entry_info_t>("dyn_entry_info_t", [&](auto *info) {
    return dyn_artifact_entry(artifact.get(), 0, info);
  });
  checkInfo<dyn_port_info_t>("dyn_port_info_t", [&](auto *info) {
    return dyn_artifact_input(artifact.get(), 0, 0, info);
  });
  checkInfo<dyn_port_info_t>("dyn_port_info_t", [&](auto *info) {
    return dyn_artifact_output(artifact.get(), 0, 0, info);
  });
  checkInfo<dyn_dim_info_t>("dyn_dim_info_t", [&](auto *info) {
    return dyn_artifact_dim(artifact.get(), 0, 0, info);
  });
  checkInfo<dyn_memory_stats_t>("dyn_memory_stats_t", [&](auto *info) {
    return dyn_context_memory_stats(context.get(), info);
  });
  checkInfo<dyn_gemm_info_t>("dyn_gemm_info_t", [&](auto *info) {
    return dyn_context_gemm_info(context.get(), info);
  });
  checkInfo<dyn_stats_t>("dyn_stats_t", [&](auto *info) {
    return dyn_execution_stats(execution.get(), info);
  });
  checkInfo<dyn_kernel_stats_t>("dyn_kernel_stats_t", [&](auto *info) {
    return dyn_execution_kernel_stats(execution.get(), 0, info);
  });
}

//===----------------------------------------------------------------------===//
// Order of calls
//===----------------------------------------------------------------------===//

/// An object keeps what it was made of: a host may release in any order.
TEST_F(MisuseTest, ReleasesInAnyOrder) {
  dyn_pool_t *threads = makePool(2).release();
  dyn_context_t *made = makeContext(artifact.get(), threads).release();
  dyn_execution_t *last = makeExecution(made).release();
  dyn_artifact_t *loaded = artifact.release();
  execution.reset();
  context.reset();
  dyn_artifact_release(loaded);
  dyn_pool_release(threads);
  dyn_context_release(made);
  Value x = Value::iota<float>({2, 500});
  EXPECT_EQ(run(last, "add", {x, x}, output), DYN_STATUS_OK);
  EXPECT_EQ(elements<float>(output)[999], 1998.f);
  dyn_execution_retain(last);
  dyn_execution_release(last);
  EXPECT_EQ(run(last, "add", {x, x}, output), DYN_STATUS_OK);
  dyn_execution_release(last);
}

/// Also while a call runs, which then ends as it would have.
TEST_F(MisuseTest, ReleasesDuringACall) {
  auto options = callOptions(execution.get(), "steps");
  volatile int32_t cancel = 0;
  options.cancel = &cancel;
  std::thread call([&] {
    // Busy while the loop below reads the statistics: then try again.
    auto status = DYN_STATUS_BUSY;
    while (status == DYN_STATUS_BUSY)
      status =
          run(execution.get(), options, {Value::scalar(INT64_MAX)}, output);
    EXPECT_EQ(status, DYN_STATUS_CANCELLED);
  });
  dyn_stats_t stats = {};
  stats.struct_size = sizeof(stats);
  while (dyn_execution_stats(execution.get(), &stats) == DYN_STATUS_OK)
    std::this_thread::yield();
  artifact.reset();
  context.reset();
  __atomic_store_n(&cancel, 1, __ATOMIC_RELAXED);
  call.join();
  Value x = Value::iota<float>({2, 500});
  EXPECT_EQ(run(execution.get(), "add", {x, x}, output), DYN_STATUS_OK);
}

/// Nothing is asynchronous on the CPU, and what was never started can be
/// stopped.
TEST_F(MisuseTest, EndsWithoutBeginnings) {
  EXPECT_EQ(dyn_execution_wait(execution.get()), DYN_STATUS_OK);
  EXPECT_EQ(dyn_execution_reset_stats(execution.get()), DYN_STATUS_OK);
  EXPECT_EQ(getStats(execution.get()).calls, 0u);
  dyn_profile_t *made = nullptr;
  ASSERT_EQ(dyn_profile_create(nullptr, &made), DYN_STATUS_OK);
  Profile profile(made);
  EXPECT_EQ(dyn_profile_stop(made), DYN_STATUS_OK);
  EXPECT_EQ(dyn_profile_stop(made), DYN_STATUS_OK);
  EXPECT_EQ(dyn_profile_decisions(made), 0u);
  EXPECT_EQ(dyn_profile_lost(made), 0u);
}

/// The last message is the thread's own, and success leaves it alone.
TEST_F(MisuseTest, MessagesAreOfAThread) {
  EXPECT_EQ(dyn_execution_wait(nullptr), DYN_STATUS_INVALID_ARGUMENT);
  std::thread other([&] {
    EXPECT_STREQ(dyn_last_error(), "");
    EXPECT_EQ(dyn_context_create(nullptr, nullptr, nullptr),
              DYN_STATUS_INVALID_ARGUMENT);
    EXPECT_STREQ(dyn_last_error(), "out_context is null");
  });
  other.join();
  EXPECT_EQ(dyn_execution_wait(execution.get()), DYN_STATUS_OK);
  EXPECT_STREQ(dyn_last_error(), "execution is null");
}

/// A call that fails before it begins counts, and the one after it is whole.
TEST_F(MisuseTest, FailuresCount) {
  Value x = Value::iota<float>({2, 3});
  EXPECT_EQ(run(execution.get(), "add", {x}, output),
            DYN_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(run(execution.get(), "add", {x, x}, output), DYN_STATUS_OK);
  dyn_stats_t stats = getStats(execution.get());
  EXPECT_EQ(stats.calls, 2u);
  EXPECT_EQ(stats.failed_calls, 1u);
  EXPECT_EQ(stats.launches, 1u);
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// Every element type but the right one, and numbers of no type.
TEST_F(MisuseTest, ElementTypes) {
  for (uint32_t dtype = 0; dtype <= DYN_F64 + 1; ++dtype) {
    if (dtype == DYN_F32)
      continue;
    EXPECT_EQ(runAdd([&](dyn_tensor_t &y) { y.dtype = dtype; }),
              DYN_STATUS_INVALID_ARGUMENT);
    EXPECT_EQ(dyn_last_error(),
              "input 'y': expected f32[batch, n], got elements of " +
                  std::string(dyn_dtype_name(dyn_dtype_t(dtype))));
  }
}

TEST_F(MisuseTest, Ranks) {
  for (uint32_t rank : {0u, 1u, 3u, 13u, UINT32_MAX}) {
    EXPECT_EQ(runAdd([&](dyn_tensor_t &y) { y.rank = rank; }),
              DYN_STATUS_INVALID_ARGUMENT);
    EXPECT_EQ(dyn_last_error(), "input 'y': expected rank 2, f32[batch, n], "
                                "got rank " +
                                    std::to_string(rank));
  }
}

TEST_F(MisuseTest, Devices) {
  for (uint32_t device : {uint32_t(DYN_DEVICE_CUDA), 2u, UINT32_MAX}) {
    EXPECT_EQ(runAdd([&](dyn_tensor_t &y) { y.device = device; }),
              DYN_STATUS_UNSUPPORTED);
    EXPECT_EQ(dyn_last_error(), "input 'y': expected a tensor in the CPU's "
                                "memory, got device " +
                                    std::to_string(device));
  }
  // The number of a device says nothing on the CPU.
  EXPECT_EQ(runAdd([](dyn_tensor_t &y) { y.device_ordinal = 3; }),
            DYN_STATUS_OK);
  EXPECT_EQ(output.device_ordinal, 0);
}

/// A scalar has no sizes, and may have no shape.
TEST_F(MisuseTest, ScalarsWithoutShape) {
  int64_t count = 2;
  dyn_tensor_t input = {&count, nullptr, DYN_I64, 0, DYN_DEVICE_CPU, 0};
  auto options = callOptions(execution.get(), "steps");
  ASSERT_EQ(dyn_execution_run(execution.get(), &options, &input, 1, &output, 1),
            DYN_STATUS_OK);
  EXPECT_EQ(elements<int64_t>(output), std::vector<int64_t>{2});
  input.data = nullptr;
  EXPECT_FAILURE(
      dyn_execution_run(execution.get(), &options, &input, 1, &output, 1),
      DYN_STATUS_INVALID_ARGUMENT,
      "input 'count' is missing: expected i64[], got null");
}

/// The number of elements is counted without the axis that is zero, so that
/// such a tensor cannot hide a size that nothing could hold.
TEST_F(MisuseTest, SizesBesideAZero) {
  int64_t shape[] = {0, INT64_MAX};
  auto status = runAdd([&](dyn_tensor_t &y) { y.shape = shape; });
  EXPECT_EQ(status, DYN_STATUS_INVALID_ARGUMENT);
  EXPECT_STREQ(dyn_last_error(),
               "input 'y': the number of bytes does not fit in 63 bits");
}

TEST_F(MisuseTest, NumbersOfInputsAndOutputs) {
  Value x = Value::iota<float>({2, 3});
  dyn_tensor_t inputs[] = {x.tensor(), x.tensor(), x.tensor()};
  dyn_tensor_t outputs[2] = {};
  auto options = callOptions(execution.get(), "add");
  auto call = [&](uint32_t in, uint32_t out) {
    return dyn_execution_run(execution.get(), &options, inputs, in, outputs,
                             out);
  };
  EXPECT_FAILURE(call(3, 1), DYN_STATUS_INVALID_ARGUMENT,
                 "entry 'add' takes 2 inputs (x, y), got 3");
  EXPECT_FAILURE(call(0, 1), DYN_STATUS_INVALID_ARGUMENT,
                 "entry 'add' takes 2 inputs (x, y), got 0");
  EXPECT_FAILURE(
      call(2, 0), DYN_STATUS_INVALID_ARGUMENT,
      "entry 'add' has 1 outputs: expected an array of as many, got 0");
  EXPECT_FAILURE(
      call(2, 2), DYN_STATUS_INVALID_ARGUMENT,
      "entry 'add' has 1 outputs: expected an array of as many, got 2");
  EXPECT_EQ(outputs[0].data, nullptr);
  options = callOptions(execution.get(), "half");
  EXPECT_FAILURE(call(1, 1), DYN_STATUS_INVALID_ARGUMENT,
                 "entry 'half' takes 0 inputs, got 1");
  EXPECT_EQ(call(0, 1), DYN_STATUS_OK);
}

//===----------------------------------------------------------------------===//
// Limits of memory
//===----------------------------------------------------------------------===//

/// More than there is, wherever a call asks for memory: intermediate
/// results, scratch and outputs. The execution works afterwards.
TEST_F(MisuseTest, MoreMemoryThanThereIs) {
  dyn_driver_t driver = {};
  driver.struct_size = sizeof(driver);
  struct Limit {
    uint64_t most, refused;
  } limit = {1 << 16, 0};
  driver.user = &limit;
  driver.allocate = [](void *user, uint64_t bytes,
                       uint64_t alignment) -> void * {
    auto &limit = *static_cast<Limit *>(user);
    if (bytes > limit.most) {
      limit.refused = bytes;
      return nullptr;
    }
    return ::aligned_alloc(alignment,
                           (bytes + alignment - 1) / alignment * alignment);
  };
  driver.deallocate = [](void *, void *memory, uint64_t) { ::free(memory); };
  Context limited = makeContext(artifact.get(), nullptr, &driver);
  execution = makeExecution(limited.get());
  auto reverse = [&](int64_t rows, int64_t n) {
    return run(execution.get(), "reverse", {Value::iota<int64_t>({rows, n})},
               output);
  };
  ASSERT_EQ(reverse(2, 100), DYN_STATUS_OK);
  // Intermediate results are refused first; 64 rows of 1000.
  EXPECT_EQ(reverse(64, 1000), DYN_STATUS_OUT_OF_MEMORY);
  EXPECT_GE(limit.refused, 512000u);
  EXPECT_EQ(std::string(dyn_last_error()).rfind("cannot allocate ", 0), 0u);
  ASSERT_EQ(reverse(2, 100), DYN_STATUS_OK);
  EXPECT_EQ(elements<int64_t>(output)[199], 199);
  // An output without intermediate results.
  Value x = Value::iota<float>({64, 1000});
  EXPECT_EQ(run(execution.get(), "add", {x, x}, output),
            DYN_STATUS_OUT_OF_MEMORY);
  EXPECT_GE(limit.refused, 256000u);
  ASSERT_EQ(reverse(2, 100), DYN_STATUS_OK);
  EXPECT_EQ(getStats(execution.get()).failed_calls, 2u);
}
