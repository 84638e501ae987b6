//===- GemmPlan.h - A GEMM of cuBLASLt ------------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_DEVICES_CUDA_GEMMPLAN_H
#define DYN_RUNTIME_DEVICES_CUDA_GEMMPLAN_H

#include "GemmLibrary.h"
#include "GemmTable.h"

#include <vector>

namespace dyn::rt {

/// The addresses of a GEMM's operands and result, its workspace and stream.
struct GemmBuffers {
  const void *left, *right, *bias, *addend; ///< the last two may be null
  void *result;
  void *workspace;
  dyn_cuda_stream_t stream;
};

/// A problem as the library represents it: descriptors, made once, and an
/// algorithm. cuBLASLt's matrices are column-major, so it computes the
/// transposed GEMM, whose operands are the same memory: result' = right' *
/// left'. Its bias, one number per row, is then ours, one per column.
class GemmPlan {
public:
  /// Upper bound on the workspace of an algorithm: NVIDIA's recommendation for
  /// sm_90.
  static constexpr uint64_t kMaxWorkspace = 32 << 20;

  GemmPlan(const GemmLibrary &library, dyn_cublas_handle_t handle)
      : library(library), handle(handle) {}
  ~GemmPlan();
  GemmPlan(const GemmPlan &) = delete;

  /// Makes the descriptors.
  dyn_status_t describe(const GemmKey &key);
  /// Up to `count` algorithms, the library's best guess first; none if the
  /// library does not support the problem.
  dyn_status_t propose(uint32_t count,
                       std::vector<dyn_cublas_heuristic_t> &out) const;
  /// Uses an algorithm that was proposed, or one from a table; the latter
  /// returns false if the library refuses it.
  void use(const dyn_cublas_heuristic_t &proposed);
  bool use(const dyn_cublas_algorithm_t &known);

  bool hasAlgorithm() const { return isSet; }
  const dyn_cublas_algorithm_t &getAlgorithm() const { return algorithm; }
  uint64_t getWorkspaceBytes() const { return workspaceBytes; }

  /// Queues the GEMM. The bias is part of a descriptor: one run at a time.
  dyn_status_t run(const GemmBuffers &buffers, const char *kernel);

private:
  dyn_status_t makeLayout(const GemmKey &key, int64_t rows, int64_t columns,
                          int64_t type, dyn_cublas_layout_t &out);

  const GemmLibrary &library;
  dyn_cublas_handle_t handle;
  dyn_cublas_desc_t desc = nullptr;
  dyn_cublas_layout_t left = nullptr, right = nullptr, result = nullptr;
  uint32_t alignment = 0;
  bool isSet = false;
  dyn_cublas_algorithm_t algorithm = {};
  uint64_t workspaceBytes = 0;
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_DEVICES_CUDA_GEMMPLAN_H
