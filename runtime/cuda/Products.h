//===- Products.h - GEMMs that a library computes -------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_CUDA_PRODUCTS_H
#define DYN_RUNTIME_CUDA_PRODUCTS_H

#include "Driver.h"
#include "ProductPlan.h"

#include <memory>
#include <mutex>
#include <optional>

namespace dyn::rt {
struct DeviceSpace;

/// The GEMM library of a context: a handle, a plan for each problem seen so
/// far, and the table of tuned algorithms. Without a library it records why
/// there is none. Thread-safe.
class Products {
public:
  explicit Products(const Driver &driver) : cuda(driver) {}
  ~Products();

  /// Finds the library that the options select, if a kernel of the program or
  /// an option needs one. The device is current.
  dyn_status_t open(const dyn_program_t &program, const char *device,
                    const dyn_context_options_t &options);

  /// The problem of a launch that is large enough for a library; nothing if it
  /// is not.
  static std::optional<ProductKey> getProblem(const dyn_product_t &product,
                                              const int64_t *dims);

  /// Queues the GEMM of a launch on the stream of `space`. `isDone` is false if
  /// there is no library, or it has no algorithm for the problem.
  dyn_status_t run(const dyn_product_t &product, ProductKey key,
                   void *const *buffers, const char *kernel, DeviceSpace &space,
                   uint64_t &allocations, bool &isDone);

  dyn_product_info_t info() const;
  dyn_status_t writeTable(const char *path) const;

private:
  dyn_status_t openLibrary(const char *wanted, const char *driverName);
  dyn_status_t openFirst(const char *driverName);
  dyn_status_t tryLibrary(const char *name);
  dyn_status_t makePlan(const ProductKey &key, ProductPlan &plan,
                        ProductBuffers buffers, const char *kernel,
                        DeviceSpace &space, uint64_t &allocations);
  dyn_status_t tune(const ProductKey &key, ProductPlan &plan,
                    const std::vector<dyn_cublas_heuristic_t> &proposed,
                    ProductBuffers buffers, const char *kernel,
                    DeviceSpace &space, uint64_t &allocations);

  const Driver &cuda;
  uint64_t numKernels = 0;
  uint32_t tuneCount = 0;
  const ProductLibrary *library = nullptr;
  std::string reason; ///< why there is no library
  uint64_t version = 0;
  dyn_cublas_handle_t handle = nullptr;
  mutable std::mutex mutex; ///< guards the members below
  std::optional<ProductTable> table;
  uint64_t numTuned = 0;
  std::map<ProductKey, std::unique_ptr<ProductPlan>> plans;
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_CUDA_PRODUCTS_H
