//===- GemmLibrary.cpp - cuBLASLt, loaded ---------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GemmLibrary.h"

#include <dlfcn.h>
#include <map>
#include <mutex>

using namespace dyn::rt;

static dyn_status_t open(const char *library, GemmLibrary &out) {
  void *handle = ::dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return fail(DYN_STATUS_UNSUPPORTED, "no GEMM library: %s", ::dlerror());
  const char *missing = nullptr;
#define DYN_CUBLAS_FUNCTION(member, result, symbol, parameters)                \
  out.member =                                                                 \
      reinterpret_cast<result(*) parameters>(::dlsym(handle, #symbol));        \
  if (!out.member)                                                             \
    missing = #symbol;
#include "dyn/cublas_lt.def"
  if (missing) {
    ::dlclose(handle);
    return fail(DYN_STATUS_UNSUPPORTED,
                "'%s' is no cuBLASLt 11 or newer: it has no '%s'", library,
                missing);
  }
  out.name = library;
  out.isEmulator = ::dlsym(handle, DYN_CUDA_EMULATOR_SYMBOL);
  return DYN_STATUS_OK;
}

dyn_status_t GemmLibrary::load(const char *library, bool isEmulated,
                               const GemmLibrary *&out) {
  static std::mutex mutex;
  // Never destroyed: hosts may release objects while the process ends.
  static auto &loaded = *new std::map<std::string, GemmLibrary>();
  std::lock_guard<std::mutex> lock(mutex);
  auto known = loaded.find(library);
  if (known == loaded.end()) {
    GemmLibrary fresh = {};
    DYN_RETURN_IF_FAILED(open(library, fresh));
    known = loaded.emplace(library, std::move(fresh)).first;
  }
  if (known->second.isEmulator != isEmulated)
    return fail(DYN_STATUS_UNSUPPORTED,
                "'%s' computes on %s, and the device is %s", library,
                isEmulated ? "a GPU" : "the emulator",
                isEmulated ? "the emulator" : "a GPU");
  out = &known->second;
  return DYN_STATUS_OK;
}

dyn_status_t GemmLibrary::describe(int result, const char *what) const {
  const char *reason = getStatusString(result);
  return fail(result == DYN_CUBLAS_ALLOC_FAILED ? DYN_STATUS_OUT_OF_MEMORY
                                                : DYN_STATUS_DEVICE_ERROR,
              "cannot %s: %s (error %d of '%s')", what,
              reason ? reason : "unknown error", result, name.c_str());
}
