//===- MachineRates.h - The peak rates of this machine --------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TOOLS_RUN_MACHINERATES_H
#define DYN_TOOLS_RUN_MACHINERATES_H

namespace dyn::run {

/// Rates of a roofline, with the threads of a program. They are measured in the
/// run that they are compared with, since clocks and other processes change.
struct MachineRates {
  /// Fused multiply-adds of f32 in the widest vectors, in operations per
  /// second.
  double flops = 0;
  /// Bytes per second, read and written, of a copy that moves 1 MB and of one
  /// that moves 32 MB, as in docs/Benchmarks.md.
  double cached = 0, memory = 0;

  /// The minimum time, in seconds, of work that moves so many bytes: up to 1 MB
  /// is assumed to be in cache.
  double getSeconds(double flops, double bytes) const;
};

/// Measures for about 40 ms.
MachineRates measureMachine(unsigned threads);

} // namespace dyn::run

#endif // DYN_TOOLS_RUN_MACHINERATES_H
