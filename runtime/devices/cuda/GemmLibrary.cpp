//===- GemmLibrary.cpp - cuBLASLt, loaded ---------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GemmLibrary.h"

#include "LibraryFile.h"

using namespace dyn::rt;

static dyn_status_t open(const char *library, GemmLibrary &out) {
  LibraryFile file(library);
#define DYN_CUBLAS_FUNCTION(member, result, symbol, parameters)                \
  out.member = reinterpret_cast<result(*) parameters>(file.find(#symbol));
#include "dyn/cublas_lt.def"
  DYN_RETURN_IF_FAILED(file.check("GEMM library", "cuBLASLt 11"));
  out.name = library;
  out.isEmulator = file.isEmulator();
  return DYN_STATUS_OK;
}

dyn_status_t GemmLibrary::load(const char *library, bool isEmulated,
                               const GemmLibrary *&out) {
  const GemmLibrary *loaded = nullptr;
  DYN_RETURN_IF_FAILED(loadOnce(library, open, loaded));
  if (loaded->isEmulator != isEmulated)
    return fail(DYN_STATUS_UNSUPPORTED,
                "'%s' computes on %s, and the device is %s", library,
                isEmulated ? "a GPU" : "the emulator",
                isEmulated ? "the emulator" : "a GPU");
  out = loaded;
  return DYN_STATUS_OK;
}

dyn_status_t GemmLibrary::describe(int result, const char *what) const {
  const char *reason = getStatusString(result);
  return fail(result == DYN_CUBLAS_ALLOC_FAILED ? DYN_STATUS_OUT_OF_MEMORY
                                                : DYN_STATUS_DEVICE_ERROR,
              "cannot %s: %s (error %d of '%s')", what,
              reason ? reason : "unknown error", result, name.c_str());
}
