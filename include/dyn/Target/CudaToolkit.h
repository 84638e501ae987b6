//===- CudaToolkit.h - Runs CUDA's tools to create images -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TARGET_CUDATOOLKIT_H
#define DYN_TARGET_CUDATOOLKIT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dyn {

/// Code of one chip.
struct ChipCode {
  std::string chip; ///< "sm_90a"
  std::string ptx;
};

/// A fatbin with a cubin and the PTX of each chip, by `ptxas` and `fatbinary`
/// of the toolkit: those in PATH, else those found by the build. An sm_80 cubin
/// does not load on sm_90; the PTX of the oldest chip serves newer ones. False
/// with a message in `error`.
bool makeFatbin(llvm::ArrayRef<ChipCode> codes, std::vector<uint8_t> &fatbin,
                std::string &error);

} // namespace dyn

#endif // DYN_TARGET_CUDATOOLKIT_H
