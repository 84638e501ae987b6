//===- Testing.h - Utilities for tests of the runtime ---------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_TEST_TESTING_H
#define DYN_RUNTIME_TEST_TESTING_H

#include "dyn/runtime.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace dyn::test {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif
/// Sanitizers do not follow threads that start after a fork: ASan's allocator
/// stays locked in the child if another thread was in it.
constexpr bool forksAreFollowed = !sanitized;

/// Whether this is `./x test --full`.
inline bool isLongTier() { return std::getenv("DYN_TEST_FULL") != nullptr; }

/// Path of an artifact that the build made.
inline std::string artifactPath(const std::string &name) {
  return std::string(DYN_TEST_ARTIFACTS "/") + name;
}

/// An artifact with the digest of its current image.
inline std::string sealed(std::string file) {
  char *end = &file[file.size() - sizeof(dyn_trailer_t)];
  dyn_trailer_t trailer;
  std::memcpy(&trailer, end, sizeof(trailer));
  trailer.image_digest = dyn_image_digest(
      trailer.image_bytes, reinterpret_cast<const uint8_t *>(file.data()),
      trailer.image_bytes);
  std::memcpy(end, &trailer, sizeof(trailer));
  return file;
}

template <typename T, void (*Release)(T *)> struct Releaser {
  void operator()(T *object) const { Release(object); }
};
template <typename T, void (*Release)(T *)>
using Handle = std::unique_ptr<T, Releaser<T, Release>>;
using Artifact = Handle<dyn_artifact_t, dyn_artifact_release>;
using Pool = Handle<dyn_pool_t, dyn_pool_release>;
using Context = Handle<dyn_context_t, dyn_context_release>;
using Execution = Handle<dyn_execution_t, dyn_execution_release>;
using Trace = Handle<dyn_trace_t, dyn_trace_release>;
using Profile = Handle<dyn_profile_t, dyn_profile_release>;

inline Artifact load(const std::string &path) {
  dyn_artifact_t *artifact = nullptr;
  EXPECT_EQ(dyn_artifact_load(path.c_str(), nullptr, &artifact), DYN_STATUS_OK)
      << dyn_last_error();
  return Artifact(artifact);
}
inline Pool makePool(uint32_t threads, uint32_t spin = 0) {
  dyn_pool_options_t options = {};
  options.struct_size = sizeof(options);
  options.threads = threads;
  options.spin_us = spin;
  dyn_pool_t *pool = nullptr;
  EXPECT_EQ(dyn_pool_create(&options, &pool), DYN_STATUS_OK);
  return Pool(pool);
}
inline Context makeContext(dyn_artifact_t *artifact, dyn_pool_t *pool = nullptr,
                           const dyn_driver_t *driver = nullptr) {
  dyn_context_options_t options = {};
  options.struct_size = sizeof(options);
  options.pool = pool;
  options.driver = driver;
  dyn_context_t *context = nullptr;
  EXPECT_EQ(dyn_context_create(artifact, &options, &context), DYN_STATUS_OK)
      << dyn_last_error();
  return Context(context);
}
inline Execution makeExecution(dyn_context_t *context) {
  dyn_execution_t *execution = nullptr;
  EXPECT_EQ(dyn_execution_create(context, nullptr, &execution), DYN_STATUS_OK);
  return Execution(execution);
}

template <typename T> constexpr dyn_dtype_t dtypeOf();
template <> constexpr dyn_dtype_t dtypeOf<bool>() { return DYN_BOOL; }
template <> constexpr dyn_dtype_t dtypeOf<float>() { return DYN_F32; }
template <> constexpr dyn_dtype_t dtypeOf<int8_t>() { return DYN_I8; }
template <> constexpr dyn_dtype_t dtypeOf<int32_t>() { return DYN_I32; }
template <> constexpr dyn_dtype_t dtypeOf<int64_t>() { return DYN_I64; }
template <> constexpr dyn_dtype_t dtypeOf<uint8_t>() { return DYN_U8; }
template <> constexpr dyn_dtype_t dtypeOf<uint32_t>() { return DYN_U32; }
template <> constexpr dyn_dtype_t dtypeOf<uint64_t>() { return DYN_U64; }

