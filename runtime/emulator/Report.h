//===- Report.h - What the emulator finds ---------------------------------===//
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
  OutOfBounds,   ///< an address in no memory of the device
  Misaligned,    ///< an address that is no multiple of the access's width
  Uninitialized, ///< a read of what nobody has written
  Race,          ///< two threads, at least one writes, and nothing orders them
  Divergence,    ///< lanes that should take part are elsewhere
  BarrierMismatch, ///< threads of a block wait at different barriers
  StackOverflow,
  Limit ///< more than a device has
};

/// One fault, with the operation that showed it.
struct Report {
  Fault fault = Fault::Limit;
  std::string kernel;
  std::string op, location; ///< of the operation
  uint32_t block = 0, thread = 0;
  /// Of the other party, if there is one: empty, or as above.
  std::string otherOp, otherLocation;
  std::optional<uint32_t> otherThread; ///< none if they are several
  std::string detail;                  ///< "4 bytes behind a buffer of 64"

  /// A sentence.
  std::string describe() const;
};

} // namespace dyn::emu

#endif // DYN_RUNTIME_EMULATOR_REPORT_H
