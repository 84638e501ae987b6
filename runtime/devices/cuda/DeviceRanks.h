//===- DeviceRanks.h - Ranks whose devices a library connects -------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_DEVICES_CUDA_DEVICERANKS_H
#define DYN_RUNTIME_DEVICES_CUDA_DEVICERANKS_H

#include "Driver.h"
#include "Exchanges.h"
#include "NcclLibrary.h"

#include "dyn/runtime.h"

#include <mutex>

namespace dyn::rt {

/// The devices of a communicator's ranks, between which a library moves rows.
/// Without one it records why there is none. All calls of the library come from
/// one call of a model at a time.
class DeviceRanks {
public:
  explicit DeviceRanks(const Driver &driver) : cuda(driver) {}
  ~DeviceRanks();

  /// Loads the library that the options name, or finds one.
  dyn_status_t open(const dyn_context_options_t &options);
  /// Connects the devices of all ranks, if all have the library: all must call
  /// it. The device is current. If one fails, so do all, and the communicator.
  dyn_status_t join(dyn_communicator &communicator);

  bool isConnected() const { return comm; }
  dyn_exchange_info_t info() const;

  /// Queues the parts of an exchange, on whose bytes all ranks agree, on a
  /// stream. Fails at the deadline, a time of Clock.h.
  dyn_status_t queue(const std::vector<ExchangePart> &parts,
                     dyn_cuda_stream_t stream, uint64_t deadline);
  /// Fails if the library has found a failure.
  dyn_status_t check();
  /// Ends everything that is queued, which leaves the data undefined.
  void abort();

private:
  dyn_status_t tryLibrary(const char *name);
  /// Waits for what the library does without blocking, as long as ranks of the
  /// communicator, if it is not null, have not failed.
  dyn_status_t await(int result, const char *what, uint64_t deadline,
                     dyn_communicator *communicator = nullptr);
  void drop(const std::string &why);

  const Driver &cuda;
  const NcclLibrary *library = nullptr;
  std::string reason; ///< why there is no library
  dyn_nccl_comm_t comm = nullptr;
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_DEVICES_CUDA_DEVICERANKS_H
