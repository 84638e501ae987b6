//===- Store.h - The files that constants are read from -------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_ARTIFACT_STORE_H
#define DYN_RUNTIME_ARTIFACT_STORE_H

#include "Status.h"

#include <atomic>
#include <string>
#include <vector>

namespace dyn::rt {

/// Files that are read past the page cache, which would hold what the limit of
/// memory leaves out. Where the file system has no such reads, pages are
/// dropped from the cache after each.
class Store {
public:
  Store() = default;
  ~Store();
  Store(const Store &) = delete;
  Store &operator=(const Store &) = delete;

  /// Limits reads to `rate` bytes a second, for tests; 0 for no limit.
  void setRate(uint64_t rate) { bytesPerSecond = rate; }
  /// Opens the file again that is open as `original`: its bytes from `begin` on
  /// are those of the store from `at` on, which is the first of a page.
  dyn_status_t add(int original, const std::string &path, uint64_t at,
                   uint64_t begin, uint64_t bytes);

  /// Reads `bytes` bytes into a buffer of whole pages; both begin at a page.
  /// From several threads. Returns whether it could.
  bool read(uint64_t offset, char *buffer, uint64_t bytes);

private:
  struct Part {
    int file;
    bool isDirect;
    uint64_t at, begin, bytes;

    bool read(uint64_t offset, char *buffer, uint64_t bytes) const;
  };

  void waitForRate(uint64_t bytes);

  std::vector<Part> parts;
  uint64_t bytesPerSecond = 0;
  std::atomic<uint64_t> freeAt{0};
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_ARTIFACT_STORE_H
