//===- NcclLibrary.h - NCCL, loaded ---------------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_DEVICES_CUDA_NCCLLIBRARY_H
#define DYN_RUNTIME_DEVICES_CUDA_NCCLLIBRARY_H

#include "Status.h"

#include "dyn/nccl.h"

#include <string>

namespace dyn::rt {

/// The functions of a library with the interface of NCCL.
struct NcclLibrary {
#define DYN_NCCL_FUNCTION(member, result, symbol, parameters)                  \
  result(*member) parameters;
#include "dyn/nccl.def"
  std::string name; ///< as requested
  bool isEmulator;  ///< moves memory of the emulator
  int version;

  /// Loads `library`, once per process. It is never unloaded. `isEmulated` says
  /// whether devices are emulated; UNSUPPORTED if the library is of the other
  /// kind, or too old.
  static dyn_status_t load(const char *library, bool isEmulated,
                           const NcclLibrary *&out);

  /// Converts a result to a status; `what` was attempted, for the message.
  /// `comm` may be null.
  dyn_status_t check(int result, const char *what, dyn_nccl_comm_t comm) const {
    return result == DYN_NCCL_SUCCESS ? DYN_STATUS_OK
                                      : describe(result, what, comm);
  }

private:
  [[gnu::cold]] dyn_status_t describe(int result, const char *what,
                                      dyn_nccl_comm_t comm) const;
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_DEVICES_CUDA_NCCLLIBRARY_H
