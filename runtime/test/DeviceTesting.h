//===- DeviceTesting.h - Utilities for tests of devices -------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_TEST_DEVICETESTING_H
#define DYN_RUNTIME_TEST_DEVICETESTING_H

#include "Testing.h"

#include "dyn/cuda_driver.h"

#include <dlfcn.h>
#include <set>

namespace dyn::test {

inline constexpr const char *kEmulator = "libdynemu.so";

inline dyn_context_options_t deviceOptions(const char *library = kEmulator) {
  dyn_context_options_t options = {};
  options.struct_size = sizeof(options);
  options.device = DYN_DEVICE_CUDA;
  options.device_library = library;
  return options;
}

/// The status of the creation of a context.
inline dyn_status_t tryContext(const Artifact &artifact,
                               const dyn_context_options_t &options) {
  dyn_context_t *context = nullptr;
  dyn_status_t status = dyn_context_create(artifact.get(), &options, &context);
  EXPECT_EQ(context == nullptr, status != DYN_STATUS_OK);
  dyn_context_release(context);
  return status;
}

inline Context makeContext(const Artifact &artifact,
                           const dyn_context_options_t &options) {
  dyn_context_t *context = nullptr;
  EXPECT_EQ(dyn_context_create(artifact.get(), &options, &context),
            DYN_STATUS_OK)
      << dyn_last_error();
  return Context(context);
}

/// The emulator's driver, for calls by a host.
struct EmulatedDriver {
  EmulatedDriver() {
    void *library = dlopen(kEmulator, RTLD_NOW);
    EXPECT_TRUE(library) << dlerror();
#define DYN_CUDA_FUNCTION(member, symbol, parameters)                          \
  member = reinterpret_cast<int(*) parameters>(dlsym(library, #symbol));
#include "dyn/cuda_driver.def"
  }
#define DYN_CUDA_FUNCTION(member, symbol, parameters)                          \
  int(*member) parameters = nullptr;
#include "dyn/cuda_driver.def"
};

/// A vector on the emulator.
class DeviceVector {
public:
  explicit DeviceVector(const std::vector<float> &values)
      : shape{int64_t(values.size())} {
    EXPECT_EQ(driver.memAlloc(&address, 4 * values.size()), DYN_CUDA_SUCCESS);
    EXPECT_EQ(driver.copyToDevice(address, values.data(), 4 * values.size()),
              DYN_CUDA_SUCCESS);
  }
  ~DeviceVector() { driver.memFree(address); }
  DeviceVector(const DeviceVector &) = delete;

  dyn_tensor_t tensor() const {
    return {reinterpret_cast<void *>(address),
            shape,
            DYN_F32,
            1,
            DYN_DEVICE_CUDA,
            0};
  }

private:
  EmulatedDriver driver;
  uint64_t address = 0;
  int64_t shape[1];
};

/// The elements of a vector on the emulator, after the work of a stream.
inline std::vector<float> fetch(const dyn_tensor_t &tensor,
                                void *stream = nullptr) {
  EXPECT_EQ(tensor.device, uint32_t(DYN_DEVICE_CUDA));
  std::vector<float> values(size_t(tensor.shape[0]));
  EXPECT_EQ(EmulatedDriver().copyToHostAsync(
                values.data(), reinterpret_cast<uint64_t>(tensor.data),
                4 * values.size(), static_cast<dyn_cuda_stream_t>(stream)),
            DYN_CUDA_SUCCESS);
  return values;
}

/// A host's allocator, and its stream.
struct HostAllocator {
  HostAllocator() {
    driver.struct_size = sizeof(driver);
    driver.user = this;
    driver.allocate = [](void *user, uint64_t bytes, uint64_t) -> void * {
      auto &self = *static_cast<HostAllocator *>(user);
      uint64_t address = 0;
      if (self.isEmpty ||
          self.cuda.memAlloc(&address, bytes) != DYN_CUDA_SUCCESS)
        return nullptr;
      self.blocks.insert(address);
      return reinterpret_cast<void *>(address);
    };
    driver.deallocate = [](void *user, void *memory, uint64_t) {
      auto &self = *static_cast<HostAllocator *>(user);
      auto address = reinterpret_cast<uint64_t>(memory);
      EXPECT_EQ(self.blocks.erase(address), 1u);
      self.cuda.memFree(address);
    };
    driver.stream = &isEmpty; // the emulator accepts any stream
  }
  EmulatedDriver cuda;
  dyn_driver_t driver = {};
  std::set<uint64_t> blocks;
  bool isEmpty = false;
};

} // namespace dyn::test

#endif // DYN_RUNTIME_TEST_DEVICETESTING_H
