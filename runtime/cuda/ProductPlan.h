//===- ProductPlan.h - A product as cuBLASLt computes it
//-------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_CUDA_PRODUCTPLAN_H
#define DYN_RUNTIME_CUDA_PRODUCTPLAN_H

#include "ProductLibrary.h"
#include "ProductTable.h"

#include <vector>

namespace dyn::rt {

/// Where the matrices of a product lie, and what it may use.
struct ProductBuffers {
  const void *left, *right, *bias, *addend; ///< the last two may be null
  void *result;
  void *workspace;
  dyn_cuda_stream_t stream;
};

/// A problem as the library has it: descriptors, made once, and an algorithm.
/// cuBLASLt's matrices lie column by column, so it is told the transposed
/// product, whose matrices these are: result' = right' * left'. Its bias, one
/// number a row, is then ours, one a column.
class ProductPlan {
public:
  /// The most bytes that an algorithm may work in: what NVIDIA advises for
  /// sm_90.
  static constexpr uint64_t kMaxWorkspace = 32 << 20;

  ProductPlan(const ProductLibrary &library, dyn_cublas_handle_t handle)
      : library(library), handle(handle) {}
  ~ProductPlan();
  ProductPlan(const ProductPlan &) = delete;

  /// Makes the descriptors.
  dyn_status_t describe(const ProductKey &key);
  /// Up to `count` algorithms, what the library thinks best first; none if it
  /// does not compute such a product.
  dyn_status_t propose(uint32_t count,
                       std::vector<dyn_cublas_heuristic_t> &out) const;
  /// Takes an algorithm that was proposed, or that a table has: the latter is
  /// asked of the library, and false if it refuses it.
  void use(const dyn_cublas_heuristic_t &proposed);
  bool use(const dyn_cublas_algorithm_t &known);

  bool hasAlgorithm() const { return isSet; }
  const dyn_cublas_algorithm_t &getAlgorithm() const { return algorithm; }
  uint64_t getWorkspaceBytes() const { return workspaceBytes; }

  /// Queues the product. The bias is part of a descriptor: one at a time.
  dyn_status_t run(const ProductBuffers &buffers, const char *kernel);

private:
  dyn_status_t makeLayout(const ProductKey &key, int64_t rows, int64_t columns,
                          int64_t type, dyn_cublas_layout_t &out);

  const ProductLibrary &library;
  dyn_cublas_handle_t handle;
  dyn_cublas_desc_t desc = nullptr;
  dyn_cublas_layout_t left = nullptr, right = nullptr, result = nullptr;
  uint32_t alignment = 0;
  bool isSet = false;
  dyn_cublas_algorithm_t algorithm = {};
  uint64_t workspaceBytes = 0;
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_CUDA_PRODUCTPLAN_H
