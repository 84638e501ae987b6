//===- KernelEntry.h - A compiled kernel as an entry of a cache -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TARGET_KERNELENTRY_H
#define DYN_TARGET_KERNELENTRY_H

#include "dyn/Target/KernelCache.h"

namespace dyn {

/// A compiled kernel: its object, and the helpers that the object calls
/// (`share-kernel-helpers`). Those are entries of their own, as other kernels
/// call them as well.
struct KernelEntry {
  struct Helper {
    std::string name; ///< without the suffix of the instruction set
    CacheKey key = {};
  };
  /// In the order of the kernel's module.
  std::vector<Helper> helpers;
  ObjectCode object;

  ObjectCode toBytes() const;
  /// None if `bytes` are not from `toBytes`.
  static std::optional<KernelEntry> fromBytes(llvm::StringRef bytes);
};

} // namespace dyn

#endif // DYN_TARGET_KERNELENTRY_H
