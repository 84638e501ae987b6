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
  /// A profile of routes with the loads of paths, or "".
  std::string profile;
  /// The input whose zeros mark rows that outputs may have as zeros; empty if
  /// outputs need all rows.
  std::string unpad;
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
