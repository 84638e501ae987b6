//===- DeviceRanks.cpp - Ranks whose devices a library connects -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceRanks.h"

#include "Clock.h"
#include "Ranks.h"

#include <cstring>
#include <unistd.h>

using namespace dyn::rt;

static constexpr const char *kSystemLibrary = "libnccl.so.2";

DeviceRanks::~DeviceRanks() {
  // To finalize would wait for ranks that may be gone. Nothing is queued.
  if (comm)
    library->abort(comm);
}

//===----------------------------------------------------------------------===//
// The library
//===----------------------------------------------------------------------===//

dyn_status_t DeviceRanks::open(const dyn_context_options_t &options) {
  const char *wanted = options.exchange_library;
  if (!options.communicator) {
    reason = "there are no other ranks";
    if (!wanted)
      return DYN_STATUS_OK;
    return fail(DYN_STATUS_INVALID_ARGUMENT,
                "exchange_library: expected a communicator beside '%s'",
                wanted);
  }
  if (wanted && std::strcmp(wanted, "none") == 0) {
    reason = "none is wanted";
    return DYN_STATUS_OK;
  }
  if (wanted)
    return tryLibrary(wanted);
  // A machine need not have one: rows then go through the host.
  if (tryLibrary(cuda.isEmulator ? options.device_library : kSystemLibrary))
    reason = dyn_last_error();
  return DYN_STATUS_OK;
}

dyn_status_t DeviceRanks::tryLibrary(const char *name) {
  const NcclLibrary *loaded = nullptr;
  DYN_RETURN_IF_FAILED(NcclLibrary::load(name, cuda.isEmulator, loaded));
  if (loaded->version < DYN_NCCL_OLDEST)
    return fail(DYN_STATUS_UNSUPPORTED,
                "'%s' is version %d of NCCL: expected 2.14 or newer", name,
                loaded->version);
  library = loaded;
  return DYN_STATUS_OK;
}

void DeviceRanks::drop(const std::string &why) {
  library = nullptr;
  reason = why;
}

dyn_exchange_info_t DeviceRanks::info() const {
  dyn_exchange_info_t info = {};
  info.library = library ? library->name.c_str() : "";
  info.reason = reason.c_str();
  info.version = library ? uint64_t(library->version) : 0;
  return info;
}

//===----------------------------------------------------------------------===//
// Ranks
//===----------------------------------------------------------------------===//

namespace {
/// Sent to all other ranks when they join.
struct Offer {
  int32_t version;  ///< of the library, 0 for none
  int32_t hasId;    ///< of rank 0
  dyn_nccl_id_t id; ///< likewise
};
} // namespace

dyn_status_t DeviceRanks::join(dyn_communicator &communicator) {
  std::vector<Offer> all(communicator.size);
  Offer &own = all[communicator.rank];
  own.version = library ? library->version : 0;
  if (library && communicator.rank == 0)
    own.hasId = library->getUniqueId(&own.id) == DYN_NCCL_SUCCESS;
  DYN_RETURN_IF_FAILED(tellAll(communicator, all.data(), sizeof(Offer)));
  for (size_t i = 0; i < all.size(); ++i)
    if (all[i].version != own.version && library)
      drop("rank " + std::to_string(i) + " has " +
           (all[i].version ? "version " + std::to_string(all[i].version)
                           : "no library") +
           ", rank " + std::to_string(communicator.rank) + " has version " +
           std::to_string(own.version));
  for (const Offer &each : all)
    if (each.version != all[0].version || !each.version)
      return DYN_STATUS_OK;
  if (!all[0].hasId)
    return fail(DYN_STATUS_DEVICE_ERROR,
                "cannot connect the devices: rank 0 has no id");
  dyn_nccl_config_t config = {sizeof(config), DYN_NCCL_MAGIC, DYN_NCCL_OLDEST,
                              /*blocking=*/0};
  uint64_t deadline = timeAfter(communicator.timeout());
  dyn_nccl_comm_t made = nullptr;
  int result = library->initRank(&made, int(communicator.size), all[0].id,
                                 int(communicator.rank), &config);
  comm = made;
  dyn_status_t status =
      await(result, "connect the devices of ranks", deadline, &communicator);
  // Others that wait for this rank hear at once that it does not come. After
  // all have met, each knows that all are connected.
  if (status)
    communicator.abort(status, std::string(dyn_last_error()));
  else
    status = tellAll(communicator, all.data(), sizeof(Offer));
  if (status)
    abort();
  return status;
}

dyn_status_t DeviceRanks::await(int result, const char *what, uint64_t deadline,
                                dyn_communicator *communicator) {
  std::vector<uint32_t> others;
  for (uint32_t i = 0; communicator && i < communicator->size; ++i)
    if (i != communicator->rank)
      others.push_back(i);
  for (int i = 0; result == DYN_NCCL_IN_PROGRESS; ++i) {
    if (communicator)
      DYN_RETURN_IF_FAILED(communicator->check(others));
    DYN_RETURN_IF_FAILED(
        library->check(library->getAsyncError(comm, &result), what, comm));
    if (result != DYN_NCCL_IN_PROGRESS)
      break;
    if (now() >= deadline)
      return fail(DYN_STATUS_DEADLINE_EXCEEDED,
                  "cannot %s: '%s' did not end it in time", what,
                  library->name.c_str());
    if (i > 100)
      ::usleep(50);
  }
  return library->check(result, what, comm);
}

dyn_status_t DeviceRanks::queue(const std::vector<ExchangePart> &parts,
                                dyn_cuda_stream_t stream, uint64_t deadline) {
  constexpr const char *what = "exchange rows between devices";
  if (!comm)
    return fail(DYN_STATUS_DEVICE_ERROR, "the devices of ranks are no longer "
                                         "connected, after a failure");
  DYN_RETURN_IF_FAILED(library->check(library->groupStart(), what, comm));
  int first = DYN_NCCL_SUCCESS;
  auto note = [&](int result) {
    if (first == DYN_NCCL_SUCCESS && result != DYN_NCCL_IN_PROGRESS)
      first = result;
  };
  for (const ExchangePart &part : parts) {
    if (part.sends)
      note(library->send(part.send, part.sends, DYN_NCCL_BYTE, int(part.rank),
                         comm, stream));
    if (part.receives)
      note(library->receive(part.receive, part.receives, DYN_NCCL_BYTE,
                            int(part.rank), comm, stream));
  }
  // The group ends in any case.
  int ended = library->groupEnd();
  DYN_RETURN_IF_FAILED(library->check(first, what, comm));
  return await(ended, what, deadline);
}

dyn_status_t DeviceRanks::check() {
  int result = DYN_NCCL_SUCCESS;
  constexpr const char *what = "exchange rows between devices";
  if (!comm)
    return DYN_STATUS_OK;
  DYN_RETURN_IF_FAILED(
      library->check(library->getAsyncError(comm, &result), what, comm));
  return result == DYN_NCCL_IN_PROGRESS ? DYN_STATUS_OK
                                        : library->check(result, what, comm);
}

void DeviceRanks::abort() {
  if (comm)
    library->abort(comm);
  comm = nullptr;
}
