//===- MachineRates.h - What this machine can do at most -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TOOLS_RUN_MACHINERATES_H
#define DYN_TOOLS_RUN_MACHINERATES_H

namespace dyn::run {

/// Rates of a roofline, with as many threads as a program has. What is not
/// measured in the run that it is compared with says little: clocks and
/// neighbours change.
struct MachineRates {
  /// Operations a second of fused multiply-adds of f32 in the widest vectors.
  double flops = 0;
  /// Bytes a second, those read and those written, of a copy that moves 1 MB
  /// and of one that moves 32 MB, as in docs/Benchmarks.md.
  double cached = 0, memory = 0;

  /// The least time, in seconds, of work that moves so many bytes: what moves
  /// no more than 1 MB is taken to find it in cache.
  double getSeconds(double flops, double bytes) const;
};

/// Measures for some 40 ms.
MachineRates measureMachine(unsigned threads);

} // namespace dyn::run

#endif // DYN_TOOLS_RUN_MACHINERATES_H
