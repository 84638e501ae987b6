//===- KernelCache.h - A folder of compiled kernels -----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TARGET_KERNELCACHE_H
#define DYN_TARGET_KERNELCACHE_H

#include "dyn/Target/ObjectEmitter.h"

#include <array>
#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>

namespace dyn {

/// A digest of everything that compiled code depends on (CodeKeys.h). Entries
/// are machine code, so keys must not collide: they are cryptographic.
using CacheKey = std::array<uint8_t, 32>;

/// The digest of some bytes.
CacheKey getCacheKey(llvm::StringRef bytes);

/// The folder of a cache and its bounds.
struct KernelCacheOptions {
  /// Created with the first entry. "" for no cache.
  std::string folder;
  /// Whether the user named the folder, and should know if it is of no use.
  bool isNamed = false;
  /// Bytes of all entries together; 0 for no bound.
  uint64_t maxBytes = 1ull << 30;
  /// How often the folder is checked for entries to remove. With 0 each
  /// compilation that added one checks it.
  std::chrono::seconds pruneInterval = std::chrono::minutes(20);
};

/// A folder of compiled kernels that any number of threads, processes and
/// models share. It only saves time: a folder that cannot be read or written,
/// an entry that is damaged, and a process that is killed are misses.
///
/// An entry is written to a temporary file and renamed, so it is found whole or
/// not at all. It has a checksum, as the disk may have lost a part of it.
class KernelCache {
public:
  explicit KernelCache(const KernelCacheOptions &options) : options(options) {}

  /// The contents of an entry, which counts as used now. None if there is none
  /// or if it is damaged.
  std::optional<ObjectCode> lookup(const CacheKey &key) const;

  /// Adds an entry, or replaces a damaged one. After a failure no more is
  /// written.
  void insert(const CacheKey &key, llvm::StringRef contents);

  /// Removes the entries that were not used for longest, if one was inserted
  /// and the last check of the folder was long ago.
  void prune();

  /// Why entries could not be written; "" if they could.
  std::string getProblem() const;

private:
  std::string getPath(const CacheKey &key) const;
  llvm::Error write(const CacheKey &key, llvm::StringRef contents) const;

  KernelCacheOptions options;
  std::atomic<bool> isWritable = true, isChanged = false;
  mutable std::mutex lock;
  std::string problem; ///< guarded by `lock`
};

} // namespace dyn

#endif // DYN_TARGET_KERNELCACHE_H
