//===- Stats.h - What a program's calls have cost ------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TOOLS_RUN_STATS_H
#define DYN_TOOLS_RUN_STATS_H

#include "MachineRates.h"

#include "dyn/runtime.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace dyn::run {

/// What the runtime counted over some calls.
struct RunStats {
  dyn_stats_t sums = {};
  std::string isa;                ///< of the CPU
  std::string device;             ///< other than the CPU, or empty
  dyn_memory_stats_t memory = {}; ///< of the device
  /// The library of products, and those that it has algorithms of.
  dyn_product_info_t products = {};
  unsigned threads = 1;
  /// Those that ran, the one that took longest first.
  std::vector<dyn_kernel_stats_t> kernels;
};

/// Prints the figures of a call, and for each kernel its time, rates, and share
/// of the roofline: the least time that `machine` needs for the operations and
/// bytes of a launch of mean size, over the time that it took. Above 1, a
/// kernel needs fewer operations than its definition has (Winograd), computes
/// in narrower numbers than f32, or finds more in caches than a copy does. Of
/// another device than the CPU there is no roofline.
void printStats(const RunStats &stats, const MachineRates &machine,
                llvm::raw_ostream &os);

/// The same:
///
///   {"calls", "isa", "threads", "machine": {"flops_per_second",
///    "cached_bytes_per_second", "memory_bytes_per_second"},
///    FIGURES of a call, "kernel_ns", "parallel_launches",
///    "streamed_launches", "allocations", "arena_bytes", "arena_bytes_used",
///    "scratch_bytes",
///    "kernels": [{"name", "kind", FIGURES of a call}]}
///
/// where FIGURES are "launches", "ns", "flops", "bytes", "roofline_ns" and
/// "share". Of another device "device", "copies_to_device", "copies_to_host",
/// "device_waits", "device_memory": {"used", "peak", "cached", "driver_calls"}
/// and "product_library": {"name", "version", "reason", "launches", "misses",
/// "table", "tuned"} are there in place of "isa", "machine" and the last two
/// figures.
llvm::json::Value toJson(const RunStats &stats, const MachineRates &machine);

} // namespace dyn::run

#endif // DYN_TOOLS_RUN_STATS_H
