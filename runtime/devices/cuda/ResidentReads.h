//===- ResidentReads.h - The constants that a call reads ------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_DEVICES_CUDA_RESIDENTREADS_H
#define DYN_RUNTIME_DEVICES_CUDA_RESIDENTREADS_H

#include "DeviceResidency.h"

namespace dyn::rt {

/// Which constants launches of one call read: of those that it has announced,
/// the parts of paths that have rows, and others as a whole. The compiler
/// announces only constants that no kernel of the entry reads otherwise.
class ResidentReads {
public:
  explicit ResidentReads(DeviceResidency &residency) : residency(residency) {
    residency.beginCall();
  }
  ~ResidentReads() { residency.endCall(); }
  ResidentReads(const ResidentReads &) = delete;

  /// `offsets` lie in host memory; null for all ranges. The address of ranges
  /// is that of an operation of the entry: they replace those of before.
  void announce(const int64_t *offsets, uint32_t count,
                const dyn_range_t *ranges, bool isSure);
  /// Before and after work that reads `count` buffers is queued on a stream.
  /// `reader` is for messages. Without a success of `begin` there is no `end`.
  dyn_status_t begin(const void *const *buffers, uint32_t count,
                     const char *reader);
  void end(dyn_cuda_stream_t stream);

private:
  struct Announced {
    const dyn_range_t *site;
    std::vector<uint32_t> constants;
    /// Those of each constant, its number and blocks.
    std::vector<std::pair<uint32_t, BlockRange>> ranges;
  };
  /// Adds what launches read of a constant.
  void add(uint32_t constant);

  DeviceResidency &residency;
  std::vector<Announced> announced;
  BlockRanges current; ///< of the work between begin and end
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_DEVICES_CUDA_RESIDENTREADS_H
