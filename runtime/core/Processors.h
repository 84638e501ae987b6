//===- Processors.h - Where the threads of a launch run -------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The system wakes a thread where it finds room, and if all processors have
// something to do, however unimportant, that is often the very one that the
// caller is on. There it takes turns with the caller and then, looking for more
// work, keeps it from going on: two threads are slower than one, for as long as
// nothing else moves them. So a thread that joins a launch looks at where the
// others are, and moves if it has to. It is bound to no processor afterwards.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_CORE_PROCESSORS_H
#define DYN_RUNTIME_CORE_PROCESSORS_H

#include <atomic>
#include <cstdint>

namespace dyn::rt {

/// The processors that the threads of a launch have said they are on. All zero
/// is the empty set.
class Processors {
public:
  /// The set of the calling thread's processor.
  void reset();
  /// Adds the calling thread's processor; a thread that finds another one there
  /// first moves to a processor that is free, if it may run on one. Returns
  /// whether it moved.
  bool join();

private:
  static constexpr int wordCount = 4;
  /// Processors with higher numbers are not looked at.
  static constexpr int limit = 64 * wordCount;

  bool add(int cpu);
  bool contains(int cpu) const;

  std::atomic<uint64_t> words[wordCount];
};

/// Processors, cores or their halves, that this process may run on, at least 1.
uint32_t availableProcessors();

} // namespace dyn::rt

#endif // DYN_RUNTIME_CORE_PROCESSORS_H
