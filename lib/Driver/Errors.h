//===- Errors.h - Prints errors and warnings about options and files ------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DRIVER_ERRORS_H
#define DYN_LIB_DRIVER_ERRORS_H

#include "llvm/ADT/Twine.h"
#include "llvm/Support/LogicalResult.h"
#include "llvm/Support/raw_ostream.h"

namespace dyn {

/// Prints an error about options or files. Always a failure.
inline llvm::LogicalResult error(const llvm::Twine &message) {
  llvm::errs() << "dyn-compile: error: " << message << '\n';
  return llvm::failure();
}

/// Prints a warning about options or files.
inline void warning(const llvm::Twine &message) {
  llvm::errs() << "dyn-compile: warning: " << message << '\n';
}

} // namespace dyn

#endif // DYN_LIB_DRIVER_ERRORS_H
