//===- GemmLibrary.h - cuBLASLt, loaded -----------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_DEVICES_CUDA_GEMMLIBRARY_H
#define DYN_RUNTIME_DEVICES_CUDA_GEMMLIBRARY_H

#include "Status.h"

#include "dyn/cublas_lt.h"

#include <string>

namespace dyn::rt {

/// The functions of a library with the interface of cuBLASLt.
struct GemmLibrary {
#define DYN_CUBLAS_FUNCTION(member, result, symbol, parameters)                \
  result(*member) parameters;
#include "dyn/cublas_lt.def"
  std::string name; ///< as requested
  bool isEmulator;  ///< computes in memory of the emulator

  /// Loads `library`, once per process. It is never unloaded. `isEmulated` says
  /// whether the device is emulated; UNSUPPORTED if the library is of the other
  /// kind.
  static dyn_status_t load(const char *library, bool isEmulated,
                           const GemmLibrary *&out);

  /// Converts a result to a status; `what` was attempted, for the message.
  dyn_status_t check(int result, const char *what) const {
    return result == DYN_CUBLAS_SUCCESS ? DYN_STATUS_OK
                                        : describe(result, what);
  }

private:
  [[gnu::cold]] dyn_status_t describe(int result, const char *what) const;
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_DEVICES_CUDA_GEMMLIBRARY_H
