//===- Status.h - Status values and their messages ------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The library reports failures only by status. Exceptions exist inside of it
// for one purpose, to unwind from a failed allocation of a standard container,
// and end at the ABI, in guarded().
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_SYSTEM_STATUS_H
#define DYN_RUNTIME_SYSTEM_STATUS_H

#include "dyn/runtime.h"

#include <new>

namespace dyn::rt {

/// Records a message, as printf does, for dyn_last_error() in this thread.
/// Returns `status`, so that a failure is one statement.
[[gnu::format(printf, 2, 3), gnu::cold]] dyn_status_t
fail(dyn_status_t status, const char *format, ...);

/// Runs the body of an ABI function and turns exceptions into a status.
template <typename Fn> dyn_status_t guarded(Fn &&body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return fail(DYN_STATUS_OUT_OF_MEMORY, "out of memory");
  } catch (...) {
    return fail(DYN_STATUS_INTERNAL, "unexpected exception in the runtime");
  }
}

} // namespace dyn::rt

#define DYN_RETURN_IF_FAILED(expression)                                       \
  do {                                                                         \
    if (dyn_status_t failed = (expression); failed != DYN_STATUS_OK)           \
      return failed;                                                           \
  } while (false)

#endif // DYN_RUNTIME_SYSTEM_STATUS_H
