//===- Driver.cpp - CUDA's driver, loaded ---------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"

#include "LibraryFile.h"

using namespace dyn::rt;

static dyn_status_t open(const char *library, Driver &driver) {
  LibraryFile file(library);
#define DYN_CUDA_FUNCTION(member, symbol, parameters)                          \
  driver.member = reinterpret_cast<int(*) parameters>(file.find(#symbol));
#include "dyn/cuda_driver.def"
  DYN_RETURN_IF_FAILED(file.check("driver of CUDA", "driver of CUDA 11"));
  driver.isEmulator = file.isEmulator();
  return driver.check(driver.init(0), "start the driver of CUDA");
}

dyn_status_t Driver::load(const char *library, const Driver *&driver) {
  return loadOnce(library, open, driver);
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
