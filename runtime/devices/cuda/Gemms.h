//===- Gemms.h - GEMMs that a library computes ----------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_DEVICES_CUDA_GEMMS_H
#define DYN_RUNTIME_DEVICES_CUDA_GEMMS_H

#include "Driver.h"
#include "GemmPlan.h"

#include <memory>
#include <mutex>
#include <optional>

namespace dyn::rt {
struct CudaSpace;

/// The GEMM library of a context: a handle, a plan for each problem seen so
/// far, and the table of tuned algorithms. Without a library it records why
/// there is none. Thread-safe.
class Gemms {
public:
  explicit Gemms(const Driver &driver) : cuda(driver) {}
  ~Gemms();

  /// Finds the library that the options select, if a kernel of the program or
  /// an option needs one. The device is current.
  dyn_status_t open(const dyn_program_t &program, const char *device,
                    const dyn_context_options_t &options);

  /// The problem of a launch that is large enough for a library; nothing if it
  /// is not.
  static std::optional<GemmKey> getProblem(const dyn_gemm_t &gemm,
                                           const int64_t *dims);

  /// Queues the GEMM of a launch on the stream of `space`. `isDone` is false if
  /// there is no library, or it has no algorithm for the problem.
  dyn_status_t run(const dyn_gemm_t &gemm, GemmKey key, void *const *buffers,
                   const char *kernel, CudaSpace &space, uint64_t &allocations,
                   bool &isDone);

  dyn_gemm_info_t info() const;
  dyn_status_t writeTable(const char *path) const;

private:
  dyn_status_t openLibrary(const char *wanted, const char *driverName);
  dyn_status_t openFirst(const char *driverName);
  dyn_status_t tryLibrary(const char *name);
  dyn_status_t makePlan(const GemmKey &key, GemmPlan &plan, GemmBuffers buffers,
                        const char *kernel, CudaSpace &space,
                        uint64_t &allocations);
  dyn_status_t tune(const GemmKey &key, GemmPlan &plan,
                    const std::vector<dyn_cublas_heuristic_t> &proposed,
                    GemmBuffers buffers, const char *kernel, CudaSpace &space,
                    uint64_t &allocations);

  const Driver &cuda;
  uint64_t numKernels = 0;
  uint32_t tuneCount = 0;
  const GemmLibrary *library = nullptr;
  std::string reason; ///< why there is no library
  uint64_t version = 0;
  dyn_cublas_handle_t handle = nullptr;
  mutable std::mutex mutex; ///< guards the members below
  std::optional<GemmTable> table;
  uint64_t numTuned = 0;
  std::map<GemmKey, std::unique_ptr<GemmPlan>> plans;
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_DEVICES_CUDA_GEMMS_H
