//===- Stats.cpp - Statistics of a program's calls ------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Stats.h"

#include "llvm/Support/Format.h"

using namespace dyn::run;
namespace json = llvm::json;

/// Rate in units of 1e9 per second.
static double perSecond(uint64_t count, uint64_t nanoseconds) {
  return nanoseconds ? double(count) / double(nanoseconds) : 0;
}

/// The minimum time of all launches of a kernel, in nanoseconds.
static double getRoofline(const dyn_kernel_stats_t &kernel,
                          const MachineRates &machine) {
  double launches = double(kernel.launches);
  return 1e9 * launches *
         machine.getSeconds(double(kernel.flops) / launches,
                            double(kernel.bytes) / launches);
}

static double getRoofline(const RunStats &stats, const MachineRates &machine) {
  double sum = 0;
  for (const dyn_kernel_stats_t &kernel : stats.kernels)
    sum += getRoofline(kernel, machine);
  return sum;
}

static double getShare(double roofline, uint64_t nanoseconds) {
  return nanoseconds ? roofline / double(nanoseconds) : 0;
}

/// The share of a kernel's roofline below which it is slow, and that of the
/// time from which this is worth a line.
static constexpr double kSlowShare = 0.25, kLeastTime = 0.02;

/// Not a kernel without operations and bytes, which has no roofline.
static bool isSlow(const dyn_kernel_stats_t &kernel, const RunStats &stats,
                   const MachineRates &machine) {
  return kernel.flops + kernel.bytes > 0 &&
         double(kernel.time_ns) > kLeastTime * double(stats.sums.time_ns) &&
         getShare(getRoofline(kernel, machine), kernel.time_ns) < kSlowShare;
}

/// Prints a line for each slow kernel. The names of kernels are those of their
/// operations.
static void printSlow(const RunStats &stats, const MachineRates &machine,
                      llvm::raw_ostream &os) {
  bool hasAny = false;
  for (const dyn_kernel_stats_t &kernel : stats.kernels) {
    if (!isSlow(kernel, stats, machine))
      continue;
    hasAny = true;
    os << "slow: " << kernel.name << " (" << kernel.kind << "), "
       << llvm::format(
              "%.0f %% of the time at %.1f %% of its roofline\n",
              100 * double(kernel.time_ns) / double(stats.sums.time_ns),
              100 * getShare(getRoofline(kernel, machine), kernel.time_ns));
  }
  if (hasAny)
    os << "rooflines are by the rates of this machine, which were measured "
          "after the last call with "
       << stats.threads << (stats.threads == 1 ? " thread" : " threads")
       << "; dyn-compile --explain has their locations in the model\n";
}

/// Prints how constants went in and out of a limited part of memory.
static void printConstants(const dyn_memory_stats_t &memory,
                           llvm::raw_ostream &os) {
  if (memory.peak_constant_bytes)
    os << "constants: " << memory.constant_bytes << " bytes in memory, "
       << memory.peak_constant_bytes << " at most; " << memory.read_bytes
       << " read, " << memory.faults << " waits\n";
}

/// Prints how many GEMMs the library and kernels computed.
static void printGemms(const RunStats &stats, llvm::raw_ostream &os) {
  const dyn_gemm_info_t &info = stats.gemms;
  os << "GEMM library: ";
  if (*info.library)
    os << info.library << ", version " << info.version;
  else
    os << "none (" << info.reason << ")";
  os << "; per call " << stats.sums.library_launches / stats.sums.calls
     << " launches, and " << stats.sums.library_misses / stats.sums.calls
     << " that kernels had to compute; algorithms of " << info.table_size
     << " in its table, " << info.tuned << " tuned\n";
}

static void printGuesses(const RunStats &stats, llvm::raw_ostream &os) {
  for (const dyn_guess_stats_t &guess : stats.guesses)
    os << "guesses of '" << guess.key << "': " << guess.guesses << " of "
       << guess.calls << " calls, " << guess.right << " of " << guess.rows
       << " rows right, " << (guess.is_on ? "on" : "off") << "\n";
}

