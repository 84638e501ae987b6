//===- Report.h - Reports of the emulator ---------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_EMULATOR_REPORT_H
#define DYN_RUNTIME_EMULATOR_REPORT_H

#include <cstdint>
#include <optional>
#include <string>

namespace dyn::emu {

enum class Fault {
  OutOfBounds,     ///< an address outside of the device's memory
  Misaligned,      ///< an address that is not a multiple of the width
  Uninitialized,   ///< a read of memory that was never written
  Race,            ///< unordered accesses of two threads, one of them a write
  Divergence,      ///< lanes that should take part are elsewhere
  BarrierMismatch, ///< threads of a block wait at different barriers
  StackOverflow,
  Disagreement, ///< two ranks do not send and expect the same
  Limit         ///< the device's limits are exceeded
};

/// A fault, with the operation at which it occurred.
struct Report {
  Fault fault = Fault::Limit;
  std::string kernel;
  std::string op, location; ///< of the operation
  uint32_t block = 0, thread = 0;
  /// Of the other thread, if there is one: empty, or as above.
  std::string otherOp, otherLocation;
  std::optional<uint32_t> otherThread; ///< none if there are several
  std::string detail;                  ///< "4 bytes behind a buffer of 64"

  /// A sentence.
  std::string describe() const;
};

} // namespace dyn::emu

#endif // DYN_RUNTIME_EMULATOR_REPORT_H