/// A tensor with data of its own.
class Value {
public:
  /// Consecutive numbers from `first`.
  template <typename T>
  static Value iota(std::vector<int64_t> shape, T first = T()) {
    Value value(dtypeOf<T>(), std::move(shape), sizeof(T));
    auto *data = reinterpret_cast<T *>(value.bytes.data());
    for (size_t i = 0; i < value.bytes.size() / sizeof(T); ++i)
      data[i] = T(first + T(i));
    return value;
  }
  template <typename T> static Value scalar(T element) {
    return iota<T>({}, element);
  }
  template <typename T> static Value of(std::vector<T> elements) {
    return of(elements, {int64_t(elements.size())});
  }
  template <typename T>
  static Value of(const std::vector<T> &elements, std::vector<int64_t> shape) {
    Value value(dtypeOf<T>(), std::move(shape), sizeof(T));
    std::memcpy(value.bytes.data(), elements.data(), value.bytes.size());
    return value;
  }

  dyn_tensor_t tensor() const {
    return {const_cast<char *>(bytes.data()), shape.data(),   uint32_t(dtype),
            uint32_t(shape.size()),           DYN_DEVICE_CPU, 0};
  }

private:
  Value(dyn_dtype_t dtype, std::vector<int64_t> shape, size_t elementSize)
      : dtype(dtype), shape(std::move(shape)) {
    size_t count = elementSize;
    for (int64_t size : this->shape)
      count *= size_t(size);
    bytes.resize(count);
  }

  dyn_dtype_t dtype;
  std::vector<int64_t> shape;
  std::vector<char> bytes;
};

/// Options of a call of the entry named `entry`.
inline dyn_call_options_t callOptions(dyn_execution_t *execution,
                                      const char *entry) {
  dyn_call_options_t options = {};
  options.struct_size = sizeof(options);
  EXPECT_EQ(dyn_artifact_find_entry(
                dyn_context_artifact(dyn_execution_context(execution)), entry,
                &options.entry),
            DYN_STATUS_OK);
  return options;
}

/// Runs a call with one output.
inline dyn_status_t run(dyn_execution_t *execution,
                        const dyn_call_options_t &options,
                        const std::vector<Value> &values,
                        dyn_tensor_t &output) {
  std::vector<dyn_tensor_t> inputs;
  for (const Value &value : values)
    inputs.push_back(value.tensor());
  return dyn_execution_run(execution, &options, inputs.data(),
                           uint32_t(inputs.size()), &output, 1);
}
inline dyn_status_t run(dyn_execution_t *execution, const char *entry,
                        const std::vector<Value> &values,
                        dyn_tensor_t &output) {
  return run(execution, callOptions(execution, entry), values, output);
}

/// The statistics of an execution that is in no call.
inline dyn_stats_t getStats(dyn_execution_t *execution) {
  dyn_stats_t stats = {};
  stats.struct_size = sizeof(stats);
  EXPECT_EQ(dyn_execution_stats(execution, &stats), DYN_STATUS_OK);
  return stats;
}

/// Elements of a tensor.
template <typename T> std::vector<T> elements(const dyn_tensor_t &tensor) {
  EXPECT_EQ(tensor.dtype, uint32_t(dtypeOf<T>()));
  size_t count = 1;
  for (uint32_t axis = 0; axis < tensor.rank; ++axis)
    count *= size_t(tensor.shape[axis]);
  const T *data = static_cast<const T *>(tensor.data);
  return std::vector<T>(data, data + count);
}
inline std::vector<int64_t> shapeOf(const dyn_tensor_t &tensor) {
  return std::vector<int64_t>(tensor.shape, tensor.shape + tensor.rank);
}

/// Expects a failure with this status and exactly this message.
#define EXPECT_FAILURE(call, status, message)                                  \
  do {                                                                         \
    EXPECT_EQ(call, status);                                                   \
    EXPECT_STREQ(dyn_last_error(), message);                                   \
  } while (false)

/// Runs the artifact with an entry for each feature.
class ZooTest : public ::testing::Test {
protected:
  Artifact artifact = load(artifactPath("zoo.so"));
  Context context = makeContext(artifact.get());
  Execution execution = makeExecution(context.get());
  dyn_tensor_t output = {};
};

} // namespace dyn::test

#endif // DYN_RUNTIME_TEST_TESTING_H
