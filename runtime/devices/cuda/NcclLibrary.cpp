//===- NcclLibrary.cpp - NCCL, loaded -------------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NcclLibrary.h"

#include <dlfcn.h>
#include <map>
#include <mutex>

using namespace dyn::rt;

static dyn_status_t open(const char *library, NcclLibrary &out) {
  void *handle = ::dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return fail(DYN_STATUS_UNSUPPORTED, "no exchange library: %s", ::dlerror());
  const char *missing = nullptr;
#define DYN_NCCL_FUNCTION(member, result, symbol, parameters)                  \
  out.member =                                                                 \
      reinterpret_cast<result(*) parameters>(::dlsym(handle, #symbol));        \
  if (!out.member)                                                             \
    missing = #symbol;
#include "dyn/nccl.def"
  if (missing) {
    ::dlclose(handle);
    return fail(DYN_STATUS_UNSUPPORTED,
                "'%s' is no NCCL 2.14 or newer: it has no '%s'", library,
                missing);
  }
  out.name = library;
  out.isEmulator = ::dlsym(handle, DYN_CUDA_EMULATOR_SYMBOL);
  return out.check(out.getVersion(&out.version), "start NCCL", nullptr);
}

dyn_status_t NcclLibrary::load(const char *library, bool isEmulated,
                               const NcclLibrary *&out) {
  static std::mutex mutex;
  // Never destroyed: hosts may release objects while the process ends.
  static auto &loaded = *new std::map<std::string, NcclLibrary>();
  std::lock_guard<std::mutex> lock(mutex);
  auto known = loaded.find(library);
  if (known == loaded.end()) {
    NcclLibrary fresh = {};
    DYN_RETURN_IF_FAILED(open(library, fresh));
    known = loaded.emplace(library, std::move(fresh)).first;
  }
  if (known->second.isEmulator != isEmulated)
    return fail(DYN_STATUS_UNSUPPORTED,
                "'%s' moves rows between %s, and the device is %s", library,
                isEmulated ? "GPUs" : "emulated devices",
                isEmulated ? "the emulator" : "a GPU");
  out = &known->second;
  return DYN_STATUS_OK;
}

dyn_status_t NcclLibrary::describe(int result, const char *what,
                                   dyn_nccl_comm_t comm) const {
  const char *reason = getReason(result);
  const char *detail = getLastError(comm);
  return fail(DYN_STATUS_DEVICE_ERROR, "cannot %s: %s%s%s (error %d of '%s')",
              what, reason ? reason : "unknown error",
              detail && *detail ? ": " : "", detail ? detail : "", result,
              name.c_str());
}