void dyn::run::printStats(const RunStats &stats, const MachineRates &machine,
                          llvm::raw_ostream &os) {
  const dyn_stats_t &sums = stats.sums;
  uint64_t calls = sums.calls;
  auto milliseconds = [&](double nanoseconds) {
    return llvm::format("%.3f ms", nanoseconds / double(calls) / 1e6);
  };
  bool isDevice = !stats.device.empty();
  os << "calls: " << calls << "\n";
  if (isDevice)
    os << "device: " << stats.device << "\n";
  else
    os << "isa: " << stats.isa << "\n"
       << "threads: " << stats.threads << "\n";
  os << "time per call: " << milliseconds(double(sums.time_ns))
     << ", in kernels " << milliseconds(double(sums.kernel_time_ns)) << "\n";
  if (!isDevice) {
    double roofline = getRoofline(stats, machine);
    os << "roofline: "
       << llvm::format("%.3g ms", roofline / double(calls) / 1e6) << ", "
       << llvm::format("%.0f %%", 100 * getShare(roofline, sums.time_ns))
       << " of the time; this machine does "
       << llvm::format("%.1f GF/s, copies %.1f GB/s in cache, %.1f GB/s out "
                       "of it",
                       machine.flops / 1e9, machine.cached / 1e9,
                       machine.memory / 1e9)
       << "\n";
  }
  os << "launches per call: " << sums.launches / calls;
  if (isDevice) {
    os << "\ncopies per call: " << sums.copies_to_device / calls << " to the "
       << "device, " << sums.copies_to_host / calls << " back\n"
       << "waits per call: " << sums.device_waits / calls << "\n"
       << "device memory: " << stats.memory.used_bytes << " bytes used, "
       << stats.memory.peak_bytes << " at most, " << stats.memory.cached_bytes
       << " kept; " << stats.memory.driver_calls << " calls of the driver\n";
    if (stats.gemms.kernels)
      printGemms(stats, os);
  } else {
    os << ", " << sums.parallel_launches / calls << " on several threads, "
       << sums.streamed_launches / calls << " with non-temporal stores\n";
  }
  printConstants(stats.memory, os);
  printGuesses(stats, os);
  os << "allocations: " << sums.allocations << "\n"
     << "arenas: " << sums.arena_bytes_used << " bytes used of "
     << sums.arena_bytes << "\n"
     << "scratch: " << sums.scratch_bytes << " bytes\n"
     << "flops per call: " << sums.flops / calls << ", "
     << llvm::format("%.2f GF/s", perSecond(sums.flops, sums.time_ns)) << "\n"
     << "bytes per call: " << sums.bytes / calls << ", "
     << llvm::format("%.2f GB/s", perSecond(sums.bytes, sums.time_ns)) << "\n";
  os << llvm::format("%10s %6s %9s %9s %6s  %s\n", "us", "runs", "GF/s", "GB/s",
                     isDevice ? "" : "share", "kernel (per call)");
  for (const dyn_kernel_stats_t &kernel : stats.kernels) {
    os << llvm::format("%10.1f %6llu %9.2f %9.2f ",
                       double(kernel.time_ns) / double(calls) / 1e3,
                       (unsigned long long)(kernel.launches / calls),
                       perSecond(kernel.flops, kernel.time_ns),
                       perSecond(kernel.bytes, kernel.time_ns));
    if (isDevice)
      os.indent(6);
    else
      os << llvm::format(
          "%4.0f %%",
          100 * getShare(getRoofline(kernel, machine), kernel.time_ns));
    os << "  " << kernel.name << " (" << kernel.kind << ")\n";
  }
  if (!isDevice)
    printSlow(stats, machine, os);
}

json::Value dyn::run::toJson(const RunStats &stats,
                             const MachineRates &machine) {
  const dyn_stats_t &sums = stats.sums;
  uint64_t calls = sums.calls;
  bool isDevice = !stats.device.empty();
  auto addFigures = [&](json::Object &object, const auto &counted,
                        double roofline) {
    object["launches"] = counted.launches / calls;
    object["ns"] = double(counted.time_ns) / double(calls);
    object["flops"] = counted.flops / calls;
    object["bytes"] = counted.bytes / calls;
    if (isDevice)
      return;
    object["roofline_ns"] = roofline / double(calls);
    object["share"] = getShare(roofline, counted.time_ns);
  };
  json::Array kernels;
  for (const dyn_kernel_stats_t &kernel : stats.kernels) {
    json::Object object{{"name", json::fixUTF8(kernel.name)},
                        {"kind", json::fixUTF8(kernel.kind)}};
    addFigures(object, kernel, getRoofline(kernel, machine));
    if (!isDevice)
      object["slow"] = isSlow(kernel, stats, machine);
    kernels.push_back(std::move(object));
  }
  json::Array guesses;
  for (const dyn_guess_stats_t &guess : stats.guesses)
    guesses.push_back(json::Object{{"router", json::fixUTF8(guess.key)},
                                   {"calls", guess.calls},
                                   {"guesses", guess.guesses},
                                   {"rows", guess.rows},
                                   {"right", guess.right},
                                   {"on", guess.is_on != 0}});
  json::Object object{
      {"calls", calls},
      {"threads", stats.threads},
      {"kernel_ns", double(sums.kernel_time_ns) / double(calls)},
      {"parallel_launches", sums.parallel_launches / calls},
      {"streamed_launches", sums.streamed_launches / calls},
      {"allocations", sums.allocations},
      {"arena_bytes", sums.arena_bytes},
      {"arena_bytes_used", sums.arena_bytes_used},
      {"scratch_bytes", sums.scratch_bytes},
      {"guesses", std::move(guesses)},
      {"kernels", std::move(kernels)}};
  if (stats.memory.peak_constant_bytes)
    object["constants"] =
        json::Object{{"bytes", stats.memory.constant_bytes},
                     {"peak", stats.memory.peak_constant_bytes},
                     {"read", stats.memory.read_bytes},
                     {"waits", stats.memory.faults}};
  if (isDevice) {
    object["device"] = stats.device;
    object["copies_to_device"] = sums.copies_to_device / calls;
    object["copies_to_host"] = sums.copies_to_host / calls;
    object["device_waits"] = sums.device_waits / calls;
    object["gemm_library"] =
        json::Object{{"name", stats.gemms.library},
                     {"version", stats.gemms.version},
                     {"reason", stats.gemms.reason},
                     {"launches", sums.library_launches / calls},
                     {"misses", sums.library_misses / calls},
                     {"table", stats.gemms.table_size},
                     {"tuned", stats.gemms.tuned}};
    object["device_memory"] =
        json::Object{{"used", stats.memory.used_bytes},
                     {"peak", stats.memory.peak_bytes},
                     {"cached", stats.memory.cached_bytes},
                     {"driver_calls", stats.memory.driver_calls}};
  } else {
    object["isa"] = stats.isa;
    object["machine"] =
        json::Object{{"flops_per_second", machine.flops},
                     {"cached_bytes_per_second", machine.cached},
                     {"memory_bytes_per_second", machine.memory}};
  }
  addFigures(object, sums, getRoofline(stats, machine));
  return object;
}
