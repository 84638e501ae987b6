//===- DirectCarrier.h - Exchanges of rows between devices ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_DEVICES_CUDA_DIRECTCARRIER_H
#define DYN_RUNTIME_DEVICES_CUDA_DIRECTCARRIER_H

#include "DeviceRanks.h"
#include "Staging.h"

namespace dyn::rt {

/// The exchanges that an execution has on its way between devices: on a stream
/// of their own, so that kernels run beside them. The host waits for them with
/// a deadline before it waits for the kernels that follow.
class Movements {
public:
  explicit Movements(const Driver &driver) : cuda(driver) {}
  ~Movements();

  /// Queues parts after what is on `stream`, and gives the event of their end.
  dyn_status_t begin(DeviceRanks &ranks, const std::vector<ExchangePart> &parts,
                     const ExchangeTerms &terms, dyn_cuda_stream_t stream,
                     dyn_cuda_event_t &end);
  /// Waits for all of them. A failure is the end of the communicator; its text
  /// is given, and the thread's last error stays.
  dyn_status_t settle(std::string &text);

private:
  struct Movement {
    DeviceRanks *ranks;
    dyn_communicator *communicator;
    const volatile int32_t *cancel;
    uint64_t timeout, deadline;
    std::vector<uint32_t> peers;
    dyn_cuda_event_t end;
  };
  dyn_status_t wait(const Movement &movement);
  dyn_status_t takeEvent(dyn_cuda_event_t &event);

  const Driver &cuda;
  dyn_cuda_stream_t own = nullptr;
  std::vector<Movement> movements;
  std::vector<dyn_cuda_event_t> free;
};

/// Moves rows between devices by a library. The communicator compares their
/// bytes before, so that no rank waits on its device for one that disagrees.
class DirectCarrier final : public StagedCarrier {
public:
  DirectCarrier(CudaSpace &space, uint64_t &allocations, DeviceRanks &ranks)
      : StagedCarrier(space, allocations), ranks(ranks) {}

  dyn_status_t begin(const std::vector<ExchangePart> &parts,
                     const ExchangeTerms &terms,
                     std::unique_ptr<PendingExchange> &out) override;

private:
  DeviceRanks &ranks;
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_DEVICES_CUDA_DIRECTCARRIER_H
