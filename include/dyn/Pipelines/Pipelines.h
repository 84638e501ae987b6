//===- Pipelines.h - From a model to entries in LLVM ----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// One pipeline for each level of docs/Architecture.md. Each ends with the pass
// that verifies its level, so a bug is detected at the next boundary.
//
//   dyn-optimize       dhlo -> dhlo             sizes, composites, layout
//   dyn-form-fusions   dhlo -> fusions          constants, fusions
//   dyn-form-kernels   fusions -> kernels       outlined and merged
//   dyn-plan-buffers   launches -> buffers      segments, arenas
//   dyn-lower-entries  buffers -> LLVM          entry functions
//   dyn-lower-kernels  kernel -> LLVM           one kernel, one ISA
//   (Conversion)

#ifndef DYN_PIPELINES_PIPELINES_H
#define DYN_PIPELINES_PIPELINES_H

#include <cstdint>
#include <optional>
#include <string>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace dyn {

/// The levels of a compilation, in order.
enum class Level { Import, Optimize, Fusions, Kernels, Buffers, Entries };

/// Options of the passes between levels.
struct LoweringOptions {
  /// Put red zones between values in memory, for AddressSanitizer.
  bool redZones = false;
  /// Compute convolutions by Winograd's algorithm where it saves time.
  bool winograd = true;
  /// Launch independent small kernels together.
  bool together = true;
  /// A file that overrides numbers of the target (TargetInfo.h), or "".
  std::string targetInfo;
  /// Announce the weights of all paths to the runtime, not only of those that
  /// are marked.
  bool preload = true;
  /// A profile of routes with the loads of paths, or "".
  std::string profile;
  /// Rules that override what cell-choose-rules chooses, or "".
  std::string routeRules;
  /// Threads that a call has at least, 0 for the default.
  int64_t threads = 0;
  /// Bytes of memory for weights, 0 if all fit.
  int64_t memoryLimit = 0;
  /// The input whose zeros mark rows that outputs may have as zeros; empty if
  /// outputs need all rows.
  std::string unpad;
  /// Whether the program is for several ranks: it has a mesh or parts, or is
  /// planned. Then `partition` makes a program for each of them. Plans are made
  /// of the global one.
  bool hasRanks = false;
  bool partition = true;
  /// The file of a machine for whose ranks layers are divided, or "", and the
  /// sizes, NAME=VALUE, for which that should be fast.
  std::string machine;
  std::vector<std::string> machineSizes;
  /// Stages, at most, and blocks of the batch that go through them; 0 to
  /// choose.
  int64_t stages = 0, microBatches = 0;
  /// Segments of sums that a plan may divide; 0 for none.
  int64_t planSegments = 0;
  /// How ranks divide the contracted axes of matmuls: in these segments, which
  /// are added in a tree, or not at all if 0.
  int64_t tensorParallel = 0;
  /// Lower for a device: without the CPU's packed layouts and fusions.
  bool device = false;
  /// For a device: the minimum multiply-adds of GEMMs that are left to a
  /// library, if any.
  std::optional<int64_t> libraryFrom;
};

/// Adds the passes that lower from the previous level to `level`. Nothing for
/// Import. The pass manager must be one for modules.
void buildLevelPipeline(mlir::OpPassManager &manager, Level level,
                        const LoweringOptions &options = {});

/// Registers the pipelines under their names.
void registerPipelines();

} // namespace dyn

#endif // DYN_PIPELINES_PIPELINES_H
