//===- Driver.h - Runs a compilation from a model to its outputs ----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DRIVER_DRIVER_H
#define DYN_DRIVER_DRIVER_H

#include "dyn/Driver/Options.h"

namespace dyn {

/// Reads, lowers and writes what the options say. Prints messages on failure.
llvm::LogicalResult runDriver(const DriverOptions &options);

} // namespace dyn

#endif // DYN_DRIVER_DRIVER_H
