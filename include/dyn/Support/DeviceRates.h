//===- DeviceRates.h - How long a device takes for its work ---------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Rates of an A100, as the number of multiprocessors in TargetInfo.h. Only what
// is queued beside other work depends on them, so no file overrides them.

#ifndef DYN_SUPPORT_DEVICERATES_H
#define DYN_SUPPORT_DEVICERATES_H

#include <cstdint>

namespace dyn {

struct DeviceRates {
  /// Bytes that all multiprocessors read and write in a microsecond, and flops
  /// of f32 that take as long as a byte.
  static constexpr int64_t kBytesPerMicrosecond = 1500000, kFlopsPerByte = 13;
  /// Microseconds of a kernel, at least, behind another one on a stream.
  static constexpr double kLaunchMicroseconds = 3;
  /// Bytes that give a multiprocessor work: one access of each thread of a few
  /// blocks.
  static constexpr int64_t kMultiprocessorBytes = 16 << 10;
};

} // namespace dyn

#endif // DYN_SUPPORT_DEVICERATES_H
