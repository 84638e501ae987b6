//===- Processors.h - Where the threads of a launch run -------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The system wakes a thread where it finds room, and if all processors are
// busy, however unimportant the work, that is often the caller's processor.
// There it alternates with the caller and then, looking for more work, keeps
// the caller from running: two threads are slower than one, until something
// else moves them. So a thread that joins a launch checks where the others are,
// and moves if it has to. It is pinned to no processor afterwards.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_SYSTEM_PROCESSORS_H
#define DYN_RUNTIME_SYSTEM_PROCESSORS_H

#include <atomic>
#include <cstdint>

namespace dyn::rt {

/// The processors that the threads of a launch have registered. All zero is the
/// empty set.
class Processors {
public:
  /// Sets it to the calling thread's processor alone.
  void reset();
  /// Adds the calling thread's processor; if another thread is on it, the
  /// calling one first moves to a free processor, if it may run on one. Returns
  /// whether it moved.
  bool join();

private:
  static constexpr int wordCount = 4;
  /// Processors with higher numbers are ignored.
  static constexpr int limit = 64 * wordCount;

  bool add(int cpu);
  bool contains(int cpu) const;

  std::atomic<uint64_t> words[wordCount];
};

/// Processors (hardware threads) that this process may run on, at least 1.
uint32_t availableProcessors();

} // namespace dyn::rt

#endif // DYN_RUNTIME_SYSTEM_PROCESSORS_H
