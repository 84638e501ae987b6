//===- Driver.cpp - CUDA's driver, loaded ---------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"

#include <dlfcn.h>
#include <map>
#include <mutex>
#include <string>

using namespace dyn::rt;

static dyn_status_t open(const char *library, Driver &driver) {
  void *handle = ::dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return fail(DYN_STATUS_UNSUPPORTED, "no driver of CUDA: %s", ::dlerror());
  const char *missing = nullptr;
#define DYN_CUDA_FUNCTION(member, symbol, parameters)                          \
  driver.member =                                                              \
      reinterpret_cast<int(*) parameters>(::dlsym(handle, #symbol));           \
  if (!driver.member)                                                          \
    missing = #symbol;
#include "dyn/cuda_driver.def"
  if (missing) {
    ::dlclose(handle);
    return fail(DYN_STATUS_UNSUPPORTED,
                "'%s' is no driver of CUDA 11 or newer: it has no '%s'",
                library, missing);
  }
  driver.isEmulator = ::dlsym(handle, DYN_CUDA_EMULATOR_SYMBOL);
  return driver.check(driver.init(0), "start the driver of CUDA");
}

dyn_status_t Driver::load(const char *library, const Driver *&driver) {
  static std::mutex mutex;
  // Never destroyed: hosts may release objects while the process ends.
  static auto &loaded = *new std::map<std::string, Driver>();
  std::lock_guard<std::mutex> lock(mutex);
  auto known = loaded.find(library);
  if (known == loaded.end()) {
    Driver fresh = {};
    DYN_RETURN_IF_FAILED(open(library, fresh));
    known = loaded.emplace(library, fresh).first;
  }
  driver = &known->second;
  return DYN_STATUS_OK;
}

dyn_status_t Driver::describe(int result, const char *what) const {
  const char *reason = nullptr;
  if (getErrorString(result, &reason) != DYN_CUDA_SUCCESS || !reason)
    reason = "unknown error";
  dyn_status_t status = DYN_STATUS_DEVICE_ERROR;
  switch (result) {
  case DYN_CUDA_OUT_OF_MEMORY:
    status = DYN_STATUS_OUT_OF_MEMORY;
    break;
  case DYN_CUDA_NO_DEVICE:
  case DYN_CUDA_INVALID_DEVICE:
  case DYN_CUDA_INVALID_IMAGE:
  case DYN_CUDA_NO_BINARY_FOR_GPU:
  case DYN_CUDA_UNSUPPORTED_PTX_VERSION:
    status = DYN_STATUS_UNSUPPORTED;
  }
  return fail(status, "cannot %s: %s (error %d of the device)", what, reason,
              result);
}
