//===- Driver.h - CUDA's driver, loaded -----------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_DEVICES_CUDA_DRIVER_H
#define DYN_RUNTIME_DEVICES_CUDA_DRIVER_H

#include "Status.h"

#include "dyn/cuda_driver.h"

namespace dyn::rt {

/// The functions of a library with the interface of the CUDA driver.
struct Driver {
#define DYN_CUDA_FUNCTION(member, symbol, parameters) int(*member) parameters;
#include "dyn/cuda_driver.def"
  /// Whether it runs code of emulated.h instead of GPU code.
  bool isEmulator;

  /// Loads `library`, once per process. It is never unloaded.
  static dyn_status_t load(const char *library, const Driver *&driver);

  /// Converts a result to a status; `what` was attempted, for the message.
  dyn_status_t check(int result, const char *what) const {
    return result == DYN_CUDA_SUCCESS ? DYN_STATUS_OK : describe(result, what);
  }

  /// Makes a context the thread's current one while it lives.
  class Current {
  public:
    Current(const Driver &driver, dyn_cuda_context_t context)
        : driver(driver), result(driver.contextPush(context)) {}
    ~Current() {
      // If the device refused, the top of the stack is the host's context.
      dyn_cuda_context_t popped;
      if (result == DYN_CUDA_SUCCESS)
        driver.contextPop(&popped);
    }
    Current(const Current &) = delete;

    int getResult() const { return result; }
    /// Called before work that must not reach another device.
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

#endif // DYN_RUNTIME_DEVICES_CUDA_DRIVER_H
