//===- FaultRegion.h - Memory whose pages the runtime supplies ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_SYSTEM_FAULTREGION_H
#define DYN_RUNTIME_SYSTEM_FAULTREGION_H

#include "Status.h"

#include <cstdint>
#include <optional>

namespace dyn::rt {

/// Read-only memory that begins without pages. A thread that touches a missing
/// page sleeps until the page is installed, and an installed page may be
/// dropped at any time: the next one to touch it sleeps again. So nobody has to
/// say that he is about to read, and no lock is held while he waits. Based on
/// userfaultfd(2), for code that runs in the process itself: a system call that
/// reads a missing page fails.
class FaultRegion {
public:
  FaultRegion() = default;
  ~FaultRegion();
  FaultRegion(const FaultRegion &) = delete;
  FaultRegion &operator=(const FaultRegion &) = delete;

  /// UNSUPPORTED if the system refuses.
  dyn_status_t open(uint64_t bytes);

  /// A forked child has no such memory.
  char *data() const { return area; }
  /// Readable while faults wait to be taken.
  int descriptor() const { return handle; }

  /// A thread that waits for a page, and the offset that it touched.
  struct Fault {
    uint64_t offset;
    uint32_t thread;
  };
  /// Takes the next fault, if there is one.
  std::optional<Fault> takeFault();

  // Ranges consist of whole pages.
  /// Gives missing pages their contents, and wakes those who wait for them.
  void install(uint64_t offset, const void *contents, uint64_t bytes);
  /// Wakes those who wait for pages that are there.
  void wake(uint64_t offset, uint64_t bytes);
  /// Removes pages.
  void drop(uint64_t offset, uint64_t bytes);
  /// Makes one page of pages that are all there, from a multiple of its size
  /// on: addresses are translated faster. Nothing happens where the system
  /// cannot, or if a page is dropped meanwhile.
  void join(uint64_t offset);
  static constexpr uint64_t joinedBytes = 2 << 20;

private:
  void *mapping = nullptr;
  char *area = nullptr; ///< in the mapping, from a multiple of joinedBytes on
  uint64_t length = 0;
  int handle = -1;
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_SYSTEM_FAULTREGION_H
