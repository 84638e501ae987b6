//===- Driver.h - CUDA's driver, loaded -----------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_CUDA_DRIVER_H
#define DYN_RUNTIME_CUDA_DRIVER_H

#include "Status.h"

#include "dyn/cuda_driver.h"

namespace dyn::rt {

/// The functions of a library with the interface of CUDA's driver.
struct Driver {
#define DYN_CUDA_FUNCTION(member, symbol, parameters) int(*member) parameters;
#include "dyn/cuda_driver.def"
  /// Whether it runs code of emulated.h and not of a GPU.
  bool isEmulator;

  /// Loads `library`, once in a process. It is never unloaded.
  static dyn_status_t load(const char *library, const Driver *&driver);

  /// A result as a status, with `what` was tried in the message.
  dyn_status_t check(int result, const char *what) const {
    return result == DYN_CUDA_SUCCESS ? DYN_STATUS_OK : describe(result, what);
  }

  /// A context is the thread's current one while this lives.
  class Current {
  public:
    Current(const Driver &driver, dyn_cuda_context_t context)
        : driver(driver), result(driver.contextPush(context)) {}
    ~Current() {
      // What lies on the stack is the host's if the device refused.
      dyn_cuda_context_t popped;
      if (result == DYN_CUDA_SUCCESS)
        driver.contextPop(&popped);
    }
    Current(const Current &) = delete;

    int getResult() const { return result; }
    /// Comes before what may not reach another device.
    dyn_status_t check() const {
      return driver.check(result, "use the device");
    }

  private:
    const Driver &driver;
    int result;
  };

private:
  [[gnu::cold]] dyn_status_t describe(int result, const char *what) const;
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_CUDA_DRIVER_H
