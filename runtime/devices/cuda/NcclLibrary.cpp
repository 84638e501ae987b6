//===- NcclLibrary.cpp - NCCL, loaded -------------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NcclLibrary.h"

#include "LibraryFile.h"

using namespace dyn::rt;

static dyn_status_t open(const char *library, NcclLibrary &out) {
  LibraryFile file(library);
#define DYN_NCCL_FUNCTION(member, result, symbol, parameters)                  \
  out.member = reinterpret_cast<result(*) parameters>(file.find(#symbol));
#include "dyn/nccl.def"
  DYN_RETURN_IF_FAILED(file.check("exchange library", "NCCL 2.14"));
  out.name = library;
  out.isEmulator = file.isEmulator();
  return out.check(out.getVersion(&out.version), "start NCCL", nullptr);
}

dyn_status_t NcclLibrary::load(const char *library, bool isEmulated,
                               const NcclLibrary *&out) {
  const NcclLibrary *loaded = nullptr;
  DYN_RETURN_IF_FAILED(loadOnce(library, open, loaded));
  if (loaded->isEmulator != isEmulated)
    return fail(DYN_STATUS_UNSUPPORTED,
                "'%s' moves rows between %s, and the device is %s", library,
                isEmulated ? "GPUs" : "emulated devices",
                isEmulated ? "the emulator" : "a GPU");
  out = loaded;
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
