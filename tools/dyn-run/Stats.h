//===- Stats.h - Statistics of a program's calls --------------------------===//
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

/// The counters of the runtime over some calls.
struct RunStats {
  dyn_stats_t sums = {};
  std::string isa;                ///< of the CPU
  std::string device;             ///< other than the CPU, or empty
  dyn_memory_stats_t memory = {}; ///< of the device, and of constants
  /// The GEMM library, and the number of problems that it has algorithms for.
  dyn_gemm_info_t gemms = {};
  /// Of the routers whose paths may run by a guess.
  std::vector<dyn_guess_stats_t> guesses;
  unsigned threads = 1;
  /// The kernels that ran, by descending time.
  std::vector<dyn_kernel_stats_t> kernels;
};

/// Prints the figures of a call, and for each kernel its time, rates, and share
/// of the roofline: the minimum time that `machine` needs for the operations
/// and bytes of a launch of mean size, over the measured time. It is above 1 if
/// a kernel needs fewer operations than its definition has (Winograd), computes
/// in narrower types than f32, or hits caches more often than a copy. Kernels
/// below a quarter of the roofline and above 2 % of the time have a line each.
/// For devices other than the CPU there is no roofline.
void printStats(const RunStats &stats, const MachineRates &machine,
                llvm::raw_ostream &os);

/// The same as JSON:
///
///   {"calls", "isa", "threads", "machine": {"flops_per_second",
///    "cached_bytes_per_second", "memory_bytes_per_second"},
///    FIGURES of a call, "kernel_ns", "parallel_launches",
///    "streamed_launches", "allocations", "arena_bytes", "arena_bytes_used",
///    "scratch_bytes",
///    "guesses": [{"router", "calls", "guesses", "rows", "right", "on"}],
///    "kernels": [{"name", "kind", FIGURES of a call, "slow": whether it has a
///    line}]}
///
/// where FIGURES are "launches", "ns", "flops", "bytes", "roofline_ns" and
/// "share". For a device other than the CPU "device", "copies_to_device",
/// "copies_to_host", "device_waits", "device_memory": {"used", "peak",
/// "cached", "driver_calls"} and "gemm_library": {"name", "version",
/// "reason", "launches", "misses", "table", "tuned"} replace "isa", "machine",
/// the last two figures and "slow". If constants exceed a limit of memory,
/// there is "constants": {"bytes", "peak", "read", "waits"}, too.
llvm::json::Value toJson(const RunStats &stats, const MachineRates &machine);

} // namespace dyn::run

#endif // DYN_TOOLS_RUN_STATS_H
