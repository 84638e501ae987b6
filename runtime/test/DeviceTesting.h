//===- DeviceTesting.h - Words for the tests of devices -------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_TEST_DEVICETESTING_H
#define DYN_RUNTIME_TEST_DEVICETESTING_H

#include "Testing.h"

namespace dyn::test {

inline constexpr const char *kEmulator = "libdynemu.so";

inline dyn_context_options_t deviceOptions(const char *library = kEmulator) {
  dyn_context_options_t options = {};
  options.struct_size = sizeof(options);
  options.device = DYN_DEVICE_CUDA;
  options.device_library = library;
  return options;
}

/// The status of making a context.
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

} // namespace dyn::test

#endif // DYN_RUNTIME_TEST_DEVICETESTING_H
