//===- Describe.h - Prints the signature of an artifact in words ----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DRIVER_DESCRIBE_H
#define DYN_DRIVER_DESCRIBE_H

#include "llvm/Support/raw_ostream.h"

namespace dyn {

/// Loads the artifact at `path` and prints its entries: inputs, outputs, sizes
/// with their ranges, kernels, constants. Returns false with a message in
/// `error` if this version cannot read the file as an artifact.
bool describeArtifact(llvm::StringRef path, llvm::raw_ostream &os,
                      std::string &error);

} // namespace dyn

#endif // DYN_DRIVER_DESCRIBE_H
