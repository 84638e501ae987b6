//===- Fiber.h - Function calls that can be suspended ---------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_EMULATOR_FIBER_H
#define DYN_RUNTIME_EMULATOR_FIBER_H

#include <cstddef>
#include <cstdint>

namespace dyn::emu {

/// A function call on a stack of its own, on x86-64. A switch saves only the
/// callee-saved registers of the C calling convention: a few nanoseconds.
class Fiber {
public:
  /// Prepares `entry(argument)` on the stack of `bytes` bytes at `stack`.
  /// `entry` must not return; it switches away for the last time.
  void prepare(void *stack, size_t bytes, void (*entry)(void *),
               void *argument);
  /// Suspends the running fiber, whose state goes to `from`, and continues this
  /// one.
  void enter(Fiber &from);
  /// Whether the fiber has overwritten the lowest word of its stack.
  bool hasOverflown() const { return stack && *stack != kCanary; }

private:
  static constexpr uint64_t kCanary = 0x5ca1ab1e0ddba11;
  void *top = nullptr; ///< saved stack pointer
  uint64_t *stack = nullptr;
};

/// The memory of several stacks, at a stride that spreads them over the cache.
class Stacks {
public:
  Stacks(uint32_t count, size_t bytes);
  ~Stacks();
  Stacks(const Stacks &) = delete;
  Stacks &operator=(const Stacks &) = delete;

  void *get(uint32_t i) const { return memory + i * stride; }
  size_t getBytes() const { return bytes; }

private:
  size_t bytes, stride, total;
  char *memory;
};

} // namespace dyn::emu

#endif // DYN_RUNTIME_EMULATOR_FIBER_H
