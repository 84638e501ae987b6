//===- Status.cpp - Status values and their messages ----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Status.h"

#include <cstdarg>
#include <cstdio>

using namespace dyn::rt;

namespace {
/// Long enough for every message except one that quotes an absurdly long name,
/// which is truncated. A fixed buffer, so that recording a failure cannot fail.
thread_local char lastError[2048];
/// Drops a UTF-8 character that may be incomplete from the end.
void dropLastCharacter() {
  size_t last = sizeof(lastError) - 2;
  for (int more = 3; more && (lastError[last] & 0xc0) == 0x80; --more)
    --last;
  lastError[last] = 0;
}
} // namespace

dyn_status_t dyn::rt::fail(dyn_status_t status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int length = std::vsnprintf(lastError, sizeof(lastError), format, arguments);
  va_end(arguments);
  if (length >= int(sizeof(lastError)))
    dropLastCharacter();
  return status;
}

const char *dyn_last_error(void) { return lastError; }

const char *dyn_status_name(dyn_status_t status) {
  switch (status) {
  case DYN_STATUS_OK:
    return "ok";
  case DYN_STATUS_INVALID_ARGUMENT:
    return "invalid argument";
  case DYN_STATUS_NOT_FOUND:
    return "not found";
  case DYN_STATUS_BAD_ARTIFACT:
    return "bad artifact";
  case DYN_STATUS_UNSUPPORTED:
    return "unsupported";
  case DYN_STATUS_OUT_OF_MEMORY:
    return "out of memory";
  case DYN_STATUS_DATA_ERROR:
    return "data error";
  case DYN_STATUS_CANCELLED:
    return "cancelled";
  case DYN_STATUS_DEADLINE_EXCEEDED:
    return "deadline exceeded";
  case DYN_STATUS_BUSY:
    return "busy";
  case DYN_STATUS_IO_ERROR:
    return "i/o error";
  case DYN_STATUS_INTERNAL:
    return "internal";
  case DYN_STATUS_DEVICE_ERROR:
    return "device error";
  case DYN_STATUS_RANK_FAILED:
    return "rank failed";
  }
  return "unknown status";
}

const char *dyn_runtime_version(void) { return DYN_RUNTIME_VERSION; }
