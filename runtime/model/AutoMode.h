//===- AutoMode.h - For which sizes there are static variants -------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   counted --> compiling --> measured --> kept
//      ^            |             |          |
//      |            +-> rejected <+          |  the size has left,
//      +-------------------------------------+  or memory is short
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_MODEL_AUTOMODE_H
#define DYN_RUNTIME_MODEL_AUTOMODE_H

#include "Backoff.h"
#include "HotSizes.h"
#include "Recompiler.h"

#include <cstdio>

namespace dyn::rt {

/// Counts sizes and decides; the model acts. The model's mutex guards it.
class AutoMode {
public:
  struct Decision {
    enum Kind { Keep, Drop, Compile } kind;
    uint32_t variant;
    std::string reason;
    CompileRequest request; ///< of Compile
  };

  AutoMode(const std::vector<Signature> &entries, uint64_t hotMs)
      : hot(hotMs * 1000000), sizes(entries), pause(hot) {}

  /// A call begins. The number of its sizes, or 0.
  uint64_t beginCall(uint32_t entry, const dyn_tensor_t *inputs,
                     uint32_t count);
  /// Whether the call that has just begun leaves this variant out, because it
  /// is measured and it is not its turn.
  bool skips(uint32_t variant);
  /// The call that has just begun takes this variant.
  void choose(bool isForAllSizes);
  /// A call has ended and took so long, or 0 if it failed.
  void endCall(uint64_t number, uint32_t variant, uint64_t nanoseconds);

  /// Called at intervals.
  std::vector<Decision> decide(uint64_t now, bool memoryIsShort,
                               bool isCompiling);
  /// A compilation for sizes with this number has made this variant, or 0, and
  /// took so long.
  void finishCompilation(uint64_t number, uint32_t variant,
                         const std::string &failure, uint64_t now,
                         uint64_t nanoseconds);
  /// It has not begun.
  void cancelCompilation(uint64_t number);
  /// The host has dropped a variant.
  void forget(uint32_t variant);
  void writeReport(std::FILE *file);

private:
  HotSizes::Entry *findCandidate();
  std::string describe(const HotSizes::Entry &entry) const;
  const char *summarize();

  const uint64_t hot;
  HotSizes sizes;
  Backoff pause;
  HotSizes::Entry *current = nullptr; ///< sizes of the last call to begin
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_MODEL_AUTOMODE_H
