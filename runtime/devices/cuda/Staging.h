//===- Staging.h - Exchanges of rows through memory of the host -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_DEVICES_CUDA_STAGING_H
#define DYN_RUNTIME_DEVICES_CUDA_STAGING_H

#include "Exchanges.h"

#include "Buffer.h"

namespace dyn::rt {

struct CudaSpace;

/// Host memory of one exchange: what it sends, then what it receives.
struct Stage {
  enum { Free, InExchange, OnStream } state = Free;
  Buffer memory;
};

/// The stages of an execution, which are kept from call to call.
class StagingArea {
public:
  explicit StagingArea(const MemorySource &pinned) : pinned(pinned) {}

  /// A stage with room for `bytes`.
  dyn_status_t take(int64_t bytes, uint64_t &allocations, Stage *&out);
  /// Called when all queued work has run.
  void settle();

private:
  const MemorySource &pinned;
  std::vector<std::unique_ptr<Stage>> stages;
};

/// Moves rows of a device's memory through that of the host, where a
/// communicator takes them: for machines without a library that moves them
/// between devices. Kernels run while the communicator moves rows.
class StagedCarrier : public Carrier {
public:
  StagedCarrier(CudaSpace &space, uint64_t &allocations)
      : space(space), allocations(allocations) {}

  dyn_status_t clear(void *rows, uint64_t bytes) override;
  dyn_status_t copy(void *to, const void *from, uint64_t bytes) override;
  dyn_status_t begin(const std::vector<ExchangePart> &parts,
                     const ExchangeTerms &terms,
                     std::unique_ptr<PendingExchange> &out) override;

protected:
  CudaSpace &space;
  uint64_t &allocations;
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_DEVICES_CUDA_STAGING_H
